#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MPI on PRP against the ways it has been done before, in executed instructions
# on one processor: one microsecond of this machine's clock is a thousand of
# them. The rows of the paper's table 2:
#
#	double-tcp	two writes a packet, a header and its body, over TCP
#	double-prp	the same over PRP
#	single-prp	MPIPR: one write a message
#
# and beside them MPICH's own provider, on TCP and on TCP under prprun:
#
#	mpich-tcp, mpich-prprun
#
# All by MPICH, whose polling yields the processor.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mpi/lib_mpi.sh"

MPI_LIMIT=		# timeout(1) misjudges a clock that counts instructions
LIMIT_MS=600000		# the clock jumps while the libraries are read
ROUNDS=$((1000 * (1 + 0${PRP_LONG:+4})))
unset MPIR_CVAR_DEBUG_SUMMARY

# row NAME RANKS PROGRAM ARGUMENT...: what it prints, in $OUT
row() {
	local name=$1 under=
	local -x FI_PROVIDER=prp FI_PROVIDER_PATH=$HERE_MPI
	local -x FI_PRP_TRANSPORT=prp FI_PRP_DOUBLE_WRITE=0
	local -x FI_TCP_IFACE=p0 MPIR_CVAR_CH4_NETMOD=ofi

	case $name in
	double-tcp)
		FI_PRP_TRANSPORT=tcp FI_PRP_DOUBLE_WRITE=1 ;;
	double-prp)
		FI_PRP_DOUBLE_WRITE=1 ;;
	single-prp) ;;
	mpich-tcp)
		FI_PROVIDER=tcp ;;
	mpich-prprun)
		FI_PROVIDER=tcp under=prprun ;;
	*)	fail "no row $name" ;;
	esac
	# shellcheck disable=SC2086
	OUT=$(launch mpiexec -n "$2" -hosts "$(all_nodes)" \
		$under "$HERE_MPI/$3.mpich" "${@:4}" 2>&1) ||
		fail "$name: $OUT"
}

# Of two ranks on two nodes, and on as many as there are
all_nodes() {
	local nr list=

	for ((nr = 1; nr <= NODES; nr++)); do
		list+=,n$nr
	done
	echo "${list#,}"
}

# cell KEY COLUMN: of the line of $OUT that begins with that number
cell() {
	awk -v key="$1" -v column="$2" '
		$1 == key	{ print $column; found = 1 }
		END		{ exit !found }' <<<"$OUT" ||
		fail "no line $1 in: $OUT"
}

# frames_of NODE: of PRP, sent and received
frames_of() {
	echo $(($(counter "$1" frames_in) + $(counter "$1" frames_out)))
}

# What a row runs over is seen in the module's counters.
over() {
	local before=$1 now

	now=$(frames_of 1)
	case $2 in
	*prp*)	[ "$now" -gt $((before + ROUNDS / 10)) ] ||
			fail "$2 did not run over PRP" ;;
	*)	[ "$now" = "$before" ] || fail "$2 did run over PRP" ;;
	esac
}

mpi_pair() {
	local nr

	two_nodes
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set p0 gso_max_segs 65535
		in_node "$nr" ethtool -K p0 tso off >/dev/null
	done
	control_net 2
}

median() {
	printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"
}

# rows KEY COLUMN RANKS PROGRAM ARGUMENT... -- ROW...: that cell of each row, in
# ${GOT[ROW]}; in the long form the median of three, by turns
declare -A GOT
rows() {
	local key=$1 column=$2 command=() name before
	local -A all=()

	shift 2
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	for _ in 1 ${PRP_LONG:+2 3}; do
		for name; do
			before=$(frames_of 1)
			row "$name" "${command[@]}"
			over "$before" "$name"
			all[$name]+=" $(cell "$key" "$column")"
		done
	done
	for name; do
		GOT[$name]=$(median ${all[$name]})
		say "$name:${all[$name]}"
	done
}

mpi__pingpong_of_8_bytes() {
	mpi_pair
	say "half a round trip in us, each a thousand instructions:"
	rows 8 5 2 pingpong -z 8 -n $ROUNDS -- double-tcp double-prp \
		single-prp mpich-tcp mpich-prprun
	expect_float "MPIPR / double write over TCP" \
		"$(ratio "${GOT[single-prp]}" "${GOT[double-tcp]}")" "<=" 0.452
	expect_float "MPIPR / double write over PRP" \
		"$(ratio "${GOT[single-prp]}" "${GOT[double-prp]}")" "<=" 0.709
	expect_float "MPIPR / MPICH's own tcp provider" \
		"$(ratio "${GOT[single-prp]}" "${GOT[mpich-tcp]}")" "<=" 0.70
}

mpi__bandwidth_of_1_mib() {
	mpi_pair
	say "MB/s:"
	rows 1048576 7 2 stream -z 1048576 -w 8 -n 8 -- single-prp mpich-tcp
	expect_float "MPIPR / MPICH's own tcp provider" \
		"$(ratio "${GOT[single-prp]}" "${GOT[mpich-tcp]}")" ">=" 1.19
}

mpi__message_rate() {
	mpi_pair
	say "messages of 8 bytes a second, 64 at once:"
	rows 8 5 2 stream -z 8 -w 64 -n 200 -- single-prp mpich-tcp
	expect_float "MPIPR / MPICH's own tcp provider" \
		"$(ratio "${GOT[single-prp]}" "${GOT[mpich-tcp]}")" ">=" 2
}

mpi__cnn_of_the_smallest_lattice() {
	wired_nodes 4
	control_net 4
	say "M-Flop/s of four ranks on one processor:"
	rows 8 4 4 cnn -l 8 -- double-tcp double-prp single-prp
	expect_float "MPIPR / double write over TCP" \
		"$(ratio "${GOT[single-prp]}" "${GOT[double-tcp]}")" ">=" 2
}

# --- system calls ----------------------------------------------------------

TRACE=/sys/kernel/tracing/events/raw_syscalls/sys_exit/trigger
HIST='hist:keys=id.syscall:sort=id'

# How often the ranks of a ping-pong called each system call with success, in
# ${CALLS[NAME]}. What they call in vain, as what would have to wait, is apart.
declare -A CALLS
count_calls() {
	local name count

	echo "$HIST if comm == \"pingpong.mpich\" && ret >= 0" >$TRACE
	row single-prp 2 pingpong -z 8 -n "$1"
	while read -r name count; do
		CALLS[$name]=$count
	done < <(sed -nE 's/.*id: sys_(\w+) .*hitcount: +([0-9]+).*/\1 \2/p' \
		"${TRACE%trigger}hist")
	echo "!$HIST" >$TRACE
	say "calls: $(declare -p CALLS)"
}

# calls_of NAME...: their sum
calls_of() {
	local name sum=0

	for name; do
		sum=$((sum + ${CALLS[$name]:-0}))
	done
	echo $sum
}

# What starting and ending need is within the hundredth.
mpi__system_calls_of_a_message() {
	local rounds=10000 messages

	messages=$((2 * rounds))
	two_nodes
	control_net 2
	count_calls $rounds
	expect_float "calls to send a message" \
		"$(ratio "$(calls_of sendmsg sendto write writev)" $messages)" \
		"<=" 1.01
	expect_float "calls to receive a message" \
		"$(ratio "$(calls_of recvmsg recvfrom read readv)" $messages)" \
		"<=" 2.01
}

run_cases
