#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of check.sh that runs inside a debug kernel, in the folder of the
# kselftests: its arguments are those of run_kselftest.sh. What the checkers
# that speak only when asked have found follows as results of its own.
set -u

DEBUG=/sys/kernel/debug
mount -t debugfs none $DEBUG 2>/dev/null

# A debug kernel is slow; what hangs ends with the machine's time.
for settings in prp/settings prp/*/settings; do
	echo timeout=0 >"$settings"
done

verdict() {
	local rc=$1 what=$2

	[ "$rc" = 0 ] || printf 'not '
	echo "ok 1 selftests: kernel: $what"
}

# leaks: all that kmemleak has found but names of caches that the core kernel
# loses itself when it cannot show a new cache in sysfs, as faults/load.sh
# makes it
leaks() {
	awk '
	function flush() {
		if (record !~ /fail_load.*kobject_set_name.* sysfs_slab_add/)
			printf "%s", record
		record = ""
	}
	/^unreferenced object/	{ flush() }
				{ record = record $0 "\n" }
	END			{ flush() }' $DEBUG/kmemleak
}

# kmemleak takes what it sees for lost only when it is some seconds old and has
# not changed since it was first seen without a reference; a stale one on a
# stack may hide it from the first look.
no_leak() {
	local look found

	for look in 1 2 3; do
		[ $look = 1 ] || sleep 6
		echo scan >$DEBUG/kmemleak
		found=$(leaks) || return
		if [ -n "$found" ]; then
			sed 's/^/# /' <<<"$found" | head -n 200
			return 1
		fi
	done
}

lockdep_lives() {
	grep -q 'debug_locks: *1' /proc/lockdep_stats
}

# Bits of what is no complaint: a processor told to have less than it has (2),
# a module from out of the tree (12), unsigned (13). Warnings (9) run.sh has
# seen on the console, which tells PRP's from the one that faults/load.sh makes
# the core kernel print.
not_tainted() {
	local tainted

	read -r tainted </proc/sys/kernel/tainted
	[ $((tainted & ~(1 << 2 | 1 << 9 | 1 << 12 | 1 << 13))) = 0 ]
}

status=0
[ $# = 0 ] || ./run_kselftest.sh "$@" || status=$?
if [ -e $DEBUG/kmemleak ]; then
	no_leak
	verdict $? "kmemleak finds nothing"
fi
if [ -e /proc/lockdep_stats ]; then
	lockdep_lives
	verdict $? "lockdep has not turned itself off"
fi
not_tainted
verdict $? "nothing has tainted it"
exit $status
