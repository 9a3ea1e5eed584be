#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libfabric's own tests, fabtests, with their libfabric, a case a list of
# theirs: none fails over PRP that does not fail over its provider for TCP.
# The two ends tell each other their addresses over the network of mpiexec.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/mpi/lib_mpi.sh"

LIBRARY=	# they need no MPI
WHERE=$BUILD/mpi/fabtests
LIMIT=$((120 * SLOW))	# seconds for one, as theirs have
OOB=3000		# port where addresses are told
NOTHING="38 61"		# ENOSYS, ENODATA: the provider does not offer it

# Their lists: unit_tests, functional_tests, short_tests ...
eval "$(sed -n '/^[a-z]*_tests=($/,/^)$/p' \
	"$WHERE/fabtests/scripts/runfabtests.sh")"

# over PROVIDER NODE COMMAND...
over() {
	FI_PROVIDER=$1 FI_PROVIDER_PATH=$HERE_MPI FI_TCP_IFACE=p0 \
		LD_LIBRARY_PATH=$WHERE/root/lib \
		in_node "$2" timeout -k 5 $LIMIT "$WHERE/root/bin/$3" "${@:4}"
}

# It listens there, or has ended.
told_or_ended() {
	! kill -0 "$SERVER" 2>/dev/null ||
		[ -n "$(in_node 2 ss -Hltn "sport = :$OOB")" ]
}

# ended RC...: says in $RESULT how they did
ended() {
	local rc

	RESULT=passed
	for rc; do
		[ "$rc" = 0 ] || RESULT=failed
	done
	[ $RESULT = passed ] || [[ " $NOTHING " != *" $1 "* ]] ||
		RESULT="not offered"
}

# alone PROVIDER COMMAND...: a test that is one process. Its addresses are what
# the provider calls the nodes by.
alone() {
	local words=("${@:2}") rc=0 one=10.9.0.1 two=10.9.0.2

	[ "$1" = tcp ] || one=n1 two=n2
	words=("${words[@]//SERVER_ADDR/$one}")
	SAID=$(over "$1" 1 "${words[@]//GOOD_ADDR/$two}" 2>&1 </dev/null) ||
		rc=$?
	ended $rc
}

# pair PROVIDER COMMAND...: a test with a server and a client
pair() {
	local rc=0 server=0

	over "$1" 2 "${@:2}" -E >"$DIR/server" 2>&1 </dev/null &
	SERVER=$!
	wait_for "the server listens" told_or_ended
	SAID=$(over "$1" 1 "${@:2}" -E 10.8.0.2 2>&1 </dev/null) || rc=$?
	[ $rc = 0 ] || pkill -P $SERVER 2>/dev/null || :
	wait $SERVER || server=$?
	SAID+=$'\n'"server: $(cat "$DIR/server")"
	ended $server $rc
}

# tests HOW LEAST TEST...: each alone or as a pair, and at least so many pass
# over PRP. Most take a GiB an end.
tests() {
	local how=$1 least=$2 one passed=0 only=

	two_nodes
	control_net 2
	for one in "${@:3}"; do
		read -r -a one <<<"$one"
		$how prp "${one[@]}" -p prp
		say "${one[*]}: $RESULT"
		case $RESULT in
		passed)	passed=$((passed + 1)) ;;
		failed)
			say "$SAID"
			$how tcp "${one[@]}" -p tcp
			say "over TCP: $RESULT"
			[ "$RESULT" != passed ] || only+=" '${one[*]}'" ;;
		esac
	done
	[ -z "$only" ] || fail "over PRP, not over TCP:$only"
	expect "passed over PRP, of $(($# - 2))" "$passed" -ge "$least"
}

fabtests__unit() {
	tests alone 7 "${unit_tests[@]}"
}

fabtests__functional() {
	tests pair 23 "${functional_tests[@]}"
}

fabtests__short() {
	tests pair 24 "${short_tests[@]}"
}

run_cases
