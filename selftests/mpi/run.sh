#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mpipr-run: where it starts what, with which settings, and what it refuses.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

# What n ranks of a command print, in order
ranks_say() {
	sort <<<"$OUT" | tr '\n' ' '
}

placed_on() {
	[ "$RC" = 0 ] || fail "$LIBRARY: $OUT"
	expect "$LIBRARY's ranks are on" "$(ranks_say)" = "$1 "
}

run__ranks_are_dealt_out_to_all_hosts() {
	mpi_nodes 3
	for LIBRARY in mpich openmpi; do
		mpi_run hostname
		placed_on "n1 n2 n3"
		mpi_run -H n3,n1 -n 3 hostname
		placed_on "n1 n3 n3"
	done
}

run__a_table_with_a_byte_order_mark() {
	mpi_nodes 2
	sed -i '1s/^/\xef\xbb\xbf/' /etc/prphosts
	LIBRARY=mpich
	mpi_run hostname
	placed_on "n1 n2"
}

# Four ranks on all hosts of the table, as Documentation/mpi.md has it
run__program_of_the_guide() {
	local rank said

	mpi_nodes 2
	for LIBRARY in mpich openmpi; do
		mpi_run -n 4 "$HERE_MPI/hello.$LIBRARY"
		[ "$RC" = 0 ] || fail "$LIBRARY: $OUT"
		for rank in 0 1 2 3; do
			said="rank $rank: the sum of all ranks is 6"
			# may be in the middle of another one's line
			[[ $OUT$'\n' == *"$said"$'\n'* ]] ||
				fail "$LIBRARY does not say '$said': $OUT"
		done
	done
	carried 100
}

run__settings_reach_the_other_host() {
	local -x FI_PRP_HELLO="two words"

	mpi_nodes 2
	for LIBRARY in mpich openmpi; do
		mpi_run -H n2 printenv FI_PROVIDER FI_PROVIDER_PATH \
			FI_PRP_HELLO
		[ "$OUT" = "prp"$'\n'"$HERE_MPI"$'\n'"two words" ] ||
			fail "$LIBRARY: $OUT"
	done
}

# A rank's secret, what anybody could see of it, and whose is the same
run__secret_is_not_seen() {
	local folder said

	mpi_nodes 2
	folder=$(mktemp -d)
	cat >"$folder/rank" <<-'EOT'
	#!/bin/sh
	printf %s "$FI_PRP_SECRET" >"$0.$(hostname)"
	grep -lF -f "$0.$(hostname)" /proc/[0-9]*/cmdline 2>/dev/null
	exit 0
	EOT
	chmod +x "$folder/rank"
	for LIBRARY in mpich openmpi debian; do
		mpi_run -v -H n1,n2 "$folder/rank"
		[ "$RC" = 0 ] || fail "$LIBRARY: $OUT"
		said=$(cat "$folder/rank.n1")
		[[ $said =~ ^[0-9a-f]{32}$ ]] || fail "$LIBRARY: '$said'"
		[[ $OUT != */cmdline* && $OUT != *"$said"* ]] ||
			fail "$LIBRARY lets it be seen: $OUT"
		cmp "$folder/rank.n1" "$folder/rank.n2" || fail "$LIBRARY"
		[ ! -e "$folder/before" ] || ! cmp -s "$folder/"{before,rank.n1} ||
			fail "two jobs have the same one"
		mv "$folder/rank.n1" "$folder/before"
	done
	FI_PRP_SECRET=$said mpi_run -H n1 "$folder/rank"
	expect "what the user has set" "$(cat "$folder/rank.n1")" = "$said"
	rm -r "$folder"
}

run__ends_as_the_program_does() {
	mpi_nodes 2
	for LIBRARY in mpich openmpi; do
		mpi_run -H n1 false
		expect "exit status of false under $LIBRARY" "$RC" -eq 1
	done
}

# The program is not started: 125, and it says why.
refuses() {
	mpi_run "${@:2}"
	expect "exit status" "$RC" -eq 125
	[[ $OUT == *"$1"* ]] || fail "expected '$1', got: $OUT"
}

run__refuses_what_cannot_be() {
	mpi_nodes 2
	refuses "n7 is not in /etc/prphosts" -H n1,n7 true
	refuses "n is not in /etc/prphosts" -H n true
	refuses "-H: no host" -H "''" true # a shell reads it once more
	refuses "-H: no host" -H , true
	refuses "not a number of ranks: 0" -n 0 true
	refuses "not a number of ranks: four" -n four true
	refuses "-n needs an argument" -n
	refuses "no program" -H n1
	FI_PROVIDER_PATH=/nowhere refuses "no libprp-fi.so in FI_PROVIDER_PATH" \
		true
	echo "# no hosts" >/etc/prphosts
	refuses "has no hosts" true
	rm /etc/prphosts
	refuses "no host table /etc/prphosts" true
}

run__refuses_another_mpiexec() {
	local folder

	mpi_nodes 2
	folder=$(mktemp -d)
	printf '#!/bin/sh\necho %s\n' \
		"HYDRA --with-device=ch4:ucx --prefix=/usr" >"$folder/mpiexec"
	chmod +x "$folder/mpiexec"
	MPI=$folder/none PATH=$folder:$PATH refuses "without libfabric" true
	printf '#!/bin/sh\necho what else\n' >"$folder/mpiexec"
	MPI=$folder/none PATH=$folder:$PATH refuses "neither MPICH's nor" true
	rm -r "$folder"
}

run_cases
