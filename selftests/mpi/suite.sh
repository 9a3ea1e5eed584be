#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mpi4py's own tests, on MPICH: nothing fails over PRP that does not fail on
# the memory that ranks of one machine share.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

WHERE=$BUILD/mpi
MAIN=$(echo "$WHERE"/mpi4py-*/test/main.py)
MPI_LIMIT=$((MPI_LIMIT * 2 * (PRP_LONG ? 4 : 1)))

# MPICH receives from any source what it has probed from one: with a message
# of its own beside one from the network it may count wrong, over its own tcp
# provider too, and then one rank waits for the other for ever.
WRONG=testDistgraphcomm

# On one processor a rank that polls only keeps it from the others.
[ "$(nproc)" -gt 1 ] || export FI_PRP_POLLS=4

HOSTS=			# all

# By module: all of it, or in the short form a part that takes seconds
PARTS=(test_p2p_obj)
[ -z "${PRP_LONG:-}" ] || PARTS=('test_[ab]' 'test_cco_[a-n]'
	'test_cco_[o-z]' 'test_c[^c]' 'test_[d-o]' 'test_p' 'test_[q-z]')

# tests RANKS PART: leaves the names of those that failed in $FAILED; all ranks
# come to the end, and nothing else fails there
tests() {
	local ended

	mpi_run ${HOSTS:+-H $HOSTS} -n "$1" "$WHERE/mpich/bin/python" \
		"$MAIN" -v -x "$WRONG" -i "$2"
	ended=$(grep -c '^Ran [1-9]' <<<"$OUT") || :
	[ "$ended" = "$1" ] || fail "$ended ranks came to an end: $RC: $OUT"
	say "$2, $1 ranks: $(grep -E '^Ran|^OK|^FAILED' <<<"$OUT" | tr '\n' ' ')"
	FAILED=$(sed -nE 's/^(FAIL|ERROR): (\S+ \([^)]*\)).*/\2/p' <<<"$OUT" |
		sort -u)
	[ "$RC" = $((${#FAILED} > 0)) ] || fail "exit status $RC: $OUT"
}

# suite RANKS
suite() {
	local over_prp part

	for part in "${PARTS[@]}"; do
		tests "$1" "$part"
		provider_is prp
		[ -n "$FAILED" ] || continue
		over_prp=$FAILED
		HOSTS=n1 MPIR_CVAR_NOLOCAL=0 tests "$1" "$part"
		over_prp=$(comm -23 <(echo "$over_prp") <(echo "$FAILED"))
		[ -z "$over_prp" ] || fail "only over PRP: $over_prp"
	done
	carried 100000
}

suite__of_mpi4py() {
	local ranks

	mpi_nodes 2
	for ranks in 2 ${PRP_LONG:+4}; do
		suite $ranks
	done
}

# One frame in a hundred, each way
suite__of_mpi4py_with_frames_lost() {
	mpi_nodes 2 drop=100 seed=7
	suite 2
	lost 10
}

run_cases
