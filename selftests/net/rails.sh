#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections and their rails: what is in flight on one that carries nothing
# any more arrives over another one, and it is taken back when it carries
# again.
. "$(dirname "$0")/../lib/lib.sh"

PORT=4000
MOVED=()

# silence NODE RAIL: nothing that the node receives there arrives
silence() {
	bad_link "$1" "$2" drop=10000 drop_con=10000 drop_rst=10000
}

# speak NODE RAIL: everything does
speak() {
	bad_link "$1" "$2"
}

# rail_of NODE PEER RAIL: what prpctl says of it, or nothing
rail_of() {
	prpctl -j -n "$NODE-$1" node show "$2" |
		tr -d ' \n' | grep -o "{\"rail\":$3,[^}]*}" || :
}

# rail_is NODE PEER RAIL WHY: it is left, and that is the reason; or "back"
rail_is() {
	local said

	said=$(rail_of "$1" "$2" "$3")
	if [ "$4" = back ]; then
		[[ $said == *'"back_ms":'[0-9]* ]]
	else
		[[ $said == *"\"why\":\"$4\""*'"back_ms":null'* ]]
	fi
}

# until_rail NODE PEER RAIL WHY
until_rail() {
	wait_for "node $1: rail $3 to node $2 is $4" rail_is "$@"
}

# begin ARGUMENT...: a transfer both ways between node 1 and the last one
begin() {
	RESULT=$(mktemp)
	prp_xfer -c "$NODE-1" -s "$NODE-$NODES" -a "$NODES" -d -u -L 300 "$@" \
		>"$RESULT" 2>&1 &
	XFER=$!
}

# moved NODE MORE: so many more segments have arrived there
moved() {
	[ "$(counter "$1" segs_in)" -gt $((MOVED[$1] + $2)) ]
}

# moving: more of it arrives, at both ends
moving() {
	local nr

	for nr in 1 $NODES; do
		MOVED[$nr]=$(counter "$nr" segs_in)
	done
	for nr in 1 $NODES; do
		wait_for "the transfer goes on to $nr" moved "$nr" 100
	done
}

ended() {
	kill -USR1 $XFER
	wait $XFER || fail "$(cat "$RESULT")"
	OUT=$(cat "$RESULT")
	[ "$(val hash)" = ok ] || fail "$OUT"
	say "$(val bytes) bytes in $(val seconds) s, the hash is right"
}

two_rails() {
	linked_nodes 2 1-2-0 1-2-1
}

# without_links: the same without a line in the host table that says so
without_links() {
	HOSTS=$(grep -v '^link' <<<"$HOSTS")
	on_each "$NODES" set_hosts "$HOSTS"
}

rails__carrier_lost_again_and_again() {
	local times=$((PRP_LONG ? 20 : 8)) segs=$((PRP_LONG ? 70000 : 20000))
	local i rail

	two_rails
	without_links
	begin
	for ((i = 1; i <= times; i++)); do
		rail=$((i % 2))
		ip -n "$NODE-$((1 + i / 2 % 2))" link set p$rail down
		moving
		ip -n "$NODE-$((1 + i / 2 % 2))" link set p$rail up
		until_rail 1 2 $rail back
		moving
	done
	wait_for "$segs segments" moved 2 $segs
	ended
	expect "bytes" "$(val bytes)" -gt $((segs * 1400))
	expect "rails left by node 1" "$(counter 1 rails_left)" -ge $times
	expect "taken back" "$(counter 1 rails_back)" -ge $times
}

# silent_case NODE...: these nodes receive nothing on rail 0
silent_case() {
	local nr

	two_rails
	without_links
	begin
	moving
	for nr in "$@"; do
		silence $nr 0
	done
	moving
	wait_for "left" left_by_both
	for nr in "$@"; do
		speak $nr 0
	done
	until_rail 1 2 0 back
	until_rail 2 1 0 back
	ended
}

left_by_both() {
	[ "$(counter 1 rails_left)" -gt 0 ] &&
		[ "$(counter 2 rails_left)" -gt 0 ]
}

rails__silent() {
	silent_case 1 2
}

rails__silent_towards_the_client() {
	silent_case 1
}

rails__silent_towards_the_server() {
	silent_case 2
}

# echo_once: there and back between the two
echo_once() {
	told_ok client send 1000
	told_ok server recv 1000
	told_ok server send 1000
	told_ok client recv 1000
}

# A stranger's queue: nothing comes back for so long, and that is not the rail.
# From 125 ms on it is, as which it may look on a busy machine: that is done
# again, once all rails are used again.
rails__80_ms_of_queue_are_no_silence() {
	two_rails
	hold server 2
	hold client 1
	told_ok server listen $PORT 8
	LIMIT_MS=$((60000 * SLOW)) wait_for "no rail is left" none_left
	release client
	release server
}

none_left() {
	local left

	left=$(counter 1 rails_left)/$(counter 2 rails_left)
	told_ok client connect 2 $PORT
	told_ok server accept
	for _ in {1..5}; do
		echo_once
	done
	tc -n "$NODE-1" qdisc add dev p0 root netem delay 80ms limit 10000
	for _ in {1..10}; do
		echo_once
	done
	tc -n "$NODE-1" qdisc del dev p0 root
	wait_for "all are used" all_used
	told_ok client close
	told_ok server close
	[ "$(counter 1 rails_left)/$(counter 2 rails_left)" = "$left" ]
}

all_used() {
	local nr left back COUNTERS

	for nr in 1 2; do
		counters $nr rails_left rails_back
		read -r left back <<<"$COUNTERS"
		[ "$left" = "$back" ] || return 1
	done
}

# A rail is left for all: its round trips, which become longer than it takes to
# call it silent by half of somebody's patience, count more than that. A busy
# machine may add to them what is silence, or more than that patience: that is
# done again, too.
rails__little_patience_is_no_silence() {
	two_rails
	hold server 2
	hold client 1
	told_ok client timeout $((600 * SLOW))
	told_ok server listen $PORT 8
	LIMIT_MS=$((60000 * SLOW)) wait_for "no rail is left" none_left_soon
	release client
	release server
}

none_left_soon() {
	local left in_time=yes

	told_ok client connect 2 $PORT
	told_ok server accept
	wait_for "all are used" all_used_by_talk
	left=$(counter 1 rails_left)/$(counter 2 rails_left)
	longer_and_longer || in_time=
	tc -n "$NODE-1" qdisc del dev p0 root
	told_ok client close
	told_ok server close
	[ "$in_time" ] &&
		[ "$(counter 1 rails_left)/$(counter 2 rails_left)" = "$left" ]
}

# Where nobody talks no rail is tested.
all_used_by_talk() {
	echo_once
	all_used
}

# longer_and_longer: false if patience was over meanwhile
longer_and_longer() {
	local ms

	for ms in 0 80 180 400; do
		tc -n "$NODE-1" qdisc replace dev p0 root \
			netem delay ${ms}ms limit 10000
		for _ in {1..5}; do
			in_patience client send 1000 &&
				in_patience server recv 1000 &&
				in_patience server send 1000 &&
				in_patience client recv 1000 || return 1
		done
	done
}

# in_patience NAME COMMAND...: false if the client's was over, which the server
# may hear of
in_patience() {
	tell "$@"
	case $ANSWER in
	ok*) ;;
	ETIMEDOUT | ECONNRESET)
		return 1 ;;
	*)
		fail "$*: $ANSWER" ;;
	esac
}

# Nobody answers on any rail: the connection ends as one with one rail does.
rails__all_silent() {
	local nr

	two_rails
	hold server 2
	hold client 1
	told_ok client timeout $((1000 * SLOW))
	told_ok server listen $PORT 1
	told_ok client connect 2 $PORT
	told_ok server accept
	echo_once
	for nr in 1 2; do
		silence $nr 0
		silence $nr 1
	done
	told_ok client send 1000
	told_error ETIMEDOUT client recv 1
	expect "rails left" "$(counter 1 rails_left)" -eq 0
	expect "probes" "$(counter 1 probes_out)" -le $((80 * SLOW))
	for nr in 1 2; do
		speak $nr 0
		speak $nr 1
	done
	release client
	release server
}

# A program that does not read makes no rail silent.
# A full send buffer may arrive as a whole: then there is room for more.
filled_and_probed() {
	told_ok client fill
	FILLED=$((FILLED + ${ANSWER#ok }))
	counter_is 1 probes_out -gt "$1"
}

rails__a_closed_window_is_no_silence() {
	local probes

	two_rails
	connected_pair $PORT
	FILLED=0
	probes=$(counter 1 probes_out)
	wait_for "twenty probes" filled_and_probed $((probes + 20))
	expect "rails left" "$(counter 1 rails_left)" -eq 0
	expect "rails left" "$(counter 2 rails_left)" -eq 0
	told_ok server recv "$FILLED"
	echo_once
	release client
	release server
}

# However long a rail is silent, it is tested a few times a second.
rails__tests_are_few() {
	local before count

	two_rails
	begin -n 8
	moving
	silence 1 0
	silence 2 0
	wait_for "left" left_by_both
	now_ms
	START=$NOW
	before=$(wire_count 2)
	wait_for "much has arrived" moved 2 20000
	count=$(($(wire_count 2) - before))
	now_ms
	expect "frames on the silent rail in $((NOW - START)) ms" \
		$count -le $((8 + (NOW - START) / 100 * 2))
	ended
}

# wire_count NODE: frames of ours that came to it on rail 0
wire_count() {
	local OUT

	OUT=$(wire "$NODE-$1" p0 show)
	echo $(($(val ack_frames) + $(val seg_frames)))
}

rails__connect_where_the_first_is_silent() {
	two_rails
	silence 1 0
	silence 2 0
	xfer -z 100000 -d
	expect "rails left" "$(counter 1 rails_left)" -ge 1
	xfer -z 100000 -d
}

# Requests arrive there, and nothing comes back.
rails__connect_where_answers_are_lost() {
	two_rails
	silence 1 0
	xfer -z 100000 -d
	expect "requests repeated" "$(counter 1 requests_retransmitted)" -ge 1
	xfer -z 100000 -d
}

rails__over_a_forwarder() {
	local i

	# the forwarder's rails are 0 and 1 on one side, 2 and 3 on the other
	linked_nodes 3 1-2-0 1-2-1 2-3-2 2-3-3
	begin
	moving
	for i in "1 0" "3 2"; do
		silence 2 "${i#* }"
		silence $i
		moving
		until_rail 1 3 0 silent
		speak 2 "${i#* }"
		speak $i
		until_rail 1 3 0 back
		moving
	done
	for i in "2 0" "2 2" "1 0" "3 2"; do
		ip -n "$NODE-${i% *}" link set "p${i#* }" down
		moving
		ip -n "$NODE-${i% *}" link set "p${i#* }" up
		moving
	done
	ended
}

# What comes back through a forwarder comes on the rail that leads to him, also
# where the peer has those that we use for something else.
rails__forwarder_with_fewer_rails() {
	linked_nodes 4 1-2-0 1-2-1 2-3-2 3-4-0
	NODES=3
	begin -n 2
	moving
	# for longer than what a silent rail is given
	wait_for "much has arrived" moved 3 30000
	ended
	NODES=4
	expect "rails left" "$(counter 1 rails_left)" -eq 0
	expect "rails left" "$(counter 3 rails_left)" -eq 0
}

# One has all rails but one, the other one has them, too; the last one is used
rails__all_eight_but_one_are_gone() {
	local r links=()

	for r in {0..7}; do
		links+=(1-2-$r)
	done
	linked_nodes 2 "${links[@]}"
	begin
	moving
	for r in {0..6}; do
		ip -n "$NODE-1" link set p$r down
	done
	moving
	ended
	expect "rails left" "$(counter 1 rails_left)" -ge 7
}

run_cases
