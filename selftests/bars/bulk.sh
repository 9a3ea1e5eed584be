#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Executed instructions of a KB in bulk, sender, receiver and what is between
# them, against TCP's in the same boot. Both ends share this machine's only
# processor and never wait, so that a microsecond is a thousand instructions.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

BULK=$(amount $((8 << 20)) $((32 << 20)))
ROUNDS=$(amount 3 5)

# cut NODE DEVICE...: sends no more than a frame, and puts nothing together
cut() {
	local dev

	for dev in "${@:2}"; do
		in_node "$1" ethtool -K "$dev" tso off gso off gro off \
			tx-sctp-segmentation off >/dev/null
	done
}

# per_kb FAMILY SIZE NODE FROM TO: thousands of instructions a KB, in messages
# of SIZE bytes from node 1, at the address FROM, the median of some rounds, in
# $KB
per_kb() {
	local rows=() row

	for _ in $(seq "$ROUNDS"); do
		row=$(prpperf -j -f "$1" -w 1 -n 1 -z "$2" -c $((BULK / $2)) \
			bandwidth "$5@netns:$NODE-$3" "$4@netns:$NODE-1") ||
			fail "prpperf -f $1 -z $2: $row"
		rows+=("$(sed -n 's/.*"us_KB":\([0-9.]*\).*/\1/p' <<<"$row")")
	done
	KB=$(median "${rows[@]}")
	say "$1, $2 bytes, to node $3: ${rows[*]}"
}

# against_tcp BOUND SIZE...: between two nodes
against_tcp() {
	local size tcp

	for size in "${@:2}"; do
		per_kb tcp "$size" 2 10.9.0.1 10.9.0.2
		tcp=$KB
		per_kb prp "$size" 2 1 2
		expect_float "$size bytes: PRP's $KB of TCP's $tcp" \
			"$(ratio "$KB" "$tcp")" "<=" "$1"
	done
}

bulk__as_shipped_at_most_0_72_of_tcp() {
	two_nodes
	long_frames 1 2
	against_tcp 0.72 65536 131072
}

bulk__mtu_9000_as_shipped_at_most_0_72_of_tcp() {
	local nr

	two_nodes
	long_frames 1 2
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set p0 mtu 9000
	done
	against_tcp 0.72 65536
}

bulk__cut_by_the_sender_at_most_0_64_of_tcp() {
	two_nodes
	long_frames 1 2
	cut 1 p0
	cut 2 p0
	against_tcp 0.64 65536
}

bulk__of_1400_bytes_at_most_0_60_of_tcp() {
	two_nodes
	long_frames 1 2
	against_tcp 0.60 1400
	cut 1 p0
	cut 2 p0
	against_tcp 0.60 1400
}

# segs_a_frame LEAST SIZE NODE DEVICE: in writes of SIZE bytes from node 1, of
# all frames that DEVICE of the last node gets
segs_a_frame() {
	local got='/'$4:'/ { print $3 }' frames segs

	frames=$(in_node "$3" awk "$got" /proc/net/dev)
	segs=$(counter "$3" segs_in)
	per_kb prp "$2" "$3" 1 "$3"
	frames=$(($(in_node "$3" awk "$got" /proc/net/dev) - frames))
	segs=$(($(counter "$3" segs_in) - segs))
	expect "segments, in $frames frames" $segs -ge $(($1 * frames))
}

# 44 segments of 1464 bytes fit into one, and what is short is the last of each
# write.
bulk__of_1_mib_a_write_at_least_30_segments_a_frame() {
	two_nodes
	long_frames 1 2
	segs_a_frame 30 1048576 2 p0
}

# What one forwarder more adds. Behind the first one frames have a checksum, so
# that it is no measure of the second one.
#
#	+--------+       +--------+       +--------+       +--------+
#	| node 1 | p0-p0 | node 2 | p1-p1 | node 3 | p0-p0 | node 4 |
#	+--------+       +--------+       +--------+       +--------+
forwarding_line() {
	local nr

	linked_nodes 4 1-2-0 2-3-1 3-4-0
	ip -n "$NODE-1" address add 10.8.0.1/24 dev p0
	ip -n "$NODE-2" address add 10.8.0.2/24 dev p0
	ip -n "$NODE-2" address add 10.8.1.2/24 dev p1
	ip -n "$NODE-3" address add 10.8.1.3/24 dev p1
	ip -n "$NODE-3" address add 10.8.2.3/24 dev p0
	ip -n "$NODE-4" address add 10.8.2.4/24 dev p0
	ip -n "$NODE-1" route add default via 10.8.0.2
	ip -n "$NODE-2" route add 10.8.2.0/24 via 10.8.1.3
	ip -n "$NODE-3" route add 10.8.0.0/24 via 10.8.1.2
	ip -n "$NODE-4" route add default via 10.8.2.3
	for nr in 2 3; do
		in_node $nr sysctl -qw net.ipv4.ip_forward=1
	done
}

forwards_at_most() {
	local prp tcp

	per_kb prp 65536 3 1 3
	prp=$KB
	per_kb prp 65536 4 1 4
	prp=$(awk "BEGIN { print $KB - $prp }")
	per_kb tcp 65536 3 10.8.0.1 10.8.1.3
	tcp=$KB
	per_kb tcp 65536 4 10.8.0.1 10.8.2.4
	tcp=$(awk "BEGIN { print $KB - $tcp }")
	expect_float "PRP's $prp of IP's $tcp" "$(ratio "$prp" "$tcp")" \
		"<=" "$1"
}

# With a checksum a segment has 1456 bytes: 64 KiB are 45 and one that is short,
# of which every fourth leaves alone, behind a few others.
bulk__far_away_at_least_20_segments_a_frame() {
	forwarding_line
	segs_a_frame 20 65536 3 p1
	segs_a_frame 30 1048576 3 p1
}

bulk__forwarded_as_shipped_at_most_0_75_of_ip() {
	forwarding_line
	forwards_at_most 0.75
}

bulk__forwarded_frame_by_frame_at_most_0_80_of_ip() {
	forwarding_line
	cut 1 p0
	cut 2 p0 p1
	cut 3 p0 p1
	cut 4 p0
	forwards_at_most 0.80
}

run_bars bulk__as_shipped_at_most_0_72_of_tcp \
	bulk__of_1_mib_a_write_at_least_30_segments_a_frame
