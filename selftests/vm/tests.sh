# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which tests kselftest's runner is to run, and in which machines, for scripts
# that source this file with $top, $BUILD and $KVER set.

. "$top/selftests/vm/kernel.sh"

# all_known: whether all in $TESTS are tests; says which are not
all_known() {
	local test rc=0

	for test in ${TESTS:-}; do
		grep -qxF "$test" "$BUILD/kselftest/kselftest-list.txt" &&
			continue
		echo "No such test: $test"
		rc=1
	done
	return $rc
}

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

# choose_those PATTERN...: likewise, of those that match, COLLECTION:NAME
choose_those() {
	local test pattern

	chosen=
	while read -r test; do
		[[ -z ${TESTS:-} || " $TESTS " == *[[:space:]]"$test"[[:space:]]* ]] ||
			continue
		for pattern; do
			# shellcheck disable=SC2053
			[[ $test != $pattern ]] || chosen+=" -t $test"
		done
	done <"$BUILD/kselftest/kselftest-list.txt"
	[ -n "$chosen" ]
}

# listed: the tests that $chosen stands for, COLLECTION:NAME, one a line
listed() {
	local list=$BUILD/kselftest/kselftest-list.txt

	case $chosen in
	" -t "*)	tr -s ' ' '\n' <<<"${chosen// -t / }" | sed /^$/d ;;
	*)	grep "^${chosen#-c }:" "$list" ;;
	esac
}

# remaining OUTPUT TEST...: those of which there is no result in it
remaining() {
	local test

	for test in "${@:2}"; do
		grep -qE "^(not )?ok [0-9]+ selftests: ${test/:/: }( #|\$)" \
			"$1" || echo "$test"
	done
}

# fail_remaining OUTPUT TEST...: a failure of each of those
fail_remaining() {
	local test

	for test in $(remaining "$@"); do
		echo "not ok 1 selftests: ${test/:/: } # there is no result"
	done
}

# run_here: the tests chosen, on this machine; a failure of each that has no
# result, and one if the runner fails
run_here() {
	local said

	said=$(mktemp) || return
	"$BUILD/kselftest/run_kselftest.sh" $chosen | tee "$said"
	[ "${PIPESTATUS[0]}" -lt 2 ] ||
		echo "not ok 1 selftests: check: the runner comes to its end"
	fail_remaining "$said" $(listed)
	rm "$said"
}

# run_chosen LIMIT_S LOGS COMMAND [OPTION]...: the tests chosen, as arguments
# of the command, in a machine of run.sh with these options. If it stands still
# it is booted again for the tests that remain, the one in which it stood first;
# if this makes it stand still twice, or may be to blame, it fails; so does each
# test without a result. What COMMAND returns if a test fails, 1, is no failure
# here: summary.sh counts those.
run_chosen() {
	local end=$((SECONDS + $1)) logs=$2 command=$3 tests left rc=1 boots=0
	local again='' blamed=0

	shift 3
	mapfile -t tests < <(listed)
	while left=$((end - SECONDS)) && [ $left -gt 0 ]; do
		"$top/selftests/vm/run.sh" "$@" -l $left "$logs" \
			"$top/selftests/vm/hold.sh || exit
			 $command${tests[*]/#/ -t }; [ \$? -lt 2 ]"
		rc=$?
		[ $rc = 3 ] || break
		boots=$((boots + 1))
		mv "$logs/console" "$logs/console.$boots"
		mapfile -t tests < <(remaining "$logs/output" \
			"${tests[@]}")
		[ ${#tests[@]} != 0 ] || break
		if grep -qaE "$OURS" "$logs/console.$boots"; then
			blamed=1
		elif [ "$again" != "${tests[0]}" ]; then
			again=${tests[0]}
			echo "# stood still: $again"
			continue
		fi
		echo "not ok 1 selftests: ${tests[0]/:/: } # stood still"
		tests=("${tests[@]:1}")
		[ ${#tests[@]} != 0 ] || rc=0
		[ $rc != 0 ] || break
	done
	fail_remaining "$logs/output" "${tests[@]}"
	return $((rc | blamed))
}
