#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ways that carry no segments, and answers to probes all the same.
. "$(dirname "$0")/../lib.sh"

PORT=4000

# two_bridges: wired_nodes 2, but with a wire between two bridges in the middle
two_bridges() {
	wired_nodes 2
	ip -n "$WIRE" -batch - <<-EOF
	link add name br1 type bridge mcast_snooping 0
	link set br1 addrgenmode none
	link set w2 master br1
	link add m0 type veth peer name m1
	link set m0 mtu ${MTU:-1500} addrgenmode none master br0 up
	link set m1 mtu ${MTU:-1500} addrgenmode none master br1 up
	link set br1 up
	EOF
}

released() {
	release client
	release server
}

# carried BYTES: there and back
carried() {
	told_ok client send "$1"
	told_ok server recv "$1"
	told_ok server send "$1"
	told_ok client recv "$1"
}

# Nothing but short frames passes: patience ends it.
holes__patience_is_with_what_is_in_flight() {
	two_bridges
	hold server 2
	hold client 1
	told_ok server listen $PORT 1
	told_ok client timeout $((2000 * SLOW))
	told_ok client connect 2 $PORT
	told_ok server accept
	carried 1000
	# segments never arrive, probes do and are answered
	bad_wire 1 drop_seg=10000
	told_ok client send 1000
	told_error ETIMEDOUT client recv 1
	bad_wire 1
	released
}

# A program that does not read holds nothing in flight: it may take its time.
holes__a_closed_window_is_no_hole() {
	two_bridges
	hold server 2
	hold client 1
	told_ok server listen $PORT 1
	told_ok client timeout 500
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client fill
	FILLED=${ANSWER#ok }
	PROBES=$(counter 1 probes_out)
	wait_for "ten probes" counter_is 1 probes_out -gt $((PROBES + 10))
	told_ok server recv "$FILLED"
	carried 1000
	released
}

run_cases
