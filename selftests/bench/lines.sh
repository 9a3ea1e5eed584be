#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make lines` runs: pairs.sh in a virtual machine with two processors
# whose emulator notes who stores where. Fails if two connections write a line
# of ours that is not known to be common; what was noted is left in
# $BUILD/lines.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
results=$BUILD/lines

mkdir -p "$results"
rm -f "$results"/lines.*
${CC:-gcc} -O2 -Wall -Wextra -shared -fPIC -o "$results/lines.so" \
	"$top/selftests/bench/lines.c"
"$top/selftests/vm/run.sh" -c 2 -l 900 \
	-p "$results/lines.so,prefix=$results/lines" "$results" \
	"export RESULTS='$results'; cd prp/bench && PATH=\$PWD:\$PATH ./pairs.sh"
"$top/selftests/bench/lines.py" "$results"
