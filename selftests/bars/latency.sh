#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Request and reply when one frame in a hundred is lost each way. TCP waits
# 200 ms for a lone lost segment: its 99th percentile is 206 ms.
#
# And the time to the first byte: accept() waits for the frame that shows that
# the client is there, which costs a server that speaks first one way more.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

ROUNDS=$(amount 1000 5000 10000)

lossy_pingpong() {
	wired_nodes 2 rate 1gbit delay 20us
	bad_wire 1 drop=100 seed="$1"
	bad_wire 2 drop=100 seed=$(($1 + 100))
	pingpong -z 64 -n "$ROUNDS"
	expect "frames lost" \
		$(($(wire_val 1 dropped) + $(wire_val 2 dropped))) \
		-ge $((ROUNDS / 100))
	say "avg $(val avg) p50 $(val p50) p99 $(val p99) p999 $(val p999)" \
		"max $(val max) ns"
	expect "99th percentile in ns" "$(val p99)" -lt 5000000
	# of fewer rounds that is the longest one
	[ "$(amount guard bar)" = guard ] ||
		expect "99.9th percentile in ns" "$(val p999)" -lt 5000000
}

latency__1_percent_lost_seed_1() {
	lossy_pingpong 1
}

latency__1_percent_lost_seed_2() {
	lossy_pingpong 2
}

latency__1_percent_lost_seed_3() {
	lossy_pingpong 3
}

WAY_US=20000
PORT=4000

# first_byte FROM TO: from connect() of the client until that one, "client" or
# "server", has the first byte of the other one; leaves in $TOOK the us
first_byte() {
	local start name requests answers

	# time jumps when there are no instructions to be executed
	nice -n 19 sh -c 'while :; do :; done' &
	wired_nodes 2 delay ${WAY_US}us
	hold server 2
	hold client 1
	told_ok server listen $PORT 8
	# now all that it takes is loaded
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client close
	told_ok server close
	wait_for "that is over" counter_is 1 live_conns -eq 0
	bad_wire 1
	bad_wire 2
	requests=$(counter 1 requests_retransmitted)
	answers=$(counter 2 answers_retransmitted)
	printf 'accept\n%s\n' "$([ "$1" = server ] && echo send 1 ||
		echo recv 1)" >&"${HOLD_IN[server]}"
	start=${EPOCHREALTIME/./}
	printf 'connect 2 %s\n%s\n' $PORT "$([ "$1" = client ] && echo send 1 ||
		echo recv 1)" >&"${HOLD_IN[client]}"
	for name in 1 2; do
		read -r -t 60 ANSWER <&"${HOLD_OUT[$2]}" || fail "no answer"
		[[ $ANSWER == ok* ]] || fail "$ANSWER"
	done
	TOOK=$((${EPOCHREALTIME/./} - start))
	read -r -t 60 ANSWER <&"${HOLD_OUT[$1]}"
	read -r -t 60 ANSWER <&"${HOLD_OUT[$1]}"
	expect "requests" $(($(wire_val 1 req_frames) -
		$(counter 1 requests_retransmitted) + requests)) -eq 1
	expect "answers" $(($(wire_val 2 ans_frames) -
		$(counter 2 answers_retransmitted) + answers)) -eq 1
	expect "segments" $(($(wire_val 1 seg_frames) +
		$(wire_val 2 seg_frames))) -eq 1
	release client
	release server
}

# ways NUMBER: so many frames, one behind the other, were under way
ways() {
	expect "us of $1 ways" "$TOOK" -ge $(($1 * WAY_US))
	expect "us of $1 ways" "$TOOK" -lt $((($1 + 1) * WAY_US))
}

# request, answer, first byte
latency__first_byte_of_a_client() {
	first_byte client server
	ways 3
}

# request, answer, what shows that the client is there, first byte
latency__first_byte_of_a_server() {
	first_byte server client
	ways 4
}

run_bars latency__1_percent_lost_seed_1 latency__first_byte_of_a_client \
	latency__first_byte_of_a_server
