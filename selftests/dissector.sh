#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tools/dissector/prp.lua makes of the module's own frames, held against
# what the module and the wire counted. Frames that the module never sends are
# in unit/test_dissector.sh.
. "$(dirname "$0")/lib.sh"

PORT=4000
SEG=0x001
REQ=0x002
ANS=0x004
RST=0x080
HELLO=0103010005bc000012345678000000000000000000000007
QUOTE=04020200000000000000000000000000

# capture NAMESPACE DEV: from now on until captured is called, which wants a
# frame that nobody sends but captured itself
capture() {
	CAPTURE=$(mktemp -d)
	CAPTURED=("$1" "$2")
	nsenter --net="/run/netns/$1" dumpcap -q -P -i "$2" \
		-w "$CAPTURE/pcap" 2>"$CAPTURE/log" &
	CAPTURER=$!
	wait_for "capture begins" [ -s "$CAPTURE/pcap" ]
}

# captured FIELD...: their values in the array ROWS, a row for each frame that
# was captured, with | between fields
captured() {
	local fields=() field

	# "The capture ends", of another EtherType
	rawframe "${CAPTURED[@]}" type=0x88b6 dst="$(mac 9)" \
		src_node=0x5468 src_port=0x6520 dst_port=0x6361 \
		seq=0x70747572 ack=0x6520656e len=0x6473
	wait_for "capture ends" grep -qa "ture ends" "$CAPTURE/pcap"
	kill -INT "$CAPTURER"
	wait "$CAPTURER"
	for field; do
		fields+=(-e "$field")
	done
	tshark -X "lua_script:$HERE/prp.lua" -r "$CAPTURE/pcap" -Y parma \
		-T fields -E separator='|' "${fields[@]}" \
		>"$CAPTURE/rows" 2>"$CAPTURE/log" || fail "$(<"$CAPTURE/log")"
	mapfile -t ROWS <"$CAPTURE/rows"
	if grep -v '^Running as user' "$CAPTURE/log"; then
		fail "tshark complains"
	fi
	rm -r "$CAPTURE"
}

# rows PATTERN: how many there are that match
rows() {
	local row count=0

	for row in "${ROWS[@]}"; do
		[[ $row != $1 ]] || count=$((count + 1))
	done
	echo "$count"
}

# two_segments_lost NAMESPACE DEV FIELD...: captures there what alpha sends,
# 30 segments of which the wire loses two that do not follow each other
two_segments_lost() {
	wired_nodes 2
	in_wire ip link set w1 mtu 1500
	bad_wire 1 list=5,9
	hold server 2
	told_ok server listen $PORT 1
	capture "$1" "$2"
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send $((30 * 1468))
	told_ok server recv $((30 * 1468))
	told_ok client close
	told_ok server close
	wait_for "all connections are freed" all_freed
	captured "${@:3}"
}

dissector__a_connection_with_losses_at_its_sender() {
	two_segments_lost "$WIRE" w1 parma.stream parma.snode parma.flags \
		parma.analysis.repeat_of parma.sack.first \
		parma.analysis.request_in parma.len
}

run_cases
