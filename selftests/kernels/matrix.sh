#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make matrix` runs: for each release of release.sh, builds the module
# against the kernel's headers, boots that kernel and runs the selftests on it,
# a virtual machine a collection, then those that boot several. What was seen
# is written into Documentation/results/kernels.csv, a row a release. Fails if
# anything is not as it should be, warnings included.
#
#	matrix.sh [-b]
#
#   -b  only builds; leaves the table alone
#
# RELEASE  only this one
# TESTS, CASES   only these, as check.sh has them; leaves the table alone
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
vm=$top/selftests/vm
begun=$SECONDS
build_only=
while getopts b option; do
	case $option in
	b)	build_only=yes ;;
	*)	exit 2 ;;
	esac
done
. "$vm/tests.sh"
. "$vm/results.sh"
. "$top/selftests/kernels/release.sh"
mkdir -p "$BUILD/logs"
exec {lock}>"$BUILD/check.lock"
flock -n $lock || { echo "Waiting for another check"; flock $lock; }

say() {
	echo "=== $* ($((SECONDS - begun)) s)"
}

# sparse_knows RELEASE: sparse 0.6.4 does not parse __typeof_unqual__, which
# the headers of 7.2 use
sparse_knows() {
	[[ $1 =~ ^6\. ]]
}

# build_module RELEASE: leaves $module, the number of $warnings and whether
# sparse has $checked it. Builds a copy: the objects in net/prp are those of the
# stock kernel.
build_module() {
	local source=$BUILD/kernels/module-$1 log=$logs/build options=()

	checked=no
	if sparse_knows "$1"; then
		checked=yes
		options+=(C=2 CF=-D__CHECK_ENDIAN__)
	fi
	# The kernels of a newer Debian were built by a newer compiler, with
	# attributes that this one does not know, and with pahole.
	[ "$root" = / ] ||
		options+=(CC=gcc KCFLAGS=-Wno-attributes
			  CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=
			  CONFIG_DEBUG_INFO_BTF_MODULES=)
	rm -rf "$source"
	mkdir -p "$source"
	(
		cd "$top" &&
			find net/prp include -name '*.[ch]' -o \
				-name Makefile | grep -v '[.]mod[.]c$' |
			cpio -pdm --quiet "$source"
	)
	MAKEFLAGS='' make -j"$(nproc)" -C "$headers" "M=$source/net/prp" W=1 \
		"${options[@]}" modules >"$log" 2>&1 || {
		grep -E -m1 -A20 'error:|ERROR:' "$log" || tail "$log"
		return 1
	}
	if [ "$checked" = yes ] && ! grep -q '^  CHECK ' "$log"; then
		echo "sparse did not run: $log"
		return 1
	fi
	module=$source/net/prp/prp.ko
	warnings=$(grep -cE ': warning:|WARNING: modpost' "$log")
	[ "$warnings" = 0 ] || grep -E -B2 ': warning:|WARNING: modpost' "$log"
}

# machine NAME: all tests of a collection in one machine with this kernel
machine() {
	run_chosen 2400 "$logs/$1" \
		"export CASES='${CASES:-}'; ./run_kselftest.sh" -m "$module"
	[ $? = 0 ] || printf 'not '
	echo "ok 1 selftests: matrix: the kernel of machine $1 is content"
}

# Tests that boot their machines themselves
machines() {
	TOP=$top PRP_MODULE=$module LOGS=$logs/machines run_here
}

# collect COLLECTION COMMAND...: leaves PASSED/FAILED/SKIPPED in $counts
collect() {
	local tap=$logs/${1//\//-}.tap

	counts=-
	choose "$1" || return 0
	say "$version: $1"
	KVER=$version KERNEL=$image KERNEL_ROOT=$root KERNEL_OPTIONS=$words \
		"${@:2}" >"$tap"
	"$vm/summary.sh" "$tap" | tee "$tap.summary"
	counts=$(counts_of "$tap.summary")
	[[ $counts =~ ^[1-9][0-9]*/0/ ]]
}

# one RELEASE
one() {
	local failed='' results=() name

	fetch_release "$1" || return
	logs=$BUILD/logs/matrix/$1
	rm -rf "$logs"
	mkdir -p "$logs"
	say "$version: building"
	build_module "$1" || return
	[ "$warnings" = 0 ] || failed=yes
	if [ -n "$build_only" ]; then
		[ -z "$failed" ]
		return
	fi
	collect prp machine prp || failed=yes
	results+=("$counts")
	collect prp/net machine net || failed=yes
	results+=("$counts")
	collect prp/oracle machine oracle || failed=yes
	results+=("$counts")
	collect prp/machines machines || failed=yes
	results+=("$counts")
	[ -n "${TESTS:-}${CASES:-}" ] ||
		write_row kernels.csv "$1" "$version" "gcc $(gcc -dumpfullversion)" \
			"$warnings" "$checked" "${results[@]}" || failed=yes
	[ -z "$failed" ]
}

if ! apt_update; then
	tail -n 3 "$apt/log" >&2
	echo "No news from $MIRROR: with what is here" >&2
fi
if [ -z "$build_only" ]; then
	say "building tools and tests"
	make -s --no-print-directory -C "$top" tools selftests || exit
	all_known || exit
fi
what_is_tested
bad=
for release in ${RELEASE:-$RELEASES}; do
	one "$release" || bad+=" $release"
done
say "${bad:+FAILED:$bad; }logs: $BUILD/logs/matrix"
[ -z "$bad" ]
