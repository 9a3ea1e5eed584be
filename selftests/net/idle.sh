#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections that wait let the machine sleep.
. "$(dirname "$0")/../lib/lib.sh"

PORT=4000
SLOWLY=10	# probes, after which the pause between two is the longest
WAKES_MOST=25	# a second; one of a tick would be 2000

# wakes: in $WAKES, how often timers of softirqs have expired, and when in $NOW
wakes() {
	local counts count

	while read -ra counts; do
		[ "${counts[0]}" != HRTIMER: ] || break
	done </proc/softirqs
	WAKES=0
	for count in "${counts[@]:1}"; do
		WAKES=$((WAKES + count))
	done
	now_ms
}

probes_out() {
	wait_for "$1 probes more" \
		counter_is 1 probes_out -ge $(($(counter 1 probes_out) + $1))
}

# sleeps: while node 1 probes
sleeps() {
	local first begun

	probes_out $SLOWLY
	wakes
	first=$WAKES begun=$NOW
	probes_out 5
	wakes
	expect "timers a second" \
		$(((WAKES - first) * 1000 / (NOW - begun))) -le $WAKES_MOST
}

idle__orphan_behind_a_closed_window() {
	two_nodes
	connected_pair $PORT
	told_ok client fill
	told_ok client close
	sleeps
	release server
	release client
}

# stand_still: has hardly a timer expired for a second?
stand_still() {
	local first begun

	wakes
	first=$WAKES begun=$NOW
	sleep 1
	wakes
	[ $(((WAKES - first) * 1000 / (NOW - begun))) -le 1 ]
}

# What is not read is held for as long as it takes, and asks for no look.
idle__much_that_is_not_read() {
	two_nodes
	connected_pair $PORT
	told_ok client send 200000
	wait_for "a machine that sleeps" stand_still
	told_ok server recv 100000
	wait_for "a machine that sleeps again" stand_still
	told_ok server recv 100000
	release client
	release server
}

# Who answers is asked five times a second for as long as it takes: he is not
# taken for silent because nobody asks him.
idle__window_that_is_closed_for_long() {
	local begun

	two_nodes
	connected_pair $PORT
	told_ok client fill
	LIMIT_MS=$((60000 * SLOW)) probes_out 160
	now_ms
	begun=$NOW
	probes_out 20
	now_ms
	expect "ms of twenty probes" $((NOW - begun)) -le 15000
	release client
	release server
}

idle__peer_that_is_lost() {
	wired_nodes 2
	connected_pair $PORT
	bad_wire 1 drop_seg=10000 drop_ack=10000
	told_ok client send 1000
	sleeps
	bad_wire 1
	told_ok server recv 1000
	release server
	release client
}

run_cases
