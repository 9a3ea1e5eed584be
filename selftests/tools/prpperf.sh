#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpperf over PRP and over frames, between nodes. That it does what it says is
# in unit/test_prpperf.sh, over families that every kernel has.
. "$(dirname "$0")/lib/lib.sh"

# at NODE [ADDRESS]: as a node of prpperf
at() {
	echo "${2:-$1}@netns:$NODE-$1"
}

# perf WORD...: all bytes are compared
perf() {
	OUT=$(prpperf -j -C "$@") || fail "$*: $OUT"
}

# holds EXPRESSION: of what it printed
holds() {
	[ "$(jq "$1" <<<"$OUT")" = true ] || fail "not $1: $OUT"
}

prpperf__streams_and_messages() {
	local family

	two_nodes
	for family in prp prp-seq; do
		perf -f $family -n 20 -z 0,1,1468,1469,65536 pingpong \
			"$(at 2)" "$(at 1)"
		holds '[.rows[].rounds] == [0, 20, 20, 20, 20]'
		perf -f $family -n 2 -w 1 -c 64 bandwidth "$(at 2)" "$(at 1)"
		holds 'all(.rows[]; .arrived == 1)'
		perf -f $family -n 2 -w 1 -S 4096 -R 4096 -c 1,1024 spray \
			"$(at 2)" "$(at 1)"
		holds 'all(.rows[]; .rounds == 2)'
	done
}

# A message is not longer than the buffer that it is sent from.
prpperf__largest() {
	two_nodes
	perf -n 2 -w 1 -z 1048576 pingpong "$(at 2)" "$(at 1)"
	holds '.rows[0].rounds == 2'
	perf -f prp-seq -n 2 -z 1048576 -S 65536 pingpong "$(at 2)" "$(at 1)"
	holds '.rows[0].rounds == 0 and .error == null'
}

prpperf__frames() {
	two_nodes
	perf -f packet -n 20 -z 0,1,1500,1501 pingpong \
		"$(at 2 p0)" "$(at 1 p0)"
	holds '[.rows[].rounds] == [0, 20, 20, 0]'
}

prpperf__many_nodes() {
	wired_nodes 4
	perf -t 0.5 permute "$(at 1)" "$(at 2)" "$(at 3)" "$(at 4)"
	holds '[.rows[].flows] == [4, 4, 4, 4, 4, 4]'
	holds 'all(.rows[]; .least_s > 0)'
	perf -t 1 -c 1,30 clients "$(at 1)" "$(at 2)" "$(at 3)" "$(at 4)"
	holds 'all(.rows[]; .least_s > 0)'
	perf -t 0.1 scale "$(at 1)" "$(at 2)" "$(at 3)" "$(at 4)"
	holds '[.rows[].nodes] == [2, 4, 2, 4]'
}

# Neither one that is another node, nor one that has gone
prpperf__nobody_there() {
	two_nodes
	! OUT=$(prpperf -j -n 20 -z 4 pingpong "$(at 2 7)" "$(at 1)") ||
		fail "$OUT"
	holds '.error | contains("bind to 7")'
	ip -n "$NODE-2" link set p0 down
	! OUT=$(prpperf -j -L 1 -n 20 -z 4 pingpong "$(at 2)" "$(at 1)") ||
		fail "$OUT"
	holds '.error != null and .rows == []'
}

run_cases
