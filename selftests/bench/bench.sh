#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make bench` runs: each of the papers' experiments in a virtual machine
# of its own that counts instructions. What is measured is left in
# $BUILD/bench, as JSON; figures and the tables of Documentation/performance.md
# are drawn from what is there.
#
# EXPERIMENTS   only these
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
results=$BUILD/bench
EXPERIMENTS=${EXPERIMENTS:-pingpong bandwidth spray logp permute clients scale \
	many}
failed=

mkdir -p "$results"
for experiment in $EXPERIMENTS; do
	echo "=== $experiment"
	rm -f "$results/$experiment".*.json
	"$top/selftests/vm/run.sh" -i -l 3600 "$results" \
		"export RESULTS='$results' CASES='papers__$experiment'
		 cd prp/bench && ./papers.sh" || failed+=" $experiment"
done
"$BUILD/mpi/mpich/bin/python" "$top/selftests/bench/plot.py" "$results" \
	"$top/Documentation/results"
[ -z "$failed" ] || { echo "Failed:$failed"; exit 1; }
echo "Bars, against which these are held: make bars"
