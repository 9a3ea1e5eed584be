# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests in shell, which source this file with $here set, the folder of both:
# their cases, and what they say.

: "${here:?}"

SKIP=4

# skip WHY: of the case that runs
skip() {
	echo "# SKIP: $*"
	exit $SKIP
}

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
		case $rc in
		0)
			echo "ok $nr $name" ;;
		"$SKIP")
			echo "ok $nr $name # SKIP" ;;
		*)
			echo "not ok $nr $name"
			failed=1 ;;
		esac
	done
	exit $failed
}
