#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Segments sent again against segments lost, with a long pipe in flight:
# 1 Gbit/s, 500 us each way.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

SIZE=$(amount 20000000 20000000 200000000)
SHORT=$(amount $((4 << 20)) $((8 << 20)))

pipe() {
	wired_nodes 2 rate 1gbit delay 500us
	bad_wire 1 "$@"
	bad_wire 2
	xfer -z "$SIZE" -L 600
	say "$(val mbit) Mbit/s, in flight at most $(val client_in_flight_max)"
	expect "segments in flight" "$(val client_in_flight_max)" -ge 256
}

lossy_pipe() {
	local dropped repeated

	pipe drop_seg="$1" seed="$2"
	dropped=$(wire_val 1 seg_dropped)
	repeated=$(wire_val 1 repeats)
	expect "segments dropped" "$dropped" -ge $((SIZE / 1464 * $1 / 20000))
	expect "repeats the sender counts" \
		"$(val client_segs_retransmitted)" -eq "$repeated"
	expect_float "repeated $repeated for $dropped dropped, ratio" \
		"$(ratio "$repeated" "$dropped")" "<=" 1.1
}

repeats__none_without_loss() {
	pipe
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 0
	expect "repeats on the wire" "$(wire_val 1 repeats)" -eq 0
	expect "probes" "$(val client_probes_out)" -le 1
}

# A lost acknowledgment is no lost segment.
repeats__none_for_lost_acknowledgments() {
	wired_nodes 2 rate 1gbit delay 500us
	bad_wire 1
	bad_wire 2 drop_ack=3000
	xfer -z "$SHORT"
	expect "acknowledgments dropped" "$(wire_val 2 ack_dropped)" -gt 0
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 0
}

repeats__none_for_doubled_frames() {
	wired_nodes 2 rate 1gbit delay 500us duplicate 10%
	bad_wire 1
	xfer -z "$SHORT"
	expect "segments received twice" "$(val server_segs_dup_in)" -gt 100
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 0
}

repeats__none_around_the_edges_of_segments() {
	local size

	two_nodes
	for size in 0 1 2 1463 1464 1465 2927 2928 2929 65535 65536 65537; do
		xfer -z "$size" -d
	done
	expect "repeats of node 1" "$(counter 1 segs_retransmitted)" -eq 0
	expect "repeats of node 2" "$(counter 2 segs_retransmitted)" -eq 0
}

repeats__1_percent_seed_1() {
	lossy_pipe 100 1
}

repeats__1_percent_seed_2() {
	lossy_pipe 100 2
}

repeats__1_percent_seed_3() {
	lossy_pipe 100 3
}

repeats__5_percent_seed_1() {
	lossy_pipe 500 1
}

repeats__5_percent_seed_2() {
	lossy_pipe 500 2
}

repeats__5_percent_seed_3() {
	lossy_pipe 500 3
}

# Exactly the lost ones are sent again, and each once.
holes() {
	wired_nodes 2 rate 1gbit delay 500us
	bad_wire 1 list="$1"
	xfer -z $(($2 * 1464))
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -eq 4
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 4
	expect "repeats on the wire" "$(wire_val 1 repeats)" -eq 4
	expect "segments received twice" "$(val server_segs_dup_in)" -eq 0
}

repeats__scripted_holes_from_the_start() {
	holes 3,7,8,200 256
}

repeats__scripted_holes_with_256_in_flight() {
	holes 2003,2007,2008,2200 4096
	expect "segments in flight" "$(val client_in_flight_max)" -ge 256
}

run_bars repeats__none_without_loss repeats__none_for_lost_acknowledgments \
	repeats__none_for_doubled_frames \
	repeats__none_around_the_edges_of_segments \
	repeats__1_percent_seed_1 repeats__5_percent_seed_1 \
	repeats__scripted_holes_from_the_start \
	repeats__scripted_holes_with_256_in_flight
