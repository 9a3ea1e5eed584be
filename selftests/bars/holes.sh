#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long a request waits for its reply when the way stops carrying frames as
# long as both of them: until shorter ones go, 200 ms or twenty round trips,
# whichever is longer.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

LOSS= # of 10,000 frames
ROUNDS=$(amount 2000 2000 20000)

# hole_within MS MTU [NETEM...]: while requests and replies go to and fro; the
# way becomes as narrow as that, and those are what else is wrong with it
hole_within() {
	local limit=$1 mtu=$2 nr

	shift 2
	two_bridges "$@"
	[ -z "$LOSS" ] || for nr in 1 2; do
		bad_wire $nr drop=$LOSS seed=$nr
	done
	RESULT=$(mktemp)
	prp_pingpong -c "$NODE-1" -s "$NODE-2" -a 2 -z 1400 -n "$ROUNDS" \
		>"$RESULT" 2>&1 &
	wait_for "a hundred rounds" counter_is 2 segs_in -gt 100
	narrow "$mtu"
	wait $! || fail "$(cat "$RESULT")"
	OUT=$(cat "$RESULT")
	say "p50 $(val p50) p99 $(val p99) max $(val max) ns"
	expect "searches" $(($(counter 1 sizes_found) +
		$(counter 2 sizes_found))) -ge 1
	expect "longest wait in us" $(($(val max) / 1000)) \
		-lt $((limit * 1000))
}

holes__of_1000_bytes() {
	hole_within 200 1000
}

# The smallest that there is: a segment becomes many
holes__of_68_bytes() {
	hole_within 200 68
}

# Twenty round trips of 40 ms, for the request and then for its reply: five to
# lose a segment twice, ten at most to ask five times, two for the ladder
holes__of_a_long_way() {
	ROUNDS=200
	hole_within 1600 1000 delay 20ms
}

# What is lost by chance as well makes it harder to see
holes__of_a_way_that_loses() {
	LOSS=100
	hole_within 200 1000
}

run_bars holes__of_1000_bytes holes__of_a_long_way \
	holes__of_a_way_that_loses
