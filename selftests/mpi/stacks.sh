#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's experiment: its table 2, a ping-pong of 0 bytes to 4 MiB, and its
# figure 2, the cellular neural network on four nodes, for all rows of
# lib_rows.sh. To be run in a machine that counts instructions; experiment.sh
# boots it. What the programs print is left in $RESULTS, a file a row.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_mpi.sh"
. "$(dirname "$0")/lib_rows.sh"

LATTICES="-l 8 -l 16 -l 32 -l 64 -l 128 -l 256"

stacks__pingpong() {
	local name

	mpi_pair
	for name in $ROWS; do
		row "$name" 2 pingpong -n 500
		echo "$OUT" >"$RESULTS/pingpong.$name"
		say "$name"
	done
}

stacks__cnn() {
	local name

	wired_nodes 4
	control_net 4
	for name in $ROWS; do
		row "$name" 4 cnn $LATTICES
		echo "$OUT" >"$RESULTS/cnn.$name"
		say "$name"
	done
}

run_cases
