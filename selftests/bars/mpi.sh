#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MPI on PRP against the ways it has been done before, in executed instructions
# on one processor: one microsecond of this machine's clock is a thousand of
# them. The rows are those of ../mpi/lib_rows.sh.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"
. "$(dirname "$0")/../mpi/lib_mpi.sh"
. "$(dirname "$0")/../mpi/lib_rows.sh"

# Sleeps become one system call with the reading after some hundred of them.
ROUNDS=$(amount 2000 2000 5000)

# cell KEY COLUMN: of the line of $OUT that begins with that number
cell() {
	awk -v key="$1" -v column="$2" '
		$1 == key	{ print $column; found = 1 }
		END		{ exit !found }' <<<"$OUT" ||
		fail "no line $1 in: $OUT"
}

# rows KEY COLUMN RANKS PROGRAM ARGUMENT... -- ROW...: that cell of each row, in
# ${GOT[ROW]}; in the long form the median of three, by turns
declare -A GOT
rows() {
	local key=$1 column=$2 command=() name
	local -A all=()

	shift 2
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	for _ in $(seq "$(amount 1 1 3)"); do
		for name; do
			row "$name" "${command[@]}"
			all[$name]+=" $(cell "$key" "$column")"
		done
	done
	for name; do
		GOT[$name]=$(median ${all[$name]})
		say "$name:${all[$name]}"
	done
}

# bar WHAT ROW / ROW OPERATOR VALUE: their ratio; a bar that is missed fails the
# case at its end, so that all ratios are told
MISSED=
bar() {
	local got

	got=$(ratio "${GOT[$2]}" "${GOT[$4]}")
	say "$1: $got ($5 $6)"
	awk "BEGIN { exit !($got $5 $6) }" || MISSED+=" $1: $got,"
}

no_bar_is_missed() {
	[ -z "$MISSED" ] || fail "missed:$MISSED"
}

mpi__pingpong_of_8_bytes() {
	mpi_pair
	say "half a round trip in us, each a thousand instructions:"
	rows 8 5 2 pingpong -z 8 -n "$ROUNDS" -- double-tcp double-prp \
		single-prp mpich-tcp $(amount '' "mpich-prprun mpich-shm")
	bar "MPIPR / double write over TCP" single-prp / double-tcp "<=" 0.40
	bar "MPIPR / double write over PRP" single-prp / double-prp "<=" 0.70
	bar "MPIPR / MPICH's own tcp provider" \
		single-prp / mpich-tcp "<=" 0.62
	no_bar_is_missed
}

# The first rounds of 1 MiB are TCP's best ones, and a guard has no others.
mpi__large_messages() {
	local size

	mpi_pair
	for size in 65536 $(amount '' 1048576); do
		say "$size bytes, half a round trip in us:"
		rows $size 5 2 pingpong -z $size -n "$(amount 1600 51200)" -- \
			single-prp mpich-tcp
		bar "MPIPR / MPICH's own tcp provider" \
			single-prp / mpich-tcp "<=" 0.8
	done
	no_bar_is_missed
}

# bandwidth LEAST ROUNDS [WORD...]: of MPICH's own provider's; words as of
# mpi_pair
bandwidth() {
	mpi_pair "${@:3}"
	say "MB/s:"
	rows 1048576 7 2 stream -z 1048576 -w 8 -n "$2" -- single-prp mpich-tcp
	bar "MPIPR / MPICH's own tcp provider" single-prp / mpich-tcp ">=" "$1"
	no_bar_is_missed
}

mpi__bandwidth_of_1_mib() {
	bandwidth 1.2 96
}

# Both with frames of a segment
mpi__bandwidth_of_1_mib_without_segmentation() {
	bandwidth 1.19 "$(amount 6 24)" tso off tx-sctp-segmentation off
}

mpi__message_rate() {
	mpi_pair
	say "messages of 8 bytes a second, 64 at once:"
	rows 8 5 2 stream -z 8 -w 64 -n 200 -- single-prp mpich-tcp
	bar "MPIPR / MPICH's own tcp provider" single-prp / mpich-tcp ">=" 2
	no_bar_is_missed
}

mpi__cnn_of_the_smallest_lattice() {
	wired_nodes 4
	control_net 4
	say "M-Flop/s of four ranks on one processor:"
	rows 8 4 4 cnn -l 8 -- double-tcp double-prp single-prp
	bar "MPIPR / double write over TCP" single-prp / double-tcp ">=" \
		"$(amount 2.2 2.3)"
	no_bar_is_missed
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
	expect_float "calls to wait for a message" \
		"$(ratio "$(calls_of epoll_wait epoll_pwait epoll_pwait2 poll)" \
			$messages)" "<=" 0.15
}

# Each rank has all others for peers. On processors that are emulated as fast as
# it goes, so many outlast the time in which a kernel has to answer.
mpi__many_ranks() {
	local -x MPIR_CVAR_DEBUG_SUMMARY=1
	local nodes ranks

	nodes=$(amount 2 2 8)
	ranks=$(amount 8 8 64)
	mpi_nodes $nodes
	mpi $ranks mpi_ranks send.all_pairs collective.barrier
	provider_is prp
	say "$ranks ranks on $nodes nodes: $(tail -n 1 <<<"$OUT")"
	carried $((ranks * ranks * 1000))
}

run_bars
