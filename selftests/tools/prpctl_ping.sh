#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl ping, and the queries below it.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

ping__replies() {
	two_nodes
	ctl ping n2 count 3 interval 0.01 >"/tmp/$NODE.ping"
	expect "replies" "$(grep -c '^76 bytes from n2 (2): seq=[123] rail=0 ' \
		"/tmp/$NODE.ping")" -eq 3
	grep -q "^3 queries, 3 replies, 0% lost" "/tmp/$NODE.ping" ||
		fail "$(cat "/tmp/$NODE.ping")"
	rm "/tmp/$NODE.ping"
	ctl -j ping 10.9.0.2 count 5 interval 0.001 |
		json '["replies"] == 5 and x["rtt_ns"]["min"] > 0 and
		      x["rtt_ns"]["min"] <= x["rtt_ns"]["median"] <=
		      x["rtt_ns"]["p99"] <= x["rtt_ns"]["max"]'
	ctl -j ping n1 count 1 | json '["replies"] == 1'
	expect "queries_out" "$(counter 1 queries_out)" -eq 9
	expect "replies_in" "$(counter 1 replies_in)" -eq 9
	expect "replies_out" "$(counter 2 replies_out)" -eq 8
}

# The largest frame of the rail and no byte more, both ways.
ping__sizes() {
	two_nodes 1500
	ctl -j ping n2 count 1 size 1424 | json '["replies"] == 1'
	ctl ping n2 count 1 size 1424 | grep -q "^1500 bytes from n2" ||
		fail "the reply is shorter"
	expect "status" "$(status_of ctl ping n2 count 1 size 1425)" -eq 2
	ctl ping n2 count 1 size 1425 | grep -q "does not carry so much" ||
		fail "no reason"
	ip -n "$NODE-1" link set p0 mtu 9000
	ip -n "$NODE-2" link set p0 mtu 9000
	ctl -j ping n2 count 1 size 8924 | json '["replies"] == 1'
	# What there is too long for the way back comes without payload.
	ip -n "$NODE-2" link set p0 mtu 1500
	ip -n "$NODE-1" link set p0 mtu 1600
}

ping__rails() {
	linked_nodes 2 1-2-0 1-2-1
	ctl ping n2 count 1 rail 0 | grep -q "rail=0" || fail "not rail 0"
	ctl ping n2 count 1 rail 1 | grep -q "rail=1" || fail "not rail 1"
	ctl ping n2 count 1 rail 2 | grep -q "seq=1: Network is unreachable" ||
		fail "rail 2"
	expect "status" "$(status_of ctl ping n2 count 1 rail 2)" -eq 2
}

# Ctrl-C in the middle: what was seen is said, and that all went well.
ping__stopped() {
	two_nodes
	ping_stopped
}

# The next query is due before this one has left.
ping__faster_than_it_can() {
	two_nodes
	ping_stopped interval 0.000001
}

ping_stopped() {
	local pid rc=0

	ctl ping n2 "$@" >"/tmp/$NODE.ping" &
	pid=$!
	wait_for "a reply" grep -q "seq=" "/tmp/$NODE.ping"
	kill -INT "$(pgrep -P $pid -x prpctl || echo $pid)"
	wait $pid || rc=$?
	expect "status" $rc -eq 0
	grep -q "^rtt min" "/tmp/$NODE.ping" || fail "no summary"
	rm "/tmp/$NODE.ping"
}

ping__nobody_replies() {
	wired_nodes 2
	ip -n "$NODE-2" link set p0 down
	expect "status" "$(status_of ctl ping n2 count 2 interval 0.01)" -eq 2
	ctl -j ping n2 count 2 interval 0.01 |
		json '["lost"] == 2 and x["rtt_ns"] is None'
}

# Without privilege a hundred a second; with it a thousand, which is what the
# other one replies to.
ping__flood() {
	two_nodes
	ctl -j ping n2 count 500 interval 0 | json '["replies"] == 500'
	expect "status" "$(status_of nobody ping n2 count 500 interval 0)" -eq 2
	nobody ping n2 count 500 interval 0 2>&1 | grep -q "CAP_NET_ADMIN" ||
		fail "no reason"
	nobody -j ping n2 count 3 interval 0.02 | json '["replies"] == 3'
}

ping__wrong_words() {
	local words

	two_nodes
	for words in "" "n3" "n2 count 0" "n2 count" "n2 count -1" "n2 size 16385" \
		"n2 size x" "n2 rail 8" "n2 interval -1" "n2 interval nan" "n2 x" \
		"n2 interval 1e400"; do
		expect "status of '$words'" \
			"$(status_of ctl ping $words)" -eq 1
	done
}

# It does not go on for nobody.
ping__nobody_reads_it() {
	two_nodes
	expect "status" "$(deaf ping 2 interval 0.1)" -eq 2
	expect "flood" "$(deaf ping 2 interval 0)" -eq 2
}

run_cases
