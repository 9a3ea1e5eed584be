#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames that carry nothing but an acknowledgment.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

SIZE=$(amount $((4 << 20)) $((16 << 20)))
ROUNDS=$(amount 1000 10000)

one_way() {
	wired_nodes 2 "$@"
	bad_wire 1
	bad_wire 2
	xfer -z "$SIZE"
	say "$(val server_acks_out) acknowledgments for" \
		"$(val client_segs_out) segments"
	expect_float "acknowledgments for each segment" \
		"$(ratio "$(wire_val 2 ack_frames)" \
			"$(wire_val 1 seg_frames)")" "<=" "$(amount 0.03 0.025)"
}

acks__one_way_at_1_gbit_20_us() {
	one_way rate 1gbit delay 20us
}

acks__one_way_at_1_gbit_500_us() {
	one_way rate 1gbit delay 500us
}

acks__none_in_request_and_reply() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1
	bad_wire 2
	pingpong -z 64 -n "$ROUNDS"
	# The reply to nothing: the last one, and the end of the stream.
	expect "acknowledgments of the client" "$(val client_acks_out)" -le 1
	expect "acknowledgments of the server" "$(val server_acks_out)" -eq 0
	expect "such frames on the wire" \
		$(($(wire_val 1 ack_frames) + $(wire_val 2 ack_frames))) -le 4
}

run_bars acks__one_way_at_1_gbit_20_us acks__none_in_request_and_reply
