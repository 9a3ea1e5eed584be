#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# SOCK_SEQPACKET over bad wires, and frames that lie about messages. What a
# program sees of it is in sock_message.
. "$(dirname "$0")/lib/lib.sh"

PORT=4000
SEG_EOM=0x021

messages__2_percent_lost() {
	wired_nodes 2 delay $((5 * SLOW))ms
	bad_wire 1 drop=200 seed=5
	bad_wire 2 drop=200 seed=6
	xfer -Q -k 300 -z 2000000 -d -T 60000
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -gt 0
	expect "segments for 6667 messages" "$(val client_segs_out)" -lt 6667
}

messages__polled_and_long() {
	two_nodes
	xfer -Q -w -n 4 -k 60000 -z 3000000 -d
}

messages__with_checksum() {
	wired_nodes 2 delay $((5 * SLOW))ms
	xfer -Q -K -k 333 -z 1000000
	expect "segments for 3004 messages" "$(val client_segs_out)" -lt 3004
}

# field HEX OFFSET BYTES
field() {
	echo "${1:$2 * 2:$3 * 2}"
}

# lying FIRST_END PAYLOAD: node 2 drops such a segment as malformed
lying() {
	local ext before

	before=$(counter 2 drop_extension)
	printf -v ext '0901%04x00000000' "$1"
	rawframe "$WIRE" w2 hex="$LAST" flags=$SEG_EOM ext="$ext" \
		payload="$2" len="$2" seq=$((0x$(field "$LAST" 26 4) + 1))
	wait_for "$* is dropped" counter_is 2 drop_extension -eq \
		$((before + 1))
}

# The lengths of messages in a segment must add up; rawframe's payload does
# not, as its bytes are no small numbers.
messages__lengths_that_do_not_add_up() {
	wired_nodes 2
	bad_wire 1
	hold server 2
	told_ok server messages
	told_ok server listen $PORT 1
	hold client 1
	told_ok client messages
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send 1000
	told_ok server recv 1000
	LAST=$(wire "$WIRE" w1 frame seg)

	lying 0 100
	lying 50 100
	lying 99 100
	lying 100 100
	lying 65535 100
	lying 0 1
	told_ok client send 5000
	told_ok server recv 5000
	expect "bytes received" "${ANSWER#ok }" -eq 5000
	release client
	release server
}

run_cases
