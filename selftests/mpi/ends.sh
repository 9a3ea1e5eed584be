#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How it ends: a rank that dies is an error of the others and no hang. And that
# frames are lost is nobody's end.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

export MPI_ERROR_FILE=/dev/shm/mpi_error
LIMIT_MS=$((60000 * SLOW))	# mpiexec takes its time to start

# talking ARGUMENT...: two ranks that go on until one is killed
talking() {
	SAID=$(mktemp)
	(mpi_run "$@" "$HERE_MPI/mpi_ranks.$LIBRARY" death
	 echo "$OUT"
	 exit "$RC") >"$SAID" &
	TALK=$!
	wait_for "they talk" counter_is 2 segs_in -ge 1000
}

# rank_on NODE: the process
rank_on() {
	local pid name=mpi_ranks.$LIBRARY

	for pid in $(ip netns pids "$NODE-$1"); do
		[ "$(cat "/proc/$pid/comm")" != "${name:0:15}" ] || echo "$pid"
	done
}

# It is over soon, and was no success.
over_with_error() {
	local rc=0

	now_ms
	TOOK=$NOW
	wait "$TALK" || rc=$?
	now_ms
	OUT=$(cat "$SAID")
	rm "$SAID"
	say "ended with $rc after $((NOW - TOOK)) ms"
	expect "ms to the end" $((NOW - TOOK)) -lt $((20000 * SLOW))
	expect "exit status" "$rc" -ne 0
	expect "and is not the time limit's" "$rc" -ne 124
}

killed() {
	LIBRARY=$1
	rm -f $MPI_ERROR_FILE
	mpi_nodes 2
	talking "${@:2}"
	kill -KILL "$(rank_on 2)"
	over_with_error
}

ends__mpich_after_a_rank_is_killed() {
	killed mpich
}

ends__openmpi_after_a_rank_is_killed() {
	killed openmpi
}

# Nobody but the provider tells the other rank. MPICH gives the error to the
# program if a call returned it, but is fatal itself if a completion brought it.
ends__error_of_the_rank_that_is_left() {
	local fatal="Fatal error in internal_Sendrecv_replace"

	killed mpich -disable-auto-cleanup
	[ -s $MPI_ERROR_FILE ] ||
		grep -A 20 "$fatal" <<<"$OUT" >$MPI_ERROR_FILE ||
		fail "no MPI error: $OUT"
	say "$(tail -n 1 $MPI_ERROR_FILE)"
}

# One frame in a hundred, each way
ends__well_with_frames_lost() {
	mpi_nodes 2 drop=100 seed=5
	mpi 2 mpi_ranks send ${PRP_LONG:+collective types comm window}
	provider_is prp
	lost 50
	carried 1000000
}

run_cases
