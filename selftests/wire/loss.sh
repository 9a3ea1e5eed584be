#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Transfers over a wire that loses, reorders and doubles. The loss is made
# behind a bridge, segment by segment; see lib.sh.
. "$(dirname "$0")/lib/lib.sh"

lossy() {
	local chance=$1 size=$2

	wired_nodes 2 delay 1ms
	bad_wire 1 drop="$chance" seed=1
	bad_wire 2 drop="$chance" seed=2
	xfer -z "$size" -d -T 60000
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -gt 0
	say "dropped $(wire_val 1 seg_dropped) of $(wire_val 1 segments)," \
		"repeated $(val client_segs_retransmitted)"
}

# That exactly these are repeated is for bars/repeats.sh: two processors may
# overtake each other on the wire.
loss__scripted_holes() {
	wired_nodes 2 delay 5ms
	bad_wire 1 list=3,7,8,200
	xfer -z $((256 * 1464))
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -eq 4
	expect "repeats on the wire" "$(wire_val 1 repeats)" -ge 4
	expect "segments repeated" "$(val client_segs_retransmitted)" -eq \
		"$(wire_val 1 repeats)"
}

loss__lost_repeats() {
	wired_nodes 2 delay 2ms
	# One in three of all segments, so that repeats are lost, too.
	bad_wire 1 drop_seg=3300 seed=7
	xfer -z $((PRP_LONG ? 1000000 : 700000)) -T 60000
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -gt 200
}

loss__0_1_percent() {
	lossy 10 $((8 << 20))
}

loss__1_percent() {
	lossy 100 $((8 << 20))
}

loss__5_percent() {
	lossy 500 $((2 << 20))
}

loss__20_percent() {
	lossy 2000 $((1 << 19))
}

# What waits behind a few short ones goes on when these were sent again. The way
# is long beside a write, however slow the machine.
loss__of_small_writes() {
	wired_nodes 2 delay 10ms
	bad_wire 1 drop=1000 seed=3
	bad_wire 2 drop=1000 seed=4
	xfer -k 5 -r 65536 -z 60000 -d
	expect "segments for 12000 writes" "$(val client_segs_out)" -lt 6000
	xfer -Q -k 5 -z 60000 -d
	expect "segments for 12000 messages" "$(val client_segs_out)" -lt 6000
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -gt 0
}

loss__of_many_short_connections() {
	wired_nodes 2 delay 1ms
	bad_wire 1 drop=1000 seed=3
	bad_wire 2 drop=1000 seed=4
	xfer -n 50 -z 3000 -d -w -T 60000
	LIMIT_MS=$((30000 * SLOW)) wait_for "all connections are freed" all_freed
}

# closes_open COUNT BYTES: connections from node 1 to node 2 that closes them
# behind so many bytes, once `closes_go` says so
closes_open() {
	COUNT=$1
	exec {TO}<> <(:) {FROM}<> <(:)
	prp_closes "$NODE-1" "$NODE-2" 2 4000 "$1" "$2" <"/dev/fd/$TO" \
		>"/dev/fd/$FROM" &
	CLOSES=$!
	closes_said opened
}

# closes_said KEY [VALUE]: of all, if not given
closes_said() {
	read -r -t 300 OUT <&"$FROM" || fail "prp_closes says nothing"
	expect "$1" "$(val "$1")" -eq "${2-$COUNT}"
}

closes_go() {
	echo >&"$TO"
}

# What has delivered all waits for nobody: who reads sees no error, neither when
# he ends soon, nor when nobody knows him any more.
ends_lost() {
	wired_nodes 2 delay 1ms
	closes_open 50 20000
	bad_wire 1 drop=2000 seed=3
	bad_wire 2 drop=2000 seed=4
	closes_go
	closes_said whole
	wait_for "nothing is left of the server" counter_is 2 live_conns -eq 0
	[ "$1" = early ] ||
		wait_for "no record either" counter_is 2 live_records -eq 0
	expect "reset" "$(counter 2 orphans_killed)" -eq 0
	closes_go
	closes_said errors 0
	wait $CLOSES || fail "prp_closes failed"
	wait_for "all connections are freed" all_freed
}

loss__of_ends_that_come_early() {
	ends_lost early
}

loss__of_ends_that_come_late() {
	ends_lost late
}

# A server behind one balancer: all that it has closed is with one peer.
loss__of_the_way_while_1500_are_closed() {
	wired_nodes 2
	closes_open 1500 3000
	ip -n "$WIRE" link set w2 down
	closes_go
	wait_for "all are closed" counter_is 2 orphans_made -eq $COUNT
	expect "reset" "$(counter 2 orphans_killed)" -eq 0
	expect "closed and not delivered" "$(counter 2 live_orphans)" -eq $COUNT
	ip -n "$WIRE" link set w2 up
	closes_said whole
	closes_go
	closes_said errors 0
	wait $CLOSES || fail "prp_closes failed"
	wait_for "all connections are freed" all_freed
}

loss__of_acknowledgments() {
	wired_nodes 2 delay 1ms
	bad_wire 1
	bad_wire 2 drop_ack=3000
	xfer -z $((4 << 20))
	expect "acknowledgments dropped" "$(wire_val 2 ack_dropped)" -gt 0
}

# The last segment has none behind it that could show the gap.
loss__of_the_tail() {
	wired_nodes 2 delay 1ms
	bad_wire 1 list=9,10
	xfer -z $((10 * 1464))
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -ge 1
	# how soon is for bars/latency.sh
	expect "probes" "$(val client_probes_out)" -ge 1
}

# The first answer takes longer than some probes: that is no silence.
loss__none_on_a_long_way() {
	wired_nodes 2 delay 25ms
	xfer -z $((2 << 20)) -T 60000
	expect "segments in flight" "$(val client_in_flight_max)" -ge 128
}

loss__netem_random() {
	wired_nodes 2 delay 1ms loss 2%
	bad_wire 1
	xfer -z $((4 << 20)) -d -T 60000
	expect "repeats" "$(wire_val 1 repeats)" -gt 0
}

reorder() {
	local least=$1

	shift
	wired_nodes 2 "$@"
	bad_wire 1
	xfer -z $((4 << 20))
	expect "segments out of order" "$(counter 2 segs_late)" -gt "$least"
	say "reordering seen: $(val client_reorder)"
	# Some are taken for lost until the depth is known.
	expect "segments repeated" "$(val client_segs_retransmitted)" -le \
		$(($(wire_val 1 segments) / 10))
}

loss__reordering_of_single_frames() {
	reorder 100 delay 1ms reorder 10% gap 10
}

loss__reordering_with_depth() {
	reorder 100 delay 2ms 1ms
}

loss__duplication() {
	wired_nodes 2 delay 1ms duplicate 10%
	bad_wire 1
	xfer -z $((4 << 20)) -d
	expect "segments received twice" \
		"$(val server_segs_dup_in)" -gt 100
}

loss__everything_at_once() {
	wired_nodes 2 delay 1ms 1ms loss 2% duplicate 2%
	bad_wire 1 drop=100 seed=8
	bad_wire 2 drop=100 seed=9
	xfer -n 8 -z 500000 -d -T 60000
}

loss__at_mtu_9000() {
	MTU=9000 wired_nodes 2 delay 1ms
	bad_wire 1 drop=300 seed=1
	bad_wire 2 drop=300 seed=2
	xfer -z $((8 << 20)) -d -T 60000
	expect "segment size" "$(val client_seg_size)" -eq 8964
}

# A gap with so much behind it that one frame cannot tell it all.
loss__at_mtu_68() {
	wired_nodes 2 delay 5ms
	ip -n "$NODE-1" link set p0 mtu 68
	ip -n "$NODE-2" link set p0 mtu 68
	bad_wire 1 list=15000,15000
	xfer -z $((32 * 20000)) -T 60000
	expect "segment size" "$(val client_seg_size)" -eq 32
	expect "segments dropped" "$(wire_val 1 seg_dropped)" -eq 2
	expect "segments in flight" "$(val client_in_flight_max)" -gt 256
}

# Others hold all that there is, and read nothing: what lies behind a gap has
# filled the connection's reserve when what fills the gap comes.
loss__while_others_use_up_the_pool() {
	local room=$((64 << 20)) many=$((1 << 30))
	local client repeated begun

	MTU=65535 wired_nodes 2
	for_the_case /proc/sys/net/core/rmem_max $room
	paused_server -n 16 -z $many -R $room
	prp_xfer -o client -c "$NODE-1" -a 2 -n 16 -z $many >/dev/null 2>&1 &
	client=$!
	wait_for "the pool is used up" counter_is 2 drop_overrun -gt 0
	ip -n "$NODE-1" link set p0 mtu 1500
	ip -n "$NODE-2" link set p0 mtu 1500
	bad_wire 1 drop=500 seed=6
	repeated=$(counter 1 segs_retransmitted)
	now_ms
	begun=$NOW
	xfer -p 4001 -z 300000 -T 60000
	now_ms
	# to each two of them, soon every 200 ms
	expect "segments repeated to those who have no room" \
		$(($(counter 1 segs_retransmitted) - repeated - \
		   $(val client_segs_retransmitted))) \
		-le $((16 * 2 * ((NOW - begun) / 200 + 20)))
	expect "bytes that are left of the pool" \
		$(($(counter 2 pool_limit) - $(counter 2 pool_bytes))) \
		-lt $((64 << 10))
	kill -KILL $client $SERVER
	wait $client $SERVER || :
}

run_cases
