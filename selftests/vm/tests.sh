# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which tests kselftest's runner is to run, for scripts that source this file.

# choose COLLECTION: leaves in $chosen what tells the runner which of its
# tests to run, those in $TESTS or all; fails if there are none
choose() {
	local test

	chosen=
	for test in ${TESTS:-}; do
		[ "${test%:*}" != "$1" ] || chosen+=" -t $test"
	done
	[ -n "${TESTS:-}" ] || chosen="-c $1"
	[ -n "$chosen" ]
}
