# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of MPI share, on top of lib.sh: nodes with a second network,
# which mpiexec and what it starts there talk over, and programs run on them.
#
#      $NODE-1                                              $NODE-2
#     +-------------+                                      +-------------+
#     |   node 1    |      what lib.sh puts between        |   node 2    |
#     |         p0 -+--------------------------------------+- p0         |
#     |         c0 -+-----+                          +-----+- c0         |
#     |  10.8.0.1   |     |       $NODE-c            |     |   10.8.0.2  |
#     +-------------+     |   +--------------+       |     +-------------+
#                         +---+- c1 br0  c2 -+-------+
#                             +--------------+
#
# mpiexec runs on node 1. Each node has a host name of its own, n1, n2 ...

# Or openmpi, debian: whose mpiexec, and what is compiled for it; or none
LIBRARY=mpich
MPI=/dev/shm/mpi		# where the libraries are in memory
# seconds for one program; in the long form many ranks share two processors
MPI_LIMIT=$((90 * SLOW * (PRP_LONG ? 10 : 1)))
HERE_MPI=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$HERE_MPI:$PATH

export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=$HERE_MPI/mpi_enter
export HYDRA_IFACE=c0
export PRTE_MCA_plm_ssh_agent=$HERE_MPI/mpi_enter
export PRTE_MCA_oob_tcp_if_include=c0 PMIX_MCA_ptl_tcp_if_include=c0
export OMPI_MCA_plm_rsh_agent=$HERE_MPI/mpi_enter
export OMPI_MCA_oob_tcp_if_include=c0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Ranks of one node do not use the memory that they share.
export MPIR_CVAR_NOLOCAL=1
# What the libraries have loaded is told.
export MPIR_CVAR_DEBUG_SUMMARY=1

# Python's part stays on the disk.
libraries_in_memory() {
	local library from

	[ -n "$LIBRARY" ] || return 0
	for library in mpich openmpi; do
		[ ! -e "$MPI/$library" ] || continue
		from=$BUILD/mpi/$library
		mkdir -p "$MPI/$library/lib"
		cp -r "$from/bin" "$MPI/$library"
		cp -rP "$from"/lib/lib* "$from/lib/$library" \
			"$MPI/$library/lib"
		[ ! -e "$from/share" ] || cp -r "$from/share" "$MPI/$library"
	done
}

# control_net COUNT: c0 of each node, whose name means this address; the machine
# is one that is thrown away, so what is in its /etc is ours
control_net() {
	local nr

	libraries_in_memory
	ip netns add "$NODE-c"
	{
		echo "link add name br0 type bridge mcast_snooping 0"
		for ((nr = 1; nr <= $1; nr++)); do
			echo "link add c$nr type veth peer name c0" \
				"netns $NODE-$nr"
			echo "link set c$nr master br0 addrgenmode none up"
		done
		echo "link set br0 addrgenmode none up"
	} | ip -n "$NODE-c" -batch -
	for ((nr = 1; nr <= $1; nr++)); do
		ip -n "$NODE-$nr" -batch - <<-EOT
		addr add 10.8.0.$nr/24 dev c0
		link set c0 addrgenmode none up
		EOT
	done
	hosts "$1" >/etc/prphosts
	for ((nr = 1; nr <= $1; nr++)); do
		grep -q "^10.8.0.$nr n$nr$" /etc/hosts ||
			echo "10.8.0.$nr n$nr" >>/etc/hosts
	done
}

# mpi_nodes COUNT [KEY=VALUE]...: a wire that counts, and does what else
# bad_wire is told, and the other one
mpi_nodes() {
	local nr

	wired_nodes "$1"
	for ((nr = 1; nr <= $1; nr++)); do
		bad_wire "$nr" "${@:2}"
	done
	control_net "$1"
}

# Of MPI, for programs of Open MPI both from PyPI and Debian's
library_path() {
	if [ "$LIBRARY" = debian ]; then
		echo "/usr/lib/$(uname -m)-linux-gnu"
	else
		echo "$MPI/$LIBRARY/lib"
	fi
}

# launch COMMAND...: on node 1, as one that is not told where it is
launch() {
	export NODE
	PATH=$MPI/$LIBRARY/bin:$PATH LD_LIBRARY_PATH=$(library_path) \
		mpi_enter n1 exec "$@"
}

# hosts_named COUNT: the first ones, for mpiexec
hosts_named() {
	local list

	printf -v list ',n%d' $(seq "$1")
	echo "${list#,}"
}

# mpi_run ARGUMENT...: of mpipr-run; says in $OUT what all ranks have said and
# in $RC how it ended. Open MPI puts zero bytes into its last words.
mpi_run() {
	RC=0
	OUT=$(launch ${MPI_LIMIT:+timeout -k 5 $MPI_LIMIT} mpipr-run "$@" \
		2>&1 | tr -d '\0'
	      exit "${PIPESTATUS[0]}") || RC=$?
}

# mpi_on NODES RANKS PROGRAM [ARGUMENT]...: one of ours, over PRP; it ends well
mpi_on() {
	local program=$HERE_MPI/$3.${LIBRARY/debian/openmpi}

	mpi_run -H "$(hosts_named "$1")" -n "$2" "$program" "${@:4}"
	[ "$RC" = 0 ] ||
		fail "$LIBRARY, $2 ranks on $1 nodes: ${*:3}: $RC: $OUT"
}

# mpi RANKS PROGRAM [ARGUMENT]...: on all nodes
mpi() {
	mpi_on "$NODES" "$@"
}

# What MPICH and libfabric say of the provider. Open MPI says nothing that is
# worth a test; that it has no other way is mpipr-run's work, and what the
# frames carried is the proof.
provider_is() {
	[ "$LIBRARY" = mpich ] || return 0
	[[ $OUT == *"libfabric provider: $1"* ]] ||
		fail "not the provider $1: $OUT"
}

# carried BYTES: at least so many bytes of user data were in frames of PRP, and
# none in others between the nodes
carried() {
	local nr payload=0 others=0

	for ((nr = 1; nr <= NODES; nr++)); do
		payload=$((payload + $(wire_val "$nr" payload)))
		others=$((others + $(wire_val "$nr" other_frames)))
	done
	expect "bytes in frames of PRP" "$payload" -ge "$1"
	expect "other frames" "$others" -eq 0
}

# lost COUNT: at least so many frames between the nodes
lost() {
	local nr frames=0

	for ((nr = 1; nr <= NODES; nr++)); do
		frames=$((frames + $(wire_val "$nr" dropped)))
	done
	expect "frames lost" "$frames" -ge "$1"
}
