#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many connections that do nothing: the slab that each end takes, with its
# socket, file and inode. What the first and the last took to open is told, not
# judged: the last ones have to get pages where the first found some.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

# Bytes an end, of which file, inode and name, as any socket has, are 1.4 KiB;
# and of what is in six slabs each of them may end with 16 KiB for one object
SLAB_MOST=4096
slab_most() { echo $((SLAB_MOST + 6 * 16384 / (2 * $1))); }

# many COUNT BYTES [-t]: open them; then their slab is asked for by slab_an_end
many() {
	exec {TO}<> <(:) {FROM}<> <(:)
	# shellcheck disable=SC2086
	prp_many ${3:-} "$NODE-1" "$NODE-2" "${ADDRESS:-2}" 4000 "$1" "$2" \
		<"/dev/fd/$TO" >"/dev/fd/$FROM" &
	MANY=$!
	read -r -t 300 OUT <&"$FROM" || fail "they were not opened"
}

# Bytes of slab that each of COUNT connections takes at each end
slab_an_end() {
	echo >&"$TO"
	read -r -t 60 OUT <&"$FROM"
	echo $((($(val slab) - $(val before)) * 512 / $1))
}

slab_is_small() { [ "$(slab_an_end "$1")" -le "$(slab_most "$1")" ]; }

done_with_many() {
	exec {TO}>&- {FROM}>&-
	kill $MANY
	wait $MANY || :
}

# idle COUNT BYTES: so many bytes each, then what is left of it goes
idle() {
	local opened

	two_nodes
	many "$1" "$2"
	opened="first $(val first), last $(val last)"
	say "$1 connections: instructions to open: $opened"
	say "slab an end, at once: $(slab_an_end "$1") bytes"
	wait_for "no more than $(slab_most "$1") bytes of slab an end" \
		slab_is_small "$1"
	say "slab an end, idle: $(slab_an_end "$1") bytes"
	done_with_many
}

many__idle_1000() {
	idle 1000 4
}

many__idle_10000() {
	idle 10000 4
}

many__idle_after_bulk() {
	idle 300 100000
}

# What TCP takes is told, not judged.
many__idle_beside_tcp() {
	two_nodes
	ADDRESS=10.9.0.2 many 1000 4 -t
	say "TCP: instructions to open: first $(val first), last $(val last)"
	expect "TCP's slab an end" "$(slab_an_end 1000)" -gt 0
	done_with_many
}

run_bars many__idle_after_bulk
