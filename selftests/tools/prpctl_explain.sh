#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl explain finds the one thing that is wrong.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# explained NODE "HOST [PORT]" STATUS VERDICT FIRST_LINE
explained() {
	local rc=0 out in_json

	# Both wait if there is no answer, so they ask at the same time.
	exec {in_json}< <(prpctl -j -n "$NODE-$1" explain $2)
	out=$(prpctl -n "$NODE-$1" explain $2) || rc=$?
	[[ ${out%%$'\n'*} == $5 ]] || fail "expected '$5', got: $out"
	expect "exit status" $rc -eq "$3"
	out=$(cat <&"$in_json")
	exec {in_json}<&-
	json "[\"verdict\"] == \"$4\"" <<<"$out"
	json "[\"reachable\"] == (not $3)" <<<"$out"
}

explain__reachable() {
	two_nodes
	explained 1 n2 0 reachable "n2 is reachable: it answered after *.??? ms"
	explained 1 10.9.0.2 0 reachable "n2 is reachable: *"
	explained 2 1 0 reachable "n1 is reachable: *"
	ctl -j explain 2 | json '["rtt_us"] > 0'
	ctl -j explain 2 | json '["way"] == [1, 2]'
	nobody explain n2 | grep -q "^n2 is reachable" || fail "not for nobody"
}

# A program at the port that is asked is an answer, too.
explain__reachable_where_somebody_listens() {
	two_nodes
	hold server 2
	told_ok server listen 1 16
	explained 1 n2 0 reachable "n2 is reachable: *"
	release server
}

# With a port the answer is about that port.
explain__port() {
	two_nodes
	hold server 2
	told_ok server listen 4000 16
	explained 1 "n2 4000" 0 reachable "n2 is reachable: *"
	explained 1 "n2 4001" 2 no-listener "nobody listens at port 4001 of n2"
	prpctl -n "$NODE-2" access add 1-5000 7
	explained 1 "n2 4000" 2 denied \
		"the accept list of n2 refuses this machine at port 4000"
	explained 2 "n2 4000" 2 denied \
		"the accept list of n2 refuses this machine at port 4000"
	prpctl -n "$NODE-1" access add 4001 7 out
	explained 1 "n2 4001" 2 forbidden \
		"the connect list of this machine refuses port 4001 of n2"
	# A host that refuses answers.
	explained 1 n2 0 reachable "n2 is reachable: *"
	expect "exit status" "$(status_of ctl explain n2 0)" -eq 1
	expect "exit status" "$(status_of ctl explain n2 1 2)" -eq 1
	release server
}

# Somebody listens, but has not taken the connections that came.
explain__backlog() {
	two_nodes
	hold server 2
	told_ok server listen 4000 1
	ctl explain n2 4000 | grep -q "^n2 is reachable" || fail "not at first"
	explained 1 "n2 4000" 2 backlog "somebody listens at port 4000 of n2,\
 but takes no connection: its backlog is full"
	release server
}

explain__self() {
	two_nodes
	explained 1 n1 0 self "n1 is this machine"
}

explain__not_in_the_table() {
	two_nodes
	explained 1 n3 2 unknown '"n3" is not in the host table'
	explained 1 10.9.0.3 2 unknown '"10.9.0.3" is not in the host table'
	ctl hosts del 1 >/dev/null
	explained 1 n2 2 not-a-node "this machine is not in the host table: *"
	ctl hosts flush >/dev/null
	explained 1 n2 2 unknown '"n2" is not in the host table'
}

explain__device() {
	two_nodes
	ip -n "$NODE-2" link set p0 down
	explained 1 n2 2 no-carrier "no device on a rail of n2 has a carrier"
	ip -n "$NODE-1" link set p0 down
	explained 1 n2 2 device-down "no device on a rail of n2 is up"
	{
		echo "1 n1 $(mac 1),$(mac 99)"
		echo "2 n2 -,$(mac 2)"
		echo "3 n3 -,-,$(mac 3)"
	} | ctl hosts setup -f - >/dev/null 2>&1
	explained 1 n2 2 no-device "no device of this machine is on a rail of n2"
	explained 1 n3 2 no-way "n3 and this machine have no rail in common"
}

# A VLAN has its parent's address, and so becomes the rail.
explain__a_vlan_that_is_the_rail() {
	local said

	two_nodes
	ctl -j explain n2 | json '["warnings"] == []'
	ip -n "$NODE-1" link add link p0 name p0.10 up type vlan id 10
	wait_for "p0.10 is the rail" rail_is p0.10
	said=$(ctl explain n2 2>&1) || :
	[[ $said == *"rail 0: p0.10, a VLAN of p0, has the same hardware "*", $(
		)and is the rail: "*"give p0.10 an address"* ]] ||
		fail "said: $said"
	said=$(hosts 2 | ctl hosts setup -f - 2>&1)
	[[ $said == *"rail 0: p0.10, a VLAN of p0,"* ]] || fail "said: $said"
	ip -n "$NODE-1" link set p0.10 address "$(mac 9)"
	wait_for "p0 is the rail" rail_is p0
	hosts 2 | ctl -j hosts setup -f - | json '["warnings"] == []'
}

# rail_is DEVICE: of node 1, for wait_for
rail_is() {
	ctl -j dev | grep -q "\"ifname\": *\"$1\""
}

explain__links() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0
	explained 1 n4 0 reachable "n4 is reachable: *"
	ctl -j explain 4 | json '["way"] == [1, 2, 3, 4]'
	ctl explain 4 | grep -q "way: this machine - 2 (n2) - 3 (n3) - 4 (n4)"
	ctl hosts link del 2 3 rail 1 >/dev/null
	explained 1 n4 2 no-way "no links lead to n4"
	ctl explain n4 | grep -q "link 3 4 rail 0" || fail "no links shown"
}

explain__forwarder() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0
	prpctl -n "$NODE-2" hosts link del 2 3 rail 1 >/dev/null
	explained 1 n4 2 forwarder 'node 2 (n2) on the way to n4 said "no route"'
}

# Nothing comes back, over IP neither.
explain__down() {
	wired_nodes 2
	ip -n "$NODE-2" link set p0 down
	explained 1 n2 2 down "n2 does not answer, nor has anybody its IP *"
	now_ms
	local begin=$NOW
	ctl explain n2 >/dev/null || :
	now_ms
	expect "ms" $((NOW - begin)) -lt $((8000 * SLOW))
}

# Without an IP address there is nobody else to ask.
explain__silent() {
	wired_nodes 2
	hosts 2 | sed 's/ 10.9.*//' | ctl hosts setup -f - >/dev/null
	ip -n "$NODE-2" link set p0 down
	explained 1 n2 2 silent "n2 does not answer"
	ctl explain n2 | grep -q "next: on n2: prpctl explain n1" ||
		fail "nothing to do about it"
}

explain__another_table() {
	wired_nodes 2
	hosts 3 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	explained 1 n2 0 reachable "n2 is reachable: *"
	ctl -j explain n2 | json '["differs"] == [3]'
	xfer -z 1000
	ctl explain n2 | grep -q "its host table differs" ||
		fail "no word of the table"
	ip -n "$NODE-2" link set p0 down
	hosts 2 | sed 's/ 10.9.*//' | ctl hosts setup -f - >/dev/null
	explained 1 n2 2 table "n2 does not answer; its host table differed *"
}

# In many lines the first that differ are found, at either end of the numbers.
explain__lines_that_differ() {
	local lines nr

	two_nodes
	lines=$(hosts 2; for ((nr = 3; nr < 300; nr++)); do
		printf '%d n%d 02:00:00:00:%02x:%02x\n' $((nr * 200)) $nr \
			$((nr >> 8)) $((nr & 255)); done
		echo "65534 last 02:00:00:00:ff:ff")
	ctl hosts setup -f - <<<"$lines" >/dev/null
	prpctl -n "$NODE-2" hosts setup -f - <<<"$lines" >/dev/null
	ctl -j explain n2 | json '["differs"] == []'
	grep -v "^600 \|^59000 " <<<"$lines" | sed 's/ last / final /' |
		prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	ctl -j explain n2 | json '["differs"] == [600, 59000, 65534]'
	ctl -j explain n2 | json '["verdict"] == "reachable"'
	hosts 2 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	ctl -j explain n2 | json '["differs"] == [600 + 200 * i
		for i in range(8)]'
}

# --- the two tables do not fit ---

explain__wrong_address() {
	wired_nodes 2
	hosts 2 | sed "s/$(mac 2)/$(mac 99)/" | ctl hosts setup -f - >/dev/null
	explained 1 n2 2 wrong-address "n2 does not answer: its IP address\
 10.9.0.2 is at $(mac 2), which the host table does not have for it"
}

explain__wrong_number() {
	wired_nodes 2
	hosts 2 | sed "s/^2 n2/5 n5/" | ctl hosts setup -f - >/dev/null
	explained 1 n5 2 wrong-number "the machine at $(mac 2), where the host\
 table has n5 (5), is number 2 by its own"
}

explain__not_known_there() {
	wired_nodes 2
	hosts 2 | sed "s/$(mac 1)/$(mac 99)/" |
		prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	explained 1 n2 2 not-known-there "the host table of n2 does not have\
 this machine as number 1 at $(mac 1) on rail 0"
}

# It has no table, or speaks another EtherType: that is the same from here.
explain__no_prp_there() {
	two_nodes
	prpctl -n "$NODE-2" hosts flush >/dev/null
	explained 1 n2 2 no-prp "n2 answers IP at 10.9.0.2, but not PRP: there *"
	hosts 2 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	explained 1 n2 0 reachable "n2 is reachable: *"
	prpctl -n "$NODE-2" dev ethertype 0x9999 >/dev/null
	explained 1 n2 2 no-prp "n2 answers IP at 10.9.0.2, but not PRP: there\
 the module is not loaded, has no host table, or speaks another EtherType than\
 0x88b5"
}

explain__ip_not_known_there() {
	two_nodes
	hold server 2
	told_ok server listen 4000 16
	explained 1 "n2 4000" 0 reachable "n2 is reachable: *"
	hosts 2 | sed 's/10.9.0.1/10.9.0.9/' |
		prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	explained 1 n2 0 reachable "n2 is reachable: *"
	explained 1 "n2 4000" 2 ip-unknown-there "the host table of n2 does not\
 have 10.9.0.1 as this machine's and 10.9.0.2 as its own: *"
	release server
}

# --- what does not pass ---

# A veth lets four bytes more pass than its MTU, for a VLAN's header.
explain__mtu_hole() {
	MTU=1500 two_bridges
	narrow 1111
	explained 1 n2 2 mtu-hole "frames of more than 1115 bytes do not pass\
 to n2 on rail 0: the MTU is 1500 here"
	narrow 1495
	explained 1 n2 2 mtu-hole "frames of more than 1499 bytes *"
	narrow 1500
	explained 1 n2 0 reachable "n2 is reachable: *"
}

# One way only: what is long comes back no more.
explain__mtu_hole_back() {
	MTU=1500 two_bridges
	tc -n "$WIRE" qdisc add dev m0 clsact
	# longer than 1000 bytes with the header of Ethernet
	tc -n "$WIRE" filter add dev m0 ingress protocol all bpf bytecode \
		"4,128 0 0 0,37 0 1 1014,6 0 0 4294967295,6 0 0 0" action drop
	explained 1 n2 2 mtu-hole "frames of more than 1000 bytes do not pass\
 from n2 on rail 0: *"
}

explain__mtu_differs() {
	MTU=9000 wired_nodes 2
	ip -n "$NODE-2" link set p0 mtu 4000
	explained 1 n2 2 mtu-differs "frames of 9000 bytes leave for n2 on rail\
 0, whose device there carries 4000"
	# the other way round all that leaves arrives
	explained 2 n1 0 reachable "n1 is reachable: *"
}

explain__one_rail() {
	linked_nodes 2 1-2-0 1-2-1
	{ echo "$HOSTS" | grep -v link; } >"/tmp/$NODE.hosts"
	ctl hosts setup -f "/tmp/$NODE.hosts" >/dev/null
	prpctl -n "$NODE-2" hosts setup -f "/tmp/$NODE.hosts" >/dev/null
	rm "/tmp/$NODE.hosts"
	explained 1 n2 0 reachable "n2 is reachable: *"
	ctl -j explain n2 | json '["probes"][1]["back"] == 1500'
	bad_link 1 1 drop_ack=10000
	explained 1 n2 0 rail "n2 is reachable, but does not reply on rail 1"
}

# --- who is on the way ---

explain__forwarder_silent() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0
	prpctl -n "$NODE-3" dev ethertype 0x9999 >/dev/null
	explained 1 n4 2 forwarder-silent "n3, which forwards to n4, does not\
 reply; the last one that does is n2"
	prpctl -n "$NODE-2" dev ethertype 0x9999 >/dev/null
	explained 1 n4 2 forwarder-silent "n2, which forwards to n4, does not\
 reply"
}

# --- ports ---

explain__only_tcp_listens() {
	local server

	two_nodes
	explained 1 "n2 4000" 2 no-listener "nobody listens at port 4000 of n2"
	(exec nsenter --net="/run/netns/$NODE-2" python3 -c "
import socket, time
s = socket.create_server(('10.9.0.2', 4000))
print('bound', flush=True)
time.sleep(100)" >"/tmp/$NODE.bound" 2>&1) &
	server=$!
	wait_for "it listens" grep -q bound "/tmp/$NODE.bound"
	rm "/tmp/$NODE.bound"
	explained 1 "n2 4000" 2 tcp-only \
		"a program of TCP listens at port 4000 of n2, but none of PRP"
	kill $server
}

# answering CONDITION ANSWER: something on node 2, $ANSWERING, answers each
# frame f of which the condition is true; both are Python, the answer is what
# stands behind the EtherType.
answering() {
	in_node 2 python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5))
s.bind(('p0', 0x88b5))
print('bound', flush=True)
while True:
    f = s.recv(2000)
    if $1:
        s.send(f[6:12] + f[0:6] + f[12:14] + $2)" >"/tmp/$NODE.bound" &
	ANSWERING=$!
	wait_for "it listens" grep -q bound "/tmp/$NODE.bound"
	rm "/tmp/$NODE.bound"
}

# Every frame is answered: I speak versions 3 to 4.
explain__another_version() {
	wired_nodes 2
	prpctl -n "$NODE-2" hosts flush >/dev/null
	answering 'f[14]' 'bytes([0, 3, 4, f[14], 0, 0, 0, 0]) + f[14:46]'
	explained 1 n2 2 version "n2 speaks versions 3 to 4 only"
	kill $ANSWERING
}

# Every request is refused: I do not know checksums.
explain__other_features() {
	wired_nodes 2
	prpctl -n "$NODE-2" hosts flush >/dev/null
	answering 'f[14] == 2 and f[37] & 2' 'bytes([2, 64, 0, 0]) +
		f[20:22] + f[18:20] + f[24:26] + f[22:24] + bytes(10) +
		bytes([0, 0x80]) + bytes(6) + bytes([2, 0]) + f[58:62] +
		bytes([4, 2, 5, 0]) + bytes(4) + f[26:30] +
		bytes([0, 1, 0, 0])'
	explained 1 n2 2 features \
		"n2 and this machine cannot agree on feature checksum"
	kill $ANSWERING
}

run_cases
