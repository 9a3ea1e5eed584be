#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Executed instructions of a connection that is opened and closed, both ends
# and all that follows, against TCP's in the same boot. One nanosecond of this
# machine's clock is one instruction.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

COUNT=$(amount 1100 3100)

connects() {
	run prp_connects -c "$NODE-1" -s "$NODE-2" "$@" "$COUNT"
}

# PRP's worst of three runs is held against TCP's best; a guard has one run.
opens__and_closes_at_most_0_60_of_tcp() {
	local worst=0 best=0

	two_nodes
	for _ in $(seq "$(amount 1 3)"); do
		connects -a 2
		[ "$worst" -ge "$(val each)" ] || worst=$(val each)
		connects -t -a 10.9.0.2
		((best && best <= $(val each))) || best=$(val each)
		say "PRP's worst: $worst, TCP's best: $best instructions"
	done
	expect_float "PRP's $worst instructions of TCP's $best" \
		"$(ratio "$worst" "$best")" "<=" 0.60
}

run_bars
