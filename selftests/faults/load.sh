#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module comes and goes while allocations fail, while it is in use and
# after programs that used it have crashed.
. "$(dirname "$0")/../lib/lib.sh"

FAULTS=/sys/kernel/debug

# Of a failure to describe a module's events the core kernel itself warns.
# Whose warning it is shows the console, which vm/kernel.sh reads.
cores_warning() {
	local tainted

	read -r tainted </proc/sys/kernel/tainted
	TAINTED=$((TAINTED | tainted & 1 << 9))
}

# Every allocation of the loader, of all rooms' init and, since namespaces
# are there, of each namespace's: when one fails, nothing stays.
load__half_way_through_failed_initialisation() {
	local kind

	LEAVES_CONNECTIONS=yes
	two_nodes
	for kind in failslab fail_page_alloc; do
		echo N >$FAULTS/$kind/ignore-gfp-wait
		echo 0 >$FAULTS/$kind/verbose
	done
	echo 0 >$FAULTS/fail_page_alloc/min-order
	[ ! -d $FAULTS/fail_usercopy ] || echo 0 >$FAULTS/fail_usercopy/verbose
	wait_for "no socket is left" module_unused
	rmmod prp
	run fail_load "$PRP_MODULE" 1
	cores_warning
	expect "loads that failed" "$(val failed)" -ge 30
	for nr in 1 2; do
		hosts 2 | prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
	xfer -z 100000 -d
}

# Asked to go again and again while connections come and go
load__unload_under_load() {
	local round gone=0 nr xfers=()

	LEAVES_CONNECTIONS=yes
	two_nodes
	for ((round = 0; round < 10; round++)); do
		prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -z 200000 -n 3 -d \
			>/dev/null 2>&1 &
		xfers=($!)
		while kill -0 "${xfers[0]}" 2>/dev/null; do
			rmmod prp 2>/dev/null || continue
			gone=$((gone + 1))
			insmod "$PRP_MODULE"
			for nr in 1 2; do
				hosts 2 | prpctl -n "$NODE-$nr" hosts setup \
					-f - >/dev/null
			done
		done
		wait || :
	done
	say "it went $gone times in between"
	wait_for "no socket is left" module_unused
	reload
	for nr in 1 2; do
		hosts 2 | prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
	xfer -z 100000 -d
}

# Killed in the middle of everything: what they had goes by itself.
load__unload_after_crashes_of_owners() {
	local pid round

	LEAVES_CONNECTIONS=yes
	two_nodes
	for ((round = 0; round < 5; round++)); do
		prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -u -L 60 \
			>/dev/null 2>&1 &
		pid=$!
		wait_for "segments arrive" counter_is 2 segs_in -gt 50
		# the end of its children may end it first
		pkill -KILL -P "$pid" || :
		kill -KILL "$pid" 2>/dev/null || :
		wait || :
		wait_for "no socket is left" module_unused
		reload
		for nr in 1 2; do
			hosts 2 | prpctl -n "$NODE-$nr" hosts setup -f - \
				>/dev/null
		done
	done
	xfer -z 100000 -d
}

run_cases
