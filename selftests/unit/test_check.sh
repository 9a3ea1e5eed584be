#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What vm/check.sh says of tests without results, and how it ends: in a tree
# made here, whose machines and runner only say that what they were told to run
# has passed, and do besides what a case has planted.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
unset MAKEFLAGS MAKELEVEL MODULE PRP_LONG
export BUILD=$top/build KVER=6.1 PLANTED=$top/planted LACKS='' STATUS=0
export TESTS="prp:a.sh prp:b.sh prp/net:c.sh prp/mpi:d.sh prp/machines:e.sh"

fail() {
	echo "# FAIL: $*"
	exit 1
}

# Says "ok" of each -t COLLECTION:NAME, but for what is in $LACKS
runner() {
	cat >"$1" <<-'END'
	#!/bin/bash
	read -d '' -ra words <<<"$*"
	for word in "${words[@]%;}"; do
		[[ $word == *:* && " $LACKS " != *" $word "* ]] || continue
		echo "ok 1 selftests: ${word/:/: }"
	done
	END
	chmod +x "$1"
}

# The machine: what is planted, then the runner, where the command says so
machine() {
	cat >"$top/selftests/vm/run.sh" <<-'END'
	#!/bin/bash
	logs=${*: -2:1}
	mkdir -p "$logs"
	[ ! -e "$PLANTED" ] || . "$PLANTED"
	"$BUILD/kselftest/run_kselftest.sh" "${*: -1}" | tee "$logs/output"
	END
	chmod +x "$top/selftests/vm/run.sh"
}

prepare() {
	mkdir -p "$top"/{net/prp,selftests/vm,build/kselftest}
	cp "$here"/../vm/{check,tests,results,kernel,path,summary}.sh \
		"$here/../vm/skips" "$top/selftests/vm/"
	printf 'modules selftests:\n' >"$top/Makefile"
	cc -c -x c -o "$top/net/prp/prp.ko" /dev/null
	printf '%s\n' $TESTS prp:dissector.sh \
		>"$BUILD/kselftest/kselftest-list.txt"
	runner "$BUILD/kselftest/run_kselftest.sh"
	echo 'exit $STATUS' >>"$BUILD/kselftest/run_kselftest.sh"
	machine
	git -C "$top" init -q
	printf '%s\n' /build /planted '*.ko' >"$top/.gitignore"
}

# says STATUS PATTERN, with what is planted; then nothing is
says() {
	local out rc=0

	out=$(CASES=${CHOSEN:-} "$top/selftests/vm/check.sh" 2>&1) || rc=$?
	rm -f "$PLANTED"
	[ $rc = "$1" ] && [[ $out == $2 ]] || fail "status $rc: $out"
}

check__all_pass() {
	says 0 $'*\n13 passed, 0 failed, 0 skipped'
}

check__a_machine_lacks_a_result() {
	LACKS=prp:b.sh
	says 1 $'*Not passed:\n  *prp: b.sh # there is no result\n*, 1 failed*'
}

check__a_wire_lacks_a_result() {
	LACKS=prp/machines:e.sh
	says 1 $'*Not passed:\n  *machines: e.sh # there is no result\n*, 1 failed*'
}

check__the_runner_fails() {
	export TESTS=prp/machines:e.sh STATUS=2
	says 1 $'*Not passed:\n  *the runner comes to its end\n*, 1 failed*'
}

# Built anew while they run
check__all_machines_have_one_module() {
	cat >"$PLANTED" <<-'END'
	for word; do
		[ "${last:-}" != -m ] || cksum <"$word"
		last=$word
	done >>"$BUILD/modules"
	echo more >>"$BUILD/../net/prp/prp.ko"
	END
	says 0 '*'
	[ "$(wc -l <"$BUILD/modules")" = 3 ] || fail "$(<"$BUILD/modules")"
	[ "$(sort -u "$BUILD/modules" | wc -l)" = 1 ] ||
		fail "$(<"$BUILD/modules")"
}

check__a_source_changes() {
	echo 'echo more >>"$BUILD/../selftests/vm/skips"' >"$PLANTED"
	says 1 $'*Not passed:\n  *no source has changed meanwhile\n*, 1 failed*'
}

# What judges them is not there either. It is not asked if no case was.
check__captures_are_missing() {
	export TESTS=prp:dissector.sh
	says 1 $'*Not passed:\n  *prp: dissected.sh\n*, 1 failed*'
	CHOSEN='x__*'
	says 1 $'*Not passed:\n  no case matches x__\\*\n*'
}

# The one above that of the machine and what shows its output
check__a_lane_dies() {
	echo '[[ $logs != */net ]] || kill -9 "$(ps -o ppid= $PPID)"' >"$PLANTED"
	says 1 $'*Not passed:\n  *job net comes to its end\n*, 1 failed*'
}

# As a terminal sends it, when two machines run that never end
check__ends_by_ctrl_c() {
	local out rc=0

	cat >"$PLANTED" <<-'END'
	echo "$logs" >>"$BUILD/begun"
	[ "$(wc -l <"$BUILD/begun")" -lt 2 ] || kill -INT 0
	sleep 1000
	END
	# who ignores it, as what a shell leaves to itself, has others ignore it
	out=$(CASES='' env --default-signal=INT setsid -w \
		"$top/selftests/vm/check.sh" 2>&1) || rc=$?
	[ $rc = 130 ] || fail "status $rc: $out"
	flock -w 5 "$BUILD/check.lock" true || fail "something still works"
	# three work at a time: one may begin while the signal is sent
	[ "$(wc -l <"$BUILD/begun")" -le 3 ] || fail "$(<"$BUILD/begun")"
}

prepare
run_cases check
