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

explain__silent() {
	wired_nodes 2
	ip -n "$NODE-2" link set p0 down
	explained 1 n2 2 silent "n2 does not answer"
	now_ms
	local begin=$NOW
	ctl explain n2 >/dev/null || :
	now_ms
	expect "ms" $((NOW - begin)) -lt $((8000 * SLOW))
}

explain__another_table() {
	wired_nodes 2
	hosts 3 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	explained 1 n2 0 reachable "n2 is reachable: *"
	xfer -z 1000
	ctl explain n2 | grep -q "its host table differs" ||
		fail "no word of the table"
	ip -n "$NODE-2" link set p0 down
	explained 1 n2 2 table "n2 does not answer; its host table differed *"
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
	hosts 0 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null 2>&1
	answering 'f[14]' 'bytes([0, 3, 4, f[14], 0, 0, 0, 0]) + f[14:46]'
	explained 1 n2 2 version "n2 speaks versions 3 to 4 only"
	kill $ANSWERING
}

# Every request is refused: I do not know checksums.
explain__other_features() {
	wired_nodes 2
	hosts 0 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null 2>&1
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
