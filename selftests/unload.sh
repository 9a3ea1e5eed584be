#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module goes when nobody uses it, with all it has, and comes back.
. "$(dirname "$0")/lib/lib.sh"

unload__refused_while_a_socket_is_open() {
	two_nodes
	hold server 2
	told_ok server listen 4000 1
	refused "rmmod" "in use" rmmod prp
	release server
}

unload__with_namespaces_that_were_used() {
	LEAVES_CONNECTIONS=yes		# there is nobody left to count them
	two_nodes
	xfer -z 1000000 -d
	wait_for "all connections are freed" all_freed
	wait_for "no socket is left" module_unused
	reload
	NODES=0
}

# Frames of pages that a program has are waited for. Those that are lost are
# freed by their device; the others were copied by who received them.
unload__after_pages_of_a_program_were_lost() {
	LEAVES_CONNECTIONS=yes
	two_nodes
	in_node 1 tc qdisc add dev p0 root netem loss 5%
	xfer -z 3000000 -Z
	expect "segments sent again" "$(val client_segs_retransmitted)" -gt 0
	wait_for "all connections are freed" all_freed
	wait_for "no socket is left" module_unused
	reload
	NODES=0
}

# Closed records and half a table remain when the sockets are gone.
unload__again_and_again() {
	LEAVES_CONNECTIONS=yes
	two_nodes
	for _ in 1 2 3 4 5; do
		wait_for "no socket is left" module_unused
		reload
		for nr in 1 2; do
			hosts 2 | prpctl -n "$NODE-$nr" hosts setup -f - \
				>/dev/null
		done
		xfer -z 10000 -n 10 -d
	done
}

unload__leaves_no_slab_behind() {
	LEAVES_CONNECTIONS=yes
	wait_for "no socket is left" module_unused
	rmmod prp
	if grep -i '^prp' /proc/slabinfo; then
		load_module
		fail "a slab is left"
	fi
	load_module
}

# Whatever is asked for, a person is told what to do.
unload__prpctl_asks_for_the_module() {
	local words said rc

	LEAVES_CONNECTIONS=yes
	two_nodes
	wait_for "no socket is left" module_unused
	rmmod prp
	while read -r words; do
		rc=0
		# once: each time the kernel tries to load a module
		said=$(prpctl -n "$NODE-1" $words 2>&1) || rc=$?
		expect "exit status of $words" $rc -eq 2
		[[ $said == *"modprobe prp"* ]] || fail "$words: $said"
	done <<-EOF
	hosts show
	hosts add 7 n7 $(mac 7)
	hosts del 7
	hosts flush
	hosts link add 1 2
	node
	dev
	dev ethertype
	route
	route add 1 via 2
	route flush
	forward
	forward on
	memory
	memory namespace none
	access
	access add 80 1
	access flush
	fault
	fault add 2 loss 1
	fault flush
	sockets
	stats
	explain 1
	monitor
	EOF
	load_module
	NODES=0
}

watches() {
	in_node 1 awk '$2 == 16 && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

# Who watches is told that nothing comes any more.
unload__ends_a_monitor() {
	local said pid rc=0

	LEAVES_CONNECTIONS=yes
	two_nodes
	wait_for "no socket is left" module_unused
	said=$(mktemp)
	timeout $((LIMIT_MS / 1000)) \
		prpctl -n "$NODE-1" monitor >"$said" 2>&1 &
	pid=$!
	wait_for "the monitor listens" watches
	rmmod prp
	wait $pid || rc=$?
	load_module
	NODES=0
	expect "exit status" $rc -eq 2
	[[ $(<"$said") == *"modprobe prp" ]] || fail "$(<"$said")"
	rm "$said"
}

unload__namespace_goes_with_its_connections() {
	LEAVES_CONNECTIONS=yes
	two_nodes
	connected_pair 4000
	told_ok client send 100000
	ip netns del "$NODE-1"
	ip netns del "$NODE-2"
	release client
	release server
	NODES=0
	wait_for "no socket is left" module_unused
}

run_cases
