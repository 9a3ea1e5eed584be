#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests' own tools: what judges others must see faults itself.
. "$(dirname "$0")/lib/lib.sh"

segments() {
	rawframe "$NODE-1" p0 dst=ff:ff:ff:ff:ff:ff src="$(mac 1)" \
		flags=0x001 src_node=9 dst_node=9 payload=100 seq=4294967200 \
		count=256 vary=seq
}

self__wire_drops_listed_segments_once() {
	wired_nodes 2
	bad_wire 1 list=3,7,8,200
	segments
	expect "dropped" "$(wire_val 1 seg_dropped)" -eq 4
	expect "different ones" "$(wire_val 1 segments)" -eq 256
	expect "repeats" "$(wire_val 1 repeats)" -eq 0
	expect "payload" "$(wire_val 1 payload)" -eq 25600
	segments
	expect "dropped" "$(wire_val 1 seg_dropped)" -eq 4
	expect "repeats" "$(wire_val 1 repeats)" -eq 256
	counter_is 2 frames_in -eq 508 ||
		fail "frames at node 2: $(counter 2 frames_in), not 508"
}

self__wire_drops_the_same_for_a_seed() {
	local first

	wired_nodes 2
	bad_wire 1 drop_seg=1000 seed=5
	segments
	first=$(wire_val 1 seg_dropped)
	expect "dropped of 256 at 10 %" "$first" -gt 10
	expect "dropped of 256 at 10 %" "$first" -lt 50
	bad_wire 1 drop_seg=1000 seed=5
	segments
	expect "dropped again" "$(wire_val 1 seg_dropped)" -eq "$first"
}

self__wire_doubles() {
	wired_nodes 2
	bad_wire 1 twice_seg=10
	segments
	wait_for "266 frames at node 2" counter_is 2 frames_in -eq 266
}

self__a_failed_expectation_fails() {
	(expect "one" 1 -eq 2) && return 1
	(expect_float "one" 1.5 ">=" 2) && return 1
	(refused "true" "" true) && return 1
	(LIMIT_MS=100 wait_for "false" false) && return 1
	return 0
}

# A log that has lost the line by which a case begins is one that says much.
self__a_log_without_its_begin_is_shown() {
	echo "prp: a line of the test" >/dev/kmsg
	kernel_log | grep -q "prp: a line of the test" || fail "not shown"
	kernel_log | grep -q "$BEGINS" && fail "what was before is shown"
	BEGINS="what has left the ring"
	kernel_log | grep -q "prp: a line of the test" || fail "not shown"
}

undoes() {
	say "undone"
}

fails() {
	AT_END=undoes
	two_nodes
	fail "$NODE has failed"
}

self__a_case_that_fails_is_undone_and_cleaned_up() {
	local said

	said=$(run_case fails) && fail "it has not failed: $said"
	[[ $said == *"# undone"* ]] || fail "not undone: $said"
	[[ $said =~ FAIL:\ (.*)\ has\ failed ]] || fail "$said"
	[ ! -e "/run/netns/${BASH_REMATCH[1]}-1" ] || fail "not cleaned up"
	[[ $said == *"kernel log"* ]] || fail "nothing is shown: $said"
}

run_cases
