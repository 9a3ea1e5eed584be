#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A large host table: how long it takes to set it up, and that nobody pays
# for it afterwards.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

COUNT=1000
ROUNDS=$(amount 500 2000)

# many_hosts [links]: nodes 1 and 2 as two_nodes has them and many others,
# with links in a ring
many_hosts() {
	local nr

	hosts 2
	for ((nr = 3; nr <= COUNT; nr++)); do
		printf '%d n%d 02:50:52:51:%02x:%02x 10.8.%d.%d\n' $nr $nr \
			$((nr / 256)) $((nr % 256)) $((nr / 250)) \
			$((nr % 250 + 1))
	done
	[ -n "${1:-}" ] || return 0
	for ((nr = 1; nr < COUNT; nr++)); do
		echo "link $nr $((nr + 1))"
	done
	echo "link 1 $COUNT"
}

# set_up NODE FILE: leaves the ms of processor time that it took in $TOOK. The
# clock jumps where instructions are counted and pages of a library are waited
# for.
set_up() {
	local TIMEFORMAT='%3U %3S' user system

	{ time prpctl -n "$NODE-$1" hosts setup -f "$2" >/dev/null 2>&3; } \
		3>&2 2>/dev/shm/took
	read -r user system </dev/shm/took
	TOOK=$((10#${user/./} + 10#${system/./}))
}

hosts__a_thousand_in_less_than_a_second() {
	two_nodes
	many_hosts >/dev/shm/hosts
	set_up 1 /dev/shm/hosts
	expect "ms for $COUNT hosts" "$TOOK" -lt 1000
	set_up 1 /dev/shm/hosts
	expect "ms to find nothing changed" "$TOOK" -lt 1000
	many_hosts links >/dev/shm/hosts
	set_up 1 /dev/shm/hosts
	expect "ms for $COUNT links" "$TOOK" -lt 1000
	expect "next node and links to node 200" \
		"$(prpctl -j -n "$NODE-1" route show 200 |
		   grep -Eo '"(via|hops)": *[0-9]+' | tr -dc '0-9\n' |
		   tr '\n' ' ')" = "2 199 "
}

hosts__look_up_does_not_grow() {
	local few

	two_nodes
	pingpong -z 4 -n "$ROUNDS"
	few=$(val p1)
	many_hosts >/dev/shm/hosts
	set_up 1 /dev/shm/hosts
	set_up 2 /dev/shm/hosts
	pingpong -z 4 -n "$ROUNDS"
	expect_float "instructions with $COUNT hosts, $(val p1), of $few" \
		"$(ratio "$(val p1)" "$few")" "<=" 1.01
}

run_bars
