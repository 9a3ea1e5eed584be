#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A node that does not answer PRP at once: TCP tries beside it, one of the two
# carries the connection, and the server's program sees nothing of the other
# one.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"
. "$HERE/lib/many.sh"

SIZE=500000

# one_server: socat gives a file to one client, and would tell of a second one
one_server() {
	serve 2 4000 prprun socat -dd -U TCP-LISTEN:4000,reuseaddr,fork \
		OPEN:"$DIR/sent"
}

# fetched PATH: node 1 gets it, once
fetched() {
	local said

	said=$(in_node 1 prprun -v socat -u TCP:10.9.0.2:4000 \
		CREATE:"$DIR/got" 2>&1) || fail "socat: $said"
	same sent got
	[[ $said == *"connected to 10.9.0.2:4000: $1"* ]] ||
		fail "not by $1: $said"
}

# one_was_accepted
one_was_accepted() {
	wait_for "the server's end is over" counter_is 2 live_conns -eq 0
	stop "$STARTED"
	expect "connections that socat accepted" \
		"$(grep -c 'accepting connection' "$DIR/said.2")" -eq 1
}

begin_with() {
	counted_nodes 2
	a_file sent $SIZE
}

silent__tcp_takes_it() {
	begin_with
	one_server
	bad_wire 1 drop_req=10000
	fetched TCP
	expect "silent" "$(counter 1 ip_tcp_silent)" -eq 1
	expect "of PRP at the server" "$(counter 2 conns_opened)" -eq 0
	one_was_accepted
}

# The server has a child that nobody wants: it is not accepted.
silent__answers_are_lost() {
	begin_with
	one_server
	bad_wire 2 drop_ans=10000
	fetched TCP
	expect "children" "$(counter 2 conns_opened)" -ge 1
	bad_wire 2
	one_was_accepted
}

# Both take longer than PRP has alone: its answer comes first, and stops TCP.
silent__a_long_way() {
	begin_with
	netem 2 delay 200ms
	one_server
	fetched PRP
	expect "of TCP at the server" "$(counter 2 ip_tcp_in)" -eq 0
	one_was_accepted
}

# no_tcp [VERDICT...]: none of it gets to the server; without one it is dropped
no_tcp() {
	in_node 2 nft -f - <<-EOF
	table ip t {
		chain c {
			type filter hook input priority 0;
			tcp dport 4000 ${*:-drop}
		}
	}
	EOF
}

# TCP does not get there either; PRP does so in the end.
silent__both_for_a_while() {
	begin_with
	one_server
	no_tcp
	bad_wire 1 first_req=5
	fetched PRP
	expect "requests sent again" "$(counter 1 requests_retransmitted)" -ge 5
	expect "of TCP at the server" "$(counter 2 ip_tcp_in)" -eq 0
	one_was_accepted
}

# A program that gives up takes both with it. Neither has an answer until then,
# however long that takes; PRP's comes when it is too late.
silent__nobody_waits_any_more() {
	local client answer

	begin_with
	one_server
	no_tcp
	bad_wire 2 drop_ans=10000
	start 1 prprun socat -u TCP:10.9.0.2:4000 CREATE:"$DIR/got"
	client=$STARTED
	wait_for "TCP tries, too" syn_sent
	wait_for "PRP's request has come" counter_is 2 conns_opened -ge 1
	kill -KILL "$client"
	wait "$client" || :
	wait_for "TCP does not try any more" no_syn_sent
	in_node 2 nft flush ruleset
	answer=$(wire "$WIRE" w2 frame ans)
	rawframe "$WIRE" w1 hex="$answer"
	wait_for "the server is told" counter_is 2 resets_in -eq 1
	wait_for "nothing is left" counter_is 1 live_conns -eq 0
	wait_for "nor at the server" counter_is 2 live_conns -eq 0
	expect "said by the server" \
		"$(grep -c 'accepting connection' "$DIR/said.2")" -eq 0
}

# Nor is anything there where TCP is turned away at once: PRP has its second,
# and no more.
silent__tcp_is_turned_away() {
	local said

	begin_with
	no_tcp reject with icmp type host-prohibited
	bad_wire 1 drop_req=10000
	! said=$(in_node 1 timeout 60 prprun socat -u TCP:10.9.0.2:4000 - \
		2>&1) || fail "connected"
	[[ $said == *"No route to host"* ]] || fail "socat: $said"
}

# fetching: node 1 gets the file from node 2, and is cut off while it does
fetching() {
	begin_with
	one_server
	netem 2 rate 1mbit
	start 1 prprun -v socat -u TCP:10.9.0.2:4000 CREATE:"$DIR/got"
	CLIENT=$STARTED
	wait_for "some of it is there" counter_is 1 segs_in -ge 20
	ip -n "$WIRE" link set w1 down
}

# silent_for MS: has the server waited for so long? For how long is in $SILENT.
silent_for() {
	SILENT=$(prpctl -j -n "$NODE-2" sockets show |
		grep -o '"silent_ms": *[0-9]*' | grep -o '[0-9]*$') || return
	[ "$SILENT" -ge "$1" ]
}

# TCP goes on for a quarter of an hour. A host that is gone for good is not
# asked five times a second for as long, and when it is back it is found soon.
silent__for_longer_than_prp_waits_by_itself() {
	local probes begun

	fetching
	wait_for "the server waits for longer" silent_for 32000
	# each of them may be late
	LIMIT_MS=$((60000 * SLOW)) wait_for "half a minute of probes" \
		counter_is 2 probes_out -ge 155
	probes=$(counter 2 probes_out)
	silent_for 0
	begun=$SILENT
	wait_for "five seconds more" silent_for $((begun + 5000))
	expect "probes in $((SILENT - begun)) ms" \
		$(($(counter 2 probes_out) - probes)) \
		-le $(((SILENT - begun) / 1000))
	ip -n "$WIRE" link set w1 up
	ended "the client" "$CLIENT"
	same sent got
	expect "given up" "$(counter 2 timeouts)" -eq 0
}

# 0.2 s, doubled three times: 3 s in all
silent__for_as_long_as_tcp_would_wait() {
	local begun

	fetching
	in_node 2 sysctl -qw net.ipv4.tcp_retries2=3
	now_ms
	begun=$NOW
	wait_for "the server gives up" counter_is 2 timeouts -eq 1
	now_ms
	expect "ms" $((NOW - begun)) -lt 20000
	kill "$CLIENT"
	wait "$CLIENT" || :
}

# Who has forgotten us meanwhile says so as soon as he is back.
silent__back_without_a_memory() {
	fetching
	wait_for "the server waits" silent_for 1000
	prpctl -n "$NODE-1" hosts flush >/dev/null
	hosts 2 | prpctl -n "$NODE-1" hosts setup -f - >/dev/null
	ip -n "$WIRE" link set w1 up
	wait_for "the server is told" counter_is 2 resets_in -eq 1
	expect "given up" "$(counter 2 timeouts)" -eq 0
	! wait "$CLIENT" || fail "the client has got all"
}

syn_sent() {
	[ -n "$(in_node 1 ss -Hnt state syn-sent)" ]
}

no_syn_sent() {
	! syn_sent
}

# Orphans ask a peer that is lost: each five times a second, if they are few.
COUNT=1000
MANY_ASK_MOST=800	# a second and node, of 500; each for itself: 5000

probes_a_second() {
	local first begun

	now_ms
	begun=$NOW first=$(counter "$1" probes_out)
	sleep 3
	now_ms
	PROBES=$((($(counter "$1" probes_out) - first) * 1000 / (NOW - begun)))
	[ $PROBES -ge 1 ] && [ $PROBES -le $MANY_ASK_MOST ]
}

silent__many_ask_together() {
	wired_nodes 2
	many $COUNT 4
	bad_wire 1 drop_seg=10000 drop_ack=10000
	bad_wire 2 drop_seg=10000 drop_ack=10000
	done_with_many
	wait_for "few probes" probes_a_second 1
	say "probes a second: $PROBES"
	bad_wire 1
	bad_wire 2
	LIMIT_MS=$((30000 * SLOW)) wait_for "they are gone" all_freed
	expect "orphans that gave up" "$(counter 1 orphans_killed)" -eq 0
}

run_cases
