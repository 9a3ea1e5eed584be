#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Queues below the socket that are full, and devices that keep what they
# have sent.
. "$(dirname "$0")/../lib/lib.sh"

RATE=40mbit
SIZE=2000000
# Tries a second while a queue is full: one a millisecond, and what comes with
# frames of ours that leave, of which there are fewer; twice, to be sure.
TRIES_S=2000

# short_queue QDISC LIMIT [RATE BURST]: node 1's, which its device takes from at
# that rate, so many bytes at once; $RATE and 20000 if it is not said
short_queue() {
	in_node 1 tc qdisc replace dev p0 root handle 1: tbf \
		rate "${3:-$RATE}" burst "${4:-20000}" limit 100000000
	in_node 1 tc qdisc replace dev p0 parent 1:1 handle 2: "$1" limit "$2"
}

# fair_share QDISC LIMIT: a transfer through such a queue is not much slower
# than the same of TCP's
fair_share() {
	local drops begun tcp

	xfer -t -a 10.9.0.2 -z $SIZE
	tcp=$(val mbit)
	drops=$(counter 1 local_drops)
	now_ms
	begun=$NOW
	xfer -z $SIZE
	now_ms
	drops=$(($(counter 1 local_drops) - drops))
	say "$1 of $2: $(val mbit) Mbit/s, TCP $tcp; refused $drops," \
		"repeated $(val client_segs_retransmitted)"
	expect "refused in $((NOW - begun)) ms" $drops -le \
		$(((NOW - begun) * TRIES_S / 1000 + 100))
	awk "BEGIN { exit !($(val mbit) >= 0.3 * $tcp) }"
}

# through QDISC LIMIT: where this machine has others to do one of the two may be
# slow for that, and both are done again
through() {
	short_queue "$@"
	wait_for "a fair share" fair_share "$@"
}

queues__of_few_frames() {
	local limit

	two_nodes
	for limit in 1 2 8 100; do
		through pfifo $limit
	done
}

# One less than a connection has below its socket at most: the one that is
# refused is the one whose end lets it go on.
queues__one_shorter_than_what_may_be_below() {
	two_nodes
	through pfifo 151
	ip -n "$NODE-1" link set p0 mtu 9000
	ip -n "$NODE-2" link set p0 mtu 9000
	through pfifo 27
}

# Segments of 9000 bytes, which wait as they are too long for a queue, go on in
# seven fragments each: there is room for five of them, and those that have gone
# stay gone.
queues__shorter_than_the_fragments_of_a_segment() {
	local nr

	two_nodes 9000
	connected_pair 5000
	short_queue pfifo 5 4mbit 2000
	told_ok client send 100000
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set p0 mtu 1500
	done
	told_ok server recv 100000
	expect "segments joined" "$(counter 2 segs_joined)" -ge 11
	release client
	release server
}

# They take the new one and drop an old one (NET_XMIT_CN).
queues__that_drop_their_head() {
	local limit

	two_nodes
	for limit in 1 2 8 100; do
		through pfifo_head_drop $limit
	done
}

# few_repeated: a transfer of which each end repeats three segments of a
# thousand at most
few_repeated() {
	local end out again few=yes

	xfer -z 120000000 -d -L 120
	for end in client server; do
		out=$(val ${end}_segs_out)
		again=$(val ${end}_segs_retransmitted)
		say "segments repeated by the $end: $again of $out"
		[ "$again" -le $((out * 3 / 1000)) ] || few=
	done
	[ "$few" ]
}

# Nothing is lost where two processors have far too much to do: what overtakes
# has a queue of its own. Three of a thousand may be repeated for nothing: a
# processor that its host takes away for longer than frames are waited for keeps
# a whole row of them. Where it is more than that it is looked at once more;
# nobody waiting, it was 4 to 13 beside three busy programs of the host.
queues__overtaken_by_the_other_processor() {
	two_nodes
	for _ in 1 2 3 4; do
		sh -c 'while :; do :; done' &
	done
	few_repeated || few_repeated || fail "too many are repeated, twice"
}

# bursts COMMAND...: leaves in $LONGEST how many frames with payload are in the
# longest of them meanwhile
bursts() {
	local trace=/sys/kernel/tracing/instances/$NODE

	[ "$SLOW" = 1 ] || grep -qw function "${trace%/*/*}/available_tracers" ||
		skip "functions cannot be traced here"
	mkdir "$trace"
	echo 4096 >"$trace/buffer_size_kb"
	echo __prp_output_push >"$trace/set_ftrace_filter"
	echo 'len > 0' >"$trace/events/prp/prp_transmit/filter"
	echo 1 >"$trace/events/prp/prp_transmit/enable"
	echo function >"$trace/current_tracer"
	"$@"
	echo 0 >"$trace/tracing_on"
	LONGEST=$(awk '
		/: __prp_output_push / { burst[$2] = 0; pushes++ }
		/: prp_transmit:/ && ++burst[$2] > longest { longest++ }
		END { print pushes ? longest + 0 : "none" }' "$trace/trace")
	rmdir "$trace"
}

# What is handed down under one hold of a connection's lock: whoever receives
# a frame of it waits for that. The lock is taken before each call.
queues__are_filled_in_short_bursts() {
	two_nodes
	bursts xfer -z $SIZE
	expect "segments in a burst" "$LONGEST" -le 8
	expect "segments in a burst" "$LONGEST" -gt 1
}

# What was queued for a wide way goes on in fragments of 24 bytes: a segment has
# 61 of them, and another one has to wait for the next burst.
queues__of_fragments_are_filled_in_short_bursts() {
	local nr

	two_nodes
	connected_pair 5000
	told_ok client fill
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set p0 mtu 68
	done
	bursts told_ok server recv "${ANSWER#ok }"
	expect "fragments in a burst" "$LONGEST" -le 61
	expect "fragments in a burst" "$LONGEST" -gt 8
	release client
	release server
}

# A device that has sent all, and frees what it sent when it likes: the tail is
# asked for all the same. What node 1 sends goes on as a copy.
queues__that_keep_what_they_have_sent() {
	wired_nodes 2
	ip -n "$WIRE" link add kept type dummy
	ip -n "$WIRE" link set kept addrgenmode none up
	tc -n "$WIRE" qdisc add dev kept root tbf rate 1kbit burst 2000 \
		limit 100000000
	tc -n "$WIRE" qdisc add dev w1 clsact
	tc -n "$WIRE" filter add dev w1 ingress matchall \
		action mirred egress mirror dev w2 \
		action mirred egress redirect dev kept
	wire "$NODE-2" p0 load list=9
	xfer -z $((10 * 1464)) -L 30
	run wire "$NODE-2" p0 show
	expect "segments dropped" "$(val seg_dropped)" -eq 1
}

# packets that readers in node 2 have taken in themselves
taken_in() {
	in_node 2 awk '
		/^TcpExt:/ && !column {
			for (i = 1; i <= NF; i++)
				if ($i == "BusyPollRxPackets")
					column = i
			next
		}
		/^TcpExt:/ { print $column }' /proc/net/netstat
}

# looked_after ARGUMENT...: readers take in themselves what a pingpong has
looked_after() {
	local before

	before=$(taken_in)
	pingpong -n 200 -L 10 "$@"
	expect "packets taken in with $*" \
		$(($(taken_in) - before)) -ge 100
}

# SO_BUSY_POLL, here that of all new sockets: a reader who waits takes in
# himself what he waits for.
queues__that_readers_look_after() {
	local how size

	two_nodes
	in_node 1 ethtool -K p0 gro on tso off	# else veth has no NAPI
	in_node 2 ethtool -K p0 gro on tso off
	pingpong -n 200
	expect "packets taken in, if nobody asks" "$(taken_in)" -eq 0
	# who finds nothing by looking wakes up long after the limit
	for_the_case /proc/sys/net/core/busy_read 1000000
	for how in "" -Q; do
		for size in 4 1000 1464; do
			looked_after -z $size $how
		done
		xfer -z 200000
	done
}

# The same, of the one socket that asks for it
queues__that_one_reader_looks_after() {
	two_nodes
	in_node 1 ethtool -K p0 gro on tso off
	in_node 2 ethtool -K p0 gro on tso off
	looked_after -Y 1000000
	looked_after -Y 1000000 -Q
}

run_cases
