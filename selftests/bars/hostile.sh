#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A transfer on a link of 100 Mbit/s and 100 us, beside which somebody who
# claims to be its sender puts 10,000 short frames a second on that link: all
# that an outsider can think of, mixed. They take 6 % of the wire; of the rate
# without them at least 90 % must be left.
. "$(dirname "$0")/../lib.sh"

SIZE=$((16000000 * (PRP_LONG ? 10 : 1)))
RATE=10000
LONGEST=80		# bytes of payload and padding make no sense here
PORT=4000
FROM=30000

# rate: of one transfer, in $MBIT and $SECONDS_TAKEN
rate() {
	xfer -z $SIZE -p $PORT -b $FROM -L 600
	MBIT=$(val mbit)
	SECONDS_TAKEN=$(val seconds)
}

# drops of node 2 so far
dropped() {
	prpctl -j -n "$NODE-2" stats show | tr ',{}' '\n\n\n' |
		awk -F: '/drop_/ && !/drop_rate/ { n += $2 } END { print n }'
}

hostile__90_percent_of_the_rate() {
	local alone said pid before

	wired_nodes 2 rate 100mbit delay 100us
	rate
	alone=$MBIT
	said=$(mktemp)
	hostile "$NODE-1" p0 any seed=1 to=2 to_mac="$(mac 2)" as=1 \
		as_mac="$(mac 1)" dport=$PORT sport=$FROM closed=4444 \
		most=$LONGEST rate=$RATE \
		count=$((RATE * (SIZE / 6000000 + 1))) >"$said" &
	pid=$!
	wait_for "they come" counter_is 2 drop_no_conn -ge 100
	before=$(dropped)
	rate
	before=$(($(dropped) - before))
	wait $pid
	OUT=$(cat "$said")
	rm "$said"
	say "hostile: $OUT"
	expect_float "hostile frames sent a second" "$(val a_second)" \
		">=" "$RATE * 0.99"
	expect_float "of them dropped a second, meanwhile" \
		"$(ratio $before "$SECONDS_TAKEN")" ">=" "$RATE * 0.95"
	expect_float "$MBIT of $alone Mbit/s" "$(ratio "$MBIT" "$alone")" \
		">=" 0.9
}

run_cases
