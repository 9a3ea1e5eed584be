#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make check-fresh` runs: the README's own lines, typed on a bare Debian
# 12, and on 13, in a folder, $BUILD/fresh, which gets the last commit. Results
# are KTAP in $BUILD/logs/fresh; the last line counts them.
#
# All runs in name spaces of its own: mounts and processes go with it.
set -u

[ "$(id -u)" = 0 ] || { echo "check-fresh needs root" >&2; exit 1; }
[ $$ = 1 ] || exec \
	unshare --mount-proc --pid --fork --kill-child "$0"

vm=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$vm/../.." && pwd)
BUILD=${BUILD:-$top/build}
logs=$BUILD/logs/fresh
fresh=$BUILD/fresh
begun=$SECONDS
. "$vm/bare.sh"

fail() {
	echo "FAIL: $*"
	exit 1
}

clear_away() {
	local root

	for root in "$fresh"/*/; do
		umount -qlR "$root"{proc,sys,dev,var/cache/apt/archives} \
			2>/dev/null
	done
	rm -rf --one-file-system "$fresh"
}

# --- roots -------------------------------------------------------------------

# new_root NAME [BARE]: a copy of a bare one, with this repository in /prp.git.
# All share what was downloaded.
new_root() {
	root=$fresh/$1
	cp -a "$fresh/${2:-bare}" "$root"
	git clone -q --bare "$top" "$root/prp.git"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	mkdir -p "$fresh/archives"
	mount --bind "$fresh/archives" "$root/var/cache/apt/archives"
}

# block NUMBER: of the commands in the README's "Try it"
block() {
	awk -v wanted="$1" '
	/^## /		{ here = /^## Try it$/ }
	here && /^```sh/	{ block++; inside = 1; next }
	/^```/		{ inside = 0 }
	inside && block == wanted' "$top/README.md" |
		sed 's|<this repository>|/prp.git|'
}

# typed LOG [NAME=VALUE]...: the lines that come in, one after the other, in
# $root by somebody who has just logged in
typed() {
	local lines

	lines=$(sed 's/$/ || exit/')
	[ -n "$lines" ] || fail "nothing to type"
	in_root "$root" "${@:2}" bash -xc "$lines" 2>&1 | tee "$logs/$1"
	[ "${PIPESTATUS[0]}" = 0 ] || fail "it failed: $lines"
}

nothing_was_installed() {
	! grep -E '^(Installing|Unpacking)' "$logs/$1" ||
		fail "this was there already"
}

# The rows that the page shows, each file as it was sent, and the last word
demo_is_as_on_the_page() {
	local rows shown same

	rows=$(sed -nE 's/^\| (PRP|TCP) \| ([0-9]+) % .*/\1 \2/p' \
		"$top/Documentation/performance.md")
	shown=$(awk '/^(PRP|TCP) +[0-9]+ %/ { print $1, $2 }' "$logs/$1")
	[ -n "$rows" ] && [ "$shown" = "$rows" ] ||
		fail "rows of the table:" $shown
	same=$(grep -c 'sha256 is the same' "$logs/$1")
	[ "$same" = "$(wc -l <<<"$rows")" ] || fail "only $same files arrived"
	[ "$(tail -n 1 "$logs/$1")" = \
		"All of it arrived, and all of it in frames of PRP." ] ||
		fail "not the last line of a demo"
}

check_passed() {
	tail -n 1 "$logs/$1" |
		grep -qxE '[1-9][0-9]* passed, 0 failed, 0 skipped' ||
		fail "not the last line of a check"
}

# --- cases, in this order ----------------------------------------------------

fresh__a_bare_root_is_made() {
	local bare=$fresh/bare file

	mkdir -p "$fresh"
	bare_root "$bare"
	for file in usr/bin/{git,make,gcc} boot/vmlinuz* lib/modules; do
		[ ! -e "$bare/"$file ] || fail "not bare: $file"
	done
}

fresh__the_demo_of_the_readme() {
	new_root demo
	block 1 | typed demo
	demo_is_as_on_the_page demo
}

fresh__the_demo_a_second_time() {
	root=$fresh/demo
	printf '%s\n' "cd prp" "make demo" | typed demo-again
	nothing_was_installed demo-again
	demo_is_as_on_the_page demo-again
}

fresh__check_where_a_cloud_kernel_is() {
	new_root check
	echo "apt-get update && apt-get install -y linux-image-cloud-amd64" |
		typed cloud
	{ block 1 | head -n 1; block 2; } |
		typed check KVER= TESTS=prp:handshake.sh
	check_passed check
}

fresh__ci_a_second_time() {
	root=$fresh/check
	printf '%s\n' "cd prp" ".ci/run" | typed ci TESTS=prp:handshake.sh
	nothing_was_installed ci
	check_passed ci
}

fresh__a_kernel_that_has_lost_its_file() {
	root=$fresh/check
	printf '%s\n' "cd prp" 'rm "/boot/vmlinuz-$(make -s kver)"' "make deps" \
		'ls "/boot/vmlinuz-$(make -s kver)"' "make modules" | typed lost
}

fresh__debian_13_is_made() {
	SUITE=trixie bare_root "$fresh/bare-13"
}

fresh__demo_and_check_on_debian_13() {
	new_root on-13 bare-13
	block 1 | typed demo-13
	demo_is_as_on_the_page demo-13
	printf '%s\n' "cd prp" "make check" |
		typed check-13 TESTS=prp:handshake.sh
	check_passed check-13
	printf '%s\n' "cd prp" "make deb" | typed deb-13
}

# --- the run -----------------------------------------------------------------

run_all() {
	local names name nr=0 rc failed=

	mapfile -t names < <(sed -n 's/^\(fresh__[a-z0-9_]*\)() {$/\1/p' \
		"$vm/fresh.sh")
	echo "# selftests: fresh: fresh.sh"
	echo "# 1..${#names[@]}"
	for name in "${names[@]}"; do
		echo "=== $name ($((SECONDS - begun)) s)"
		(set -e; "$name") 2>&1 | sed -u 's/^/#   /'
		rc=${PIPESTATUS[0]}
		nr=$((nr + 1))
		if [ "$rc" = 0 ]; then
			echo "# ok $nr $name"
			continue
		fi
		echo "# not ok $nr $name"
		failed=yes
		# all others need it
		[ $nr != 1 ] || break
	done
	[ -z "$failed" ] || printf 'not '
	echo "ok 1 selftests: fresh: fresh.sh"
}

mkdir -p "$logs"
exec {lock}>"$BUILD/check.lock"
flock -n $lock || { echo "Waiting for another check"; flock $lock; }
trap clear_away EXIT
trap 'exit 130' INT TERM
clear_away
run_all | tee "$logs/all.tap"
echo "=== all results: $logs/all.tap ($((SECONDS - begun)) s)"
"$vm/summary.sh" "$logs/all.tap"
