# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The ways to carry MPI's messages that are compared, above lib_mpi.sh. The rows
# of the paper's table 2 differ in one thing at a time, for all of them are one
# provider:
#
#	double-tcp	two writes a packet, a header and its body, over TCP
#	double-prp	the same over PRP
#	single-prp	MPIPR: one write a message
#
# and beside them MPICH's own provider, on TCP and on TCP under prprun:
#
#	mpich-tcp, mpich-prprun
#
# and, with both ranks on one node, what MPICH itself takes, its code and its
# yielding, where no network is:
#
#	mpich-shm
#
# All by MPICH, whose polling yields the processor.

ROWS="double-tcp double-prp single-prp mpich-tcp mpich-prprun"

MPI_LIMIT=		# timeout(1) misjudges a clock that counts instructions
LIMIT_MS=600000		# the clock jumps while the libraries are read
unset MPIR_CVAR_DEBUG_SUMMARY

# row NAME RANKS PROGRAM ARGUMENT...: what it prints, in $OUT; that it has gone
# the way it says is seen in the module's counters
row() {
	local name=$1 under='' before hosts
	local -x FI_PROVIDER=prp FI_PROVIDER_PATH=$HERE_MPI
	local -x FI_PRP_TRANSPORT=prp FI_PRP_DOUBLE_WRITE=0
	local -x FI_TCP_IFACE=p0 MPIR_CVAR_CH4_NETMOD=ofi
	local -x MPIR_CVAR_NOLOCAL=1

	hosts=$(hosts_named "$NODES")
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
	mpich-shm)
		FI_PROVIDER=tcp MPIR_CVAR_NOLOCAL=0 hosts=n1 ;;
	*)	fail "no row $name" ;;
	esac
	# shellcheck disable=SC2086
	before=$(frames_of 1)
	OUT=$(launch mpiexec -n "$2" -hosts "$hosts" \
		$under "$HERE_MPI/$3.mpich" "${@:4}" 2>&1) ||
		fail "$name: $OUT"
	over "$before" "$name"
}

# frames_of NODE: of PRP, sent and received
frames_of() {
	echo $(($(counter "$1" frames_in) + $(counter "$1" frames_out)))
}

# over FRAMES ROW: did the row run over what it should, since the counters of
# node 1 were at that?
over() {
	local before=$1 now

	now=$(frames_of 1)
	case $2 in
	*prp*)	[ "$now" -gt $((before + 100)) ] ||
			fail "$2 did not run over PRP" ;;
	*)	[ "$now" = "$before" ] || fail "$2 did run over PRP" ;;
	esac
}

# mpi_pair [WORD...]: two nodes, on veth as it comes but for these words of
# ethtool
mpi_pair() {
	local nr

	two_nodes
	long_frames 1 2
	for nr in 1 2; do
		[ $# = 0 ] || in_node "$nr" ethtool -K p0 "$@" >/dev/null
	done
	control_net 2
}
