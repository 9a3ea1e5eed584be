#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ways that carry short frames only, where nobody says so: the way's devices
# have a smaller MTU than those of the two nodes, and drop in silence.
. "$(dirname "$0")/../lib/lib.sh"

PORT=4000

# path_size NODE: of the one connection that it has there
path_size() {
	prpctl -j -n "$NODE-$1" sockets show -i |
		tr -d ' \n' | grep -o '"path_size":[0-9]*' | grep -o '[0-9]*$'
}

# size_is OPERATOR VALUE
size_is() {
	local size

	size=$(path_size 1)
	[ -n "$size" ] && test "$size" "$1" "$2"
}

released() {
	release client
	release server
}

# carried BYTES: there and back
carried() {
	told_ok client send "$1"
	told_ok server recv "$1"
	told_ok server send "$1"
	told_ok client recv "$1"
}

holes__from_the_beginning() {
	two_bridges
	narrow 1000
	xfer -z 1000000 -d
	expect "searches" "$(counter 1 sizes_found)" -ge 1
	expect "searches" "$(counter 2 sizes_found)" -ge 1
	# the next connection knows
	xfer -z 1000000 -d
	expect "searches" "$(counter 1 sizes_found)" -eq 1
	expect "searches" "$(counter 2 sizes_found)" -eq 1
}

# What was found of a way says nothing of the one that is set by hand.
holes__another_route() {
	local found

	two_bridges
	narrow 1000
	xfer -z 1000000 -d
	found=$(counter 1 sizes_found)
	prpctl -n "$NODE-1" route add 2 via 2
	xfer -z 1000000 -d
	expect "searches" "$(counter 1 sizes_found)" -gt "$found"
}

# One segment at a time: nothing else is lost, and nothing else arrives
holes__one_segment() {
	two_bridges
	connected_pair $PORT
	carried 1000
	narrow 600
	carried 1400
	wait_for "a smaller size" size_is -le $((600 - 36))
	expect "size" "$(path_size 1)" -ge 500
	released
}

# A search waits for answers longer than a segment needs to get lost again.
holes__far_away() {
	two_bridges delay 30ms
	connected_pair $PORT
	for _ in {1..20}; do
		carried 1000
	done
	narrow 1000
	for _ in {1..5}; do
		carried 1400
	done
	expect "size" "$(path_size 1)" -le $((1000 - 36))
	expect "size" "$(path_size 2)" -le $((1000 - 36))
	released
}

holes__in_the_middle() {
	local before

	RESULT=$(mktemp)

	two_bridges
	prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -d -u -L 100 \
		>"$RESULT" 2>&1 &
	wait_for "it moves" counter_is 2 segs_in -gt 1000
	narrow 1280
	wait_for "found" counter_is 1 sizes_found -gt 0
	wait_for "found" counter_is 2 sizes_found -gt 0
	before=$(counter 2 segs_in)
	wait_for "it goes on" counter_is 2 segs_in -gt $((before + 1000))
	kill -USR1 %1
	wait %1 || fail "$(cat "$RESULT")"
	rm "$RESULT"
}

# The device itself lets long frames down and says that they were dropped.
holes__right_behind_our_device() {
	two_bridges
	connected_pair $PORT
	carried 1000
	ip -n "$WIRE" link set w1 mtu 600
	told_ok client send 1400
	told_ok server recv 1400
	released
}

# Short messages pass all the time, and must not hide it.
holes__between_short_ones() {
	local i

	two_bridges
	connected_pair $PORT
	narrow 1000
	told_ok client send 1400
	for i in {1..20}; do
		told_ok client send 10
	done
	told_ok server recv 1600
	expect "searches" "$(counter 1 sizes_found)" -eq 1
	released
}

holes__smallest_way() {
	two_bridges
	connected_pair $PORT
	narrow 68
	carried 5000
	expect "size" "$(path_size 1)" -eq 24
	released
}

holes__jumbo_frames() {
	MTU=9000 two_bridges
	narrow 1500
	xfer -z 1000000 -d
	expect "searches" "$(counter 1 sizes_found)" -ge 1
}

# A way that becomes wider is found, too, but not at once.
holes__wider_again() {
	two_bridges
	connected_pair $PORT
	carried 1000
	narrow 600
	carried 1400
	wait_for "a smaller size" size_is -le 564
	narrow 1500
	now_ms
	END=$((NOW + 40000 * SLOW))
	while size_is -lt 1464 && [ "$NOW" -lt "$END" ]; do
		carried 1400
		now_ms
	done
	expect "size" "$(path_size 1)" -eq 1464
	released
}

holes__random_loss_is_none() {
	two_bridges
	bad_wire 1 drop=1000 seed=1
	bad_wire 2 drop=1000 seed=2
	xfer -z "${PRP_LONG:+1}20000000" -d
	pingpong -z 1400 -n 3000
	expect "searches" "$(counter 1 sizes_found)" -eq 0
	expect "searches" "$(counter 2 sizes_found)" -eq 0
}

lost_a_thousand() {
	xfer -z 400000 -n 64
	counter_is 1 segs_retransmitted -ge 1000
}

# Each of many has one segment in flight, and loses it again and again: a slow
# machine fills the port less often.
holes__a_full_port_is_none() {
	wired_nodes 2 delay 50us
	tc -n "$WIRE" qdisc replace dev w2 root \
		tbf rate 100mbit burst 3100 limit $((64 << 10))
	wait_for "a thousand lost" lost_a_thousand
	expect "searches" "$(counter 1 sizes_found)" -eq 0
}

# The two rails of a node differ: what one does not carry the other one may.
holes__behind_a_forwarder() {
	linked_nodes 3 1-2-0 2-3-1
	ip -n "$NODE-3" link set p1 mtu 1000
	xfer_between 1 3 -z 1000000 -d
}

# A stranger keeps our queue so full that it has room for short frames only.
holes__a_full_queue_is_none() {
	local flood

	two_nodes
	connected_pair $PORT
	carried 1000
	in_node 1 tc qdisc add dev p0 root tbf rate 1mbit burst 2000 limit 4000
	nsenter --net="/run/netns/$NODE-1" bash -c 'while :; do
		printf %01000d 0 >/dev/udp/10.9.0.2/9
	done' &
	flood=$!
	told_ok client send 200000
	wait_for "it was refused for long" counter_is 1 local_drops -ge 400
	kill $flood
	told_ok server recv 200000
	expect "searches" "$(counter 1 sizes_found)" -eq 0
	expect "size" "$(path_size 1)" -eq 1464
	released
}

# Nothing but short frames passes, and nobody finds out: patience ends it.
holes__patience_is_with_what_is_in_flight() {
	two_bridges
	hold server 2
	hold client 1
	told_ok server listen $PORT 1
	told_ok client timeout $((2000 * SLOW))
	told_ok client connect 2 $PORT
	told_ok server accept
	carried 1000
	# segments never arrive, probes do and are answered
	bad_wire 1 drop_seg=10000
	told_ok client send 1000
	told_error ETIMEDOUT client recv 1
	bad_wire 1
	released
}

# What never leaves this machine makes no progress, though the window is open
# and probes are answered.
holes__a_queue_that_takes_no_segment() {
	two_nodes
	hold server 2
	hold client 1
	told_ok server listen $PORT 1
	told_ok client timeout $((1000 * SLOW))
	told_ok client connect 2 $PORT
	told_ok server accept
	carried 1000
	in_node 1 tc qdisc add dev p0 root tbf rate 1mbit burst 500 limit 100000
	told_ok client send 1400
	told_error ETIMEDOUT client recv 1
	in_node 1 tc qdisc del dev p0 root
	released
}

PATIENCE_MS=$((1000 * SLOW))

# stays_shut: has the window been so since $SHUT for longer than patience is?
# Whoever fills it up finds out, and leaves in $FILLED what went into it.
stays_shut() {
	told_ok client fill
	now_ms
	if [ "$ANSWER" != ok ]; then
		FILLED=$((FILLED + ${ANSWER#ok }))
		SHUT=$NOW
	fi
	[ $((NOW - SHUT)) -gt $((PATIENCE_MS * 3 / 2)) ]
}

# A program that does not read holds nothing in flight: it may take its time.
# What goes when it has read has had none yet.
holes__a_closed_window_is_no_hole() {
	two_bridges
	hold server 2
	hold client 1
	told_ok server listen $PORT 1
	told_ok client timeout $PATIENCE_MS
	told_ok client connect 2 $PORT
	told_ok server accept
	for _ in {1..3}; do
		FILLED=0
		now_ms
		SHUT=$NOW
		wait_for "it stays shut" stays_shut
		told_ok server recv "$FILLED"
		carried 1000
	done
	released
}

# Short probes overtake long ones, and some are lost: there is no hole.
holes__none_where_frames_overtake() {
	wired_nodes 2
	netem 2 delay 1ms 1ms loss 10%
	for _ in 1 2 3; do
		pingpong -z 1400 -n 200
		expect "path size" "$(val client_path_size)" -eq 1464
		expect "path size" "$(val server_path_size)" -eq 1464
	done
}

run_cases
