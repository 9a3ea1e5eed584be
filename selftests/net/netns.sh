#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Namespaces that share a wire, and namespaces that go while connections in
# every state are in them.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/devices.sh"

ROUNDS=${PRP_LONG:+40}
ROUNDS=${ROUNDS:-4}		# each order of things once

# --- two clusters on one wire ----------------------------------------------

# Namespaces b1 and b2 on the devices of nodes 1 and 2: the same numbers
#
#	$NODE-1   $NODE-b1         $NODE-b2   $NODE-2
#	   p0 <---- m0                m0 ----> p0
#	   |                                   |
#	   +------------- the wire ------------+
#
# second_cluster OFFSET LINK ARGUMENT...: m0 has address OFFSET + NODE
second_cluster() {
	local offset=$1 nr

	shift
	for nr in 1 2; do
		ip netns add "$NODE-b$nr"
		ip -n "$NODE-$nr" link add link p0 name m0 address \
			"$(mac $((offset + nr)))" netns "$NODE-b$nr" \
			type "$@"
		ip -n "$NODE-b$nr" -batch - <<-EOF
		link set lo up
		link set m0 gso_max_segs 1 addrgenmode none up
		EOF
		printf '1 n1 %s\n2 n2 %s\n' "$(mac $((offset + 1)))" \
			"$(mac $((offset + 2)))" |
			prpctl -n "$NODE-b$nr" hosts setup -f - >/dev/null
	done
}

# Both clusters at once, with the same node numbers and ports
both_talk() {
	local pid

	prp_xfer -c "$NODE-b1" -s "$NODE-b2" -a 2 -z 300000 -n 3 -d \
		>/dev/null &
	pid=$!
	xfer -z 300000 -n 3 -d
	wait $pid || fail "the second cluster's transfer failed"
}

# What one has sent the other has got, and nobody else.
nothing_strayed() {
	local a b

	wait_for "all connections are freed" all_freed
	wait_for "those of the second cluster, too" freed_b
	for a in 1 b1; do
		b=${a/1/2}
		expect "frames that node $b received" \
			"$(counter $b frames_in)" \
			-eq "$(counter $a frames_out)"
		expect "frames that node $a received" \
			"$(counter $a frames_in)" \
			-eq "$(counter $b frames_out)"
	done
}

freed_b() {
	[ "$(counter b1 conns_opened)" = "$(counter b1 conns_closed)" ] &&
	[ "$(counter b2 conns_opened)" = "$(counter b2 conns_closed)" ]
}

netns__two_clusters_by_macvlan() {
	two_nodes
	second_cluster 20 macvlan mode bridge
	both_talk
	nothing_strayed
}

# Here not even the addresses differ.
netns__two_clusters_by_vlan() {
	two_nodes
	second_cluster 0 vlan id 5
	both_talk
	nothing_strayed
}

# What comes for a VLAN that nobody has here is not the rail's, though its
# addresses are the same; nor is it that of the bridge that the rail is.
netns__vlan_that_is_nobodys() {
	two_nodes
	second_cluster 0 vlan id 5
	ip -n "$NODE-b2" link del m0
	hold server 2
	hold client b1
	told_ok server listen 4000 8
	told_ok client timeout 600
	told_error ETIMEDOUT client connect 2 4000
	expect "frames that are not node 2's" "$(counter 2 drop_not_us)" -gt 0
	ip -n "$NODE-2" -batch - <<-EOF
	link add br1 type bridge mcast_snooping 0
	link set br1 addrgenmode none up
	link set p0 master br1
	EOF
	told_error ETIMEDOUT client connect 2 4000
	ip -n "$NODE-2" link set br1 address 02:00:00:00:00:01
	told_error ETIMEDOUT client connect 2 4000
	expect "connections of node 2" "$(counter 2 conns_opened)" -eq 0
	expect "requests to node 2" "$(counter 2 requests_in)" -eq 0
	release client
	release server
}

# A listener of one cluster is not the other's.
netns__two_clusters_have_their_own_ports() {
	two_nodes
	second_cluster 0 vlan id 5
	hold server 2
	hold client b1
	told_ok server listen 4000 8
	told_error ECONNREFUSED client connect 2 4000
	expect "connections of node 2" "$(counter 2 conns_opened)" -eq 0
	release client
	release server
}

# The second cluster goes with its namespaces, the first one stays.
netns__one_of_two_clusters_goes() {
	local pid

	two_nodes
	second_cluster 20 macvlan mode bridge
	prp_xfer -c "$NODE-b1" -s "$NODE-b2" -a 2 -u -d \
		>/dev/null 2>&1 &
	pid=$!
	wait_for "the second cluster talks" counter_is b2 segs_in -gt 100
	kill -KILL $pid
	wait $pid 2>/dev/null || :
	ip netns del "$NODE-b1"
	ip netns del "$NODE-b2"
	xfer -z 300000 -d
}

# --- EtherTypes ------------------------------------------------------------

# ethertype NODE TYPE
ethertype() {
	prp_rails "$NODE-$1" "$2"
}

# The second cluster's frames are of another protocol to the first one.
netns__two_ethertypes_on_one_wire() {
	two_nodes
	second_cluster 20 macvlan mode bridge
	ethertype b1 0x88b7
	ethertype b2 0x88b7
	both_talk
	nothing_strayed
}

netns__ethertype_changed_in_use() {
	two_nodes
	hold server 2
	hold client 1
	told_ok server listen 4000 8
	told_ok client connect 2 4000
	told_ok server accept
	ethertype 1 0x88b7
	told_ok client keep
	told_ok client timeout 500
	told_error ETIMEDOUT client connect 2 4000
	told_ok client timeout 0
	ethertype 2 0x88b7
	told_ok client connect 2 4000
	told_ok server accept
	told_ok client send 100000
	told_ok server recv 100000
	release client
	release server
}

# --- namespaces that go ----------------------------------------------------

# kill_hold NAME: as if the program had crashed
kill_hold() {
	kill -KILL "${HOLD_PID[$1]}"
	wait "${HOLD_PID[$1]}" 2>/dev/null || :
}

# has_no_device NETNS DEVICE
has_no_device() {
	! ip -n "$1" link show "$2" >/dev/null 2>&1
}

# Names go before or after the programs, node 1 before or after node 2.
remove_round() {
	local nr=$1 first=1 second=2 pids=() pid opened

	two_nodes
	open_all_states
	opened=$(counter 2 conns_established)
	prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -p 5000 -u -d \
		>/dev/null 2>&1 &
	pids+=($!)
	prp_xfer -c "$NODE-2" -s "$NODE-1" -a 1 -p 5001 -u -n 4 \
		>/dev/null 2>&1 &
	pids+=($!)
	wait_for "all are connected" \
		counter_is 2 conns_established -ge $((opened + 5))
	wait_for "they talk" counter_is 2 segs_in -gt 200
	[ $((nr & 1)) = 0 ] || { first=2 second=1; }
	if [ $((nr & 2)) = 0 ]; then
		ip netns del "$NODE-$first"
		ip netns del "$NODE-$second"
	fi
	for pid in "${pids[@]}"; do
		kill -KILL "$pid"
	done
	[ $nr -lt 2 ] || release client
	kill_hold client 2>/dev/null || :
	[ $((nr & 2)) = 0 ] || ip netns del "$NODE-$first"
	kill_hold server
	[ $((nr & 2)) = 0 ] || ip netns del "$NODE-$second"
	for pid in "${pids[@]}"; do
		wait "$pid" 2>/dev/null || :
	done
}

netns__removed_with_connections_in_every_state() {
	local nr load

	LEAVES_CONNECTIONS=yes
	ip netns add "$NODE-l1"
	ip netns add "$NODE-l2"
	ip -n "$NODE-l1" link add p0 address "$(mac 1)" type veth \
		peer name p0 address "$(mac 2)" netns "$NODE-l2"
	for nr in 1 2; do
		ip -n "$NODE-l$nr" link set p0 up
		hosts 2 | prpctl -n "$NODE-l$nr" hosts setup -f - >/dev/null
	done
	for ((nr = 0; nr < ROUNDS; nr++)); do
		prp_xfer -c "$NODE-l1" -s "$NODE-l2" -a 2 -z 2000000 -d \
			>/dev/null &
		load=$!
		remove_round $nr
		wait $load || fail "round $nr: the load outside failed"
	done
	NODES=0
	wait_for "no socket is left" module_unused
	reload
}

# The namespace of a device's other end goes first, and our device with it.
netns__of_the_peer_goes_first() {
	two_nodes
	open_all_states
	ip netns del "$NODE-2"
	kill_hold server
	wait_for "node 1's device is gone" has_no_device "$NODE-1" p0
	told_error ENETUNREACH client connect 2 $PORT
	release client
	NODES=1
	# those that node 2 had ended, too, tell it in vain for 30 s
	LIMIT_MS=$((45000 * SLOW)) wait_for "node 1 has no connection left" \
		all_freed
}

# A peer that only reads would wait for ever.
netns__orphan_of_a_namespace_that_goes_tells_its_peer() {
	two_nodes
	connected_pair $PORT
	told_ok client fill
	release client
	ip netns del "$NODE-1"
	wait_for "the peer is told" counter_is 2 resets_in -eq 1
	told_error ECONNRESET server recv 1000000000
	ip netns add "$NODE-1"		# for those who count
	release server
}

# Each of them waits for a wheel's turn, a quarter of a second, but all for
# the same one.
netns__many_go_together() {
	local count=${PRP_LONG:+100} nr start

	LEAVES_CONNECTIONS=yes
	count=${count:-5}
	for ((nr = 1; nr <= count; nr++)); do
		ip netns add "$NODE-$nr"
		ip -n "$NODE-$nr" link add d0 address "$(mac 1)" type dummy
		ip -n "$NODE-$nr" link set lo up
		hosts 1 | prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
		hold "both$nr" $nr
		told_ok "both$nr" listen $PORT 1
		told_ok "both$nr" connect 1 $PORT
		told_ok "both$nr" fill
	done
	for ((nr = 1; nr <= count; nr++)); do
		echo "netns del $NODE-$nr"
	done | ip -batch -
	kill -KILL "${HOLD_PID[@]}"
	for ((nr = 1; nr <= count; nr++)); do
		wait "${HOLD_PID[both$nr]}" 2>/dev/null || :
	done
	now_ms
	start=$NOW
	wait_for "no socket is left" module_unused
	reload
	now_ms
	say "$count namespaces were gone after $((NOW - start)) ms"
	[ -z "${PRP_LONG:-}" ] ||
		expect "ms" $((NOW - start)) -lt $((count * 150))
}

# Namespaces that end one after the other while the module goes: some end when
# it is told of no device any more. It may have none of theirs then.
netns__go_while_the_module_goes() {
	local count=30 nr rail macs going paths=()

	LEAVES_CONNECTIONS=yes
	macs=$(mac 1)
	for rail in {2..7}; do
		macs+=,$(mac $rail)
	done
	for ((nr = 1; nr <= count; nr++)); do
		ip netns add "$NODE-$nr"
		for rail in {1..7}; do
			echo "link add d$rail address $(mac $rail) type dummy"
		done | ip -n "$NODE-$nr" -batch -
		prpctl -n "$NODE-$nr" hosts setup -f - <<<"1 n1 $macs" \
			>/dev/null
		paths+=("/run/netns/$NODE-$nr")
	done
	rmmod prp &
	going=$!
	for nr in "${!paths[@]}"; do
		umount "${paths[nr]}"
	done
	wait $going || fail "the module did not go"
	load_module
	rm "${paths[@]}"
}

# Frames that somebody else's queue holds do not hold up the namespace that
# they come from, nor those that go after it.
netns__goes_while_its_frames_are_under_way() {
	local gone=yes

	LEAVES_CONNECTIONS=yes
	wired_nodes 2
	ip netns add "$NODE-next"
	ip -n "$NODE-next" link add c0 type veth peer name c0 netns "$WIRE"
	connected_pair 4000
	tc -n "$WIRE" qdisc replace dev w2 root tbf rate 1kbit burst 2000 \
		limit 100000000
	told_ok client fill
	kill_hold client
	ip netns del "$NODE-1"
	wait_for "node 1's device is gone" has_no_device "$WIRE" w1
	ip netns del "$NODE-next"
	(wait_for "the next namespace is gone" \
		has_no_device "$WIRE" c0) || gone=no
	# On the way to node 2 they come from nowhere.
	tc -n "$WIRE" qdisc del dev w2 root
	expect "gone in time" $gone = yes
	NODES=0
	release server
	wait_for "no socket is left" module_unused
	reload
}

# Orphans and half-open connections are all that is left then.
netns__unload_directly_after() {
	LEAVES_CONNECTIONS=yes
	two_nodes
	open_all_states
	ip netns del "$NODE-1"
	ip netns del "$NODE-2"
	kill_hold client
	kill_hold server
	NODES=0
	wait_for "no socket is left" module_unused
	reload
	two_nodes
	xfer -z 100000 -d
	wait_for "all connections are freed" all_freed
}

run_cases
