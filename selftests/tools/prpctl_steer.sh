#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl dev steer: what it sets is what the kernel has, in the namespace that
# is meant, and nothing else. What it does to frames is for steering.sh of
# ../machines.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

ONLINE=$(</sys/devices/system/cpu/online)
FLOWS=/proc/sys/net/core/rps_sock_flow_entries

# has NODE DEVICE FILE: what the kernel has for its first queue, in $OUT, 0 or
# digits without zeros
has() {
	OUT=$(ip netns exec "$NODE-$1" \
		cat "/sys/class/net/$2/queues/rx-0/$3")
	OUT=${OUT//[0,]/}
	OUT=${OUT:-0}
}

# steered NODE DEVICE BY: the kernel's files and prpctl both say so
steered() {
	local by=off

	has "$1" "$2" rps_cpus
	[ "$OUT" = 0 ] || by=connection
	has "$1" "$2" rps_flow_cnt
	[ "$OUT" = 0 ] || by=reader
	expect "$2 of node $1" "$by" = "$3"
	prpctl -n "$NODE-$1" -j dev steer | json '["steering"][0]["ifname"] ==
		"'"$2"'" and x["steering"][0]["by"] == "'"$3"'"'
}

# complains TEXT STATUS WORD...: of node 1's steering, and ends with that
complains() {
	local rc=0 out

	out=$(ctl dev steer "${@:3}" 2>&1) || rc=$?
	[[ $out == *"$1" ]] || fail "${*:3}: $out"
	expect "exit status of ${*:3}" $rc -eq "$2"
}

steer__off_by_default() {
	two_nodes
	steered 1 p0 off
	ctl dev steer | grep -qx '0 *p0 *0 *off *- *0' ||
		fail "$(ctl dev steer)"
	ctl -j dev steer show | json '["steering"] == [{"rail": 0,
		"ifname": "p0", "queues": "0", "by": "off", "cpus": None,
		"flows": 0}] and x["warnings"] == []'
}

# In one namespace; the other one's device has the same name.
steer__on_and_off() {
	two_nodes
	ctl dev steer connection
	steered 1 p0 connection
	steered 2 p0 off
	ctl -j dev steer | json '["steering"][0]["cpus"] == "'"$ONLINE"'"'
	ctl dev steer connection
	steered 1 p0 connection
	ctl dev steer connection cpus 0 dev p0
	ctl -j dev steer | json '["steering"][0]["cpus"] == "0"'
	ctl dev steer off
	steered 1 p0 off
	ctl dev steer off dev p0
	steered 1 p0 off
}

# What is the machine's is raised, said, and never lowered.
steer__to_the_reader() {
	local out

	two_nodes
	for_the_case $FLOWS 0
	out=$(ctl dev steer reader 2>&1)
	[[ $out == *"whole machine, was 0 and is 32768" ]] || fail "$out"
	expect "flows of the machine" "$(<$FLOWS)" -eq 32768
	steered 1 p0 reader
	ctl -j dev steer | json '["steering"][0]["flows"] == 32768 and
		x["machine_flows"] == 32768'
	ctl -j dev steer reader | json '["warnings"] == []'
	echo 65536 >$FLOWS
	ctl dev steer reader
	expect "flows of the machine" "$(<$FLOWS)" -eq 65536
	ctl dev steer connection
	steered 1 p0 connection
	ctl dev steer reader
	ctl dev steer off
	steered 1 p0 off
	expect "flows of the machine" "$(<$FLOWS)" -eq 65536
}

# Each queue, and queues that differ on rows of their own
steer__many_queues() {
	two_nodes
	ip -n "$NODE-1" link del p0
	ip -batch - <<-EOF
	link add p0 netns $NODE-1 address $(mac 1) numrxqueues 4 \
		numtxqueues 4 type veth peer name p0 netns $NODE-2 \
		address $(mac 2)
	EOF
	for_the_case $FLOWS 0
	ctl dev steer reader 2>/dev/null
	ctl -j dev steer | json '["steering"][0]["queues"] == "0-3" and
		x["steering"][0]["flows"] == 8192'
	ip netns exec "$NODE-1" bash -c \
		'echo 0 >/sys/class/net/p0/queues/rx-2/rps_cpus'
	ctl -j dev steer | json '["steering"][1]["queues"] == "2" and
		[q["queues"] for q in x["steering"]] == ["0-1", "2", "3"]'
	ctl dev steer off
	ctl -j dev steer | json '["steering"][0]["queues"] == "0-3"'
}

# Frames come up on what is below: there the kernel steers.
steer__below_a_bridge() {
	two_nodes
	ip -n "$NODE-1" -batch - <<-EOF
	link add b0 address $(mac 1) type bridge
	link set p0 master b0
	link set b0 up
	EOF
	ctl -j dev | json '["rails"][0]["ifname"] == "b0"'
	ctl dev steer connection dev b0
	steered 1 p0 connection
	has 1 b0 rps_cpus
	expect "mask of the bridge" "$OUT" = 0
	complains 'no rail is on "p0"' 1 off dev p0
	ctl dev steer off
	steered 1 p0 off
}

steer__rails_and_devices() {
	linked_nodes 2 1-2-0 1-2-1
	ctl dev steer connection dev p1
	ctl -j dev steer | json '["steering"][0]["by"] == "off" and
		[q["by"] for q in x["steering"]] == ["off", "connection"]'
	ctl dev steer connection
	ctl -j dev steer |
		json '["steering"][0]["by"] == "connection"'
	complains 'no rail is on "lo"' 1 connection dev lo
	complains 'no rail is on "nothing"' 1 off dev nothing
	# One of them goes: the other one is steered all the same.
	ip -n "$NODE-1" link del p1
	complains 'warning: rail 1 has no device' 0 off
	steered 1 p0 off
	complains 'no rail is on "p1"' 1 off dev p1
	ip -n "$NODE-1" link del p0
	complains 'no rail has a device' 2 off
	ctl -j dev steer | json '["steering"] == []'
}

steer__words() {
	local words last=${ONLINE##*[-,]}

	two_nodes
	while read -r words; do
		complains '"'"${words%% *}"'" is not understood' 1 \
			${words#* }
	done <<-EOF
	nothing nothing
	p0 p0
	p0 show p0
	cpus off cpus 0
	cpus connection cpus
	dev connection dev
	cpus connection cpus 0 cpus 0
	dev connection dev p0 dev p0
	p0 connection p0
	EOF
	for words in 0- 3-1 x 0,,1 0x1 99999; do
		complains '"'"$words"'" is no list of processors, as 0-3,8' 1 \
			connection cpus "$words"
	done
	complains '"" is no list of processors, as 0-3,8' 1 connection cpus ""
	complains "processor $((last + 1)) is not online: $ONLINE are" 1 \
		connection cpus "0-$((last + 1))"
	steered 1 p0 off
	ctl dev steer connection cpus "$last"
	ctl -j dev steer | json '["steering"][0]["cpus"] == "'"$last"'"'
	ctl dev steer help | grep -q 'connection, reader, off'
}

steer__only_by_leave() {
	two_nodes
	for words in connection reader off show; do
		expect "$words" "$(status_of nobody dev steer $words)" -eq 2
		nobody dev steer $words 2>&1 | grep -q \
			'needs CAP_NET_ADMIN and CAP_SYS_ADMIN' ||
			fail "$words: no reason"
	done
	in_node 1 setpriv --bounding-set -net_admin --inh-caps -net_admin \
		prpctl dev steer connection 2>&1 | grep -q \
		'needs CAP_NET_ADMIN' || fail "no reason"
	steered 1 p0 off
}

run_cases
