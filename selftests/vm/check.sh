#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make check` and `make bars` run once the packages are there:
#
#	check.sh [bars]
#
# With "bars" all is built and what is measured, prp/bars, is taken whole, in a
# machine that counts instructions. Else all is built, then the
# selftests run in virtual machines: three of two processors for behaviour, one
# after the other. What these leave of the processors while they wait is for the
# rest, one after the other, too: unit tests; the gate; a machine with counted
# instructions for guards of what is measured, which does not mind how long it
# takes; and the tests that boot several small machines, which wait more than
# they work. Any more at once and they wait for each other until they give up.
# All results are KTAP in $BUILD/logs; the last lines say what took how long and
# count them.
#
# TESTS   only these, as "prp:loss.sh prp/bars:throughput.sh"
# CASES   only cases whose name matches this pattern
# PRP_LONG=1   the long variants; a whole run of these writes its row into
#         Documentation/results/runs.csv
# MODULE  load this file instead of net/prp/prp.ko
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
logs=$BUILD/logs
vm=$top/selftests/vm
what=${1:-all}
case $what in
all)	PRP_BARS='' folders="prp net oracle mpi guards machines long" ;;
bars)	PRP_BARS=1 folders=bars ;;
*)	echo "usage: check.sh [bars]" >&2; exit 2 ;;
esac
begun=$SECONDS
. "$vm/tests.sh"
. "$vm/results.sh"
mkdir -p "$logs"
exec {lock}>"$BUILD/check.lock"
flock -n $lock || { echo "Waiting for another check"; flock $lock; }
for folder in $folders; do
	rm -rf "${logs:?}/$folder"
done
tap=$logs/$what.tap times=$logs/$what.times
rm -f "$tap" "$times" "$logs/beside.tap"

say() {
	echo "=== $* ($((SECONDS - begun)) s)"
}

# part LANE NAME COMMAND...: notes when it began and ended, for path.sh
part() {
	local lane=$1 name=$2 start=$((SECONDS - begun)) rc

	"${@:3}"
	rc=$?
	echo "$lane $start $((SECONDS - begun)) $name" >>"$times"
	return $rc
}

# What kselftest's runner does around a test: step COLLECTION NAME COMMAND...
step() {
	local name="selftests: $1: $2" rc

	shift 2
	echo "# $name"
	"$@" 2>&1 | sed -u 's/^/# /'
	rc=${PIPESTATUS[0]}
	[ "$rc" = 0 ] || printf 'not '
	echo "ok 1 $name"
	return "$rc"
}

unit_tests() {
	local source test

	[ -z "${TESTS:-}" ] || return 0
	say "unit tests"
	step check "unit tests build" \
		make -s --no-print-directory -j"$(nproc)" \
		-C "$top/selftests/unit" all ||
		return
	for source in "$top"/selftests/unit/test_*.c; do
		test=${source##*/}
		test=${test%.c}
		step unit "$test" "$BUILD/unit/$test"
	done
	step check "fuzzing targets build" \
		make -s --no-print-directory -C "$top/selftests/fuzz" all ||
		return
	for source in "$top"/selftests/fuzz/fuzz_*.c; do
		test=${source##*fuzz_}
		test=${test%.c}
		step unit "fuzz_$test on its corpus" make -s \
			--no-print-directory -C "$top/selftests/fuzz" \
			"replay-$test"
	done
	for source in "$top"/selftests/unit/test_*.sh; do
		test=${source##*/}
		step unit "${test%.sh}" "$source"
	done
}

# Adds to each result how long the program took.
timed() {
	local line begun=$SECONDS

	while IFS= read -r line; do
		printf '%s\n' "$line"
		if [[ $line =~ ^(not )?ok ]]; then
			echo "# that took $((SECONDS - begun)) s"
			begun=$SECONDS
		fi
	done
}

# machine NAME COLLECTION LIMIT_S [OPTION]...: the tests chosen of a collection
machine() {
	local name=$1 collection=$2 limit=$3
	# the long variants have the machine's limit alone
	local long='sed -i s/^timeout=.*/timeout=0/ prp/settings prp/*/settings'

	shift 3
	choose "$collection" || return 0
	say "$name: $collection in a virtual machine"
	run_chosen "$limit" "$logs/$name" \
		"export CASES='${CASES:-}' PRP_LONG='${PRP_LONG:-}'
		 export PRP_BARS='$PRP_BARS'
		 ${PRP_LONG:+$long}
		 ./run_kselftest.sh" "$@" ${MODULE:+-m "$MODULE"} | timed
	# What the kernel said, and that the machine came to its end
	[ "${PIPESTATUS[0]}" = 0 ] || printf 'not '
	echo "ok 1 selftests: check: the kernel of machine $name is content"
}

# Tests that boot their machines themselves
machines() {
	choose prp/machines || return 0
	say "machines: prp/machines, several on a wire"
	TOP=$top PRP_MODULE=$(realpath "${MODULE:-$top/net/prp/prp.ko}") \
		"$BUILD/kselftest/run_kselftest.sh" $chosen | timed
}

the_gate() {
	[ -z "${TESTS:-}" ] || return 0
	say "the gate"
	step check gate make -s --no-print-directory -C "$top" lint
}

# What does not mind how long it takes
beside() {
	renice -n 10 $BASHPID >/dev/null
	part beside unit unit_tests
	part beside gate the_gate
	part beside guards machine guards prp/bars 2400 -i
	part beside machines machines
}

# A warning is an error in user space, too.
build() {
	export CFLAGS="-O2 -g -Werror"

	make -s --no-print-directory -j"$(nproc)" -C "$top" all &&
		make -s --no-print-directory -j"$(nproc)" -C "$top" selftests
}

run_all() {
	beside >"$logs/beside.tap" &
	part main prp machine prp prp "${PRP_LONG:+3}2400"
	part main net machine net prp/net "${PRP_LONG:+3}2400"
	part main oracle machine oracle prp/oracle "${PRP_LONG:+3}2400"
	part main mpi machine mpi prp/mpi "${PRP_LONG:+1}2400"
	[ -z "${PRP_LONG:-}" ] ||
		part main long machine long prp/long 32400
	[ ! -d "$logs/prp/captures" ] ||
		part main dissected step prp dissected.sh \
			"$BUILD/kselftest/prp/dissected.sh" \
			"$logs/prp/captures"
	[ -z "${PRP_LONG:-}" ] || [ -n "${TESTS:-}" ] ||
		part main rpm step check "packages for rpm build" \
			make -s --no-print-directory -C "$top" rpm
	[ -z "${PRP_LONG:-}" ] || [ -n "${TESTS:-}" ] ||
		part main still step check "a machine that stands still" \
			"$vm/still.sh"
	wait
	cat "$logs/beside.tap"
}

run_bars() {
	step check "a bar is named" choose prp/bars || return
	part main bars machine bars prp/bars "${PRP_LONG:+3}2400" -i
}

run() {
	say "building"
	part both building step check "everything builds" build || return
	step check "the tests named exist" all_known || return
	"run_$what"
}

what_is_tested
run | tee "$tap"
say "all results: $tap"
"$vm/path.sh" "$times"
[ $what = all ] && [ -n "${PRP_LONG:-}" ] && [ -z "${TESTS:-}${CASES:-}" ] ||
	exec "$vm/summary.sh" "$tap"
ends_in_a_row "make check PRP_LONG=1" "$KVER" "$tap" $((SECONDS - begun))
