#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's experiment: its table 2, a ping-pong of 0 bytes to 4 MiB, and its
# figure 2, the cellular neural network on four nodes, for all rows of
# lib_rows.sh. Both are for a machine that counts instructions; the third case,
# the ping-pong by a clock on the wall, for one with a processor a rank.
# experiment.sh boots them. What the programs print is left in $RESULTS, a file
# a row.
. "$(dirname "$0")/../lib/lib.sh"
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

# Ten runs of each row by turns, so that what else the machine does hits all of
# them; a file has the lines of all its runs.
stacks__wall() {
	local name

	mpi_pair
	rm -f "$RESULTS"/wall.*
	for _ in {1..10}; do
		for name in $ROWS; do
			row "$name" 2 pingpong -n 500 -z 0 -z 8 -z 1024 \
				-z 65536 -z 1048576
			echo "$OUT" >>"$RESULTS/wall.$name"
		done
	done
}

run_cases
