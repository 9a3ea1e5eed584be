#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What floods cost those who have nothing to do with them, in a machine whose
# time is the instructions that it executes.
#
# A transfer on a link of 100 Mbit/s and 100 us, beside which somebody who
# claims to be its sender puts 10,000 short frames a second on that link: all
# that an outsider can think of, mixed. They take 6 % of the wire; of the rate
# without them at least 90 % must be left.
#
# 20,000 frames a second that call for an answer, of a host that is in no table
# or of one that is: node 1 opens, is refused, closes and comes back as fast as
# without them. 50,000 requests a second that nobody confirms: neither the
# listener nor the host in whose name they come has more of it than that.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

SIZE=$(amount 8000000 16000000 160000000)
RATE=10000
LONGEST=80		# bytes of payload and padding make no sense here
PORT=4000
FROM=30000

# rate: of one transfer, in $MBIT and $SECONDS_TAKEN
rate() {
	xfer -z "$SIZE" -p $PORT -b $FROM -L 600
	MBIT=$(val mbit)
	SECONDS_TAKEN=$(val seconds)
}

# drops of node 2 so far
dropped() {
	prpctl -j -n "$NODE-2" stats show | tr ',{}' '\n\n\n' |
		awk -F: '/drop_/ && !/drop_rate/ { n += $2 } END { print n }'
}

hostile__90_percent_of_the_rate() {
	local alone said pid before

	wired_nodes 2 rate 100mbit delay 100us
	rate
	alone=$MBIT
	said=$(mktemp)
	hostile "$NODE-1" p0 any seed=1 to=2 to_mac="$(mac 2)" as=1 \
		as_mac="$(mac 1)" dport=$PORT sport=$FROM closed=4444 \
		most=$LONGEST rate=$RATE \
		count=$((RATE * (SIZE / 6000000 + 1))) >"$said" &
	pid=$!
	wait_for "they come" counter_is 2 drop_no_conn -ge 100
	before=$(dropped)
	rate
	before=$(($(dropped) - before))
	wait $pid
	OUT=$(cat "$said")
	rm "$said"
	say "hostile: $OUT"
	expect_float "hostile frames sent a second" "$(val a_second)" \
		">=" "$RATE * 0.99"
	expect_float "of them dropped a second, meanwhile" \
		"$(ratio $before "$SECONDS_TAKEN")" ">=" "$RATE * 0.95"
	expect_float "$MBIT of $alone Mbit/s" "$(ratio "$MBIT" "$alone")" \
		">=" 0.9
}

# --- floods that call for answers ------------------------------------------

FLOOD=20000		# frames a second
FLOOD_SECONDS=$(amount 2 3)
NODE_RATE=1000		# answers a second to one node of the table
STRANGER_RATE=100	# to all others together
BURST=16		# answers that either may have at once
STRANGER=02:66:66:66:66:66
CLOSED=4444
ROUNDS=$(amount 4 10)
SLOWEST=$((5000 - 1))	# us: by then a request is repeated
SLOWEST_RECORD=50000	# us: some looks at what is there, of 6 ms each
SLOWEST_BACK=50000	# us: once more, when the old connection is reset

# Time goes on by instructions, or jumps when there are none to be executed.
busy() {
	nice -n 19 sh -c 'while :; do :; done' &
}

# Node 3 does nothing but what `hostile` does in its place.
flooded_nodes() {
	busy
	wired_nodes 3
	prpctl -n "$(node 3)" hosts flush >/dev/null
	NODES=2
	bad_wire 2
	hold server 2
	told_ok server listen $PORT 8
	hold client 1
}

# flood_begins CLASS [KEY=VALUE]...: node 3 sends; node 2 drops at least 1000
flood_begins() {
	local before

	FLOOD_SAYS=$(mktemp)
	before=$(dropped)
	hostile "$NODE-3" p0 "$1" seed=1 to=2 to_mac="$(mac 2)" as=3 \
		as_mac="$(mac 3)" dport=$CLOSED sport=$FROM closed=$CLOSED \
		nodes=3 most=$LONGEST rate=$FLOOD \
		count=$((FLOOD * FLOOD_SECONDS)) "${@:2}" >"$FLOOD_SAYS" &
	FLOOD_PID=$!
	wait_for "it has begun" dropped_so_many $((before + 1000))
}

dropped_so_many() {
	[ "$(dropped)" -ge "$1" ]
}

# flood_ends: leaves in $OUT what it says
flood_ends() {
	kill -0 $FLOOD_PID || fail "the flood was over too soon"
	wait $FLOOD_PID || fail "hostile failed"
	OUT=$(cat "$FLOOD_SAYS")
	rm "$FLOOD_SAYS"
	say "flood: $OUT"
	expect_float "flood's frames a second" "$(val a_second)" \
		">=" "$FLOOD * 0.99"
}

# took COMMAND...: leaves in $TOOK how long it took, in us, and in $LONGEST_US
# the most so far
took() {
	local start=${EPOCHREALTIME/./}

	"$@"
	TOOK=$((${EPOCHREALTIME/./} - start))
	[ "$TOOK" -le "$LONGEST_US" ] || LONGEST_US=$TOOK
}

gone() {
	told_ok client close
	told_ok server close
	until counter_is 1 live_conns -eq 0 && counter_is 2 live_conns -eq 0; do
		:
	done
}

# opened_and_closed: so often, and refused, each as fast as it goes
opened_and_closed() {
	local nr

	LONGEST_US=0
	for ((nr = 0; nr < ROUNDS; nr++)); do
		took told_ok client connect 2 $PORT
		told_ok server accept
		took told_error ECONNREFUSED other connect 2 $CLOSED
		told_ok other close
		gone
	done
	say "the longest of $((2 * ROUNDS)) calls of connect(), us: $LONGEST_US"
}

# An acknowledgment of node 2's last frame of a connection is lost: it is told
# again by the record that is left.
closed_from_record() {
	local start

	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok server close
	bad_wire 2 first_ack=1
	start=${EPOCHREALTIME/./}
	told_ok client close
	until counter_is 1 live_conns -eq 0; do
		:
	done
	TOOK=$((${EPOCHREALTIME/./} - start))
	expect "acknowledgments lost" "$(wire_val 2 ack_dropped)" -eq 1
	bad_wire 2
	say "closed by a record after $TOOK us"
}

# Node 1 has forgotten a connection that node 2 still has, and asks for the
# same one again.
comes_back() {
	told_ok client connect 2 $PORT $FROM
	told_ok server accept
	in_node 1 ip link set p0 down
	prpctl -n "$NODE-1" hosts flush >/dev/null
	told_ok client close
	on_each 1 set_hosts "$(hosts 3)"
	in_node 1 ip link set p0 up
	LONGEST_US=0
	took told_ok client connect 2 $PORT $FROM
	told_ok server close
	told_ok server accept
	say "back after $TOOK us"
}

# as_ever: opens, is refused, closes and comes back in the usual time
as_ever() {
	local repeated

	repeated=$(counter 1 requests_retransmitted)
	opened_and_closed
	expect "us, at most" "$LONGEST_US" -le $SLOWEST
	expect "requests repeated" "$(counter 1 requests_retransmitted)" \
		-eq "$repeated"
	closed_from_record
	expect "us to close" "$TOOK" -le $SLOWEST_RECORD
	comes_back
	expect "us to come back" "$TOOK" -le $SLOWEST_BACK
}

# unharmed BY [KEY=VALUE]...: what node 1 does takes as long as without a flood
unharmed() {
	hold other 1
	opened_and_closed # now all that it takes is loaded
	as_ever
	gone_at_1
	flood_begins "$@"
	as_ever
	flood_ends
	gone_at_1
	release other
	release client
	release server
}

gone_at_1() {
	told_ok client close
	told_ok server close
	wait_for "all are gone" counter_is 2 live_conns -eq 0
}

# answers_to CLASS RATE [KEY=VALUE]...: beside such a flood, of which node 3
# gets no more answers than that in a second, but some
answers_to() {
	local answers bound

	flooded_nodes
	answers=$(heard_by_3)
	unharmed "$1" "${@:3}"
	answers=$(($(heard_by_3) - answers))
	bound=$(awk "BEGIN { print int($2 * $(val seconds)) + $BURST + 50 }")
	expect "answers to the flood" $answers -le "$bound"
	expect "answers to the flood" $answers -ge $(($2 * FLOOD_SECONDS / 2))
}

# Besides answers, some tens of frames for who is not known on the bridge yet
heard_by_3() {
	in_node 3 awk '/p0:/ { print $3 }' /proc/net/dev
}

hostile__strangers_silence_nobody() {
	answers_to version $STRANGER_RATE as=9 as_mac=$STRANGER
	expect "versions unknown" "$(counter 2 drop_version)" \
		-eq $((FLOOD * FLOOD_SECONDS))
}

# What is said in node 1's name elsewhere is not on its account.
hostile__strangers_with_the_number_of_a_host() {
	answers_to version $STRANGER_RATE as=1 as_mac=$STRANGER
}

hostile__no_host_silences_another() {
	answers_to requests $NODE_RATE
	expect "requests refused" "$(counter 2 drop_no_listener)" \
		-ge $((FLOOD * FLOOD_SECONDS))
}

# --- requests that nobody confirms -----------------------------------------

REQUESTS=50000		# a second
REQUESTS_SECONDS=$(amount 1 2)
BACKLOG=64

slab_kb() {
	awk '/^Slab:/ { print $2 }' /proc/meminfo
}

# In the name of node 3, which is not there, past the bridge: what node 2 sends
# is seen on w2. A real client is let in meanwhile, and nobody else ever. The
# bridge keeps the answers from node 1, like a switch that knows where node 3
# is: sender, bridge and both nodes share one processor, and with a copy of each
# answer to node 1 it was so full that some runs fell behind for good.
hostile__forged_requests_are_not_felt() {
	local opened slab sent pid said repeated bytes alone

	busy
	wired_nodes 2
	ip -n "$WIRE" link set w1 type bridge_slave flood off
	on_each 2 set_hosts "$(hosts 3)"
	bad_wire 2
	hold server 2
	told_ok server listen $PORT $BACKLOG
	hold client 1
	for alone in first second; do
		LONGEST_US=0
		took told_ok client connect 2 $PORT
		told_ok server accept
		gone
	done
	alone=$TOOK
	bad_wire 2
	slab=$(slab_kb)
	opened=$(counter 2 conns_opened)
	repeated=$(counter 1 requests_retransmitted)
	said=$(mktemp)
	hostile "$WIRE" w2 requests seed=1 to=2 to_mac="$(mac 2)" as=3 \
		as_mac="$(mac 3)" dport=$PORT sport=$FROM closed=$PORT nodes=3 \
		rate=$REQUESTS count=$((REQUESTS * REQUESTS_SECONDS)) \
		>"$said" &
	pid=$!
	wait_for "they come" counter_is 2 cookies_out -ge 1000
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	LONGEST_US=0
	took told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send 1000
	told_ok server recv 1000
	expect "bytes of the real client" "${ANSWER#ok }" -eq 1000
	kill -0 $pid || fail "the flood was over too soon"
	expect "connections held" "$(counter 2 live_conns)" \
		-le $((BACKLOG / 2 + 1 + BACKLOG / 8))
	wait $pid || fail "hostile failed"
	OUT=$(cat "$said")
	rm "$said"
	say "flood: $OUT; connect() took $TOOK us"
	expect_float "requests a second" "$(val a_second)" \
		">=" "$REQUESTS * 0.99"
	expect "us to connect, $alone without" "$TOOK" -le $SLOWEST
	expect "requests repeated" "$(counter 1 requests_retransmitted)" \
		-eq "$repeated"
	tell server again
	expect "accept() said" "$ANSWER" = EAGAIN
	expect "connections made" $(($(counter 2 conns_opened) - opened)) \
		-le $((BACKLOG / 2 + 1))
	expect "bytes of the pool" "$(counter 2 pool_bytes)" -eq 0
	expect "closed records" "$(counter 2 live_records)" -le 16
	expect "KiB more in slabs" $(($(slab_kb) - slab)) -le 2048
	sent=$(val sent)
	bytes=$(wire_val 2 bytes)	# and those to the real client
	expect "answers" "$(wire_val 2 ans_frames)" -ge $((sent * 8 / 10))
	expect "bytes to who is named in $sent requests" "$bytes" \
		-le $((sent * (14 + 36 + 24 + 16)))
	release client
	release server
}

run_bars hostile__90_percent_of_the_rate hostile__strangers_silence_nobody \
	hostile__no_host_silences_another hostile__forged_requests_are_not_felt
