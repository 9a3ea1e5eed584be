#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The handshake when frames are lost, doubled, old or forged. What a program
# sees of it on a good wire is in sock_connect.c.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

PORT=4000
RECORD_MS=3000		# for so long what is no more is known
LONG_MS=300000		# what must not end by itself does not within it

handshake__lost_request() {
	wired_nodes 2
	bad_wire 1 first_req=1
	xfer -z 5000
	expect "requests repeated" "$(counter 1 requests_retransmitted)" -ge 1
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
	expect "answers repeated" "$(counter 2 answers_retransmitted)" -ge 1
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

# judged: requests and confirmations that node 2 knew as old ones, or took
judged() {
	local COUNTERS

	counters 2 drop_stale_request cookies_out conns_opened
	echo $((${COUNTERS// /+}))
}

have_judged() {
	[ "$(judged)" -gt "$1" ]
}

# is_known SINCE FRAME: node 2 gets it again, and knows that it is of a
# connection that is no more. Who comes too late, for one that ended after
# SINCE, has learned nothing, and is to try again with another one.
is_known() {
	local judged known

	judged=$(judged)
	known=$(counter 2 drop_stale_request)
	rawframe "$WIRE" w2 hex="$2"
	wait_for "it is judged" have_judged "$judged"
	now_ms
	counter_is 2 drop_stale_request -gt "$known" && return
	[ $((NOW - $1)) -ge $RECORD_MS ] ||
		fail "taken after $((NOW - $1)) ms"
	return 1
}

# A request that was under way longer than its connection lived
handshake__stale_request_makes_no_connection() {
	wired_nodes 2
	hold server 2
	hold client 1
	told_ok server listen $PORT 8
	wait_for "stale requests are dropped" stale_request
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	expect "children" "$(counter 2 conns_opened)" -eq "$CHILDREN"
}

# stale_request: leaves in $CHILDREN how many there were before it
stale_request() {
	local request since

	bad_wire 1
	told_ok client connect 2 $PORT
	told_ok server accept
	request=$(wire "$WIRE" w1 frame req)
	CHILDREN=$(counter 2 conns_opened)
	now_ms
	since=$NOW
	told_ok client close
	told_ok server close
	for _ in 1 2 3; do
		is_known "$since" "$request" || return
	done
}

# Nobody knows of such a connection any more: the client's reset ends it.
handshake__forged_request_of_a_living_client_is_reset() {
	local request

	wired_nodes 2
	bad_wire 1
	connected_pair $PORT
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

# stranger COUNT: so many requests of node 3, which node 2 knows; nobody is
# there to answer the answers. $REQUEST is what they are like.
stranger() {
	rawframe "$WIRE" w2 hex="$REQUEST" src="$(mac 3)" src_node=3 \
		src_port=$FROM vary=src_port count="$1"
	FROM=$((FROM + $1))
}

# half_full BACKLOG MS: a listener on node 2 with so many children that nobody
# is behind that it makes no more of them, for that long
half_full() {
	wired_nodes 2
	hosts 3 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	bad_wire 1
	hold server 2
	told_ok server timeout "$2"
	told_ok server listen $PORT "$1"
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client close
	told_ok server close
	REQUEST=$(wire "$WIRE" w1 frame req)
	FROM=20000
	stranger $((($1 + 1) / 2))
	wait_for "half of the places are taken" \
		counter_is 2 conns_opened -eq $((1 + ($1 + 1) / 2))
	bad_wire 1
	bad_wire 2
}

# carries: the connection of client and server does so, both ways
carries() {
	told_ok client send 100000
	told_ok server recv 100000
	expect "bytes to the server" "${ANSWER#ok }" -eq 100000
	told_ok server send 100000
	told_ok client recv 100000
	expect "bytes to the client" "${ANSWER#ok }" -eq 100000
}

# Requests in any number leave no more behind than half of the backlog, and
# keep nobody out, nor is anybody sent more than came.
handshake__flood_of_requests_is_bounded() {
	local opened

	half_full 8 $LONG_MS
	opened=$(counter 2 conns_opened)
	stranger 3000
	wait_for "all are answered" counter_is 2 cookies_out -eq 3000
	expect "children" "$(counter 2 conns_opened)" -eq "$opened"
	expect "requests dropped" "$(counter 2 drop_backlog)" -eq 0
	for _ in 1 2 3; do
		told_ok client connect 2 $PORT
		told_ok server accept
		carries
		told_ok client close
		told_ok server close
	done
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 3
	expect "bytes of answers" "$(wire_val 2 ans_bytes)" \
		-le $(($(wire_val 2 ans_frames) * ${#REQUEST} / 2))
	release client
	release server
}

# Those that nobody is behind go when their time is over.
handshake__children_of_nobody_expire() {
	half_full 8 $((2000 * SLOW))
	wait_for "they expire" counter_is 2 unconfirmed_expired -eq 4
	release client
	release server
}

# One peer gets three quarters of the queue.
handshake__one_peer_does_not_fill_the_queue() {
	local nr

	two_nodes
	hold server 2
	told_ok server listen $PORT 8
	for nr in 1 2 3 4 5 6; do
		hold client$nr 1
		told_ok client$nr connect 2 $PORT
		wait_for "$nr wait for accept()" waiting $nr
	done
	hold client7 1
	told_ok client7 timeout 500
	told_error ETIMEDOUT client7 connect 2 $PORT
	hold other 2
	told_ok other connect 2 $PORT
	wait_for "7 wait for accept()" waiting 7
	for nr in client{1..7} other server; do
		release $nr
	done
}

# waiting COUNT: so many wait for accept() on node 2
waiting() {
	prpctl -n "$NODE-2" sockets -l | grep -q "^listen  *$1 "
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

# A listener that has one place for children of nobody
cookie_nodes() {
	half_full 1 $LONG_MS
}

handshake__cookie() {
	cookie_nodes
	told_ok client connect 2 $PORT
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	told_ok server accept
	expect "answers without memory" "$(counter 2 cookies_out)" -ge 1
	expect "confirmations" "$(wire_val 1 con_frames)" -ge 1
	carries
	release client
	release server
}

# The server speaks first and knows nobody to speak to.
handshake__lost_confirmation_does_not_hang_the_client() {
	cookie_nodes
	bad_wire 1 first_con=3
	told_ok client connect 2 $PORT
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	told_ok server accept
	expect "confirmations lost" "$(wire_val 1 con_dropped)" -eq 3
	expect "confirmations repeated" "$(counter 1 confirms_retransmitted)" -ge 3
	told_ok server send 1000
	told_ok client recv 1000
	expect "bytes received" "${ANSWER#ok }" -eq 1000
	carries
	release client
	release server
}

# Data that are there before anybody knows of their connection are refused, and
# the client knows better than to believe it.
handshake__data_overtake_the_confirmation() {
	cookie_nodes
	bad_wire 1 first_con=10000
	told_ok client connect 2 $PORT
	told_ok client send 1000
	wait_for "a segment of nobody" counter_is 2 drop_no_conn -ge 1
	bad_wire 1
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	expect "resets believed" "$(counter 1 resets_in)" -eq 0
	told_ok server accept
	told_ok server recv 1000
	expect "bytes received" "${ANSWER#ok }" -eq 1000
	carries
	release client
	release server
}

handshake__lost_answer_to_a_confirmation() {
	cookie_nodes
	bad_wire 2 first_ack=3
	told_ok client connect 2 $PORT
	wait_for "three answers are lost" wire_is 2 ack_dropped -eq 3
	told_ok server accept
	carries
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 1
	wait_for "no more confirmations leave" confirms_stand_still
	release client
	release server
}

wire_is() {
	test "$(wire_val "$1" "$2")" "$3" "$4"
}

# No more confirmations leave.
confirms_stand_still() {
	local before

	before=$(wire_val 1 con_frames)
	sleep 0.5 # longer than the longest pause between two
	[ "$(wire_val 1 con_frames)" = "$before" ]
}

# gone_back: the client goes by the first answer, which had a cookie; when its
# request comes again, there is room for a child, with other numbers. What the
# server says from then on meets $@ on the wire.
gone_back() {
	cookie_nodes
	bad_wire 1 first_con=100000
	told_ok client connect 2 $PORT
	REQUEST=$(wire "$WIRE" w1 frame req)
	told_ok server backlog 8
	rawframe "$WIRE" w2 hex="$REQUEST"
	wait_for "another child is made" counter_is 2 conns_opened -eq 3
	[ $# = 0 ] || bad_wire 2 "$@"
	bad_wire 1
	told_ok server accept
}

handshake__cookie_of_an_earlier_answer() {
	gone_back
	carries
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 0
	release client
	release server
}

# Such a child leaves what one that the cookie made does: see below.
handshake__confirmation_of_a_reset_child_that_went_back() {
	gone_back first_ack=100000 first_rst=1
	told_ok client send 1000
	told_ok server recv 10
	told_ok server close		# with unread data: reset
	wait_for "it is told so again" counter_is 1 resets_in -eq 1
	expect "children" "$(counter 2 conns_opened)" -eq 3
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 0
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	release client
	release server
}

# The program has taken the data and is gone; the client has not heard of it.
# Its confirmation must not make another child, which would get them again.
handshake__confirmation_of_what_was_reset() {
	cookie_nodes
	bad_wire 2 first_ack=100000 first_rst=1
	told_ok client connect 2 $PORT
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	told_ok server accept
	told_ok client send 1000
	told_ok server recv 10
	told_ok server close		# with unread data: reset
	wait_for "it is told so again" counter_is 1 resets_in -eq 1
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 1
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	release client
	release server
}

# of_the_first KIND: a frame of that kind, of the first of two connections
# between the same ports, comes again when both are closed
of_the_first() {
	half_full 1 $LONG_MS
	wait_for "it is known" first_is_known "$1"
	expect "children of cookies" "$(counter 2 cookies_in)" -eq "$CHILDREN"
	release client
	release server
}

# first_is_known KIND: leaves in $CHILDREN how many cookies had made before
first_is_known() {
	local frame='' since

	bad_wire 1
	now_ms
	since=$NOW
	for _ in 1 2; do
		told_ok client connect 2 $PORT 7000
		told_ok server accept
		frame=${frame:-$(wire "$WIRE" w1 frame "$1")}
		told_ok client close
		told_ok server close
		wait_for "it is forgotten" ports_are_free
	done
	CHILDREN=$(counter 2 cookies_in)
	is_known "$since" "$frame" && return
	# of a confirmation there is one
	tell server again
	[ "$ANSWER" != ok ] || told_ok server close
	return 1
}

ports_are_free() {
	[ "$(counter 1 live_conns)" = 0 ]
}

handshake__confirmation_of_the_connection_before_the_last() {
	of_the_first con
}

handshake__request_of_the_connection_before_the_last() {
	of_the_first req
}

# Of what was between the same two ports the last ones are known, and no others
# are kept.
handshake__records_of_the_same_ports_are_few() {
	local held most=0

	two_nodes
	hold server 2
	told_ok server listen $PORT 8
	hold client 1
	for _ in {1..24}; do
		told_ok client connect 2 $PORT 7000
		told_ok server accept
		told_ok client close
		told_ok server close
		wait_for "it is forgotten" ports_are_free
		held=$(counter 2 live_records)
		[ "$held" -le $most ] || most=$held
	done
	expect "records made" "$(counter 2 records_made)" -eq 24
	expect "records held" $most -le 8
	release client
	release server
}

handshake__doubled_confirmation_makes_one_child() {
	cookie_nodes
	bad_wire 1 twice_con=3
	told_ok client connect 2 $PORT
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	told_ok server accept
	carries
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 1
	release client
	release server
}

# forged_con REASON KEY=VALUE...: one like the client's, but for that
forged_con() {
	local before

	before=$(counter 2 "$1")
	rawframe "$WIRE" w2 hex="$CON" "${@:2}"
	wait_for "$1 counts ${*:2}" counter_is 2 "$1" -eq $((before + 1))
}

# flipped OFFSET: $CON with another bit there
flipped() {
	echo "hex=${CON:0:$1 * 2}$(printf %02x \
		$((0x${CON:$1 * 2:2} ^ 1)))${CON:$1 * 2 + 2}"
}

# Behind Ethernet's header and ours: 24 bytes of the request, 16 of the cookie.
# The one thing that may change is what the client says of its host table.
handshake__nobody_else_can_make_a_cookie() {
	local at

	cookie_nodes
	bad_wire 1 first_con=10000
	bad_wire 2 first_rst=10000
	told_ok client connect 2 $PORT
	CON=$(wire "$WIRE" w1 frame con)
	expect "its length" $((${#CON} / 2)) -eq $((14 + 36 + 24 + 16))
	forged_con drop_cookie src_port=7777
	forged_con drop_no_listener dst_port=4001
	forged_con drop_cookie src="$(mac 3)" src_node=3
	forged_con drop_no_listener "$(flipped 52)" # another type of socket
	for at in 49 54 55 58 61 63 65 70 73 76 78 81 82 89; do
		forged_con drop_cookie "$(flipped $at)"
	done
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 0
	# on a slow machine that cookie is too old by now; nothing more may come
	# of who has it
	in_node 1 ip link set p0 down
	prpctl -n "$NODE-1" hosts flush >/dev/null
	told_ok client close
	bad_wire 1 first_con=10000
	on_each 1 set_hosts "$(hosts 2)"
	in_node 1 ip link set p0 up
	told_ok client connect 2 $PORT
	CON=$(wire "$WIRE" w1 frame con)
	rawframe "$WIRE" w2 "$(flipped 69)"
	wait_for "the child is made" counter_is 2 cookies_in -eq 1
	told_ok server accept
	carries
	expect "children of cookies" "$(counter 2 cookies_in)" -eq 1
	# one of a connection that is no more, while that is known: one of these
	# comes in time on a slow machine, too
	while :; do
		rawframe "$WIRE" w2 hex="$CON"
	done &
	told_ok client close
	told_ok server close
	wait_for "it is known" counter_is 2 drop_stale_request -ge 1
	kill $!
	release client
	release server
}

# A cookie is good for 10 s at least, and for 20 s at most.
handshake__cookie_expires() {
	cookie_nodes
	bad_wire 1 first_con=10000
	told_ok client connect 2 $PORT
	# a place that somebody else has, or the child would be made
	hold other 2
	told_ok other connect 2 $PORT
	CON=$(wire "$WIRE" w1 frame con)
	forged_con drop_backlog
	LIMIT_MS=40000 wait_for "it is believed no longer" expired
	release other
	release client
	release server
}

expired() {
	rawframe "$WIRE" w2 hex="$CON"
	counter_is 2 drop_cookie -gt 0
}

# What both ends must have, and one does not know: said by bit, on both sides
handshake__unknown_features_are_refused_by_bit() {
	local request hello

	wired_nodes 2
	bad_wire 1
	bad_wire 2
	connected_pair $PORT
	request=$(wire "$WIRE" w1 frame req)
	told_ok client close
	told_ok server close
	# can and must are 12 and 14 bytes behind the header
	hello=$((2 * (14 + 36 + 12)))
	rawframe "$WIRE" w2 hex="${request:0:hello}00210020${request:hello + 8}" \
		src_port=7000
	wait_for "it is refused" counter_is 2 drop_features -eq 1
	request=$(wire "$WIRE" w2 frame rst)
	expect "code" "${request:2 * (14 + 36 + 8 + 2):2}" = 05
	expect "bits" "${request: -8:4}" = 0020
	prpctl -j -n "$NODE-2" node show n1 | json \
		'["nodes"][0]["lacks"] == "bit 5"'
	expect "children" "$(counter 2 conns_opened)" -eq 1
	# what one only can and the other cannot is no reason
	request=$(wire "$WIRE" w1 frame req)
	rawframe "$WIRE" w2 hex="${request:0:hello}ffff0000${request:hello + 8}" \
		src_port=7001
	wait_for "a child is made" counter_is 2 conns_opened -eq 2
	prpctl -j -n "$NODE-2" node show n1 | json \
		'["nodes"][0]["lacks"] == None'
	release client
	release server
}

# The mark that a switch sets is counted and told to who sent the frame.
handshake__marks_come_back() {
	local ack

	wired_nodes 2
	bad_wire 1 mark_seg=7
	connected_pair $PORT
	told_ok client send 100000
	told_ok server recv 100000
	expect "marked frames" "$(counter 2 marks_in)" -eq 7
	expect "of the other direction" "$(counter 1 marks_in)" -eq 0
	bad_wire 2
	told_ok server send 1
	wait_for "a segment comes back" wire_is 2 seg_frames -ge 1
	ack=$(wire "$WIRE" w2 frame seg)
	expect "echo" $((0x${ack:2 * (14 + 31):2})) -eq 7
	release client
	release server
}

# Wire 1, as it was: a request of 56 bytes and an acknowledgment of 32
handshake__version_1_is_told_so() {
	local one=0140000000020001 notice

	wired_nodes 2
	bad_wire 2
	one+=1b580fa00000000700000000000000230040000000000000
	one+=0103010005bc000012345678000000000000000000000007
	one=$(mac 2 | tr -d :)$(mac 1 | tr -d :)88b5$one
	rawframe "$NODE-1" p0 hex="$one"
	wait_for "it is dropped" counter_is 2 drop_version -eq 1
	notice=$(wire "$WIRE" w2 frame notice)
	expect "what is said" "${notice:28:8}" = 00020201
	prpctl -j -n "$NODE-2" node show n1 | json \
		'["nodes"][0]["version_high"] == 1'
	rawframe "$NODE-1" p0 hex="${one:0:92}"
	wait_for "a short one is, too" counter_is 2 drop_version -eq 2
	rawframe "$NODE-1" p0 hex="${one:0:90}"
	wait_for "one that is too short" counter_is 2 drop_short -eq 1
	xfer -z 1000
	prpctl -j -n "$NODE-2" node show n1 | json \
		'["nodes"][0]["version_high"] == None'
}

run_cases
