#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames from a hostile or broken machine, class by class, beside a transfer
# both ways that must end with the right hash. Every frame received is
# accounted for, those of a class under their reasons; nothing is logged; what
# a peer can make us hold is bounded and goes back to where it was.
#
#      $NODE-1             $WIRE                         $NODE-2
#     +-----------+       +---------------------+       +-----------+
#     |  node 1   | veth  |     +--------+      | veth  |  node 2,  |
#     | and who --+-------+- w1-| bridge |-w2  -+-------+- p0       |
#     | claims so |       |     +--------+      |       |  victim   |
#     +-----------+       |         |           |       +-----------+
#                         |         w3          |
#                         +---------+-----------+
#                                   | veth
#                              +----+------+
#                              |  node 3,  |  no protocol of its own:
#                              |  a liar   |  `hostile` speaks for it
#                              +-----------+
LIMIT_MS=${LIMIT_MS:-$((60000 * ${PRP_SLOW:-1}))}
. "$(dirname "$0")/lib/lib.sh"

COUNT=$((10000 * (PRP_LONG ? 100 : 1)))
SEED=${SEED:-1}
PORT=4000
FROM=30000		# the transfer's client
CLOSED=4444
NODES_KNOWN=40		# hosts in the table
BACKLOG_PORT=4001
BACKLOG=64
SINK_PORT=4002
ORPHANS_OF_ONE=2048	# closed connections with one peer that deliver

# The largest sum of drops that the transfer itself can add: repeats that
# two processors make
OWN=drop_duplicate

hosts() {
	local nr

	for ((nr = 1; nr <= NODES_KNOWN; nr++)); do
		printf '%d n%d %s%02x\n' $nr $nr "$MAC" $nr
	done
}

# The delay on the way to node 1 keeps the transfer slow, so that the machine
# has time for the hostile frames.
hostile_nodes() {
	wired_nodes 3
	tc -n "$WIRE" qdisc replace dev w1 root netem limit 10000 delay 20ms
	prpctl -n "$(node 3)" hosts flush >/dev/null
	NODES=2
}

# A transfer both ways, until `transfer_ends`
transfer_begins() {
	TRANSFER=$(mktemp)
	prp_xfer -c "$(node 1)" -s "$(node 2)" -a 2 -p $PORT -b $FROM -u -d \
		-B 32768 -L $((600 * (PRP_LONG ? 30 : 1))) >"$TRANSFER" 2>&1 &
	TRANSFER_PID=$!
}

transfer_runs() {
	wait_for "the transfer runs" counter_is 2 segs_in -ge 200
}

transfer_ends() {
	kill -USR1 "$TRANSFER_PID"
	wait "$TRANSFER_PID" || fail "the transfer: $(cat "$TRANSFER")"
	OUT=$(cat "$TRANSFER")
	rm "$TRANSFER"
	[ "$(val hash)" = ok ] || fail "the transfer: $OUT"
	say "beside it: $(val bytes) bytes, $(val mbit) Mbit/s"
	expect "bytes of the transfer" "$(val bytes)" -gt 1000000
}

# take NODE: all its counters, to be asked by `moved`; and to look at them
declare -A WAS NOW_IS

all_counters() {
	local -n to=$2
	local all name value

	all=$(prpctl -n "$(node "$1")" stats show -a)
	to=()
	while read -r name value _; do
		to[$name]=$value
	done <<<"$all"
}

moved() {
	echo $((NOW_IS[$1] - WAS[$1]))
}

# accounted: all that node 2 ever received has become something
accounted() {
	local name sum

	all_counters "$1" NOW_IS
	sum=$((NOW_IS[segs_in] + NOW_IS[fragments_in] - NOW_IS[segs_joined] +
	       NOW_IS[controls_in] + NOW_IS[forwarded]))
	for name in "${!NOW_IS[@]}"; do
		[[ $name != drop_* || $name == drop_rate ]] ||
			sum=$((sum + NOW_IS[$name]))
	done
	LAST_SUM="$sum of ${NOW_IS[frames_in]}"
	[ "$sum" = "${NOW_IS[frames_in]}" ]
}

# arrived LEAST: that many frames were dropped, or accepted as controls
dropped_now() {
	local name

	all_counters 2 NOW_IS
	DROPPED=0
	for name in "${!NOW_IS[@]}"; do
		[[ $name != drop_* || $name == drop_rate ||
		   $name == "$OWN" ]] ||
			DROPPED=$((DROPPED + NOW_IS[$name] - WAS[$name]))
	done
}

all_dropped() {
	dropped_now
	[ "$DROPPED" -ge "$1" ]
}

# attack NODE CLASS [KEY=VALUE]...: leaves what it said in $OUT
attack() {
	run hostile "$(node "$1")" p0 "$2" seed="$SEED" count=$COUNT \
		to=2 to_mac="$(mac 2)" as="$1" as_mac="$(mac "$1")" \
		closed=$CLOSED nodes=$NODES_KNOWN "${@:3}"
	say "$2: $OUT"
}

# claims CLASS [KEY=VALUE]...: somebody who sits where node 1 is and claims
# to be it, on the transfer's own ports; all of it is dropped, under the
# reasons that `hostile` knows
claims() {
	local word sent any=0

	all_counters 2 WAS
	attack 1 "$1" dport=$PORT sport=$FROM "${@:2}"
	sent=$(val sent)
	wait_for "all $sent of $1 are dropped" all_dropped "$sent"
	expect "frames of $1 dropped" "$DROPPED" -eq "$sent"
	for word in $OUT; do
		[[ $word != any=* ]] || any=${word#*=}
	done
	for word in $OUT; do
		[[ $word != drop_* ]] ||
			exactly "$1: ${word%=*}" "$(moved "${word%=*}")" \
				"${word#*=}" "$any"
	done
}

# exactly WHAT GOT EXPECTED ANY: but for frames of which only the receiver
# knows
exactly() {
	[ "$2" -ge "$3" ] && [ "$2" -le $(($3 + $4)) ] ||
		fail "$1: got $2, expected $3 and at most $4 more"
}

# lies CLASS: node 3, which `hostile` speaks for; leaves in $MOST_POOL what
# was held of the pool meanwhile at most
lies() {
	local said pid word over='' connected

	all_counters 2 WAS
	MOST_POOL=0
	said=$(mktemp)
	exec {connected}> >(hostile "$(node 3)" p0 "$1" seed="$SEED" \
		count=$COUNT to=2 to_mac="$(mac 2)" as=3 as_mac="$(mac 3)" \
		dport=$SINK_PORT sport=$SPORT >"$said")
	pid=$!
	SPORT=$((SPORT + 2000))
	# the last look is when all has been sent, and nothing has ended
	until [ "$over" ]; do
		[ ! -s "$said" ] && kill -0 $pid 2>/dev/null || over=yes
		all_counters 2 NOW_IS
		[ "${NOW_IS[pool_bytes]}" -le "$MOST_POOL" ] ||
			MOST_POOL=${NOW_IS[pool_bytes]}
	done
	exec {connected}>&-
	wait $pid || fail "hostile $1 failed"
	OUT=$(cat "$said")
	rm "$said"
	say "$1: $OUT; at most $MOST_POOL bytes of the pool held"
	for word in $OUT; do
		[[ $word != drop_* && $word != controls_in=* ]] ||
			wait_for "$1: $word" counter_is 2 "${word%=*}" -ge \
				$((WAS[${word%=*}] + ${word#*=}))
	done
	all_counters 2 NOW_IS
}

sink_begins() {
	SPORT=20000
	prp_sink "$(node 2)" $SINK_PORT 16 "$@" &
	SINK_PID=$!
}

sink_ends() {
	kill "$SINK_PID"
	wait "$SINK_PID" || :
}

# What holds at the end of every case
peace() {
	local name

	for name in 1 2; do
		wait_for "each frame of node $name is accounted for" \
			accounted $name
		say "accounted for: $LAST_SUM"
		expect "frames without a way" "${NOW_IS[drop_no_route]}" -eq 0
	done
	wait_for "no connection is held" counter_is 2 live_conns -eq 0
	wait_for "no record is held" counter_is 2 live_records -eq 0
	expect "orphans held" "$(counter 2 live_orphans)" -eq 0
	expect "bytes of the pool held" "$(counter 2 pool_bytes)" -eq 0
	# but in the trace of a race of the core kernel that KCSAN has found
	if kernel_log | grep -i prp | grep -v '+0x'; then
		fail "a remote host can write into the log"
	fi
}

hostile__frames_of_a_stranger() {
	local class

	hostile_nodes
	transfer_begins
	transfer_runs
	for class in random header truncated padded lengths paged source tag \
		     state; do
		claims "$class"
	done
	transfer_ends
	peace
}

hostile__replayed() {
	local ready pid

	hostile_nodes
	all_counters 2 WAS
	ready=$(mktemp)
	# the first frames come again when transmission numbers have gone more
	# than half of their way
	tc -n "$WIRE" qdisc del dev w1 root
	hostile "$(node 1)" p0 replayed seed=$SEED count=$COUNT \
		after=40000 >"$ready" &
	pid=$!
	wait_for "somebody listens" grep -q ready "$ready"
	transfer_begins
	wait $pid || fail "hostile replayed failed"
	say "replayed: $(grep sent= "$ready")"
	rm "$ready"
	all_counters 2 NOW_IS
	# a copy of long ago acknowledges what is too long ago, too
	expect "frames replayed and seen as such" \
		$(($(moved drop_duplicate) + $(moved drop_ack))) \
		-gt $((COUNT / 4))
	transfer_ends
	# those that node 2 makes of what it has heard, copies included
	expect "acknowledgments of what node 1 never sent" \
		"$(counter 1 drop_ack)" -eq 0
	peace
}

# lying COMMAND...: lies beside a transfer, to a server that does $SINK_ALSO
SINK_ALSO=
lying() {
	hostile_nodes
	transfer_begins
	transfer_runs
	# shellcheck disable=SC2086
	sink_begins $SINK_ALSO
	"$@"
	sink_ends
	transfer_ends
	peace
}

hostile__window_games() {
	SINK_ALSO='write'
	lying lies window
}

# What may be kept of the transfer and of the connection that is lied on:
# twice the receive buffer, a reserve of the window, a quantum of the pool
POOL_BOUND=$((2 * (2 * (2 << 20) + (16 << 10) + (64 << 10))))
RECORDS_BOUND=$(($(getconf _PHYS_PAGES) / 8))

# Acknowledgments of what was never sent
lies_of_acks() {
	lies acks
	expect "of these dropped" "$(moved drop_ack)" -eq $COUNT
}

# Segments and fragments of which the first one never comes
lies_of_segments() {
	lies late
	expect "segments kept" "$(moved segs_late)" -gt 100
	expect "bytes of the pool held" "$MOST_POOL" -gt 100000
	expect "bytes of the pool held" "$MOST_POOL" -le $POOL_BOUND
	lies parts
	expect "fragments kept" "$(moved fragments_in)" -gt 100
	expect "fragments without those before" "$(moved drop_fragment)" \
		-gt 100
	expect "bytes of the pool held" "$MOST_POOL" -le $POOL_BOUND
}

# Frames that do not fit into the connection's state
lies_of_states() {
	lies ended
	expect "of these dropped" "$(moved drop_state)" -eq $COUNT
	lies inside
	expect "connections lied on" "$(moved requests_in)" -ge 5
}

all_lies() {
	lies_of_acks
	lies_of_segments
	lies_of_states
}

hostile__peer_that_lies() {
	lying all_lies
}

# Connections beyond the transfer's: what the listener may have waiting, and
# some that were reset and still hang on a timer
requests_bounded() {
	all_counters 2 NOW_IS
	[ "${NOW_IS[live_conns]}" -le $((1 + BACKLOG + BACKLOG / 4)) ] ||
		fail "${NOW_IS[live_conns]} connections are held"
	[ "${NOW_IS[pool_bytes]}" -le $POOL_BOUND ] ||
		fail "${NOW_IS[pool_bytes]} bytes are held"
	[ "${NOW_IS[live_records]}" -le $RECORDS_BOUND ] ||
		fail "${NOW_IS[live_records]} records are held"
}

hostile__endless_requests() {
	local pid

	hostile_nodes
	transfer_begins
	transfer_runs
	hold server 2
	told_ok server listen $BACKLOG_PORT $BACKLOG
	all_counters 2 WAS
	hostile "$(node 1)" p0 requests seed=$SEED count=$COUNT to=2 \
		to_mac="$(mac 2)" as=1 as_mac="$(mac 1)" closed=$CLOSED \
		dport=$BACKLOG_PORT sport=$FROM nodes=$NODES_KNOWN &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		requests_bounded
	done
	wait $pid || fail "hostile requests failed"
	requests_bounded
	expect "connections held" "${NOW_IS[live_conns]}" -gt $((BACKLOG / 2))
	expect "requests that left nothing" "$(moved cookies_out)" \
		-gt $((COUNT / 2))
	expect "requests to nobody" "$(moved drop_no_listener)" \
		-gt $((COUNT / 20))
	# somebody else is let in
	hold client 1
	told_ok client connect 2 $BACKLOG_PORT
	told_ok server accept
	wait_for "the children expire" \
		counter_is 2 unconfirmed_expired -ge $((BACKLOG / 2))
	release client
	release server
	transfer_ends
	peace
}

# asked_by NODE: requests of that node alone, until all have come; one that is
# not there resets nothing
asked_by() {
	all_counters 2 WAS
	attack 1 requests count=200 as="$1" nodes="$1" dport=$BACKLOG_PORT \
		sport=$FROM
	wait_for "all requests of node $1 have come" \
		counter_is 2 frames_in -ge $((WAS[frames_in] + 200))
	all_counters 2 NOW_IS
}

# However many one peer asks for and does not confirm, others are let in.
hostile__one_peer_leaves_room_for_others() {
	hostile_nodes
	hold server 2
	told_ok server listen $BACKLOG_PORT $BACKLOG
	asked_by 4
	expect "connections of one peer" "$(moved conns_opened)" \
		-eq $((BACKLOG / 2))
	hold client 1
	told_ok client connect 2 $BACKLOG_PORT
	told_ok server accept
	release client
	release server
	peace
}

# A peer that takes nothing any more has a half of what may be closed meanwhile
# where the machine has no more than 9 GiB, and others' is delivered.
hostile__one_peer_leaves_orphans_to_others() {
	local said more pid

	wired_nodes 3
	said=$(mktemp)
	exec {more}> >(prp_many "$(node 2)" "$(node 3)" 3 $PORT \
		$((ORPHANS_OF_ONE + 16)) 1 >"$said")
	pid=$!
	LIMIT_MS=$((LIMIT_MS * 4)) wait_for "all are open" grep -q last= "$said"
	rm "$said"
	ip -n "$WIRE" link set w3 down
	exec {more}>&-
	wait $pid
	expect "closed" "$(counter 2 orphans_made)" -eq $((ORPHANS_OF_ONE + 16))
	expect "orphans held" "$(counter 2 live_orphans)" -eq $ORPHANS_OF_ONE
	expect "reset" "$(counter 2 orphans_killed)" -eq 16
	tc -n "$WIRE" qdisc add dev w1 root netem delay 20ms
	hold server 1
	told_ok server listen $PORT 8
	hold client 2
	told_ok client connect 1 $PORT
	told_ok server accept
	told_ok client send 100000
	told_ok client close
	told_ok server recv 100000
	expect "bytes of who is closed" "${ANSWER#ok }" -eq 100000
	expect "reset" "$(counter 2 orphans_killed)" -eq 16
	release client
	release server
	ip -n "$WIRE" link set w3 up
	peace
}

hostile__same_seed_same_frames() {
	local class first

	two_nodes
	for class in random header truncated padded lengths source tag state \
		     paged requests; do
		attack 1 $class count=300 dport=$PORT sport=$FROM >/dev/null
		first=$(val hash)
		attack 1 $class count=300 dport=$PORT sport=$FROM >/dev/null
		expect "second time $class" "$(val hash)" = "$first"
		attack 1 $class count=300 seed=77 dport=$PORT sport=$FROM \
			>/dev/null
		expect "$class with another seed" "$(val hash)" != "$first"
	done
}

run_cases
