#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a stream costs the machine that sends and the machine that receives, in
# instructions a KB, beside TCP over the same devices and the same wire. See
# COUNTED in cluster.sh. virtio-net helps nobody, as its wire takes no header of
# a virtual machine; e1000 cuts TCP's segments, and adds up what it sends.
. "$(dirname "$0")/../machines/cluster.sh"
. "$(dirname "$0")/../bars/lib_bars.sh"

BYTES=$(amount $((4 << 20)) $((16 << 20)))
# How many frames are merged, or polled at once, goes by which machine has had a
# processor, and few together cost more: so the two take turns, and it is the
# median of some streams.
ROUNDS=$(amount 5 7)
LIMIT_MS=$((120000 * SLOW))
TCP_PORT=4001
PRP_PORT=4000

# busy NR: in $BUSY, the nanoseconds, instructions, in which it was not idle
# since it was booted; to ask takes some, too
busy() {
	local now idle

	on "$1" "grep -E '^now at|idle_sleeptime' /proc/timer_list"
	read -r _ _ now _ _ _ idle _ <<<"${OUT//$'\n'/ }"
	BUSY=$((now - idle))
}

# stream NAME LISTEN CONNECT: what socat calls them; adds to $SENDS and
# $RECEIVES, by NAME, what a KB from 1 to 2 takes of each
stream() {
	local nr first before=() cost=()

	on 2 "start socat socat -u -b 65536 '$2' OPEN:/dev/null"
	for nr in 1 2; do
		busy $nr
		first=$BUSY
		busy $nr
		before[nr]=$((2 * BUSY - first))
	done
	on 1 "socat -u -b 65536 OPEN:/dev/zero,readbytes=$BYTES '$3,$RETRY'"
	ended_well 2 socat
	for nr in 1 2; do
		busy $nr
		cost[nr]=$(((BUSY - before[nr]) * 1024 / BYTES))
	done
	SENDS[$1]+=" ${cost[1]}"
	RECEIVES[$1]+=" ${cost[2]}"
}

# of_tcp NAME: the median of PRP's in that array, to TCP's
of_tcp() {
	local -n numbers=$1

	# shellcheck disable=SC2086 # numbers
	ratio "$(median ${numbers[PRP]})" "$(median ${numbers[TCP]})"
}

# costs DEVICE SENDER RECEIVER: of TCP's, at most
costs() {
	local nr
	local -A SENDS=() RECEIVES=()

	COUNTED=yes
	wired 2 "$1" "$1"
	for nr in 1 2; do
		on $nr ip address add 10.9.0.$nr/24 dev eth0
	done
	for _ in $(seq "$ROUNDS"); do
		stream TCP TCP-LISTEN:$TCP_PORT TCP:10.9.0.2:$TCP_PORT
		stream PRP "SOCKET-LISTEN:$(prp_address $PRP_PORT 0)" \
			"SOCKET-CONNECT:$(prp_address $PRP_PORT 2)"
	done
	say "instructions a KB to receive: TCP${RECEIVES[TCP]}," \
		"PRP${RECEIVES[PRP]}"
	say "instructions a KB to send: TCP${SENDS[TCP]}, PRP${SENDS[PRP]}"
	expect_float "$1: to receive, of TCP's" "$(of_tcp RECEIVES)" "<=" "$3"
	expect_float "$1: to send, of TCP's" "$(of_tcp SENDS)" "<=" "$2"
}

costs__over_virtio_net() {
	costs virtio-net-pci 1.5 1.3
}

costs__over_e1000() {
	costs e1000 2 1.3
}

run_bars costs__over_virtio_net
