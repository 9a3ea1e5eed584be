#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The paper's table 2 and figure 2, measured anew in a virtual machine that
# counts instructions: `make experiment`. Figures are left in $BUILD/experiment
# and the figure in cnn.png there.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
results=$BUILD/experiment
mkdir -p "$results"
"$top/selftests/vm/run.sh" -i -l 7200 "$results" \
	"export RESULTS='$results'; cd prp/mpi && ./stacks.sh"

# half a round trip in us by size, one column a row
table() {
	local file files=("$results"/pingpong.*-*)

	printf '%10s' bytes
	for file in "${files[@]}"; do
		printf '%15s' "${file##*pingpong.}"
	done
	echo
	awk '/^ *[0-9]/ { if (!($1 in us)) order[++n] = $1
			  us[$1] = us[$1] sprintf("%15.2f", $5) }
	     END { for (i = 1; i <= n; i++)
			printf "%10d%s\n", order[i], us[order[i]] }' \
		"${files[@]}"
}

table | tee "$results/table.txt"
labels=()
for file in "$results"/cnn.*-*; do
	labels+=("${file##*cnn.}=$file")
done
"$BUILD/mpi/mpich/bin/python" "$top/mpipr/programs/plot.py" \
	"$results/cnn.png" "${labels[@]}"
echo "Figure: $results/cnn.png"
