#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What vm/summary.sh makes of the KTAP of tests, written here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ktap=$(mktemp)
trap 'rm -f "$ktap"' EXIT

# file NAME RESULT...: what kselftest's runner prints of a test
file() {
	local rc='' nr=0 result

	echo "# selftests: prp: $1"
	echo "# 1..$(($# - 1))"
	for result in "${@:2}"; do
		nr=$((nr + 1))
		[[ $result != "not ok"* ]] || rc='not '
		echo "# ${result/ok/ok $nr}"
	done
	echo "${rc}ok 1 selftests: prp: $1"
}

# without_match NAME
without_match() {
	echo "# selftests: prp: $1"
	echo "# 1..0 # SKIP no case matches"
	echo "ok 1 selftests: prp: $1 # SKIP"
}

# case_is NAME CASES STATUS PATTERN: of the KTAP that comes in
nr=0 failed=0
case_is() {
	local out rc

	nr=$((nr + 1))
	cat >"$ktap"
	out=$(CASES=$2 "$here/../vm/summary.sh" "$ktap")
	rc=$?
	if [ $rc = "$3" ] && [[ $out == $4 ]]; then
		echo "ok $nr $1"
	else
		echo "# status $rc, expected $3"
		sed 's/^/# /' <<<"$out"
		echo "not ok $nr $1"
		failed=1
	fi
}

echo "TAP version 13"
echo "1..10"

case_is summary__counts '' 1 \
	$'Not passed:\n  b.sh: b__bad\n2 passed, 1 failed, 0 skipped' < <(
	file a.sh 'ok a__good'
	file b.sh 'ok b__good' 'not ok b__bad')

case_is summary__missing_results '' 1 '*1 results are missing*' < <(
	file a.sh 'ok a__good' | sed 's/1\.\.1/1..2/')

case_is summary__pattern_matches 'b__*' 0 '1 passed, 0 failed, 0 skipped' < <(
	without_match a.sh
	file b.sh 'ok b__good')

case_is summary__pattern_matches_in_c 'b__*' 0 '1 passed, 0 failed*' < <(
	file prog 'ok sock.b__good')

case_is summary__pattern_matches_nothing 'x__*' 1 \
	$'Not passed:\n  no case matches x__*' < <(
	without_match a.sh
	without_match prog)

# what has no cases that could match runs all the same, as the gate
case_is summary__pattern_matches_nothing_that_ran 'x__*' 1 \
	'*no case matches x__*' < <(
	file gate 'ok gate__lines'
	without_match a.sh)

case_is summary__nothing_ran 'x__*' 1 '*no case matches x__*' < <(
	echo "ok 1 selftests: check: everything builds")

# stood FILE: its machine did in the second of three cases
stood() {
	file "$1" 'ok a__good' 'ok a__good2' 'ok a__good3' | head -n 3
	echo "# not a whole"
	echo "# stood still: prp:$1"
}

case_is summary__stood_still_once '' 0 "A machine stood still in prp:a.sh \
and was booted again"$'\n3 passed, 0 failed*' < <(
	stood a.sh
	file a.sh 'ok a__good' 'ok a__good2' 'ok a__good3')

case_is summary__stood_still_twice '' 1 '*  *2 results are missing*' < <(
	stood a.sh
	stood a.sh | sed '$d'
	echo "not ok 1 selftests: prp: a.sh # stood still")

case_is summary__failed_before_it_stood_still '' 1 '*1 failed*' < <(
	stood a.sh | sed 's/# ok 1/# not ok 1/'
	file a.sh 'ok a__good' 'ok a__good2' 'ok a__good3')

exit $failed
