#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Devices above and below others: the topmost one with the address is the
# rail, and becomes it while connections go on.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/devices.sh"

# bridge_on_1 [ADDRESS]: br1, without a port; if it is given no address it has
# the lowest of its ports'
bridge_on_1() {
	ip1 -batch - <<-EOF
	link add br1 ${1:+address $1} type bridge mcast_snooping 0
	link set br1 gso_max_segs 1 addrgenmode none up
	EOF
}

stacked__bridge_above_added_and_removed() {
	wired_nodes 2 rate $RATE
	begin -d
	bridge_on_1 "$(mac 1)"
	rail_becomes 1 p0
	ip1 link set p0 master br1
	rail_becomes 1 br1
	goes_on
	ip1 link set p0 nomaster
	rail_becomes 1 p0
	goes_on
	ip1 link set p0 master br1
	ip1 link del br1
	rail_becomes 1 p0
	goes_on
	complete
}

# has_address DEVICE ADDRESS
has_address() {
	ip1 link show "$1" | grep -q "link/ether $2 "
}

# container ADDRESS: is plugged into the bridge, which takes a lower one over
container() {
	ip1 link add low address "$1" type dummy
	ip1 link set low master br1
	has_address br1 "$1" || fail "the bridge has not the address $1"
}

# A bridge that nobody gave an address has the lowest of its ports', which
# changes as containers come and go. Frames are from and for its port.
stacked__bridge_with_another_address() {
	wired_nodes 2 rate $RATE
	begin -d
	bridge_on_1
	ip1 link set p0 master br1
	rail_becomes 1 br1
	has_address br1 "$(mac 1)" || fail "the bridge has another address"
	goes_on
	container 02:00:00:00:00:01
	rail_becomes 1 br1
	goes_on
	ip1 link set br1 address 02:00:00:00:00:02
	ip1 link set low nomaster
	rail_becomes 1 br1
	goes_on
	ip1 link set p0 address "$(mac 9)"
	rail_becomes 1
	ip1 link set p0 address "$(mac 1)"
	rail_becomes 1 br1
	goes_on
	ip1 link set p0 nomaster
	rail_becomes 1 p0
	goes_on
	ip1 link set p0 master br1
	rail_becomes 1 br1
	goes_on
	ip1 link del br1
	rail_becomes 1 p0
	goes_on
	complete
	expect "frames from nobody's address" "$(counter 2 drop_source)" -eq 0
}

# ports NODE: both are rails there
ports() {
	printf '1 n1 %s,%s\n2 n2 %s,%s\n' "$(mac 1)" "$(mac 11)" \
		"$(mac 2)" "$(mac 12)" |
		prpctl -n "$NODE-$1" hosts setup -f -
}

# Two ports of one bridge are one wire: of the rails the lower one has it, the
# other one only when the first port's address has gone.
stacked__two_ports_of_one_bridge() {
	local nr

	wired_nodes 2 rate $RATE
	ip1 link add q0 address "$(mac 11)" type veth peer name q0 \
		address "$(mac 12)" netns "$NODE-2"
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set q0 gso_max_segs 1 addrgenmode none up
		ports $nr >/dev/null
		rail_becomes $nr "p0 q0"
	done
	begin -d
	bridge_on_1 02:00:00:00:00:01
	ip1 link set p0 master br1
	rail_becomes 1 "br1 q0"
	goes_on
	ip1 link set q0 master br1
	rail_becomes 1 br1
	goes_on
	[[ $(ports 1 2>&1) == *"rail 1: q0 is a port of a bridge that is a"* ]] ||
		fail "no word of the rail without a wire: $(ports 1 2>&1)"
	ip1 link set p0 address "$(mac 9)"
	rail_becomes 1 br1
	goes_on
	ip1 link set p0 address "$(mac 1)"
	rail_becomes 1 br1
	goes_on
	ip1 link del br1
	rail_becomes 1 "p0 q0"
	goes_on
	complete
}

# What else has the card's address is no rail just because the bridge has not.
stacked__bridge_beside_a_vlan() {
	wired_nodes 2 rate $RATE
	begin -d
	bridge_on_1
	ip1 -batch - <<-EOF
	link set p0 master br1
	link add link p0 name p0.5 type vlan id 5
	link set p0.5 up
	EOF
	rail_becomes 1 br1
	container 02:00:00:00:00:01
	rail_becomes 1 br1
	goes_on
	complete
}

# A VLAN of the bridge follows it to another address, and is still the rail.
stacked__vlan_of_a_bridge() {
	wired_nodes 2 rate $RATE
	begin -d
	ip -n "$NODE-2" link add link p0 name p0.5 type vlan id 5
	ip -n "$NODE-2" link set p0.5 gso_max_segs 1 up
	bridge_on_1
	ip1 -batch - <<-EOF
	link set p0 master br1
	link add link br1 name br1.5 type vlan id 5
	link set br1.5 gso_max_segs 1 up
	EOF
	rail_becomes 1 br1.5
	goes_on
	container 02:00:00:00:00:01
	has_address br1.5 02:00:00:00:00:01 || fail "the VLAN has another one"
	rail_becomes 1 br1.5
	goes_on
	ip1 link set br1.5 address 02:00:00:00:00:02
	rail_becomes 1 br1
	ip1 link set br1.5 address 02:00:00:00:00:01
	rail_becomes 1 br1.5
	goes_on
	complete
}

# bonded: a transfer goes on, on node 1 by a bond of p0 and q0
bonded() {
	wired_nodes 2 rate $RATE
	second_port 1
	begin -d
	ip1 -batch - <<-EOF
	link add bond1 type bond mode active-backup miimon 10
	link set p0 down
	link set q0 down
	link set p0 master bond1
	link set q0 master bond1
	link set bond1 gso_max_segs 1 addrgenmode none up
	EOF
	rail_becomes 1 bond1
	goes_on
}

stacked__bond_above_and_fail_over() {
	bonded
	ip -n "$WIRE" link set w1 down
	goes_on
	ip -n "$WIRE" -batch - <<-EOF
	link set w1 up
	link set v1 down
	EOF
	goes_on
	ip1 link del bond1
	rail_becomes 1 p0
	ip1 link set p0 up
	goes_on
	complete
}

# A slave that is released has the bond's address, and has had it for longer:
# the bond goes on with the others.
stacked__bond_whose_slave_is_released() {
	bonded
	ip1 link set p0 nomaster
	rail_becomes 1 bond1
	goes_on
	ip1 link set p0 master bond1
	rail_becomes 1 bond1
	goes_on
	ip1 link set q0 nomaster
	ip1 link set p0 nomaster
	rail_becomes 1 p0
	ip1 link set p0 up
	goes_on
	complete
}

# The same where the rail is a bridge, or a VLAN, that stands on the bond
stacked__slave_is_released_below_a_bridge() {
	bonded
	bridge_on_1 "$(mac 1)"
	ip1 link set bond1 master br1
	rail_becomes 1 br1
	goes_on
	ip1 link set p0 nomaster
	rail_becomes 1 br1
	goes_on
	ip1 link set br1 address 02:00:00:00:00:02
	ip1 link set p0 master bond1
	ip1 link set p0 nomaster
	rail_becomes 1 br1
	goes_on
	complete
}

stacked__vlan_with_the_parents_address_added_and_removed() {
	local nr

	wired_nodes 2 rate $RATE
	begin -d
	for nr in 1 2; do
		ip -n "$NODE-$nr" link add link p0 name p0.5 type vlan id 5
		ip -n "$NODE-$nr" link set p0.5 gso_max_segs 1 up
		rail_becomes $nr p0.5
	done
	goes_on
	expect "frames received on the VLAN" "$(received 2 p0.5)" -gt 20
	for nr in 1 2; do
		ip -n "$NODE-$nr" link del p0.5
		rail_becomes $nr p0
	done
	goes_on
	complete
}

# Deleting the parent takes the VLAN along.
stacked__parent_of_a_vlan_deleted() {
	local nr

	two_nodes
	for nr in 1 2; do
		ip -n "$NODE-$nr" link add link p0 name p0.5 type vlan id 5
		ip -n "$NODE-$nr" link set p0.5 up
	done
	connect_two $SHORT_MS
	talk 10000
	ip1 link del p0
	rail_becomes 1
	rail_becomes 2
	times_out
	release_two
}

# The parent alone leaves: the VLAN in the old namespace goes on with it.
stacked__parent_of_a_vlan_moves_away() {
	local nr

	wired_nodes 2 rate $RATE
	for nr in 1 2; do
		ip -n "$NODE-$nr" link add link p0 name p0.5 type vlan id 5
		ip -n "$NODE-$nr" link set p0.5 gso_max_segs 1 up
	done
	ip netns add "$NODE-away"
	begin -d
	ip1 link set p0 netns "$NODE-away"
	ip -n "$NODE-away" link set p0 up
	ip1 link set p0.5 up
	rail_becomes 1 p0.5
	goes_on
	ip -n "$NODE-away" link set p0 netns "$NODE-1"
	ip1 link set p0 up
	ip1 link set p0.5 up
	rail_becomes 1 p0.5
	goes_on
	complete
}

# macvlan_on NODE: a macvlan m0 on p0 with address 20 + NODE
macvlan_on() {
	local mac

	mac=$(mac $((20 + $1)))
	ip -n "$NODE-$1" -batch - <<-EOF
	link add link p0 name m0 address $mac type macvlan mode bridge
	link set m0 gso_max_segs 1 addrgenmode none up
	EOF
}

stacked__macvlan_pair() {
	local nr

	wired_nodes 2
	for nr in 1 2; do
		macvlan_on $nr
		printf '1 n1 %s\n2 n2 %s\n' "$(mac 21)" "$(mac 22)" |
			prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
		rail_becomes $nr m0
	done
	xfer -z 300000 -d
	connect_two $SHORT_MS
	talk 10000
	ip1 link del m0
	rail_becomes 1
	times_out
	release_two
}

stacked__macvlan_with_the_parents_address() {
	wired_nodes 2 rate $RATE
	begin -d
	ip1 link add link p0 name m0 type macvlan mode passthru
	ip1 link set m0 gso_max_segs 1 addrgenmode none up
	rail_becomes 1 m0
	goes_on
	ip1 link del m0
	rail_becomes 1 p0
	goes_on
	complete
}

# A frame for the upper device is given to who listens on the lower one, too;
# it is none of the lower rail's.
stacked__a_frame_is_taken_by_one_rail_only() {
	local nr

	two_nodes
	macvlan_on 1
	macvlan_on 2
	for nr in 1 2; do
		printf '1 n1 %s,%s\n2 n2 -,%s\n' "$(mac 1)" "$(mac 21)" \
			"$(mac 22)" |
			prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
	rail_becomes 1 "m0 p0"
	rail_becomes 2 m0
	xfer -z 100000 -d
	wait_for "all connections are freed" all_freed
	expect "frames dropped for their source" \
		"$(counter 1 drop_source)" -eq 0
	expect "frames received" "$(counter 1 frames_in)" \
		-eq "$(counter 2 frames_out)"
}

# reassembled NODE: packets that IP has put together there
reassembled() {
	in_node "$1" nstat -asz IpReasmOKs | awk '/ReasmOKs/ { print $2 }'
}

# tunnels MTU: the rails are on tunnels whose packets are cut to this length
tunnels() {
	local nr

	for nr in 1 2; do
		ip -n "$NODE-$nr" -batch - <<-EOF
		link set p0 address $(mac $((10 + nr)))
		link set p0 mtu $1
		link add g0 address $(mac $nr) type gretap nopmtudisc \
			local 10.9.0.$nr remote 10.9.0.$((3 - nr))
		link set g0 mtu 1500 gso_max_segs 1 up
		EOF
		rail_becomes $nr g0
	done
}

# What a tunnel carries in several packets comes out of it as a list of
# buffers. So does each part of a segment when the tunnel's MTU is lowered and
# more is queued than goes out at once.
stacked__on_a_tunnel_that_fragments() {
	local nr

	wired_nodes 2 rate 8mbit
	tunnels 576
	# more than may be in flight: some is not sent yet at any time
	begin -d -B 1000000 -R 65536
	expect "packets put together" "$(reassembled 2)" -gt 20
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set g0 mtu 1000
	done
	wait_for "segments are put together" counter_is 2 segs_joined -gt 20
	complete
}

# The reader has stopped: all that was promised comes, and there is room for it.
stalled() {
	local probes dropped

	probes=$(counter 1 probes_out)
	dropped=$(counter 2 drop_overrun)
	wait_for "no more may come" counter_is 1 probes_out -gt $((probes + 1))
	expect "dropped" $(($(counter 2 drop_overrun) - dropped)) -eq 0
}

# Thirty buffers make a segment and weigh six times what one is reckoned to
# weigh when the window is told, and nobody reads. Of SO_RCVBUF the kernel makes
# the double; what may be held is twice that, a reserve of the window, a quantum
# of the pool. From then on as much is promised as there is room for.
stacked__more_than_the_receive_buffer() {
	local rcvbuf=$((64 << 10)) client from

	wired_nodes 2 rate 8mbit
	tunnels 68
	paused_server -R $rcvbuf -z 600000
	prp_xfer -o client -c "$NODE-1" -a 2 -z 600000 >/dev/null &
	client=$!
	wait_for "it is accepted" server_pauses
	wait_for "segments are dropped" counter_is 2 drop_overrun -gt 4
	expect "bytes of the pool held" "$(counter 2 pool_bytes)" \
		-gt $((2 * 2 * rcvbuf - (64 << 10)))
	expect "bytes of the pool held" "$(counter 2 pool_bytes)" \
		-le $((2 * 2 * rcvbuf + (16 << 10) + (64 << 10)))
	from=$(counter 2 segs_in)
	kill -CONT $SERVER
	wait_for "it is read" counter_is 2 segs_in -gt $((from + 100))
	kill -STOP $SERVER
	stalled
	kill -CONT $SERVER
	wait $client || fail "the client failed"
	wait $SERVER || fail "the server failed: $(cat "$SERVER_SAYS")"
	OUT=$(cat "$SERVER_SAYS")
	rm "$SERVER_SAYS"
	expect "hashes are" "$(val hash)" = ok
}

run_cases
