#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Transfers on a good wire: sizes around the edges of segments, both ways at
# once, many connections. Every one is compared by hash.
. "$(dirname "$0")/lib/lib.sh"

sizes() {
	local size

	for size in "$@"; do
		xfer -z "$size" -d
	done
}

data__edges_at_mtu_1500() {
	two_nodes 1500
	sizes 0 1 2 1463 1464 1465 2927 2928 2929 65535 65536 65537
	expect "segment size" "$(val client_seg_size)" -eq 1464
}

data__edges_at_mtu_9000() {
	two_nodes 9000
	sizes 1 8963 8964 8965 17927 17928 17929
	expect "segment size" "$(val client_seg_size)" -eq 8964
}

# Each write of its own size: borders of writes are not borders of segments.
data__edges_of_writes() {
	local chunk

	two_nodes
	for chunk in 1 7 1463 1464 1465 3000; do
		xfer -z $((chunk * 1000 + 1)) -k $chunk
	done
}

data__one_segment_carries_a_full_one() {
	two_nodes
	xfer -z 1464
	expect "segments sent" "$(val client_segs_out)" -le 2
	xfer -z 1469
	expect "segments sent" "$(val client_segs_out)" -ge 2
}

data__the_smaller_mtu_counts() {
	two_nodes
	ip -n "$NODE-1" link set p0 mtu 9000
	xfer -z 1000000 -d
	expect "client's segment size" "$(val client_seg_size)" -eq 1464
	expect "server's segment size" "$(val server_seg_size)" -eq 1464
}

# Two processors may overtake each other on the wire, by all that is in
# flight when one of them stands still for some milliseconds; where there is
# only one, bars/repeats.sh expects none.
few_repeated() {
	expect "segments repeated" "$(val client_segs_retransmitted)" -le \
		$(($(val client_segs_out) / 10))
}

data__64_megabytes() {
	two_nodes
	xfer -z $((64 << 20))
	few_repeated
	say "$(val mbit) Mbit/s"
}

data__64_megabytes_at_mtu_9000() {
	two_nodes 9000
	xfer -z $((64 << 20))
	few_repeated
	say "$(val mbit) Mbit/s"
}

data__both_ways_at_once() {
	two_nodes
	xfer -z $((8 << 20)) -d
	xfer -z $((8 << 20)) -d -w
}

data__200_connections() {
	two_nodes
	xfer -n 200 -z 50000 -d -w
	expect "connections" "$(counter 1 conns_opened)" -eq 200
	xfer -n 200 -z 50000
}

data__small_buffers() {
	two_nodes
	xfer -z 1000000 -B 1 -R 1
	xfer -z 1000000 -B 1
	xfer -z 1000000 -R 1
}

data__to_itself() {
	two_nodes
	run prp_xfer -c "$NODE-1" -s "$NODE-1" -a 1 -z 4000000 -d
	expect "hashes are" "$(val hash)" = ok
}

data__three_nodes_at_once() {
	local pairs="1-2 2-3 3-1" pair pids=() pid

	wired_nodes 3
	for pair in $pairs; do
		prp_xfer -c "$NODE-${pair%-*}" -s "$NODE-${pair#*-}" \
			-a "${pair#*-}" -z 2000000 -d &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "a transfer failed"
	done
}

# Sequence numbers begin at random; a long run passes over 2^16 of the
# transmission numbers.
data__transmission_numbers_wrap() {
	two_nodes
	xfer -z $((70000 * 1464))
	expect "segments sent" "$(val client_segs_out)" -gt 65536
	few_repeated
}

run_cases
