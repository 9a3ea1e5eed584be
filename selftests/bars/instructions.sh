#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Executed instructions of a request and its reply, against TCP's in the
# same boot. One nanosecond of this machine's clock is one instruction.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

tcp_pingpong() {
	run prp_pingpong -t -c "$NODE-1" -s "$NODE-2" -a 10.9.0.2 "$@"
}

# Both have two modes, by the scheduler's phase, whose share moves from run to
# run: the first percentile is of the lower one, the median of the upper one.
# PRP's worst of three runs is held against TCP's best; a guard has one run.
# against_tcp BYTES AT BOUND...: at most so much of TCP's, at each percentile
against_tcp() {
	local size=$1 worst best who at
	local -A most=([$2]=$3 [$4]=$5)
	local -A got=()

	two_nodes
	for _ in $(seq "$(amount 1 3)"); do
		for who in tcp_pingpong pingpong; do
			$who -z "$size" -n "$(amount 2000 4000)"
			say "$who: p1 $(val p1), p50 $(val p50) instructions"
			for at in p1 p50; do
				got[$who $at]+=" $(val $at)"
			done
		done
	done
	for at in p1 p50; do
		worst=$(printf '%s\n' ${got[pingpong $at]} | sort -n | tail -n 1)
		best=$(printf '%s\n' ${got[tcp_pingpong $at]} | sort -n | head -n 1)
		expect_float "$at: PRP's $worst instructions of TCP's $best" \
			"$(ratio "$worst" "$best")" "<=" "$(amount 0.65 ${most[$at]})"
	done
}

instructions__4_bytes() {
	against_tcp 4 p1 0.60 p50 0.62
}

instructions__1400_bytes() {
	against_tcp 1400 p1 0.61 p50 0.63
}

run_bars instructions__4_bytes
