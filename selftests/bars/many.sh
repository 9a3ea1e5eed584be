#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many connections that do nothing: the slab that each end takes, with its
# socket, file and inode, and all of its memory; and that it keeps nothing of
# the pool; and that the last ones are opened for little more than the first.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/many.sh"
. "$(dirname "$0")/lib_bars.sh"

# Bytes an end, of which file, inode and name, as any socket has, are 1.4 KiB;
# and of what is in six slabs each of them may end with 16 KiB for one object
SLAB_MOST=4096
slab_most() { echo $((SLAB_MOST + 6 * 16384 / (2 * $1))); }

# With the rest, as what the processes have for their descriptors, and 4 MiB
# that the kernel may keep at hand
all_most() { echo $((SLAB_MOST + 1024 + (4 << 20) / (2 * $1))); }

# What the last hundred may take to open, of what the first did, in tenths: they
# have to get pages where the first found some, and of 50,000 seven of eight
# automatic ports go where they go.
LAST_MOST=22

# A few bytes more and each is a third larger: the part of a connection that
# devices write is aligned to that.
CONN_MOST=1536
many__object() {
	expect "bytes of a connection" \
		"$(awk '$1 == "prp_conn" { print $4 }' /proc/slabinfo)" \
		-le $CONN_MOST
}

is_small() {
	[ "$(an_end slab "$1")" -le "$(slab_most "$1")" ] &&
		[ "$(an_end all "$1")" -le "$(all_most "$1")" ] &&
		counter_is 1 pool_bytes -eq 0 && counter_is 2 pool_bytes -eq 0
}

# idle COUNT BYTES: so many bytes each, then what is left of it goes
idle() {
	local opened

	two_nodes
	at_hand 10000
	# whose first ones fill caches of the kernel's
	many 100 "$2"
	done_with_many
	wait_for "they are gone" all_freed
	many "$1" "$2"
	opened="first $(val first), last $(val last)"
	say "$1 connections: instructions to open: $opened"
	say "bytes an end, at once: $(an_end slab "$1") of slab," \
		"$(an_end all "$1") in all"
	expect "tenths of that, the last" \
		$((10 * $(val last) / $(val first))) -le $LAST_MOST
	wait_for "$(slab_most "$1") of slab, $(all_most "$1") in all, at most" \
		is_small "$1"
	say "idle: $(an_end slab "$1") of slab, $(an_end all "$1") in all"
	done_with_many
	at_hand 0
}

many__idle_1000() {
	idle 1000 4
}

many__idle_10000() {
	idle 10000 4
}

# More than there are automatic ports
many__idle_50000() {
	idle 50000 4
}

# More than the pool has room for at once, if each kept something of it
many__idle_after_bulk() {
	idle "$(amount 300 1500)" 100000
}

# What TCP takes is told, not judged.
many__idle_beside_tcp() {
	two_nodes
	ADDRESS=10.9.0.2 many 1000 4 -t
	say "TCP: instructions to open: first $(val first), last $(val last)"
	say "in all $(an_end all 1000) bytes an end"
	expect "TCP's slab an end" "$(an_end slab 1000)" -gt 0
	done_with_many
}

run_bars many__object many__idle_after_bulk
