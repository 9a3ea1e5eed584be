#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each class of MPI operations, with MPICH and Open MPI, on 2, 4 and 8 ranks
# over as many nodes or fewer. What is long is left out of the short form.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

SHORT="send types collective comm window io"

# operations LIBRARY RANKS NODES CLASS...
operations() {
	LIBRARY=$1
	mpi_nodes "$3"
	export MPI_IO_FILE=/dev/shm/mpi_io
	rm -f $MPI_IO_FILE
	mpi "$2" mpi_ranks "${@:4}"
	say "$(grep -c ^passed: <<<"$OUT") passed:" \
		"$(sed -n 's/^passed: //p' <<<"$OUT" | tr '\n' ' ')"
	provider_is prp
	carried 1000000
	rm -f $MPI_IO_FILE
}

operations__mpich_on_2_ranks() {
	operations mpich 2 2 $SHORT
}

operations__mpich_with_threads() {
	operations mpich 2 2 threads
}

operations__mpich_on_4_ranks_of_2_nodes() {
	operations mpich 4 2 send collective
}

operations__openmpi_on_2_ranks() {
	operations openmpi 2 2 send types collective comm io
}

run_cases
