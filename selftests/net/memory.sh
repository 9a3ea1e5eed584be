#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who pays for what is held for readers who do not read: the cgroup of the
# socket, the namespace, the machine; and that others go on.
. "$(dirname "$0")/../lib/lib.sh"

PORT=5000		# prp_xfer has 4000
MANY=40			# connections that nobody reads
HOGS=20			# namespaces full of them
CGROUPS=/sys/fs/cgroup
CGROUP=
GENERATIONS=/sys/kernel/mm/lru_gen/enabled
GENERATIONS_WERE=

# A cgroup of the case's own, with that bound
cgroup() {
	mountpoint -q $CGROUPS || mount -t cgroup2 none $CGROUPS
	[ -e $CGROUPS/cgroup.controllers ] || fail "no cgroups of version 2"
	echo +memory >$CGROUPS/cgroup.subtree_control
	CGROUP=$CGROUPS/$NODE
	mkdir "$CGROUP"
	echo "$1" >"$CGROUP/memory.max"
	AT_END=no_cgroup
}

no_cgroup() {
	local pid

	for pid in $(jobs -p); do
		echo "$pid" >$CGROUPS/cgroup.procs || :
	done 2>/dev/null
	find "$CGROUP" -depth -type d -exec rmdir {} + || :
	[ -z "$GENERATIONS_WERE" ] || echo "$GENERATIONS_WERE" >$GENERATIONS
}

# in_cgroup PID: what it makes from now on is charged there
in_cgroup() {
	echo "$1" >"$CGROUP/cgroup.procs"
}

# charged KEY: of the cgroup's memory.stat
charged() {
	awk -v key="$1" '$1 == key { print $2 }' "$CGROUP/memory.stat"
}

charged_is() {
	test "$(charged sock)" "$1" "$2"
}

current() {
	cat "$CGROUP/memory.current"
}

killed() {
	awk '$1 == "oom_kill" { print $2 }' "$CGROUP/memory.events"
}

# many_unread COUNT: connections from node 1 that the server, on node 2 and in
# the cgroup, accepts and does not read, filled until nothing goes any more
many_unread() {
	local nr

	for ((nr = 0; nr < $1; nr++)); do
		told_ok client connect 2 $PORT
		told_ok server accept
		told_ok client fill
		told_ok client keep
		told_ok server keep
	done
}

memory__unread_bytes_are_charged_to_the_cgroup() {
	two_nodes
	cgroup $((32 << 20))
	hold server 2
	in_cgroup "${HOLD_PID[server]}"
	hold client 1
	told_ok server listen $PORT $MANY
	many_unread $MANY
	wait_for "much is charged" charged_is -ge $((16 << 20))
	expect "bytes charged for sockets" "$(charged sock)" -le $((32 << 20))
	expect "bytes charged" "$(current)" -le $((33 << 20))
	expect "killed" "$(killed)" -eq 0
	# who has a socket there is served all the same
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send 1000
	told_ok server recv 1000
	told_ok server send 1000
	told_ok client recv 1000
	release client
	release server
	wait_for "all is given back" charged_is -eq 0
}

# A stream whose server has its memory, and its reader none to spare
memory__a_stream_goes_on_in_a_full_cgroup() {
	local full

	two_nodes
	cgroup $((32 << 20))
	hold server 2
	in_cgroup "${HOLD_PID[server]}"
	hold client 1
	told_ok server listen $PORT $MANY
	stopped_server -z 8000000
	in_cgroup $SERVER
	many_unread $MANY
	full=$(current)
	expect "bytes charged" "$full" -ge $((26 << 20))
	kill -CONT $SERVER
	run prp_xfer -o client -c "$NODE-1" -a 2 -z 8000000
	wait $SERVER || fail "$(cat "$SERVER_SAYS")"
	OUT=$(grep hash "$SERVER_SAYS")
	expect "hash" "$(val hash)" = ok
	expect "killed" "$(killed)" -eq 0
	expect "bytes charged" "$(current)" -le $((33 << 20))
	release client
	release server
}

# Pages of files are reclaimed for whoever allocates next: a cgroup that is full
# of them is not full, whichever cgroup below has them. The kernel has them in
# generations (y), or in lists of active and inactive ones (n).
files_leave_room() {
	local generations=$1 reader=$2 reads=$3
	# what a debug kernel needs to have files open is large, too
	local bound=$(((SLOW > 1 ? 128 : 32) << 20)) files

	two_nodes
	# before: what it takes to find them is not to be charged
	files=$(find /usr/lib/*-linux-gnu -maxdepth 1 -type f -size +300k)
	# or those of the case before would be there, charged to nobody
	echo 1 >/proc/sys/vm/drop_caches
	cgroup $bound
	GENERATIONS_WERE=$(<$GENERATIONS)
	echo "$generations" >$GENERATIONS
	if [ "$reader" != . ]; then
		mkdir -p "$CGROUP/$reader" "$CGROUP/$reads"
		echo +memory >"$CGROUP/cgroup.subtree_control"
	fi
	paused_server -z 8000000
	echo "$SERVER" >"$CGROUP/$reader/cgroup.procs"
	sh -c "echo \$\$ >$CGROUP/$reads/cgroup.procs
		xargs cat" <<<"$files" | head -c $((bound * 2)) >/dev/null
	expect "bytes charged" "$(current)" -ge $((bound / 16 * 15))
	expect "bytes of files" "$(charged file)" -ge $((bound / 2))
	prp_xfer -o client -c "$NODE-1" -a 2 -z 8000000 >/dev/null &
	CLIENT=$!
	wait_for "it is accepted" server_pauses
	wait_for "no more may come" counter_is 1 probes_out -gt 0
	wait_for "what came is charged" charged_is -ge $((512 << 10))
	kill -CONT $SERVER
	wait $CLIENT || fail "the client failed"
	wait $SERVER || fail "$(cat "$SERVER_SAYS")"
	OUT=$(grep hash "$SERVER_SAYS")
	expect "hash" "$(val hash)" = ok
	# reclaiming is the reader's, for what comes in cannot wait for it: on a
	# busy machine some comes before its memory is there
	expect "segments without memory" "$(counter 2 drop_overrun)" \
		-le $(($(counter 1 segs_out) / 100))
	expect "killed" "$(killed)" -eq 0
}

memory__files_leave_room() {
	files_leave_room n . .
}

memory__files_in_generations_leave_room() {
	files_leave_room y . .
}

memory__files_of_another_cgroup_leave_room() {
	files_leave_room n reader files
}

# What came before accept() is little, and charged to who accepts it.
memory__accept_takes_over_what_came() {
	two_nodes
	cgroup max
	hold server 2
	in_cgroup "${HOLD_PID[server]}"
	hold client 1
	told_ok server listen $PORT $MANY
	told_ok client connect 2 $PORT
	told_ok client send 5000
	wait_for "it has come" counter_is 2 segs_in -ge 4
	expect "bytes charged before accept()" "$(charged sock)" -eq 0
	told_ok server accept
	wait_for "it is charged" charged_is -ge 8192
	told_ok server recv 5000
	release client
	release server
	wait_for "all is given back" charged_is -eq 0
}

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
	AT_END=machine_again
	prpctl -n "$NODE-1" memory machine "$1"
}

machine_again() {
	prpctl -n "$NODE-1" memory machine "$MACHINE"
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
	[[ $most != *machine* ]] || fail "of the machine, to a user: $most"
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
	# the administrator of a user namespace sees his own, and sets none
	refused "machine" CAP_NET_ADMIN unshare -rn prpctl memory machine 1M
	refused "namespace" CAP_NET_ADMIN unshare -rn prpctl memory namespace 1M
	expect "lines that he sees" "$(unshare -rn prpctl memory | wc -l)" -eq 1
}

run_cases
