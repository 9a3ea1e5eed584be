#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What messages cost: SOCK_SEQPACKET against SOCK_STREAM in the same boot, in
# executed instructions.
. "$(dirname "$0")/../lib/lib.sh"

messages__pingpong_within_3_percent() {
	local stream

	two_nodes
	pingpong -z 8 -n 4000
	stream=$(val p50)
	pingpong -Q -z 8 -n 4000
	expect_float "$(val p50) instructions of a stream's $stream" \
		"$(ratio "$(val p50)" "$stream")" "<=" 1.03
}

# median NUMBER... of which there are five
median() {
	printf '%s\n' "$@" | sort -g | sed -n 3p
}

# bulk SIZE: messages of that many bytes. How the buffers fill differs from
# run to run by some percent, so medians are compared.
bulk() {
	local try streams=() messages=()

	two_nodes
	for try in 1 2 3 4 5; do
		xfer -k "$1" -z $((16 << 20))
		streams+=("$(val mbit)")
		xfer -Q -k "$1" -z $((16 << 20))
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

run_cases
