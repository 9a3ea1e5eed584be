#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The papers' experiments by prpperf, of PRP and its peers, for a machine that
# counts instructions: bench.sh boots it. What prpperf prints is left in
# $RESULTS, EXPERIMENT.DEVICE.FAMILY.json. A device is
#
#	shipped	veth as it comes: what is longer than a frame passes whole
#	off	without offloads: the sender cuts all of it, nothing is put
#		together where it arrives
#
# and a family one of prpperf's, or tcp-nagle, TCP with Nagle's algorithm.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/many.sh"

FAMILIES="prp prp-seq tcp tcp-nagle udp sctp packet unix"
CROWDS="prp prp-seq tcp tcp-nagle udp sctp"	# of more nodes than two

# device HOW COUNT: of nodes 1 to COUNT; lib.sh has them cut what it sends
device() {
	local nr

	for ((nr = 1; nr <= $2; nr++)); do
		long_frames $nr
		[ "$1" = shipped ] || in_node $nr ethtool -K p0 tso off gso off \
			gro off tx-sctp-segmentation off >/dev/null 2>&1 ||
			say "not all is off"
	done
}

# at FAMILY NODE: as a node of prpperf; Unix sockets know one machine only
at() {
	case $1 in
	prp*)	echo "$2@netns:$NODE-$2" ;;
	packet)	echo "p0@netns:$NODE-$2" ;;
	unix)	echo "here@netns:$NODE-1" ;;
	*)	echo "10.9.0.$2@netns:$NODE-$2" ;;
	esac
}

# perf EXPERIMENT HOW FAMILY COUNT [OPTION]...: between nodes 1 to COUNT
perf() {
	local options=(-j -L 600 -f "${3%-nagle}") nodes=() nr
	local file=$RESULTS/$1.$2.$3.json

	[ "$3" = "${3%-nagle}" ] || options+=(-N)
	for ((nr = 1; nr <= $4; nr++)); do
		nodes+=("$(at "$3" $nr)")
	done
	# what is cut short with the machine is no file of results
	if prpperf "${options[@]}" "${@:5}" "$1" "${nodes[@]}" >"$file.new"
	then
		mv "$file.new" "$file"
		say "$1, $2, $3"
	else
		say "$1, $2, $3: $(tail -c 200 "$file.new")"
		FAILED=yes
	fi
}

# pairs EXPERIMENT [OPTION]...: of two nodes, all families, both devices
pairs() {
	local how family

	FAILED=
	modprobe sctp || :
	two_nodes
	for how in shipped off; do
		device $how 2
		for family in $FAMILIES; do
			# these have no use for a device's offloads
			[[ $how != off || $family != @(packet|unix) ]] ||
				continue
			perf "$1" $how $family 2 "${@:2}"
		done
	done
	[ -z "$FAILED" ]
}

# crowd EXPERIMENT COUNT [OPTION]...: of many nodes on a switch
crowd() {
	local how family

	FAILED=
	modprobe sctp || :
	wired_nodes "$2"
	for how in shipped off; do
		device $how "$2"
		for family in $CROWDS; do
			perf "$1" $how $family "$2" "${@:3}"
		done
	done
	[ -z "$FAILED" ]
}

papers__pingpong() {
	pairs pingpong -n 100
}

papers__bandwidth() {
	pairs bandwidth -n 3 -w 1
}

papers__spray() {
	pairs spray -w 1 -c 1,4,16,64,256,1024,4096,8192
}

papers__logp() {
	pairs logp -n 500 -z 4,1400
}

papers__permute() {
	crowd permute 16 -t 0.2
}

papers__clients() {
	crowd clients 16 -t 0.05
}

papers__scale() {
	crowd scale 16 -t 0.05
}

# many_of FAMILY [-t]: in the form that prpperf prints
many_of() {
	local rows=() count PORT=4000

	for count in 10 100 1000 10000 50000; do
		# TCP keeps the one before for a minute
		PORT=$((PORT + 10))
		many $count 4 "${2:-}"
		wait_for "nothing of the pool" nothing_of_the_pool
		rows+=("{\"conns\":$count,\"us\":$(val last)e-3,$(
			)\"slab\":$(an_end slab $count),$(
			)\"all\":$(an_end all $count)}")
		done_with_many
		wait_for "they are gone" all_freed
		say "$1, $count"
	done
	(IFS=,; echo "{\"rows\":[${rows[*]}]}") >"$RESULTS/many.shipped.$1.json"
}

nothing_of_the_pool() {
	counter_is 1 pool_bytes -eq 0 && counter_is 2 pool_bytes -eq 0
}

# No paper's: what the last of so many connections takes to open, and each of
# them while it is idle
papers__many() {
	two_nodes
	at_hand 10000
	many_of prp
	ADDRESS=10.9.0.2 many_of tcp -t
	at_hand 0
}

run_cases
