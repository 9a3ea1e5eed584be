#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What messages cost: SOCK_SEQPACKET against SOCK_STREAM in the same boot, in
# executed instructions.
. "$(dirname "$0")/../lib.sh"

messages__pingpong_within_3_percent() {
	local stream

	two_nodes
	pingpong -z 8 -n 4000
	stream=$(val p50)
	pingpong -Q -z 8 -n 4000
	expect_float "$(val p50) instructions of a stream's $stream" \
		"$(ratio "$(val p50)" "$stream")" "<=" 1.03
}

# bulk SIZE: messages of that many bytes
bulk() {
	local stream

	two_nodes
	xfer -k "$1" -z $((24 << 20))
	stream=$(val mbit)
	xfer -Q -k "$1" -z $((24 << 20))
	expect_float "$(val mbit) Mbit/s of a stream's $stream" \
		"$(ratio "$(val mbit)" "$stream")" ">=" 0.97
}

messages__bulk_within_3_percent() {
	bulk 65536
}

# Some segments begin with one message and end with another.
messages__bulk_of_2000_bytes_within_3_percent() {
	bulk 2000
}

run_cases
