#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make check` and `make bars` run once the packages are there:
#
#	check.sh [bars]
#
# With "bars" all is built and what is measured, prp/bars, is taken whole, in a
# machine that counts instructions. Else all is built, then jobs are done in
# four lanes, each of which takes the next job when it has ended one: two lanes
# for what is tested in virtual machines and minds how long things take, and two
# of low priority for what does not, so that no processor idles while others
# wait: the unit tests, the gate, the models, and a machine with counted
# instructions for guards of what is measured. Any more machines that mind and
# they wait for each other until they give up. When one of the two of low
# priority has nothing else left it takes of the others, and then not with low
# priority; but not of the long variants, which have two processors each.
#
# A second processor takes an emulator more than it gives: only tests that are
# of what two processors do at once have it here, and all in the long variants,
# on debug kernels and on other releases.
#
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
all)	PRP_BARS='' folders="prp tools prpctl net mpi guards machines long" ;;
bars)	PRP_BARS=1 folders="bars machines" ;;
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
jobs=$logs/jobs
rm -rf "$tap" "$times" "$jobs"
mkdir "$jobs"

exec 3>&1	# for say: what a job prints is shown when all of it is there
say() {
	echo "=== $* ($((SECONDS - begun)) s)" >&3
}

# spent: in $SPENT, what the children of this shell that have ended have had of
# the processors, in seconds
spent() {
	local stat

	read -ra stat <"/proc/$BASHPID/stat"
	SPENT=$(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

# part LANE NAME COMMAND...: notes when it began and ended and what that took of
# the processors, for path.sh
part() {
	local lane=$1 name=$2 start=$((SECONDS - begun)) before rc

	spent
	before=$SPENT
	"${@:3}"
	rc=$?
	spent
	echo "$lane $start $((SECONDS - begun)) $((SPENT - before)) $name" \
		>>"$times"
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

# machine NAME LIMIT_S [OPTION]...: the tests chosen of those of this job
machine() {
	local name=$1 limit=$2 patterns
	# the long variants have the machine's limit alone
	local long='sed -i s/^timeout=.*/timeout=0/ prp/settings prp/*/settings'

	mapfile -t patterns < <(tests_of "$name")
	shift 2
	choose_those "${patterns[@]}" || return 0
	say "$name, in a virtual machine"
	run_chosen "$limit" "$logs/$name" \
		"export CASES='${CASES:-}' PRP_LONG='${PRP_LONG:-}'
		 export PRP_BARS='$PRP_BARS'
		 ${PRP_LONG:+$long}
		 ./run_kselftest.sh" "$@" -m "$MODULE" | timed
	# What the kernel said, and that the machine came to its end
	[ "${PIPESTATUS[0]}" = 0 ] || printf 'not '
	echo "ok 1 selftests: check: the kernel of machine $name is content"
}

# several JOB: its tests boot their machines themselves
several() {
	local patterns

	mapfile -t patterns < <(tests_of "$1")
	choose_those "${patterns[@]}" || return 0
	say "$1: several on a wire"
	TOP=$top PRP_MODULE=$MODULE PRP_BARS=$PRP_BARS run_here | timed
}

# How sources should look is for Debian 12's tools to say; later ones ask for
# another look.
the_gate() {
	[ -z "${TESTS:-}" ] || return 0
	say "the gate"
	if ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
		step check gate echo "1..1"$'\n'"ok 1 gate # SKIP not Debian 12"
		return
	fi
	step check gate make -s --no-print-directory -C "$top" lint
}

# Of some cases of dissector.sh, or none, there may be no captures.
dissected() {
	listed | grep -qx prp:dissector.sh || return 0
	[ -d "$logs/tools/captures" ] || [ -z "${CASES:-}" ] || return 0
	step prp dissected.sh "$BUILD/kselftest/prp/dissected.sh" \
		"$logs/tools/captures"
}

models() {
	[ -z "${TESTS:-}" ] || return 0
	say "the models"
	step check "the models hold" make -s --no-print-directory -C "$top" \
		check-model
}

# What only the long variants have
packages() {
	[ -z "${TESTS:-}" ] || return 0
	say "packages for rpm"
	step unit rpm "$top/selftests/unit/rpm.sh"
}

still() {
	[ -z "${TESTS:-}" ] || return 0
	say "a machine that stands still"
	step check "a machine that stands still" "$vm/still.sh"
}

slowed() {
	[ -z "${TESTS:-}" ] || return 0
	say "guards where the module is slow"
	step check "guards where the module is slow" "$vm/slowed.sh"
}

# Once for the tests and the gate, which then knows what the compiler and sparse
# have said; a run of chosen tests has no gate.
build_module() {
	if [ -z "${TESTS:-}" ]; then
		"$top/selftests/gate/gate.sh" module
	else
		make -s --no-print-directory -j"$(nproc)" -C "$top" modules
	fi
}

# A warning is an error in user space, too. What unpacks and what links leaves
# processors idle: there are two at once.
build() {
	local module rc=0

	build_module &
	module=$!
	CFLAGS="-O2 -g -Werror" \
		make -s --no-print-directory -j"$(nproc)" -C "$top" selftests ||
		rc=1
	wait $module || rc=1
	return $rc
}

# Tests of what two processors do at once, and of how they overtake each other:
# these scripts, and all programs but for those that bind, look and refuse. And
# prpctl_explain.sh: on one processor `prpctl explain` was seen to tell of a
# size that is less than what passes.
TWO="data|loss|hostile|queues|runs|prpctl_explain"
ONE="sock_@(bind|reuseport|inet|require|security|diag)|trust|netlink"

# tests_of JOB: patterns of those that it runs, one a line. The oracle is short:
# no machine is booted for it alone.
tests_of() {
	case $1 in
	net)	echo "prp/net:!($TWO).sh" ;;
	prpctl)	echo "prp:prpctl!(_explain).sh" ;;
	tools)	printf '%s\n' "prp:!(prpctl*|$TWO).sh" "prp:@($ONE)" ;;
	prp)	printf '%s\n' "prp:!(*.sh|$ONE)" "prp:@($TWO).sh" \
			"prp/net:@($TWO).sh" ;;
	guards)	echo "prp/bars:*" ;;
	machines)
		printf '%s\n' "prp/machines:*" "prp/costs:*" ;;
	costs)	echo "prp/costs:*" ;;
	mpi)	printf '%s\n' "prp/mpi:*" "prp/oracle:*" ;;
	*)	echo "prp/$1:*" ;;
	esac
}

# All tests, but for those of debug kernels, are of one job each.
none_is_left_out() {
	local TESTS='' names job patterns

	names="net tools prpctl prp machines mpi guards long faults"
	mapfile -t patterns < <(for job in $names; do tests_of $job; done)
	choose_those "${patterns[@]}"
	diff <(sort "$BUILD/kselftest/kselftest-list.txt") <(listed | sort)
}

job() {
	# a quarter, for which it may be mute, is more than a file has
	local name=$1 limit=4000 one=(-c 1)

	if [ -n "${PRP_LONG:-}" ]; then
		limit=32400
		one=()
	fi
	case $name in
	net | prpctl)
		machine "$name" $limit "${one[@]}" ;;
	tools)	machine tools $limit "${one[@]}"
		dissected ;;
	guards)	machine guards 2400 -i ;;
	prp | mpi)
		machine "$name" $limit ;;
	long)	MEMORY=5G machine long $limit ;;
	machines)
		several machines ;;
	gate)	the_gate ;;
	unit)	unit_tests ;;
	*)	"$name" ;;
	esac
}

# lane NAME JOB...: does those of the jobs that no lane has begun before
lane() {
	local job

	for job in "${@:2}"; do
		mkdir "$jobs/$job" 2>/dev/null || continue
		part "$1" "$job" job "$job" >"$jobs/$job/tap"
		flock "$jobs" cat "$jobs/$job/tap"
		: >"$jobs/$job/done"
	done
}

# The third of run_all, which says what is left
third_lane() {
	low_lane 3 $rest
	[ -n "${PRP_LONG:-}" ] || lane 3 $minding
}

# end_all PID...: these and all that they have begun, which Ctrl-C does not
# reach: what is in the background ignores it.
end_all() {
	local pid begun

	for pid; do
		begun=$(pgrep -P "$pid")
		kill "$pid" 2>/dev/null
		end_all $begun
	done
}

# Those that take longest are begun first.
run_all() {
	local minding="prp net tools prpctl machines mpi"
	local rest="guards unit models gate" job

	if [ -n "${PRP_LONG:-}" ]; then
		minding="long $minding still"
		rest="slowed $rest packages"
	fi
	trap 'end_all $(jobs -p); trap - INT; kill -INT $BASHPID' INT
	lane 1 $minding $rest &
	lane 2 $minding $rest &
	third_lane &
	low_lane 4 $rest &
	wait
	trap - INT
	for job in $minding $rest; do
		[ -e "$jobs/$job/done" ] ||
			step check "job $job comes to its end" false
	done
}

# low_lane NAME JOB...: of low priority
low_lane() (
	renice -n 10 $BASHPID >/dev/null
	lane "$@"
)

run_bars() {
	step check "a bar is named" \
		choose_those "prp/bars:*" "$(tests_of costs)" || return
	part 1 bars machine bars "${PRP_LONG:+3}2400" -i
	part 1 costs several costs
}

# All machines have the module that was built, whatever becomes of it in its
# place while they boot, minutes apart.
run() {
	local before

	before=$(sources)
	say "building"
	part both building step check "everything builds" build || return
	step check "the module is kept" strip -g -o "$logs/prp.ko" \
		"${MODULE:-$top/net/prp/prp.ko}" || return
	MODULE=$logs/prp.ko
	step check "the tests named exist" all_known || return
	step check "each test is in one job" none_is_left_out
	"run_$what"
	[ -z "$before" ] || step check "no source has changed meanwhile" \
		[ "$(sources)" = "$before" ]
}

what_is_tested
run | tee "$tap"
say "all results: $tap"
"$vm/path.sh" "$times"
[ $what = all ] && [ -n "${PRP_LONG:-}" ] && [ -z "${TESTS:-}${CASES:-}" ] ||
	exec "$vm/summary.sh" "$tap"
ends_in_a_row "make check PRP_LONG=1" "$KVER" "$tap" $((SECONDS - begun))
