#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The access list: which nodes may connect to which ports, to which nodes and
# ports programs may connect, and prpctl access.
# Who may change it is in netlink.c, what the IP mode makes of it in
# sock_inet.c.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

PORT=4000

# prpctl access on node 2, which all cases try to reach
access() {
	prpctl -n "$NODE-2" access "$@"
}

# Listeners on node 2 and a client on each other node
serve() {
	local nr port

	for port in "$@"; do
		hold "server$port" 2
		told_ok "server$port" listen "$port" 8
	done
	for ((nr = 1; nr <= NODES; nr++)); do
		[ $nr = 2 ] || hold "client$nr" $nr
	done
}

# accepted NODE PORT: a connection from there carries data
accepted() {
	told_ok "client$1" connect 2 "$2"
	told_ok "server$2" accept
	told_ok "client$1" send 1000
	told_ok "server$2" recv 1000
	expect "bytes from node $1 to port $2" "${ANSWER#ok }" -eq 1000
	told_ok "client$1" close
	told_ok "server$2" close
}

# denied NODE PORT: connect() from there says EACCES
denied() {
	local before

	before=$(counter 2 drop_denied)
	told_error EACCES "client$1" connect 2 "$2"
	expect "requests refused" "$(counter 2 drop_denied)" -gt "$before"
	told_ok "client$1" close
}

access__port_with_entries_accepts_only_their_nodes() {
	wired_nodes 3
	serve $PORT 4001
	accepted 3 $PORT
	access add $PORT n1
	accepted 1 $PORT
	denied 3 $PORT
	accepted 3 4001
	access add $PORT 3
	accepted 3 $PORT
	access del $PORT 1
	denied 1 $PORT
}

# The node is in one of the entries: however they overlap, in either order.
access__overlapping_ranges_add_up() {
	local order

	wired_nodes 3
	serve 4002 4007 4015 4021
	for order in "4000-4010:1 4005-4020:3" "4005-4020:3 4000-4010:1"; do
		for entry in $order; do
			access add "${entry%:*}" "${entry#*:}"
		done
		accepted 1 4002
		denied 3 4002
		accepted 1 4007
		accepted 3 4007
		denied 1 4015
		accepted 3 4015
		accepted 1 4021
		accepted 3 4021
		access flush
	done
}

access__whole_range_of_ports() {
	two_nodes
	serve 1 65535
	access add 1-65535 7
	denied 1 1
	denied 1 65535
	access flush
	accepted 1 1
	accepted 1 65535
}

access__changes_are_for_new_requests_only() {
	two_nodes
	serve $PORT
	told_ok client1 connect 2 $PORT
	told_ok client1 send 1000
	access add $PORT 7
	# Neither what waits for accept() nor what was accepted is ended.
	told_ok server$PORT accept
	told_ok server$PORT recv 1000
	expect "bytes sent before" "${ANSWER#ok }" -eq 1000
	told_ok client1 send 100000
	told_ok server$PORT recv 100000
	expect "bytes sent after" "${ANSWER#ok }" -eq 100000
	told_ok client1 close
	told_ok server$PORT close
	denied 1 $PORT
	access del $PORT 7
	accepted 1 $PORT
}

# Who is refused does not learn whether anybody listens.
access__refuses_where_nobody_listens() {
	two_nodes
	serve
	access add $PORT 7
	denied 1 $PORT
	told_error ECONNREFUSED client1 connect 2 4001
}

access__own_node_is_one_like_the_others() {
	two_nodes
	serve
	hold self 2
	hold server 2
	told_ok server listen $PORT 8
	access add $PORT 1
	told_error EACCES self connect 2 $PORT
	told_ok self close
	access add $PORT 2
	told_ok self connect 2 $PORT
	told_ok server accept
	release self
	release server
}

# A request that both ends wanted was asked for by a program here.
access__does_not_bind_what_this_node_connects_to() {
	two_nodes
	serve
	hold other 1
	told_ok other listen 5000 8
	access add 1-65535 7
	hold self 2
	told_ok self connect 1 5000
	told_ok other accept
	told_ok self send 1000
	told_ok other recv 1000
	expect "bytes received" "${ANSWER#ok }" -eq 1000
	release self
	release other
}

# forbidden NODE PORT: a program on node 2 is not let out, and nothing is begun
forbidden() {
	local before

	before=$(counter 2 conns_opened)
	told_error EPERM self connect "$1" "$2"
	expect "connections begun" "$(counter 2 conns_opened)" -eq "$before"
	told_ok self close
}

# let_out NODE PORT: a connection from node 2 carries data
let_out() {
	told_ok self connect "$1" "$2"
	told_ok "server$1" accept
	told_ok self send 1000
	told_ok "server$1" recv 1000
	expect "bytes from node 2 to node $1" "${ANSWER#ok }" -eq 1000
	told_ok self close
	told_ok "server$1" close
}

# servers PORT...: on nodes 1 and 3, and a client on node 2
servers() {
	local nr port

	hold self 2
	for nr in 1 3; do
		hold server$nr $nr
		for port in "$@"; do
			told_ok server$nr listen "$port" 8
		done
	done
}

access__out_judges_what_programs_here_connect_to() {
	wired_nodes 3
	servers $PORT
	access add $PORT n1 out
	let_out 1 $PORT
	forbidden 3 $PORT
	forbidden 2 $PORT
	access add 1-65535 2 out
	forbidden 1 4001
	forbidden 1 1
	forbidden 1 65535
	forbidden 9 $PORT		# in no table
	let_out 1 $PORT
	access del $PORT 1 out
	forbidden 1 $PORT
	access flush
	let_out 1 $PORT
	let_out 3 $PORT
}

access__out_does_not_end_what_is_there() {
	wired_nodes 3
	servers $PORT
	told_ok self connect 1 $PORT
	told_ok server1 accept
	access add 1-65535 9 out
	told_ok self send 1000
	told_ok server1 recv 1000
	expect "bytes sent after" "${ANSWER#ok }" -eq 1000
	told_ok self close
	told_ok server1 close
	forbidden 1 $PORT
}

# What is for one direction changes nothing in the other one.
access__directions_are_apart() {
	wired_nodes 3
	servers $PORT
	serve 5000
	access add 1-65535 9 out
	accepted 1 5000
	told_error ECONNREFUSED client1 connect 2 5001
	told_ok client1 close
	forbidden 1 $PORT
	access flush
	access add 1-65535 9 in
	let_out 1 $PORT
	denied 1 5000
	access add 1-65535 9 out	# not the same entry
	access del 1-65535 9
	accepted 1 5000
	forbidden 1 $PORT
}

# hits JSON: what all entries of node 2 have let pass and refused
hits() {
	prpctl -j -n "$NODE-2" access | json "[\"access\"] and
		[[e[\"passed\"], e[\"refused\"]] for e in x[\"access\"]] == $1"
}

access__entries_count() {
	wired_nodes 3
	servers 5000
	serve $PORT
	access add $PORT 1
	access add 3999-$PORT 9
	access add 5000 1 out
	hits "[[0, 0], [0, 0], [0, 0]]"
	accepted 1 $PORT
	accepted 1 $PORT
	# The first entry that names the port has it.
	denied 3 $PORT
	let_out 1 5000
	forbidden 3 5000
	forbidden 9 5000
	hits "[[0, 1], [2, 0], [1, 2]]"
	# Others come and go; one that comes again begins anew.
	access add 6000 1
	access del 3999-$PORT 9
	hits "[[2, 0], [0, 0], [1, 2]]"
	access del $PORT 1
	access add $PORT 1
	hits "[[0, 0], [0, 0], [1, 2]]"
	denied 3 $PORT
	hits "[[0, 1], [0, 0], [1, 2]]"
	expect "the same in words" "$(access | tr -s ' ' | tail -n 1)" = \
		"5000 1 n1 out 1 2"
}

access__out_in_the_ip_mode_is_tcp() {
	local said

	two_nodes
	(exec nsenter --net="/run/netns/$NODE-1" prprun socat -u \
		TCP-LISTEN:$PORT,fork OPEN:/dev/null) &
	wait_for "somebody listens" listens 1 $PORT
	access add $PORT 2 out
	said=$(in_node 2 prprun -v socat -u OPEN:/dev/null \
		TCP:10.9.0.1:$PORT 2>&1)
	[[ $said == *": TCP, denied by an access list"* ]] ||
		fail "not by TCP: $said"
	expect "requests to PRP" "$(counter 1 requests_in)" -eq 0
	hits "[[0, 1]]"
}

listens() {
	[ -n "$(in_node "$1" ss -Hltn "sport = :$2")" ]
}

access__outlives_the_host_table() {
	two_nodes
	serve $PORT
	access add $PORT 9
	prpctl -n "$NODE-2" hosts flush >/dev/null
	hosts 2 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	denied 1 $PORT
}

access__belongs_to_its_namespace() {
	two_nodes
	access add $PORT 1
	ctl access add 1-5 2
	prpctl -j -n "$NODE-2" access | json '["access"] == [{"port": 4000,
		"port_end": 4000, "number": 1, "name": "n1",
		"direction": "in", "passed": 0, "refused": 0}]'
	ctl -j access | json '["access"] == [{"port": 1, "port_end": 5,
		"number": 2, "name": "n2", "direction": "in", "passed": 0,
		"refused": 0}]'
}

access__show() {
	local out

	two_nodes
	out=$(prpctl -j -n "$NODE-2" access)
	json '["access"] == []' <<<"$out"
	access add 80-90 n2
	access add 80 10.9.0.1
	access add 22 77
	access add 80-90 1
	access add 7 n1 out
	out=$(access show | tr -s ' \n' ' ')
	out=${out#PORT NODE NAME DIR PASSED REFUSED }
	expect "in the order of directions, ports and nodes" "${out// 0 0 / }" = \
		"22 77 - in 80 1 n1 in 80-90 1 n1 in 80-90 2 n2 in 7 1 n1 out "
	out=$(prpctl -j -n "$NODE-2" access show)
	json '["access"][0] == {"port": 22, "port_end": 22, "number": 77,
		"name": None, "direction": "in", "passed": 0, "refused": 0}' \
		<<<"$out"
	json '["access"][4] == {"port": 7, "port_end": 7, "number": 1,
		"name": "n1", "direction": "out", "passed": 0, "refused": 0}' \
		<<<"$out"
	nobody access show >/dev/null
}

access__bad_words_are_refused() {
	two_nodes
	for words in "add" "add 80" "add 80 1 more" "add 80 1 in out" \
		"del 80 1 both" "add 80 out 1" "add 0 1" "add 65536 1" \
		"add 80- 1" "add -80 1" "add 90-80 1" "add 80-90-95 1" \
		"add 0x50 1" "add http 1" "add 80 nobody" "add 80 0" \
		"add 80 65535" "del" "del 80" "flush 80" "show 80" "nothing"; do
		expect "exit status of access $words" \
			"$(status_of access $words)" -eq 1
	done
	expect "entries" "$(prpctl -j -n "$NODE-2" access |
		grep -c '"port"')" -eq 0
	access add 80 1
	refused "the same again" "has this entry" access add 80 1
	refused "another range" "no such entry" access del 80-81 1
	refused "another node" "no such entry" access del 80 2
	refused "another direction" "no such entry" access del 80 1 out
	refused "the same in full" "has this entry" access add 80-80 1 in
	expect "exit status" "$(status_of access add 80 1)" -eq 2
}

# access setup on node 2 of the lines given, with the hosts of the test
setup() {
	printf '%s\n' "$@" >"$DIR/list"
	access setup -f "$DIR/list" -H "$DIR/hosts"
}

access__setup_makes_it_that_of_a_file() {
	local out

	two_nodes
	DIR=$(mktemp -d)
	hosts 2 >"$DIR/hosts"
	serve $PORT
	access add 22 9
	out=$(setup "# a comment" "" "$PORT 7" "80-90	n1 # web" \
		"80-90 1 in" "80-90 1 out" "443 10.9.0.1")
	expect "said" "$out" = "4 entries: 4 added, 1 removed"
	denied 1 $PORT
	out=$(access show | awk '{ print $1, $2, $3, $4 }' | tr '\n' ' ')
	expect "the list" "${out#PORT NODE NAME DIR }" = \
		"80-90 1 n1 in 443 1 n1 in $PORT 7 - in 80-90 1 n1 out "
	out=$(setup "$PORT 7" "$PORT 1" "80-90 1" "443 1")
	expect "said" "$out" = "4 entries: 1 added, 1 removed"
	accepted 1 $PORT
	# It opens all, so it is done to those alone who say so.
	refused "an empty list" "is empty: all 4 entries would go" setup ""
	expect "entries" "$(entries)" -eq 4
	out=$(setup_forced "")
	expect "said" "$out" = "0 entries: 0 added, 4 removed"
	expect "entries" "$(entries)" -eq 0
	expect "said" "$(setup "")" = "0 entries: 0 added, 0 removed"
	# as some editors begin a file, and prphosts(5) may begin
	out=$(setup $'\xef\xbb\xbf'"80 1")
	expect "said" "$out" = "1 entry: 1 added, 0 removed"
	refused "the column" "list:1:1: " setup $'\xef\xbb\xbf'"x 1"
	rm -r "$DIR"
}

# How many node 2 has
entries() {
	prpctl -j -n "$NODE-2" access | grep -o '"port"' | wc -l
}

setup_forced() {
	printf '%s\n' "$@" >"$DIR/list"
	access setup -f "$DIR/list" -H "$DIR/hosts" --force
}

# There is no room for both lists at a time: the old one is in force again.
access__setup_that_the_kernel_refuses_changes_nothing() {
	local before

	two_nodes
	DIR=$(mktemp -d)
	hosts 2 >"$DIR/hosts"
	mapfile -t LIST < <(seq -f '%g 1' 1 4000)
	setup "${LIST[@]}" "9999 1 out" >/dev/null
	before=$(access show)
	mapfile -t LIST < <(seq -f '%g 2' 1 100)	# 4096 at the same time
	refused "more than there is room for" "the access list is full" \
		setup "${LIST[@]}"
	# said only if it is another one: it is long
	diff <(echo "$before") <(access show) || fail "the list is another one"
	access flush
	setup "${LIST[@]}" >/dev/null
	expect "entries" "$(entries)" -eq 100
	rm -r "$DIR"
}

# told FILE WORDS: in which line of the monitor's
told() {
	grep -n -m 1 "access: port $PORT, $2" "$1" | cut -d: -f1
}

# Between a removal and an addition the port would be open to all.
access__setup_adds_before_it_removes() {
	local pid

	two_nodes
	DIR=$(mktemp -d)
	hosts 2 >"$DIR/hosts"
	access add $PORT 1
	prpctl -n "$NODE-2" monitor >"$DIR/told" &
	pid=$!
	wait_for "the monitor listens" told_of_an_entry "$DIR/told"
	setup "$PORT 2" >/dev/null
	wait_for "the removal is told" grep -q "node 1 (n1), removed" \
		"$DIR/told"
	expect "line of what came" "$(told "$DIR/told" "node 2 (n2), added")" \
		-lt "$(told "$DIR/told" "node 1 (n1), removed")"
	kill $pid
	rm -r "$DIR"
}

access__setup_of_a_bad_file_changes_nothing() {
	local line long

	two_nodes
	DIR=$(mktemp -d)
	hosts 2 >"$DIR/hosts"
	access add 22 9
	long=$(printf '%0300d' 1)
	for line in 1:"80" 1:"0 1" 4:"80 nobody" 3:" 	x 1" 4:"80 65535" \
		6:"80 1 more" 9:"80 1 in more" 1:"90-80 1" 1:"$long 1" 4:"80 $long"; do
		refused "the line ${line#*:}" "list:2:${line%%:*}: " \
			setup "443 1" "${line#*:}"
	done
	refused "an unknown option" "not understood" access setup -x
	refused "a missing file" "No such file" access setup -f "$DIR/none" \
		-H "$DIR/hosts"
	refused "a missing host file" "No such file" setup_without_hosts
	expect "the list" "$(access show | tail -n 1 | tr -s ' ')" = \
		"22 9 - in 0 0"
	rm -r "$DIR"
}

setup_without_hosts() {
	access setup -f "$DIR/list" -H "$DIR/none"
}

access__changes_are_notified() {
	local out pid file

	two_nodes
	file=$(mktemp)
	prpctl -n "$NODE-2" monitor >"$file" &
	pid=$!
	# Until it listens nothing is told.
	wait_for "the monitor listens" told_of_an_entry "$file"
	access add 9 9		# an empty list would not be told of
	access flush
	access add 80-90 1
	access add 80-90 1 out
	access del 80-90 1
	wait_for "three are told" grep -q "port 80-90, node 1 (n1), removed" \
		"$file"
	grep -q "access: port 80-90, node 1 (n1), added" "$file" ||
		fail "no word of the entry: $(cat "$file")"
	grep -q "access: port 80-90, node 1 (n1), out, added" "$file" ||
		fail "no word of the direction: $(cat "$file")"
	grep -q "access: all entries removed" "$file" ||
		fail "no word of the flush: $(cat "$file")"
	kill $pid
	rm "$file"
}

# nft_example FAMILY TABLE: the example of the page, with our device and
# addresses
nft_example() {
	sed -n "/^  table $1 $2 {/,/^  }/p" \
		"$TOP/Documentation/networking/prp-trust.rst" |
		sed "s/eth0/p0/; s/52:54:00:00:00:01/$(mac 1)/
		     s/52:54:00:00:00:02/$(mac 2)/"
}

# unanswered NODE PORT: connect() from there times out
unanswered() {
	told_ok "client$1" timeout 1000
	told_error ETIMEDOUT "client$1" connect 2 "$2"
	told_ok "client$1" close
	told_ok "client$1" timeout 0
}

access__nftables_sees_frames_first() {
	wired_nodes 3
	serve 5000 4000
	accepted 3 4000
	nft_example netdev prp | in_node 2 nft -f -
	accepted 1 5000
	xfer -p 5001 -z 100000
	unanswered 1 4000
	unanswered 3 5000
	in_node 2 nft flush ruleset
	accepted 3 4000
	nft_example bridge prp | in_wire nft -f -
	unanswered 1 5000
	in_wire nft flush ruleset
	accepted 1 5000
}

access__nftables_sees_frames_that_leave() {
	wired_nodes 2
	serve 5000 4000
	accepted 1 4000
	nft_example netdev prp_out | in_node 1 nft -f -
	accepted 1 5000
	xfer -p 5001 -z 100000
	unanswered 1 4000
	in_node 1 nft flush ruleset
	accepted 1 4000
}

# counted WHERE CHAIN: frames that a chain of ours has seen
counted() {
	local said

	said=$("$1" "${@:3}" nft list chain $2)
	[[ $said =~ packets\ ([0-9]+) ]] || fail "no counter: $said"
	echo "${BASH_REMATCH[1]}"
}

# seen_by_tc DIRECTION
seen_by_tc() {
	local said

	said=$(in_node 2 tc -s filter show dev p0 "$1")
	[[ $said =~ bytes\ ([0-9]+)\ pkt ]] || fail "no figure: $said"
	echo "${BASH_REMATCH[1]}"
}

# The table of the page: who sees frames of PRP, and who never does
access__hooks_that_frames_pass() {
	local chain way

	wired_nodes 2
	in_node 2 tc qdisc add dev p0 clsact
	for way in ingress egress; do
		in_node 2 tc filter add dev p0 $way protocol 0x88b5 matchall \
			action gact ok
	done
	in_node 2 nft -f - <<-EOF
	table netdev seen {
		chain in {
			type filter hook ingress device p0 priority 0
			ether type 0x88b5 counter
		}
		chain out {
			type filter hook egress device p0 priority 0
			ether type 0x88b5 counter
		}
	}
	table inet unseen {
		chain pre {
			type filter hook prerouting priority 0
			counter ct state new
		}
		chain in {
			type filter hook input priority 0
			counter
		}
		chain out {
			type filter hook output priority 0
			counter
		}
	}
	EOF
	in_wire nft -f - <<-EOF
	table bridge seen {
		chain pre {
			type filter hook prerouting priority 0
			ether type 0x88b5 counter
		}
		chain pass {
			type filter hook forward priority 0
			ether type 0x88b5 counter
		}
		chain post {
			type filter hook postrouting priority 0
			ether type 0x88b5 counter
		}
	}
	EOF
	xfer -z 100000
	for chain in "netdev seen in" "netdev seen out"; do
		expect "frames at $chain" "$(counted in_node "$chain" 2)" -gt 0
	done
	for chain in pre pass post; do
		expect "frames on the bridge at $chain" \
			"$(counted in_wire "bridge seen $chain")" -gt 0
	done
	for way in ingress egress; do
		expect "frames at tc $way" "$(seen_by_tc $way)" -gt 0
	done
	for chain in pre in out; do
		expect "frames at inet $chain" \
			"$(counted in_node "inet unseen $chain" 2)" -eq 0
	done
	expect "connections tracked" "$(in_node 2 \
		cat /proc/sys/net/netfilter/nf_conntrack_count)" -eq 0
}

told_of_an_entry() {
	access add 7 7 2>/dev/null || access del 7 7
	grep -q "port 7, node 7" "$1"
}

run_cases
