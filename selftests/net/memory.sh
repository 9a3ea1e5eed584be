#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is held for readers who do not read: the bounds of the namespace and of
# the machine; and that others go on.
. "$(dirname "$0")/../lib.sh"

PORT=5000		# prp_xfer has 4000
HOGS=20			# namespaces full of them

# Each of 16 clients has 200 KB for a listener that nobody serves.
memory__before_accept_is_bounded() {
	local client

	two_nodes
	stopped_server -n 16 -z 200000
	prp_xfer -o client -c "$NODE-1" -a 2 -n 16 -z 200000 >/dev/null &
	client=$!
	wait_for "none may send more" counter_is 1 probes_out -ge 32
	expect "bytes of the pool held" "$(counter 2 pool_bytes)" \
		-le $((16 * 64 * 1024))
	expect "segments that came" "$(counter 2 segs_in)" -le $((16 * 16))
	kill -CONT $SERVER
	wait $client || fail "the client failed"
	wait $SERVER || fail "$(cat "$SERVER_SAYS")"
	OUT=$(grep hash "$SERVER_SAYS")
	expect "hash" "$(val hash)" = ok
}

# memory_of NODE KEY: what prpctl says of it
memory_of() {
	local all

	all=$(prpctl -j -n "$NODE-$1" memory)
	[[ $all =~ \""$2"\":[[:space:]]*([0-9]+|null) ]] ||
		fail "no $2 in: $all"
	echo "${BASH_REMATCH[1]}"
}

nothing_held() {
	[ "$(memory_of 1 machine_bytes)" = 0 ]
}

# The machine's bound again, whatever becomes of the case
bounded() {
	wait_for "others hold nothing any more" nothing_held
	MACHINE=$(memory_of 1 machine_limit)
	trap 'machine_again' EXIT
	prpctl -n "$NODE-1" memory machine "$1"
}

machine_again() {
	local rc=$?

	prpctl -n "$NODE-1" memory machine "$MACHINE"
	(exit $rc)
	clean_up
}

# hog NODE: it talks to itself, and does not listen
hog() {
	hold "hog$1" "$1"
	told_ok "hog$1" listen $PORT 8
	for _ in 1 2 3; do
		told_ok "hog$1" connect "$1" $PORT
		told_ok "hog$1" fill
		told_ok "hog$1" keep
		told_ok "hog$1" accept
		told_ok "hog$1" fill
		told_ok "hog$1" keep
	done
}

# Twenty namespaces, one after the other, take what they can get of 64 MiB:
# who comes later has something, too.
memory__twenty_namespaces() {
	local nr sum=0

	wired_nodes $((HOGS + 2))
	bounded 64M
	for ((nr = 3; nr <= HOGS + 2; nr++)); do
		hog $nr
	done
	for ((nr = 3; nr <= HOGS + 2; nr++)); do
		sum=$((sum + $(memory_of $nr bytes)))
	done
	expect "bytes of all" "$(memory_of 1 machine_bytes)" -le $((64 << 20))
	expect "bytes that the twenty hold" $sum -ge $((40 << 20))
	expect "bytes left for node 1" "$(memory_of 1 most)" -ge $((512 << 10))
	xfer -z 8000000 -d
	for ((nr = 3; nr <= HOGS + 2; nr++)); do
		release hog$nr
	done
}

# Those of user namespaces have a half, all together.
memory__user_namespaces() {
	local most

	two_nodes
	bounded 64M
	most=$(unshare -rn prpctl -j memory)
	[[ $most =~ \"most\":[[:space:]]*([0-9]+) ]] || fail "no most in: $most"
	expect "bytes for one of a user" "${BASH_REMATCH[1]}" \
		-eq $(((32 << 20) / 9))
	expect "bytes for one of root's" "$(memory_of 1 most)" \
		-eq $(((64 << 20) / 9))
	most=$(prpctl -j memory)
	[[ $most =~ \"most\":[[:space:]]*([0-9]+) ]] || fail "no most in: $most"
	expect "bytes for the machine's own" "${BASH_REMATCH[1]}" \
		-eq $((32 << 20))
}

# At 0 there are only the reserves; the transfer ends all the same.
memory__bounds_of_a_namespace() {
	two_nodes
	prpctl -n "$NODE-2" memory namespace 0
	expect "limit" "$(memory_of 2 limit)" -eq 0
	xfer -z 2000000 -d
	expect "bytes held" "$(memory_of 2 bytes)" -eq 0
	prpctl -n "$NODE-2" memory namespace 64K
	expect "limit" "$(memory_of 2 limit)" -eq 65536
	expect "of node 1" "$(memory_of 1 limit)" = null
	xfer -z 2000000 -d
	prpctl -n "$NODE-2" memory namespace none
	expect "limit" "$(memory_of 2 limit)" = null
	xfer -z 2000000 -d
}

memory__no_memory_for_the_machine() {
	two_nodes
	bounded 0
	expect "limit" "$(memory_of 2 machine_limit)" -eq 0
	expect "left" "$(memory_of 2 most)" -eq 0
	xfer -z 2000000 -d
	expect "bytes held" "$(memory_of 2 machine_bytes)" -eq 0
}

memory__bad_bounds() {
	local word

	two_nodes
	for word in "" x 1x 1KK -1 18446744073709551616 17179869184G " 1"; do
		refused "machine $word" "is no size" \
			prpctl -n "$NODE-1" memory machine "$word"
		refused "namespace $word" "is no size" \
			prpctl -n "$NODE-1" memory namespace "$word"
	done
	refused "nothing" "a size is missing" prpctl memory machine
	refused "two" not prpctl memory namespace 1 2
	refused "machine none" "no size" prpctl -n "$NODE-1" memory machine none
	refused "more than there is" "more memory than the machine has" \
		prpctl -n "$NODE-1" memory machine 1000T
	# the administrator of a user namespace sees them, and sets none
	refused "machine" CAP_NET_ADMIN unshare -rn prpctl memory machine 1M
	refused "namespace" CAP_NET_ADMIN unshare -rn prpctl memory namespace 1M
	unshare -rn prpctl memory >/dev/null || fail "not shown"
}

run_cases
