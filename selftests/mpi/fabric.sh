#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The provider as libfabric's own programs see it: fi_info and fi_pingpong, of
# Debian's libfabric.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_mpi.sh"

export FI_PROVIDER=prp FI_PROVIDER_PATH=$HERE_MPI

# info NODE [ARGUMENT]...: what fi_info says there, in $OUT and $RC
info() {
	RC=0
	OUT=$(in_node "$1" fi_info "${@:2}" 2>&1) || RC=$?
}

says() {
	[[ $OUT == *"$1"* ]] || fail "expected '$1', got: $OUT"
}

fabric__fi_info_shows_the_provider() {
	two_nodes
	info 1
	expect "exit status" "$RC" -eq 0
	says "provider: prp"
	says "type: FI_EP_RDM"
	expect "entries" "$(grep -c '^provider:' <<<"$OUT")" -eq 1
}

fabric__offers_no_more_than_it_can() {
	local caps

	two_nodes
	for caps in FI_TAGGED "FI_MSG|FI_MULTI_RECV" \
		"FI_TAGGED|FI_DIRECTED_RECV|FI_SOURCE" FI_RMA FI_ATOMIC; do
		info 1 -c "$caps"
		expect "exit status for $caps" "$RC" -eq 0
	done
	info 1 -c FI_MULTICAST
	expect "exit status for FI_MULTICAST" "$RC" -ne 0
	info 1 -t FI_EP_MSG
	expect "exit status for FI_EP_MSG" "$RC" -ne 0
}

fabric__parameters_are_explained() {
	local name

	two_nodes
	info 1 -g FI_PRP
	for name in EAGER POLLS TRANSPORT DEVICE DOUBLE_WRITE; do
		says "# FI_PRP_$name:"
	done
}

fabric__says_what_is_missing() {
	ip netns add "$NODE-1"
	info 1
	expect "exit status" "$RC" -ne 0
	says "fi_prp: there is no host table"
	prpctl -n "$NODE-1" hosts setup --force -f - \
		<<<"2 n2 $(mac 2)" >/dev/null
	info 1
	expect "exit status" "$RC" -ne 0
	says "fi_prp: the host table does not have this machine"
}

fabric__asks_for_the_module() {
	LEAVES_CONNECTIONS=yes		# there is nobody left to count them
	two_nodes
	wait_for "no socket is left" module_unused
	rmmod prp
	info 1
	load_module
	NODES=0
	expect "exit status" "$RC" -ne 0
	says "modprobe prp"
}

# All bytes are looked at (-c), of messages up to 1 MiB both ways.
fabric__fi_pingpong() {
	local mode server

	mpi_nodes 2
	for mode in msg tagged; do
		in_node 2 fi_pingpong -p prp -e rdm -m $mode -c -I 5 \
			>/dev/null 2>&1 &
		server=$!
		wait_for "the server listens" in_node 2 sh -c \
			"ss -Hltn 'sport = 47592' | grep -q ."
		in_node 1 fi_pingpong -p prp -e rdm -m $mode -c -I 5 \
			10.8.0.2 ||
			fail "fi_pingpong with $mode: $?"
		wait $server || fail "its server with $mode: $?"
	done
	carried 10000000
}

run_cases
