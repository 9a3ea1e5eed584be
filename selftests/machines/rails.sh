#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Machines with two rails whose cables are pulled. Unlike that of veth, a real
# device's lost carrier is told by the kernel up to a second later if it was
# lost a moment ago, and the other end of the wire does not see it at all.
. "$(dirname "$0")/cluster.sh"

# rail_is NR PEER WHY: rail 0 is left there; back: it was taken back
rail_is() {
	local said='ago (.*), taken back '

	[ "$3" = back ] || said="ago (\($3\)), [0-9]* time"
	succeeds "$1" "prpctl node show $2 | grep -q 'rail 0: left .* $said'"
}

# until_rail NR PEER WHY
until_rail() {
	wait_for "machine $1: rail 0 to $2: $3" rail_is "$@"
}

# goes_on: more arrives, at both ends
goes_on() {
	local nr

	for nr in 1 2; do
		until_on $nr counter_is segs_in -gt \
			$(($(counter $nr segs_in) + 100))
	done
}

# pulled_twice WHY WHY DEVICE DEVICE: why it is left, here and there
pulled_twice() {
	local here=$1 there=$2 nr

	RAILS=2
	wired 2 "${@:3}"
	serve 2 server -u -L 600 -d
	on 1 "start client prp_xfer -o client -a 2 -u -L 600 -d"
	goes_on
	for nr in 1 1 2 2; do
		monitor $nr set_link eth0 off
		until_rail $nr $((3 - nr)) "$here"
		goes_on
		until_rail $((3 - nr)) $nr "$there"
		monitor $nr set_link eth0 on
		until_rail $nr $((3 - nr)) back
		until_rail $((3 - nr)) $nr back
	done
	goes_on
	for nr in 1 2; do
		on $nr killall -USR1 prp_xfer
	done
	ended_well 1 client
	hashed "from 2 to 1"
	ended_well 2 server
	hashed "from 1 to 2"
}

machines__pulled_twice_with_virtio_net() {
	pulled_twice "no link" "left there" virtio-net-pci virtio-net-pci
}

# What an idle connection's device lost is told as well.
machines__pulled_while_nothing_is_sent() {
	RAILS=2
	wired 2 virtio-net-pci virtio-net-pci
	on 2 hold server
	on 1 hold client
	on 2 tell server listen 4000 1
	on 1 tell client connect 2 4000
	on 2 tell server accept
	monitor 1 set_link eth0 off
	until_rail 1 2 "no link"
	until_rail 2 1 "left there"
	on 2 tell server send 100000
	on 1 tell client recv 100000
	on 1 release client
	on 2 release server
}

# Its driver may look for the link so late that silence tells first.
machines__pulled_twice_with_e1000() {
	local why="no link\|silent\|left there"

	pulled_twice "$why" "$why" e1000 e1000
}

run_cases
