#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many to one: who has a pause behind him begins as one of those who may send to
# the same node, and only he.
. "$(dirname "$0")/../lib/lib.sh"

# sent_at_once COUNT NODE...: that many connections to node 1 send 64 KB each,
# twice
sent_at_once() {
	run prp_crowd -n 2 "$NODE-1" 1 4000 "$1" 65536 "${@:2}"
	say "$OUT"
}

# crowds NODE OPERATOR VALUE: how often it began as one of many
crowds() {
	expect "crowds of node $1" "$(counter "$1" crowds)" "$2" "$3"
}

crowds__one_is_none() {
	wired_nodes 2
	sent_at_once 1 "$NODE-2"
	crowds 2 -eq 0
}

crowds__of_two_nodes() {
	wired_nodes 3
	sent_at_once 2 "$NODE-2" "$NODE-3"
	crowds 2 -ge 1
	crowds 3 -ge 1
	crowds 1 -eq 0
}

# The first of them: what it gets through others may begin with.
crowds__of_one_node() {
	wired_nodes 2
	sent_at_once 16 "$NODE-2"
	crowds 2 -ge 1
}

# Nobody else is at the port of a node that talks to itself.
crowds__not_within_a_node() {
	wired_nodes 2
	sent_at_once 4 "$NODE-1"
	crowds 1 -eq 0
}

# What has ended is no longer counted.
crowds__not_of_those_who_have_gone() {
	wired_nodes 3
	sent_at_once 8 "$NODE-3"
	sent_at_once 1 "$NODE-2"
	crowds 2 -eq 0
}

# Who is killed is gone, too.
crowds__not_of_those_who_were_killed() {
	local crowd

	wired_nodes 3
	prp_crowd -n 1000 "$NODE-1" 1 4000 8 65536 "$NODE-3" &
	crowd=$!
	wait_for "they send" counter_is 3 segs_out -gt 500
	kill $crowd
	wait $crowd || :
	wait_for "all is gone" counter_is 3 live_conns -eq 0
	wait_for "all is gone here" counter_is 1 live_conns -eq 0
	sent_at_once 1 "$NODE-2"
	crowds 2 -eq 0
}

# idle COUNT NODE: so many connections to node 1, of which something comes at
# first only
idle() {
	local to from

	exec {to}<> <(:) {from}<> <(:)
	prp_many "$NODE-$2" "$NODE-1" 1 4100 "$1" 4 \
		<"/dev/fd/$to" >"/dev/fd/$from" {to}>&- {from}>&- &
	IDLE=$!
	read -r -t 60 _ <&"$from" || fail "they were not opened"
}

# of_client NAME: of the one connection of node 2
of_client() {
	prpctl -j -n "$NODE-2" sockets show -i |
		tr -d ' \n' | grep -o "\"$1\":[0-9]*" | grep -o '[0-9]*$'
}

nothing_in_flight() {
	[ "$(of_client in_flight)" = 0 ]
}

# told PORT: a connection from node 2 to node 1 that has learned of others
told() {
	hold server 1
	hold client 2
	told_ok server listen "$1" 1
	told_ok client connect 1 "$1"
	told_ok server accept
	told_ok client send 10
	wait_for "it is told" nothing_in_flight
	told_ok server recv 10
}

# Half of a first round is left to who is one of two nodes.
crowds__idle_ones_of_one_node_take_nothing() {
	wired_nodes 3 delay 1ms
	idle 100 3
	told 4000
	told_ok client send $((8 * 1464))
	told_ok server recv $((8 * 1464))
	crowds 2 -eq 1
	expect "segments in flight" "$(of_client in_flight_max)" -eq 8
	release client
	release server
	kill $IDLE
	wait $IDLE || :
}

# Two short ones wait for nothing.
crowds__not_of_short_ones() {
	wired_nodes 3 delay 1ms
	idle 100 3
	told 4000
	told_ok client send 10
	told_ok client send 1464
	told_ok server recv 1474
	crowds 2 -eq 0
	release client
	release server
	kill $IDLE
	wait $IDLE || :
}

run_cases
