#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What vm/path.sh makes of the times of a run, written here.
set -u
here=$(cd "$(dirname "$0")" && pwd)

# case_is NAME PATTERN LINE...
nr=0 failed=0
case_is() {
	local out

	nr=$((nr + 1))
	out=$("$here/../vm/path.sh" <(printf '%s\n' "${@:3}"))
	if [[ $out == $2 ]]; then
		echo "ok $nr $1"
	else
		sed 's/^/# /' <<<"$out"
		echo "not ok $nr $1"
		failed=1
	fi
}

echo "TAP version 13"
echo "1..4"

case_is path__the_lane_that_ends_last \
	$'\\*    90 s from     0 s,   100 s of processors  building\n *\n\\*   200 s from   110 s,    50 s of processors  net\nCritical path, \\*: building 90 + prp 20 + net 200 = 310 s, 185 s of processors' \
	"both 0 90 100 building" "beside 90 300 30 unit" \
	"main 90 110 5 prp" "main 110 310 50 net"

case_is path__the_other_one '*: building 90 + unit 230 = 320 s, *' \
	"both 0 90 1 building" "main 90 110 1 prp" "main 110 310 1 net" \
	"beside 90 320 1 unit"

case_is path__only_what_was_built '*: building 9 = 9 s, *' \
	"both 0 9 9 building"

# A second run has nothing to build, and some parts nothing to run.
case_is path__without_what_took_no_time '*: prp 7 = 7 s, *' \
	"both 0 0 0 building" "beside 0 0 0 unit" "main 0 7 2 prp" \
	"main 7 7 0 net"

exit $failed
