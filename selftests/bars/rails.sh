#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long a request waits for its reply when the rail goes that carried both:
# 10 ms where a device lost its carrier, three retransmission timeouts, of 50
# ms each where round trips are short, where nothing comes back any more.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

PATIENCE=
# So many that the rail goes long before the last of them: 18 us each
ROUNDS=$(amount 10000 20000 200000)

# left_in MS COMMAND...: while requests and replies go to and fro
left_in() {
	local limit=$1

	shift
	linked_nodes 2 1-2-0 1-2-1
	RESULT=$(mktemp)
	prp_pingpong -c "$NODE-1" -s "$NODE-2" -a 2 -z 64 -n "$ROUNDS" \
		${PATIENCE:+-T $PATIENCE} \
		>"$RESULT" 2>&1 &
	wait_for "a thousand rounds" counter_is 2 segs_in -gt 1000
	"$@"
	wait $! || fail "$(cat "$RESULT")"
	OUT=$(cat "$RESULT")
	say "p50 $(val p50) p99 $(val p99) ns"
	expect "rails left by node 1" "$(counter 1 rails_left)" -eq 1
	expect "longest wait in us" $(($(val max) / 1000)) \
		-lt $((limit * 1000))
}

rails__carrier_lost_here() {
	left_in 10 ip -n "$NODE-1" link set p0 down
}

rails__carrier_lost_there() {
	left_in 10 ip -n "$NODE-2" link set p0 down
}

silence() {
	local nr

	for nr in "$@"; do
		bad_link "$nr" 0 drop=10000
	done
}

rails__silent() {
	left_in 150 silence 1 2
}

# Who has less patience than that is not given up.
rails__silent_with_little_patience() {
	PATIENCE=110
	left_in 110 silence 1 2
}

rails__silent_one_way() {
	left_in 150 silence 2
}

rails__silent_the_other_way() {
	left_in 150 silence 1
}

run_bars rails__carrier_lost_here rails__silent \
	rails__silent_with_little_patience
