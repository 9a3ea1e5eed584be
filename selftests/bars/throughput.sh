#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# User data a second on a link of 1 Gbit/s and 20 us, MTU 1500.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

SIZE=$(amount $((8 << 20)) $((32 << 20)))

# at_least MBIT: in bulk, with what bad_wire has made of the wire
at_least() {
	xfer -z "$SIZE"
	say "dropped $(wire_val 1 seg_dropped)," \
		"repeated $(val client_segs_retransmitted)"
	expect_float "Mbit/s" "$(val mbit)" ">=" "$1"
}

throughput__lossless() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1
	bad_wire 2
	at_least "$(amount 935 960)"
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq 0
	expect "repeats on the wire" "$(wire_val 1 repeats)" -eq 0
}

# percent_lost PERCENT MBIT: each way
percent_lost() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1 drop=$((100 * $1)) seed=1
	bad_wire 2 drop=$((100 * $1)) seed=2
	at_least "$2"
}

throughput__1_percent_lost() {
	percent_lost 1 "$(amount 840 950)"
}

throughput__5_percent_lost() {
	percent_lost 5 "$(amount 800 880)"
}

run_bars throughput__lossless throughput__1_percent_lost
