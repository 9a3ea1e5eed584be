#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MPICH's own tests, in the long form, a case a folder of them: none fails over
# PRP that does not fail over MPICH's own provider for TCP.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/mpi/lib_mpi.sh"

WHERE=$BUILD/mpi/mpich-tests/test/mpi
MPI_LIMIT=$((180 * SLOW))	# seconds for one, if its list does not say more

# Two tests compare what fills up a long double, to which MPI gives no value:
# MPICH does not pack it. Over its own provider it does not unpack it either;
# ours takes a vector of so many pieces as they are.
UNPACK=MPIR_CVAR_CH4_OFI_ENABLE_PT2PT_NOPACK=0

# over PROVIDER COMMAND...: leaves what the ranks have said in $OUT, and in $RC
# how they ended
over() {
	local -x MPIR_CVAR_CH4_NETMOD=ofi FI_TCP_IFACE=p0
	local -x FI_PROVIDER=$1 FI_PROVIDER_PATH=$HERE_MPI

	RC=0
	OUT=$(launch "${@:2}" 2>&1 | tr -d '\0'; exit "${PIPESTATUS[0]}") ||
		RC=$?
}

passed() {
	[ "$RC" = 0 ] && [[ $OUT == *"No Errors"* ]]
}

# a_test FOLDER NAME RANKS [KEY=VALUE]...: a line of a list of theirs. Those
# that are known to fail, and those that are to end in another way, are not
# looked at; nor are those for machines with much memory.
a_test() {
	local program=$WHERE/$1/$2 limit=$MPI_LIMIT word
	local command settings=() arguments=()

	[ -x "$program" ] || return 0
	case $1/$2 in
	datatype/sendrecvt[24])	settings+=("$UNPACK") ;;
	esac
	for word in "${@:4}"; do
		case $word in
		arg=*)		arguments+=("${word#arg=}") ;;
		env=*)		settings+=("${word#env=}") ;;
		timeLimit=*)	limit=$((${word#timeLimit=} * SLOW)) ;;
		xfail=* | resultTest=* | mem=*)	return 0 ;;
		esac
	done
	[ "$limit" -ge "$MPI_LIMIT" ] || limit=$MPI_LIMIT
	command=(env "${settings[@]}" timeout -k 5 "$limit" mpiexec -n "$3"
		 -hosts "$(hosts_named "$NODES")" "$program" "${arguments[@]}")
	RAN=$((RAN + 1))
	over prp "${command[@]}"
	if passed; then
		[ "$3" = 1 ] || provider_is prp
		return 0
	fi
	say "over PRP, $1/$2 ${*:3}: $RC: $OUT"
	over tcp "${command[@]}"
	! passed || ONLY_PRP+=" $1/$2"
}

# folders NAME...: all that their lists name
folders() {
	local folder line

	RAN=0 ONLY_PRP=
	two_nodes
	control_net 2
	for folder; do
		[ -e "$WHERE/$folder/testlist" ] || continue
		while read -r -a line; do
			[[ ${line[0]:-#} != '#'* &&
			   ${line[1]:-} =~ ^[0-9]+$ ]] || continue
			a_test "$folder" "${line[@]}" </dev/null
		done <"$WHERE/$folder/testlist"
	done
	say "$*: $RAN tests"
	expect "tests of $*" "$RAN" -ge 1
	[ -z "$ONLY_PRP" ] || fail "over PRP, not over TCP:$ONLY_PRP"
}

mpich__attr() {
	folders attr
}

mpich__coll() {
	folders coll
}

mpich__comm() {
	folders comm
}

mpich__datatype() {
	folders datatype
}

mpich__errhan() {
	folders errhan
}

mpich__group() {
	folders group
}

mpich__info() {
	folders info
}

mpich__init() {
	folders init
}

mpich__pt2pt() {
	folders pt2pt
}

mpich__rma() {
	folders rma
}

mpich__topo() {
	folders topo
}

mpich__threads() {
	folders threads/comm threads/init threads/pt2pt threads/rma
}

run_cases
