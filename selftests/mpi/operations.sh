#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each class of MPI operations, with MPICH, Open MPI and Debian's Open MPI: what
# arrives is as it was sent, and went over PRP.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

export MPI_IO_FILE=/dev/shm/mpi_io

# operations LIBRARY "CLASS..." RANKS-NODES...
operations() {
	local layout most=0 nodes

	for layout in "${@:3}"; do
		nodes=${layout#*-}
		[ "$nodes" -le $most ] || most=$nodes
	done
	LIBRARY=$1
	mpi_nodes $most
	for layout in "${@:3}"; do
		rm -f $MPI_IO_FILE
		# shellcheck disable=SC2086
		mpi_on "${layout#*-}" "${layout%-*}" mpi_ranks $2
		provider_is prp
		say "${layout%-*} ranks on ${layout#*-} nodes:" \
			"$(tail -n 1 <<<"$OUT")"
	done
	rm -f $MPI_IO_FILE
	carried $((1000000 * ($# - 2)))
}

# That takes some minutes in an emulated machine.
more_than_2_gib() {
	[ -n "${PRP_LONG:-}" ] || return 0
	mpi_on 2 2 mpi_ranks large
	carried $((2 << 30))
}

operations__mpich() {
	operations mpich "send types collective comm window io" \
		2-2 ${PRP_LONG:+4-4 4-2 8-8 8-2}
	more_than_2_gib
}

operations__mpich_with_two_ranks_on_a_node() {
	operations mpich "send collective" 4-2
}

operations__mpich_with_threads() {
	operations mpich threads 2-2 ${PRP_LONG:+4-4 8-4}
}

# With ranks spawned on several nodes mpiexec may die: what the daemons of Open
# MPI 5 pack for that is not what they unpack (open-mpi/ompi#13521).
COMM="comm.duplicates comm.split comm.groups comm.between_groups comm.many"

operations__openmpi() {
	operations openmpi "send types collective $COMM io" \
		2-2 ${PRP_LONG:+4-4 8-8 8-2}
	more_than_2_gib
}

operations__openmpi_with_threads() {
	operations openmpi threads 2-2 ${PRP_LONG:+4-2}
}

# What it starts later does not get the settings, so nothing is spawned. Only
# its one-sided operations go another way than those of the one above.
operations__openmpi_of_debian() {
	operations debian "send window ${PRP_LONG:+types collective $COMM}" \
		2-2 ${PRP_LONG:+4-4 8-8 8-2}
}

run_cases
