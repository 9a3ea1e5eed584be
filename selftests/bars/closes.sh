#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections closed a second, while nothing that acknowledges the last end of
# any of them arrives: whoever asks later is told that it did.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

COUNT=$(amount 3000 7500)
CLOSES_S=3000		# they come within the 3 s of a record

closes__are_no_resets() {
	local from to client

	wired_nodes 2
	bad_wire 1
	bad_wire 2 drop_ack=10000
	exec {to}<> <(:) {from}<> <(:)
	prp_closes "$NODE-1" "$NODE-2" 2 4000 "$COUNT" <"/dev/fd/$to" \
		>"/dev/fd/$from" &
	client=$!
	read -r -t 300 OUT <&"$from" || fail "nothing was closed"
	expect "acknowledgments dropped" "$(wire_val 2 ack_dropped)" -ge "$COUNT"
	bad_wire 2
	expect "closed in a second" \
		$(($(val closed) * 1000 / $(val ms))) -ge $CLOSES_S
	echo >&"$to"
	wait $client || fail "prp_closes failed"
	read -r -t 60 OUT <&"$from"
	expect "errors" "$(val errors)" -eq 0
	expect "records given up for room" "$(counter 2 records_evicted)" -eq 0
	expect "resets" "$(counter 2 resets_out)" -eq 0
}

run_bars
