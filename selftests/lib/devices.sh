# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of devices and namespaces share, above lib.sh: transfers
# that go on while something is done to them, connections in every state, and
# which devices are rails.

PORT=4000
RATE=4mbit		# of wires: leaves the machine time for other things
SHORT_MS=600		# user timeout where it must expire
LATE_MS=$((5000 * SLOW))	# this much later is late, and not "at once"

# A reference that is held for longer than a second is reported.
sysctl -q net.core.netdev_unregister_timeout_secs=1

ip1() {
	ip -n "$NODE-1" "$@"
}

# begin [ARGUMENT]...: an xfer that goes on until it is told to complete; with
# a small buffer, for all that is in it goes out before the end
begin() {
	XFER_OUT=$(mktemp)
	prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -u -L 60 -T $((30000 * SLOW)) \
		-B 32768 "$@" >"$XFER_OUT" 2>&1 &
	XFER=$!
	goes_on
}

goes_on() {
	local from

	from=$(counter 2 segs_in)
	wait_for "segments arrive" arrived $((from + 20))
}

arrived() {
	kill -0 "$XFER" 2>/dev/null ||
		fail "the transfer has ended: $(cat "$XFER_OUT")"
	counter_is 2 segs_in -gt "$1"
}

# The transfer comes to its end, and all has arrived as it was sent.
complete() {
	local rc=0

	kill -USR1 "$XFER"
	wait "$XFER" || rc=$?
	OUT=$(cat "$XFER_OUT")
	rm "$XFER_OUT"
	[ $rc = 0 ] || fail "prp_xfer: $OUT"
	expect "hashes are" "$(val hash)" = ok
}

# Names of the devices of a node that PRP receives from
rails() {
	prp_rails "$NODE-$1" | sort | tr '\n' ' '
}

# rail_becomes NODE [DEVICE]: it is that at once
rail_becomes() {
	[ "$(rails "$1")" = "${2:+$2 }" ] ||
		fail "rails of node $1: $(rails "$1"), not ${2:-none}"
}

# A connection from node 1, as client, to node 2, as server
connect_two() {
	hold server 2
	hold client 1
	told_ok server timeout "${1:-0}"
	told_ok client timeout "${1:-0}"
	told_ok server listen $PORT 8
	told_ok client connect 2 $PORT
	told_ok server accept
}

release_two() {
	release client
	release server
}

# talk BYTES: both ways
talk() {
	told_ok client send "$1"
	told_ok server recv "$1"
	expect "bytes received" "${ANSWER#ok }" -eq "$1"
	told_ok server send "$1"
	told_ok client recv "$1"
	expect "bytes received" "${ANSWER#ok }" -eq "$1"
}

# Nothing reaches the peer any more: an error within the user timeout.
times_out() {
	local begun

	now_ms
	begun=$NOW
	told_ok client send 5000
	told_error ETIMEDOUT client recv 1
	now_ms
	expect "ms to the error" $((NOW - begun)) -ge $((SHORT_MS - 100))
	expect "ms to the error" $((NOW - begun)) -lt $((SHORT_MS + LATE_MS))
}

# Frames of PRP that a device has received, as an upper device counts them
received() {
	in_node "$1" cat /proc/net/dev |
		sed -n "s/^ *$2: *[0-9]* *\([0-9]*\) .*/\1/p"
}

# second_port NODE: q0 with address 10 + NODE, its other end on the wire
second_port() {
	ip -n "$WIRE" link add "v$1" mtu 1500 type veth peer name q0 \
		address "$(mac $((10 + $1)))" netns "$NODE-$1"
	ip -n "$WIRE" -batch - <<-EOF
	link set v$1 master br0
	link set v$1 addrgenmode none up
	EOF
	ip -n "$NODE-$1" link set q0 gso_max_segs 1 addrgenmode none up
}

# silent_third: both nodes know a node 3, which is not there
silent_third() {
	local nr

	for nr in 1 2; do
		{
			hosts 2
			echo "3 n3 $(mac 3)"
		} | prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
}

# open_all_states: connections in every state, held by client and server
open_all_states() {
	silent_third
	hold server 2
	hold client 1
	told_ok server listen $PORT 20
	told_ok client listen $PORT 20
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client keep			# open, idle
	told_ok server keep
	told_ok client connect 2 $PORT
	told_ok client keep			# nobody accepts it
	told_ok client connect 2 $PORT
	told_ok client fill
	told_ok client keep			# nobody reads
	told_ok client connect 2 $PORT
	told_ok client finish
	told_ok client keep			# half closed
	told_ok client connect 2 $PORT
	told_ok client fill
	told_ok client close			# an orphan with data
	told_ok client connect 2 $PORT
	told_ok client close			# it has left
	told_error EINPROGRESS client start 3 $PORT
	told_ok client keep			# half open
	told_ok server connect 1 $PORT
	told_ok server keep			# a child of node 1
}

close_all_states() {
	release client
	release server
}
