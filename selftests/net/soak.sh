#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A day of a cluster's life in ten minutes, PRP_LONG=1, or in some seconds: two
# nodes with two rails, over which transfers go, one after the other, checked by
# hash, while loss, delay, copies and the rate change, links flap, rails go and
# come, and other programs are killed in mid-stream. At the end both nodes hold
# what they held at the beginning. What happens follows from a seed, which is
# said.
. "$(dirname "$0")/../lib/lib.sh"

ROUNDS=6		# at least

# pick NUMBER...: one of them in $PICKED; said of the seed
pick() {
	shift $((RANDOM % $#))
	PICKED=$1
}

# worse NODE PEER: what that node receives meets other faults from now on
worse() {
	local words=() way

	pick 0 0.1 1 5
	words+=(loss "$PICKED")
	pick 1 2 3
	words+=(delay "$PICKED")
	pick 0 1
	words+=(duplicate "$PICKED" seed $((RANDOM + 1)))
	way=${words[*]}
	prpctl -n "$NODE-$1" fault add "n$2" "${words[@]}" 2>/dev/null
	say "node $1: $way"
}

# slower NODE RAIL: another rate, or none
slower() {
	pick "" 20mbit 100mbit
	if [ -n "$PICKED" ]; then
		tc -n "$NODE-$1" qdisc replace dev "p$2" root tbf \
			rate "$PICKED" burst 20000 limit 200000
	else
		tc -n "$NODE-$1" qdisc del dev "p$2" root 2>/dev/null || :
	fi
	say "node $1, rail $2: rate ${PICKED:-of the wire}"
}

# flap NODE RAIL: the link is gone, then there again
flap() {
	ip -n "$NODE-$1" link set "p$2" down
	moves
	ip -n "$NODE-$1" link set "p$2" up
	say "node $1, rail $2: down and up"
}

# go NODE RAIL: the device itself goes; another one comes in its place
go() {
	local peer=$((3 - $1))

	ip -n "$NODE-$1" link del "p$2"
	moves
	ip -n "$NODE-$1" link add "p$2" address "$(mac "$1" "$2")" type veth \
		peer name "p$2" address "$(mac $peer "$2")" \
		netns "$NODE-$peer"
	ip -n "$NODE-$1" link set "p$2" addrgenmode none up
	ip -n "$NODE-$peer" link set "p$2" addrgenmode none up
	say "rail $2: went and came"
}

# moves: more has arrived at node 2, or all of it
moves() {
	MOVED=$(counter 2 segs_in)
	wait_for "it moves" has_moved
}

has_moved() {
	! kill -0 "$XFER" 2>/dev/null || counter_is 2 segs_in -gt $((MOVED + 20))
}

# killed: a client and a server in mid-stream, one after the other
killed() {
	hold "server$1" 2
	hold "client$1" 1
	told_ok "server$1" listen $((5000 + $1)) 8
	told_ok "client$1" connect 2 $((5000 + $1))
	told_ok "server$1" accept
	told_ok "client$1" fill
	pick client server
	kill -KILL "${HOLD_PID[$PICKED$1]}"
	say "killed: $PICKED"
	pick client server
	kill -KILL "${HOLD_PID[$PICKED$1]}" 2>/dev/null || :
	kill -KILL "${HOLD_PID[client$1]}" "${HOLD_PID[server$1]}" \
		2>/dev/null || :
	# the shell says nothing of it
	wait "${HOLD_PID[client$1]}" "${HOLD_PID[server$1]}" 2>/dev/null || :
}

# one NUMBER: transfers, both ways, and what befalls them
one() {
	local out rail node

	worse 1 2
	worse 2 1
	pick 0 1
	rail=$PICKED
	pick 1 2
	node=$PICKED
	slower $node $rail
	out=$(mktemp)
	pick 1000 16384 65536
	prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -d -L $((120 * SLOW)) -n 2 \
		-z 1000000 -k "$PICKED" >"$out" 2>&1 &
	XFER=$!
	moves
	case $(($1 % 4)) in
	0)	flap $node $rail ;;
	1)	go $node $rail ;;
	2)	killed "$1" ;;
	esac
	wait $XFER || fail "$(cat "$out")"
	OUT=$(cat "$out")
	rm "$out"
	[ "$(val hash)" = ok ] || fail "$OUT"
}

# held NODE: all that it holds, but for what it knows of the other one
held() {
	local all

	all=$(prpctl -j -n "$NODE-$1" stats show)
	grep -oE '"live_[a-z]*": *[0-9]+' <<<"$all" | grep -v -e peers -e ways |
		tr -d ' \n'
	prpctl -j -n "$NODE-$1" memory show | grep -oE '"bytes": *[0-9]+' |
		tr -d ' \n'
}

holds() {
	HELD=$(held "$1")
	[ "$HELD" = "${AT_FIRST[$1]}" ]
}

available() {
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

soak__all_is_as_it_was() {
	local seed=${SEED:-$(date +%s)} nr=0 end memory node
	local -A AT_FIRST

	RANDOM=$((seed % 32768))
	say "SEED=$((seed % 32768))"
	linked_nodes 2 1-2-0 1-2-1
	xfer -z 100000 -d
	LIMIT_MS=30000 wait_for "all is closed" all_freed
	wait_for "closed records are gone" counter_is 1 live_records -eq 0
	wait_for "closed records are gone" counter_is 2 live_records -eq 0
	AT_FIRST[1]=$(held 1)
	AT_FIRST[2]=$(held 2)
	say "held: ${AT_FIRST[1]}"
	now_ms
	end=$NOW
	[ -z "${PRP_LONG:-}" ] || end=$((NOW + 600000))
	while [ $nr -lt $ROUNDS ] || [ "$NOW" -lt "$end" ]; do
		nr=$((nr + 1))
		one $nr
		[ $nr != 2 ] || memory=$(available)
		now_ms
	done
	say "$nr rounds"
	for node in 1 2; do
		prpctl -n "$NODE-$node" fault flush
	done
	LIMIT_MS=$((90000 * SLOW)) wait_for "all is closed" all_freed
	for node in 1 2; do
		wait_for "node $node holds what it held" holds $node
	done
	expect "KiB of memory that are gone" $((memory - $(available))) \
		-lt 20000
}

run_cases
