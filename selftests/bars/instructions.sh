#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Executed instructions of a request and its reply, against TCP's in the
# same boot. One nanosecond of this machine's clock is one instruction.
. "$(dirname "$0")/../lib.sh"

tcp_pingpong() {
	run prp_pingpong -t -c "$NODE-1" -s "$NODE-2" -a 10.9.0.2 "$@"
}

# TCP has two modes, by the scheduler's phase; the lower one is the bar, and
# the first percentile finds it even in a run of the upper one.
against_tcp() {
	local size=$1 tcp=999999999 prp=0 try

	two_nodes
	for try in 1 2 3; do
		tcp_pingpong -z "$size" -n 4000
		say "TCP: p1 $(val p1), p50 $(val p50) instructions"
		[ "$(val p1)" -ge "$tcp" ] || tcp=$(val p1)
		pingpong -z "$size" -n 4000
		say "PRP: p1 $(val p1), p50 $(val p50) instructions"
		[ "$(val p50)" -le "$prp" ] || prp=$(val p50)
	done
	expect_float "PRP's $prp instructions of TCP's $tcp" \
		"$(ratio "$prp" "$tcp")" "<=" 0.65
}

instructions__4_bytes_at_most_0_65_of_tcp() {
	against_tcp 4
}

run_cases
