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

run_bars
