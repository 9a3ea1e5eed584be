#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shows that a machine which stands still is noticed and booted again, and that
# the summary says so: plants it in test files that are made here, once by a
# processor that locks up, as the emulator's do, and a test that then passes;
# then twice by all processors, silently, and a test that so fails. The other
# files must have their results.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
KDIR=${KDIR:-/lib/modules/$KVER/build}
all=$BUILD
export BUILD=$BUILD/still KVER STILL_S=60
. "$top/selftests/vm/tests.sh"
logs=$BUILD/logs
prp=$BUILD/kselftest/prp

# test_file NAME: its script comes in; it can use PLANT BUG
test_file() {
	{
		echo '#!/bin/bash'
		echo 'plant() { insmod "$CAPTURES/../planted.ko" bug=$1; }'
		echo 'echo 1..1'
		cat
		echo 'echo ok 1 it is over'
	} >"$prp/$1"
	chmod +x "$prp/$1"
	echo "prp:$1" >>"$BUILD/kselftest/kselftest-list.txt"
}

prepare() {
	rm -rf "$BUILD"
	mkdir -p "$prp" "$logs/machine"
	ln -s "$all"/vmlinux-* "$all"/kvm-* "$BUILD/"
	cp -r "$all"/kselftest/{kselftest,run_kselftest.sh,run_upstream.sh} \
		"$BUILD/kselftest/"
	cp "$all/kselftest/prp/hold.bpf.o" "$prp/"
	cp -r "$top/selftests/kernels/planted" "$BUILD/"
	make -s -C "$KDIR" M="$BUILD/planted" modules
	cp "$BUILD/planted/planted.ko" "$logs/machine/"
	test_file before.sh </dev/null
	test_file lockup.sh <<-'END'
	[ ! -e "$CAPTURES" ] || { echo "ok 1 not again"; exit 0; }
	mkdir "$CAPTURES"
	echo 5 >/proc/sys/kernel/watchdog_thresh
	plant lockup
	END
	test_file silence.sh <<<'plant silence'
	test_file after.sh </dev/null
}

# said CASE PATTERN: is it in the summary?
nr=0
said() {
	nr=$((nr + 1))
	if [[ $summary == $2 ]]; then
		echo "ok $nr $1"
	else
		echo "not ok $nr $1"
		failed=1
	fi
}

prepare || exit
chosen="-c prp"
failed=0
run_chosen 900 "$logs/machine" ./run_kselftest.sh | tee "$logs/tap" |
	sed -u 's/^/# /'
! summary=$(CASES='' "$top/selftests/vm/summary.sh" "$logs/tap") || failed=1
sed 's/^/# /' <<<"$summary"
echo "1..4"
said still__lockup_is_told '*stood still in prp:lockup.sh and was booted*'
said still__silence_is_told '*stood still in prp:silence.sh and was booted*'
said still__twice_is_a_failure '*Not passed:*prp: silence.sh*'
said still__the_others_have_run '*3 passed, 1 failed, 0 skipped'
exit $failed
