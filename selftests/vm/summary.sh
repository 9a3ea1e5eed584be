#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Reads KTAP as kselftest's runner writes it, prints what did not pass and,
# last, "N passed, N failed, N skipped". A skip that vm/skips does not
# allow, a missing result and a program that failed without saying where
# count as failures; so does a pattern in $CASES that no case matches. Of a
# program that runs again, as its machine stood still, only what failed counts.

# cases_match FILE: a program in C says FIXTURE.CASE
cases_match() {
	local name

	[ -n "${CASES:-}" ] || return 0
	while read -r name; do
		[[ ${name##*.} != ${CASES:-*} ]] || return 0
	done < <(sed -nE 's/^# (not )?ok [0-9]+ (- )?([^ ]+).*/\3/p' "$1")
	return 1
}

nowhere=
cases_match "$1" || nowhere="no case matches $CASES"
exec awk -v skips="$(dirname "$0")/skips" -v nowhere="$nowhere" '
BEGIN {
	while ((getline line <skips) > 0)
		if (split(line, word, " ") > 1 && line !~ /^#/)
			allowed[word[1]] = 1
}

function bad(what) {
	failed++
	list = list "  " what "\n"
}

function begin() {
	planned = results = failures = unmatched = 0
	passed_before = passed
	skipped_before = skipped
}

# One program has ended: did it say all that it announced?
function end(ok, name) {
	if (planned > results)
		bad(name ": " planned - results " results are missing")
	else if (!ok && !failures)
		bad(name)
	else if (unmatched)
		; # not asked for
	else if (name ~ /# SKIP/ && !results)
		bad("skipped: " name)
	else if (ok && !results)
		passed++
	begin()
}

function result(ok, text,    name) {
	results++
	name = text
	sub(/ *# SKIP.*/, "", name)
	sub(/^[0-9]* *(- )?/, "", name)
	if (text ~ /# SKIP/) {
		if (name in allowed)
			skipped++
		else
			bad("skipped: " program name)
	} else if (ok) {
		passed++
	} else {
		bad(program name)
		failures++
	}
}

/^# selftests: /	{ program = $4 ": "; begin() }
/^# 1\.\.0 # SKIP no case matches/	{ unmatched = 1 }
/^# 1\.\.[0-9]+/	{ planned = substr($2, 4) + 0 }
/^# ok /		{ result(1, substr($0, 6)) }
/^# not ok /		{ result(0, substr($0, 10)) }
/^# stood still: / {
	still = still "A machine stood still in " $4 " and was booted again\n"
	passed = passed_before
	skipped = skipped_before
	begin()
}
/^ok /			{ end(1, $0) }
/^not ok /		{ end(0, $0) }

END {
	if (planned > results)
		bad(program planned - results " results are missing")
	if (nowhere)
		bad(nowhere)
	printf "%s", still
	if (list)
		printf "Not passed:\n%s", list
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0
}' "$1"
