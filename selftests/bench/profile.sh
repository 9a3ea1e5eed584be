#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make profile` runs: rooms.sh in a virtual machine whose emulator counts
# instructions by where they are. The tables go into
# Documentation/results/profile.md; what was counted is left in $BUILD/profile.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
results=$BUILD/profile
page=$top/Documentation/results/profile.md

mkdir -p "$results"
rm -f "$results"/insns.*
${CC:-gcc} -O2 -Wall -Wextra -shared -fPIC -o "$results/insns.so" \
	"$top/selftests/bench/insns.c"
"$top/selftests/vm/run.sh" -i -l 3600 \
	-p "$results/insns.so,prefix=$results/insns" "$results" \
	"export RESULTS='$results'; cd prp/bench && PATH=\$PWD:\$PATH ./rooms.sh"
"$top/selftests/bench/rooms.py" "$results" "$top/net/prp" >"$page.new"
mv "$page.new" "$page"
cat "$page"
