#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What lines.sh counts, in a machine with two processors whose emulator has
# its plugin: two connections between the same two nodes, both ends of each on
# a processor of its own. Between two marks both move bulk, small messages, or
# round trips. It says the name of each count, how many frames both nodes
# received and how many ms it took, and leaves the symbols of the kernel in
# $RESULTS.
. "$(dirname "$0")/../lib/lib.sh"

# without_steering NODE: what comes is received where it was sent
without_steering() {
	local rps

	rps=$(ip netns exec "$NODE-$1" \
		cat /sys/class/net/p0/queues/rx-0/rps_cpus)
	expect "processors that node $1 steers to" "${rps//,/}" -eq 0
}

# steered: frames that another processor was asked to receive, so far
steered() {
	local columns sum=0

	while read -ra columns; do
		sum=$((sum + 16#${columns[9]}))
	done </proc/net/softnet_stat
	echo $sum
}

frames() {
	echo $(($(counter 1 frames_in) + $(counter 2 frames_in)))
}

# both_move OPTION...: two connections, each on its own processor
both_move() {
	local cpu pid pids=()

	for cpu in 1 2; do
		taskset $cpu prpperf "$@" "2@netns:$NODE-2" \
			"1@netns:$NODE-1" >/dev/null &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "prpperf $*"
	done
}

# counted NAME OPTION...
counted() {
	local before begun

	before=$(frames)
	mark
	now_ms
	begun=$NOW
	both_move "${@:2}"
	now_ms
	mark
	echo "count $1 $(($(frames) - before)) $((NOW - begun))"
}

lines__of_two_connections() {
	local before

	two_nodes
	long_frames 1 2
	without_steering 1
	without_steering 2
	before=$(steered)
	cat /proc/kallsyms >"$RESULTS/kallsyms"
	counted bulk -n 100 -w 1 -z 65536 -c 4 bandwidth
	counted small -n 50 -w 1 -z 64 -c 100 bandwidth
	counted trip -n 1000 -w 1 -z 4 pingpong
	expect "frames that were steered" $(($(steered) - before)) -eq 0
}

run_cases
