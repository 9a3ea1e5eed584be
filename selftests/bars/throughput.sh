#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# User data a second on a link of 1 Gbit/s and 20 us, MTU 1500.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

SIZE=$(amount $((8 << 20)) $((32 << 20)))

throughput__lossless_935_mbit() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1
	bad_wire 2
	xfer -z "$SIZE"
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 0
	expect "repeats on the wire" "$(wire_val 1 repeats)" -eq 0
	expect_float "Mbit/s" "$(val mbit)" ">=" 935
}

throughput__1_percent_lost_840_mbit() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1 drop=100 seed=1
	bad_wire 2 drop=100 seed=2
	xfer -z "$SIZE"
	say "dropped $(wire_val 1 seg_dropped)," \
		"repeated $(val client_segs_retransmitted)"
	expect_float "Mbit/s" "$(val mbit)" ">=" 840
}

run_bars
