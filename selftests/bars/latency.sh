#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Request and reply when one frame in a hundred is lost each way. TCP waits
# 200 ms for a lone lost segment: its 99th percentile is 206 ms.
. "$(dirname "$0")/../lib.sh"

ROUNDS=$((5000 * (PRP_LONG ? 2 : 1)))

lossy_pingpong() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1 drop=100 seed="$1"
	bad_wire 2 drop=100 seed=$(($1 + 100))
	pingpong -z 64 -n $ROUNDS
	expect "frames lost" \
		$(($(wire_val 1 dropped) + $(wire_val 2 dropped))) \
		-ge $((ROUNDS / 100))
	say "avg $(val avg) p50 $(val p50) p99 $(val p99) max $(val max) ns"
	expect "99th percentile in ns" "$(val p99)" -lt 5000000
}

latency__1_percent_lost_seed_1() {
	lossy_pingpong 1
}

latency__1_percent_lost_seed_2() {
	lossy_pingpong 2
}

latency__1_percent_lost_seed_3() {
	lossy_pingpong 3
}

run_cases
