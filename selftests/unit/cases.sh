# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests in shell, which source this file with $here set, the folder of both:
# their cases, and what they say.

: "${here:?}"

# run_cases TOPIC: all functions topic__case of the file, in its order, that
# match $CASES, each in a shell of its own; exits with 1 if one failed
run_cases() {
	local i names name nr=0 failed=0 rc

	mapfile -t names < <(sed -n "s/^\\(${1}__[a-z0-9_]*\\)() {.*/\\1/p" \
		"$here/${0##*/}")
	for i in "${!names[@]}"; do
		# shellcheck disable=SC2053
		[[ ${names[i]} == ${CASES:-*} ]] || unset "names[i]"
	done
	echo "TAP version 13"
	echo "1..${#names[@]}"
	for name in "${names[@]}"; do
		nr=$((nr + 1))
		# A pipeline that fails ends the case.
		(set -e; "$name")
		rc=$?
		if [ $rc = 0 ]; then
			echo "ok $nr $name"
		else
			echo "not ok $nr $name"
			failed=1
		fi
	done
	exit $failed
}
