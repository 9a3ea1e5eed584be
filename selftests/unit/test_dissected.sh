#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which captures tools/dissected.sh has no judgement of: those of a topic that
# is none of its cases', and none at all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$here/../tools/dissected.sh" "$dir/"
cp -r "$here/../lib" "$dir/lib"
mkdir "$dir/captures"

# says_no_case_for TOPIC
says_no_case_for() {
	local out rc=0

	out=$("$dir/dissected.sh" "$dir/captures") || rc=$?
	echo "# status $rc: $out"
	[ $rc = 1 ] && [[ $out == *"# no case for $dir/captures/$1/"* ]]
}

dissected__no_captures() {
	says_no_case_for '*'
}

dissected__captures_without_a_case() {
	mkdir "$dir/captures/unknown"
	says_no_case_for unknown
}

run_cases dissected
