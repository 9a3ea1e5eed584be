#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The handshake when frames are lost, doubled, old or forged. What a program
# sees of it on a good wire is in sock_connect.c.
. "$(dirname "$0")/lib.sh"

PORT=4000

handshake__lost_request() {
	wired_nodes 2
	bad_wire 1 first_req=1
	xfer -z 5000
	expect "requests repeated" "$(counter 1 requests_repeated)" -ge 1
	expect "children" "$(counter 2 conns_opened)" -eq 1
}

handshake__lost_answer() {
	wired_nodes 2
	bad_wire 1
	bad_wire 2 first_ans=1
	xfer -z 5000
	expect "requests sent" "$(wire_val 1 req_frames)" -ge 2
	expect "children" "$(counter 2 conns_opened)" -eq 1
}

handshake__several_lost() {
	wired_nodes 2
	bad_wire 1 first_req=3
	bad_wire 2 first_ans=3
	xfer -z 5000
	expect "children" "$(counter 2 conns_opened)" -eq 1
	expect "answers dropped" "$(wire_val 2 ans_dropped)" -eq 3
}

handshake__doubled_request_makes_one_child() {
	wired_nodes 2
	bad_wire 1 twice_req=1
	xfer -z 5000
	expect "answers repeated" "$(counter 2 answers_repeated)" -ge 1
	expect "children" "$(counter 2 conns_opened)" -eq 1
}

handshake__doubled_answer() {
	wired_nodes 2
	bad_wire 2 twice_ans=1
	xfer -z 5000
	expect "connections" "$(counter 1 conns_opened)" -eq 1
	expect "resets" "$(counter 2 resets_in)" -eq 0
}

# First confirmation, first data and first end are lost as well.
handshake__first_frames_of_each_kind_lost() {
	wired_nodes 2
	bad_wire 1 first_req=1 first_seg=2 first_ack=2
	bad_wire 2 first_ans=1 first_seg=2 first_ack=2
	xfer -z 5000 -d
	expect "children" "$(counter 2 conns_opened)" -eq 1
}

# A request that was under way longer than its connection lived
handshake__stale_request_makes_no_connection() {
	local request

	wired_nodes 2
	bad_wire 1
	hold server 2
	told_ok server listen $PORT 8
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	request=$(wire "$WIRE" w1 frame req)
	told_ok client close
	told_ok server close
	# At once, for what is known of it is known for 3 s
	rawframe "$WIRE" w2 hex="$request" count=3
	wait_for "3 stale requests are dropped" \
		counter_is 2 drop_stale_request -eq 3
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	expect "children" "$(counter 2 conns_opened)" -eq 1
}

# Nobody knows of such a connection any more: the client's reset ends it.
handshake__forged_request_of_a_living_client_is_reset() {
	local request

	wired_nodes 2
	bad_wire 1
	hold server 2
	told_ok server listen $PORT 8
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	request=$(wire "$WIRE" w1 frame req)
	rawframe "$WIRE" w2 hex="$request" src_port=7777
	wait_for "the child is opened" counter_is 2 conns_opened -eq 2
	wait_for "the child is freed" counter_is 2 conns_closed -ge 1
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	told_ok client send 10000
	told_ok server recv 10000
	expect "bytes received" "${ANSWER#ok }" -eq 10000
	release client
	release server
}

# Half-open connections are bounded, expire, and keep nobody out.
handshake__flood_of_requests_is_bounded() {
	local request

	wired_nodes 2
	hosts 3 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	bad_wire 1
	hold server 2
	told_ok server timeout 4000	# of the half-open ones, which is 10 s
	told_ok server listen $PORT 8
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	request=$(wire "$WIRE" w1 frame req)
	# Node 3 is known, but there is nobody to answer the answers.
	rawframe "$WIRE" w2 hex="$request" src="$(mac 3)" src_node=3 \
		src_port=20000 vary=src_port count=3000
	expect "half-open connections" \
		$(($(counter 2 conns_opened) - $(counter 2 conns_closed))) \
		-le 600
	expect "requests dropped for the backlog" \
		"$(counter 2 drop_backlog)" -gt 2000
	told_ok client close
	told_ok server close
	LIMIT_MS=$((40000 * SLOW)) wait_for "the half-open ones expire" all_freed
	told_ok client connect 2 $PORT
	told_ok server accept
	release client
	release server
}

handshake__unknown_version_is_answered_once() {
	wired_nodes 2
	bad_wire 2
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" version=9 \
		src_node=1 dst_node=2
	wait_for "it is dropped" counter_is 2 drop_version -eq 1
	expect "notices sent" "$(wire_val 2 frames)" -eq 1
	# A notice is never answered.
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" version=0 \
		src_node=1 dst_node=2
	wait_for "the second is seen" counter_is 2 frames_in -eq 2
	expect "notices sent" "$(wire_val 2 frames)" -eq 1
}

# One a millisecond, however long the frames take to arrive
handshake__notices_are_rate_limited() {
	local begun

	wired_nodes 2
	bad_wire 2
	now_ms
	begun=$NOW
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" version=9 \
		src_node=1 dst_node=2 count=5000
	wait_for "all are dropped" counter_is 2 drop_version -eq 5000
	now_ms
	expect "notices sent" "$(wire_val 2 frames)" -le $((NOW - begun + 20))
}

handshake__different_tables_are_reported() {
	two_nodes
	{
		hosts 2
		echo "5 n5 $(mac 5)"
	} | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	xfer -z 5000
	expect "reports" $(($(counter 1 table_differs) +
		$(counter 2 table_differs))) -ge 1
}

run_cases
