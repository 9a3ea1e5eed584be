#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Devices that go down, change, leave and come back while connections use
# them. Every transfer is compared by hash.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/devices.sh"

# --- up and down -----------------------------------------------------------

devices__down_and_up_during_a_transfer() {
	wired_nodes 2 rate $RATE
	begin -d
	for _ in 1 ${PRP_LONG:+2 3 4 5}; do
		ip1 link set p0 down
		in_node 1 true
		ip1 link set p0 up
		goes_on
	done
	complete
}

devices__down_at_connect_is_enetdown_at_once() {
	two_nodes
	hold client 1
	ip1 link set p0 down
	told_error ENETDOWN client connect 2 $PORT
	expect "ms to the error" "$TOOK" -lt $LATE_MS
	ip1 link set p0 up
	told_error ECONNREFUSED client connect 2 $PORT
	release client
}

devices__down_for_too_long_is_etimedout() {
	two_nodes
	connect_two $SHORT_MS
	ip1 link set p0 down
	times_out
	ip1 link set p0 up
	told_ok client connect 2 $PORT
	told_ok server accept
	talk 10000
	release_two
}

devices__carrier_lost_and_found_during_a_transfer() {
	wired_nodes 2 rate $RATE
	begin -d
	for _ in 1 ${PRP_LONG:+2 3 4 5}; do
		ip -n "$WIRE" link set w1 down
		in_node 1 true
		ip -n "$WIRE" link set w1 up
		goes_on
	done
	complete
}

devices__carrier_lost_for_too_long_is_etimedout() {
	wired_nodes 2
	connect_two $SHORT_MS
	ip -n "$WIRE" link set w1 down
	times_out
	# What is sent is lost like on a broken wire.
	told_error ETIMEDOUT client connect 2 $PORT
	expect "ms to the error" "$TOOK" -ge $((SHORT_MS - 100))
	expect "ms to the error" "$TOOK" -lt $((SHORT_MS + LATE_MS))
	release_two
}

# --- changes that nobody should notice -------------------------------------

devices__renamed_in_use() {
	wired_nodes 2 rate $RATE
	begin
	# Until 6.2 only a device that is down gets another name.
	ip1 link set p0 name rail 2>/dev/null ||
		ip1 -batch - <<-EOF
		link set p0 down
		link set p0 name rail
		link set rail up
		EOF
	rail_becomes 1 rail
	goes_on
	complete
}

devices__alias_queue_and_promisc_in_use() {
	wired_nodes 2 rate $RATE
	begin
	ip1 -batch - <<-EOF
	link set p0 alias wire
	link set p0 txqueuelen 10
	link set p0 promisc on
	link set p0 allmulticast on
	link set p0 promisc off
	link set p0 txqueuelen 1000
	EOF
	goes_on
	complete
}

# --- MTU -------------------------------------------------------------------

# Segments keep their size as long as they live: what no longer fits the
# device goes in fragments.
devices__mtu_lowered_in_use() {
	local mtu nr

	wired_nodes 2 rate $RATE
	begin -d
	for mtu in 1000 576 68; do
		for nr in 1 2; do
			ip -n "$NODE-$nr" link set p0 mtu $mtu
		done
		goes_on
	done
	complete
}

devices__mtu_raised_in_use() {
	MTU=1300 wired_nodes 2 rate $RATE
	begin -d
	for dev in w1 w2; do
		ip -n "$WIRE" link set $dev mtu 1500
	done
	ip1 link set p0 mtu 1500
	goes_on
	ip -n "$NODE-2" link set p0 mtu 1500
	goes_on
	complete
	xfer -z 10000
	expect "segment size of the next" "$(val client_seg_size)" -eq 1464
}

devices__mtu_lowered_and_raised_between_transfers() {
	local mtu

	two_nodes 9000
	for mtu in 1500 68 576 9000; do
		ip1 link set p0 mtu $mtu
		xfer -z 100000 -d
		expect "segment size" "$(val client_seg_size)" -eq $((mtu - 36))
		expect "segment size" "$(val server_seg_size)" -eq $((mtu - 36))
	done
}

# Few devices can be set to less than 68; dummy is one.
devices__mtu_too_small_is_enetunreach() {
	two_nodes
	ip1 link set p0 address "$(mac 7)"
	ip1 link add d0 address "$(mac 1)" mtu 67 type dummy
	ip1 link set d0 up
	rail_becomes 1 d0
	hold client 1
	told_ok client timeout $SHORT_MS
	told_error ENETUNREACH client connect 2 $PORT
	expect "ms to the error" "$TOOK" -lt $LATE_MS
	ip1 link set d0 mtu 68
	told_error ETIMEDOUT client connect 2 $PORT
	release client
}

# --- hardware addresses ----------------------------------------------------

devices__address_changed_and_changed_back() {
	wired_nodes 2 rate $RATE
	begin -d
	for _ in 1 ${PRP_LONG:+2 3 4 5}; do
		ip1 link set p0 address "$(mac 7)"
		rail_becomes 1
		ip1 link set p0 address "$(mac 1)"
		rail_becomes 1 p0
		goes_on
	done
	complete
}

devices__address_gone_for_too_long_is_etimedout() {
	two_nodes
	connect_two $SHORT_MS
	ip1 link set p0 address "$(mac 7)"
	times_out
	told_error ENETUNREACH client connect 2 $PORT
	expect "ms to the error" "$TOOK" -lt $LATE_MS
	release_two
}

# The peer's: what it sends is not believed.
devices__address_of_the_peer_changed() {
	wired_nodes 2 rate $RATE
	begin
	ip -n "$NODE-2" link set p0 address "$(mac 7)"
	rail_becomes 2
	ip -n "$NODE-2" link set p0 address "$(mac 2)"
	goes_on
	complete
}

devices__address_goes_to_another_device() {
	wired_nodes 2 rate $RATE
	second_port 1
	begin -d
	rail_becomes 1 p0
	ip1 -batch - <<-EOF
	link set p0 address $(mac 7)
	link set q0 address $(mac 1)
	EOF
	rail_becomes 1 q0
	goes_on
	# The oldest of several is the rail.
	ip1 link set p0 address "$(mac 1)"
	rail_becomes 1 p0
	ip1 link set q0 address "$(mac 11)"
	goes_on
	complete
}

# --- devices that leave ----------------------------------------------------

# first_port: p0 of node 1 and its end on the wire, as wired_nodes makes them
first_port() {
	ip -n "$WIRE" link add w1 mtu 1500 type veth peer name p0 \
		address "$(mac 1)" netns "$NODE-1"
	ip -n "$WIRE" -batch - <<-EOF
	link set w1 master br0
	link set w1 addrgenmode none up
	EOF
	tc -n "$WIRE" qdisc replace dev w1 root netem limit 10000 rate $RATE
	ip1 link set p0 gso_max_segs 1 addrgenmode none up
}

devices__deleted_and_made_again_during_a_transfer() {
	wired_nodes 2 rate $RATE
	begin -d
	for _ in 1 ${PRP_LONG:+2 3 4 5}; do
		ip1 link del p0
		rail_becomes 1
		first_port
		rail_becomes 1 p0
		goes_on
	done
	complete
}

devices__moved_away_and_back_during_a_transfer() {
	wired_nodes 2 rate $RATE
	ip netns add "$NODE-away"
	begin -d
	for _ in 1 ${PRP_LONG:+2 3 4 5}; do
		ip1 link set p0 netns "$NODE-away"
		rail_becomes 1
		ip -n "$NODE-away" link set p0 netns "$NODE-1"
		rail_becomes 1 p0
		ip1 link set p0 up
		goes_on
	done
	complete
}

devices__deleted_with_connections_in_every_state() {
	wired_nodes 2 rate $RATE
	open_all_states
	ip1 link del p0
	told_error ENETUNREACH client connect 2 $PORT
	expect "ms to the error" "$TOOK" -lt $LATE_MS
	first_port
	told_ok client connect 2 $PORT
	close_all_states
}

devices__moved_with_connections_in_every_state() {
	wired_nodes 2 rate $RATE
	ip netns add "$NODE-away"
	open_all_states
	ip1 link set p0 netns "$NODE-away"
	told_error ENETUNREACH client connect 2 $PORT
	ip -n "$NODE-away" link set p0 netns "$NODE-1"
	ip1 link set p0 up
	told_ok client connect 2 $PORT
	close_all_states
}

# Closed while there is no device: nobody can be told, all of it ends.
devices__closed_while_the_device_is_away() {
	two_nodes
	ip netns add "$NODE-away"
	connect_two $SHORT_MS
	told_ok client send 5000
	told_ok client keep
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok server send 100
	ip1 link set p0 netns "$NODE-away"
	told_ok client send 5000
	release client
	wait_for "node 1 has no connection left" freed 1
	release server
}

freed() {
	[ "$(counter "$1" conns_opened)" = "$(counter "$1" conns_closed)" ]
}

# The device of the other end goes, and ours with it.
devices__the_end_on_the_wire_is_deleted() {
	wired_nodes 2 rate $RATE
	begin -d
	ip -n "$WIRE" link del w2
	rail_becomes 2
	ip -n "$WIRE" link add w2 mtu 1500 type veth peer name p0 \
		address "$(mac 2)" netns "$NODE-2"
	ip -n "$WIRE" link set w2 master br0
	ip -n "$WIRE" link set w2 up
	ip -n "$NODE-2" link set p0 gso_max_segs 1 up
	goes_on
	complete
}

# Among them some with our address, or with that of another node.
devices__many_come_and_go_during_a_transfer() {
	local count=100 single=${PRP_LONG:+90} mac1 mac2 nr

	single=${single:-10}
	mac1=$(mac 1)
	mac2=$(mac 2)
	wired_nodes 2 rate $RATE
	begin
	for ((nr = 0; nr < count; nr++)); do
		case $((nr % 4)) in
		0)	echo "link add x$nr group 7 type veth peer name y$nr" ;;
		1)	echo "link add x$nr address $mac1 group 7 type veth" \
				"peer name y$nr address $mac2" ;;
		2)	echo "link add x$nr group 7 type veth" \
				"peer name y$nr address $mac1" ;;
		3)	echo "link add x$nr address $mac1 group 7 type dummy" ;;
		esac
		[ $((nr % 3)) != 0 ] || echo "link set x$nr up"
	done | ip1 -batch -
	rail_becomes 1 p0
	goes_on
	for ((nr = 0; nr < single; nr++)); do
		echo "link del x$nr"
	done | ip1 -batch -
	ip1 link del group 7		# the others at once
	rail_becomes 1 p0
	goes_on
	complete
}

run_cases
