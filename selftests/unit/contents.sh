# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What packages should have, for tests that source this file with $top set, and
# set $LIBDIR and $UNITS, where such packages have libraries of one processor,
# and units. They get $DIR, a folder of their own.

: "${top:?}"

unset MAKEFLAGS PREFIX DESTDIR
export LC_ALL=C
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

fail() {
	echo "# FAIL: $*"
	exit 1
}

# contents PACKAGE...: their files, as the list has them
contents() {
	local package

	for package; do
		awk -v package="$package" '$1 == package { print $2 }' \
			"$top/packaging/contents"
	done | sed "s|usr/lib/TRIPLET|$LIBDIR|; s|UNITS|$UNITS|"
}

# dkms_contents: all of the module, and what DKMS reads
dkms_contents() {
	local version

	version=$("$top/packaging/version")
	echo "usr/share/dkms/modules_to_force_install/prp"
	echo "usr/src/prp-$version/dkms.conf"
	(cd "$top" && find include net/prp -name '*.[ch]' ! -name '*.mod.c' \
		-o -name Makefile -o -name '*.in') |
		sed "s|^|usr/src/prp-$version/|"
}

# same WHAT: compares $DIR/wanted with $DIR/got
same() {
	sort -o "$DIR/wanted" "$DIR/wanted"
	sort -o "$DIR/got" "$DIR/got"
	[ -s "$DIR/got" ] || fail "$1: nothing"
	diff "$DIR/wanted" "$DIR/got" || fail "$1: < should be, > is"
	echo "# $1: $(wc -l <"$DIR/got") files"
}
