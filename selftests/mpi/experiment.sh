#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's table 2 and figure 2, measured anew in a virtual machine that
# counts instructions, and the ping-pong once more by a clock on the wall, in
# one with two processors: `make experiment`. All figures are left in
# $BUILD/experiment, tables in table.txt and wall.txt, the plot in cnn.svg.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
results=$BUILD/experiment
mkdir -p "$results"
. "$top/selftests/mpi/lib_rows.sh"

# measure CASES [OPTION]...: in a machine with these options of run.sh
measure() {
	"$top/selftests/vm/run.sh" "${@:2}" -l 7200 "$results" \
		"export RESULTS='$results' CASES='$1'; cd prp/mpi && ./stacks.sh"
}

# medians FILE: each size and the median of what all runs say of it
medians() {
	awk '/^ *[0-9]/ { print $1, $5 }' "$1" | sort -k 1,1n -k 2,2g | awk '
		function end_of_size() {
			low = us[int((n + 1) / 2)]
			high = us[int(n / 2) + 1]
			if (n)
				print size, (low + high) / 2
			n = 0
		}
		!n || $1 != size	{ end_of_size(); size = $1 }
				{ us[++n] = $2 }
		END		{ end_of_size() }'
}

# table KIND: half a round trip in us by size, one column a row of the
# experiment
table() {
	local name

	printf '%10s' bytes
	for name in $ROWS; do
		printf '%15s' "$name"
	done
	echo
	for name in $ROWS; do
		medians "$results/$1.$name"
	done | awk '
		{ if (!($1 in us)) order[++n] = $1
		  us[$1] = us[$1] sprintf("%15.2f", $2) }
		END { for (i = 1; i <= n; i++)
			printf "%10d%s\n", order[i], us[order[i]] }'
}

measure 'stacks__[!w]*' -i
measure stacks__wall
table pingpong | tee "$results/table.txt"
echo "On two processors, by a clock on the wall, medians of ten runs by turns:"
table wall | tee "$results/wall.txt"
labels=()
for name in $ROWS; do
	labels+=("$name=$results/cnn.$name")
done
"$BUILD/mpi/mpich/bin/python" "$top/mpipr/programs/plot.py" \
	"$results/cnn.svg" "${labels[@]}"
echo "Figure: $results/cnn.svg"
