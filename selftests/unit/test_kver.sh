#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which kernel the Makefile takes, on machines that have several, none or
# others: folders that look like theirs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
unset KVER KDIR MAKEFLAGS
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
	echo "# FAIL: $*"
	exit 1
}

kernel() {
	mkdir -p "$root/boot"
	: >"$root/boot/vmlinuz-$1"
}

headers() {
	mkdir -p "$root/lib/modules/$1/build"
	: >"$root/lib/modules/$1/build/Makefile"
}

both() {
	kernel "$1"
	headers "$1"
}

running() {
	mkdir -p "$root/bin"
	printf '#!/bin/sh\necho %s\n' "$1" >"$root/bin/uname"
	chmod +x "$root/bin/uname"
}

# in_root WORD...: make with these words on that machine
in_root() {
	PATH=$root/bin:$PATH make -s --no-print-directory -C "$top" \
		root="$root" "$@"
}

# takes KVER [WORD...]
takes() {
	local got

	got=$(in_root "${@:2}" kver) || fail "make kver failed"
	[ "$got" = "$1" ] || fail "took '$got' instead of '$1'"
}

kver__none_on_a_bare_machine() {
	running 6.18.1-custom
	takes ''
}

kver__the_running_one_before_a_newer_one() {
	running 6.1.0-9-amd64
	both 6.1.0-9-amd64
	both 6.1.0-10-amd64
	takes 6.1.0-9-amd64
}

kver__the_newest_where_another_one_runs() {
	running 6.18.1-custom
	both 6.1.0-9-amd64
	both 6.1.0-10-amd64
	takes 6.1.0-10-amd64
}

kver__never_a_cloud_kernel() {
	running 6.1.0-10-cloud-amd64
	kernel 6.1.0-10-cloud-amd64
	takes ''
	headers 6.1.0-10-cloud-amd64
	takes ''
	both 6.1.0-9-amd64
	takes 6.1.0-9-amd64
}

kver__never_a_kernel_that_is_not_debians() {
	running 6.18.1-custom
	both 6.18.1-custom
	both 6.1.0-10-rt-amd64
	takes ''
	both 6.1.0-9-amd64
	takes 6.1.0-9-amd64
}

kver__one_of_arm64() {
	running 6.18.1-custom
	both 6.1.0-10-arm64
	both 6.1.0-11-cloud-arm64
	both 6.1.0-11-rt-arm64
	takes 6.1.0-10-arm64
}

# Others than Debian's are built for when they are named, and it says so.
kver__says_how_to_name_the_one_that_runs() {
	local said

	running 6.8.0-31-generic
	both 6.8.0-31-generic
	! said=$(in_root kdir 2>&1) || fail "it took a kernel"
	[[ $said == *"make KVER=6.8.0-31-generic"* ]] || fail "said '$said'"
	in_root KVER=6.8.0-31-generic kdir || fail "it does not take it"
}

installs() {
	in_root -n MAKE=: "$@" install | grep -A 1 "The module is there"
}

kver__install_says_if_another_one_runs() {
	running 6.1.0-11-cloud-amd64
	both 6.1.0-10-amd64
	[[ $(installs) == *"make KVER=6.1.0-11-cloud-amd64 install"* ]] ||
		fail "said '$(installs)'"
	! installs KVER=6.1.0-11-cloud-amd64 || fail "said for the one that runs"
	! installs DESTDIR=/somewhere || fail "said of a folder"
}

kver__headers_must_fit() {
	running 6.1.0-10-amd64
	kernel 6.1.0-10-amd64
	headers 6.1.0-11-amd64
	takes ''
	both 6.1.0-9-amd64
	takes 6.1.0-9-amd64
}

kver__headers_must_be_there() {
	running 6.18.1-custom
	kernel 6.1.0-10-amd64
	mkdir -p "$root/lib/modules/6.1.0-10-amd64"
	ln -s /nowhere "$root/lib/modules/6.1.0-10-amd64/build"
	takes ''
}

kver__what_is_set_wins() {
	running 6.1.0-10-amd64
	both 6.1.0-10-amd64
	takes 1.2.3 KVER=1.2.3
	KVER=1.2.3 takes 1.2.3
}

# Headers anywhere are of the kernel that they name.
kver__headers_say_what_they_are_of() {
	local said

	running 6.1.0-10-amd64
	both 6.1.0-10-amd64
	mkdir -p "$root/linux/include/config"
	: >"$root/linux/Makefile"
	echo 6.9.1-own >"$root/linux/include/config/kernel.release"
	takes 6.9.1-own KDIR="$root/linux"
	KDIR=$root/linux takes 6.9.1-own
	takes 1.2.3 KDIR="$root/linux" KVER=1.2.3
	said=$(in_root -n MAKE=: KDIR="$root/linux" DESTDIR=/d install)
	[[ $said == *" /d/lib/modules/6.9.1-own/extra/prp.ko"* ]] || fail "$said"
	rm -r "${root:?}"/{linux/include,boot}
	said=$(in_root install-here KDIR="$root/linux" MAKE=: \
		--eval='install-here: install' 2>&1) && fail "to nowhere: $said"
	[[ $said == *"Nothing says which kernel this is of"* ]] || fail "$said"
}

# modules KVER...: prp.ko is installed for them
modules() {
	for kver; do
		mkdir -p "$root/d/lib/modules/$kver/extra"
		: >"$root/d/lib/modules/$kver/extra/prp.ko"
	done
}

# Neither headers nor the kernel need be there, and no other kernel is asked.
kver__uninstall_needs_no_kernel() {
	local wants=$root/d/etc/systemd/system/multi-user.target.wants

	running 6.18.1-custom
	modules 6.1.0-9-amd64 6.8.0-31-generic
	: >"$root/d/lib/modules/6.8.0-31-generic/extra/other.ko"
	mkdir -p "$wants"
	ln -s /usr/lib/systemd/system/prp.service "$wants"
	in_root DESTDIR="$root/d" uninstall >/dev/null || fail "it failed"
	[ "$(cd "$root/d" && find . -name '*prp*' -o -name extra | sort)" = \
		"$(printf '%s\n' "./etc${wants#*/etc}/prp.service" \
		./lib/modules/6.8.0-31-generic/extra)" ] ||
		fail "left: $(find "$root/d")"
	# That is a package's; this one is ours.
	ln -sf /usr/local/lib/systemd/system/prp.service "$wants"
	in_root DESTDIR="$root/d" uninstall >/dev/null || fail "again it failed"
	[ ! -L "$wants/prp.service" ] || fail "it is still enabled"
	ln -sf /lib/systemd/system/prp.service "$wants"
	in_root DESTDIR="$root/d" uninstall PREFIX=/usr >/dev/null ||
		fail "of /usr it failed"
	[ ! -L "$wants/prp.service" ] || fail "it is still enabled in /usr"
}

kver__set_and_empty_is_not_set() {
	running 6.1.0-10-amd64
	both 6.1.0-10-amd64
	takes 6.1.0-10-amd64 KVER= KDIR=
	KVER='' KDIR='' takes 6.1.0-10-amd64
}

# What demo and check do: the kernel comes while the outer make runs.
inner_make() {
	running 6.18.1-custom
	# shellcheck disable=SC2016
	in_root "$@" --eval='kver-after:; @$(INSTALL); $(MAKE) -s kver kdir' \
		INSTALL="mkdir -p $root/boot $root/lib/modules/6-amd64/build;
			touch $root/boot/vmlinuz-6-amd64 \
				$root/lib/modules/6-amd64/build/Makefile" \
		kver-after
}

kver__an_inner_make_looks_again() {
	local got

	got=$(inner_make) || fail "it found no kernel"
	[ "$got" = 6-amd64 ] || fail "took '$got'"
}

kver__an_inner_make_has_what_is_set() {
	headers 1.2.3
	[ "$(inner_make KVER=1.2.3)" = 1.2.3 ] || fail "command line"
	[ "$(KVER=1.2.3 inner_make)" = 1.2.3 ] || fail "environment"
}

kver__it_says_what_is_missing() {
	local said

	running 6.18.1-custom
	said=$(in_root modules 2>&1) && fail "it built for nothing"
	[[ $said == *"make deps"* ]] || fail "$said"
	said=$(in_root KVER=1.2.3 modules 2>&1) && fail "it built for nothing"
	[[ $said == *"install linux-headers-1.2.3"* ]] || fail "$said"
}

# --- the run -----------------------------------------------------------------

mapfile -t names < <(sed -n 's/^\(kver__[a-z0-9_]*\)() {.*/\1/p' \
	"$here/${0##*/}")
echo "TAP version 13"
echo "1..${#names[@]}"
nr=0 failed=0
for name in "${names[@]}"; do
	nr=$((nr + 1))
	rm -rf "${root:?}"/*
	if ("$name"); then
		echo "ok $nr $name"
	else
		echo "not ok $nr $name"
		failed=1
	fi
done
exit $failed
