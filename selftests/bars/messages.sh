#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What messages cost: SOCK_SEQPACKET against SOCK_STREAM in the same boot, in
# executed instructions.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

messages__pingpong_within_3_percent() {
	local stream

	two_nodes
	pingpong -z 8 -n 4000
	stream=$(val p50)
	pingpong -Q -z 8 -n 4000
	expect_float "$(val p50) instructions of a stream's $stream" \
		"$(ratio "$(val p50)" "$stream")" "<=" 1.03
}

BYTES=$(amount $((8 << 20)) $((16 << 20)))

# bulk SIZE: messages of that many bytes. How the buffers fill differs from
# run to run by some percent, so medians are compared.
bulk() {
	local streams=() messages=()

	two_nodes
	for _ in $(seq "$(amount 3 5)"); do
		xfer -k "$1" -z "$BYTES"
		streams+=("$(val mbit)")
		xfer -Q -k "$1" -z "$BYTES"
		messages+=("$(val mbit)")
	done
	say "Mbit/s of messages: ${messages[*]}, of streams: ${streams[*]}"
	expect_float "messages' part of a stream's rate" \
		"$(ratio "$(median "${messages[@]}")" \
			"$(median "${streams[@]}")")" ">=" 0.97
}

messages__bulk_within_3_percent() {
	bulk 65536
}

# Some segments begin with one message and end with another.
messages__bulk_of_2000_bytes_within_3_percent() {
	bulk 2000
}

# one_way ARGUMENT...: instructions of one of many writes of 4 bytes in a row,
# in $EACH
MANY=$(amount 40000 200000)

one_way() {
	run prp_xfer -c "$NODE-1" -s "$NODE-2" -z $((4 * MANY)) -k 4 "$@"
	[ "$(val hash)" = ok ] || fail "prp_xfer $*: $OUT"
	EACH=$(awk "BEGIN { printf \"%.0f\", $(val seconds) * 1e9 / $MANY }")
}

# short BOUND READ ARGUMENT...: beside TCP, with TCP_NODELAY and without, whose
# reader has as much room
short() {
	local bound=$1 read=$2 nodelay nagle

	two_nodes
	one_way -t -a 10.9.0.2 -r "$read"
	nodelay=$EACH
	one_way -t -g -a 10.9.0.2 -r "$read"
	nagle=$EACH
	one_way -a 2 -r "$read" "${@:3}"
	say "instructions of 4 bytes: TCP with TCP_NODELAY $nodelay," \
		"TCP without $nagle, PRP $EACH in $(val client_segs_out) segments"
	say "PRP's part of TCP without: $(ratio "$EACH" "$nagle")"
	expect_float "PRP's part of TCP with TCP_NODELAY" \
		"$(ratio "$EACH" "$nodelay")" "<=" "$bound"
}

messages__of_4_bytes_in_a_row() {
	short 0.15 65536
}

# Each of them is a call of its own to read, too.
messages__of_4_bytes_each_read() {
	short 0.22 4 -Q
}

# Who wants no delay has none: a segment for each.
messages__of_4_bytes_without_delay() {
	two_nodes
	one_way -a 2 -r 65536 -D
	say "$EACH instructions"
	expect "segments" "$(val client_segs_out)" -ge "$MANY"
}

run_bars messages__pingpong_within_3_percent \
	messages__bulk_within_3_percent \
	messages__bulk_of_2000_bytes_within_3_percent \
	messages__of_4_bytes_in_a_row
