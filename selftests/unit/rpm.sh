#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The packages for rpm, made as make rpm makes them, have what
# packaging/contents says. It takes a while: only the long variants of the tests
# run it. Nobody installs them.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
top=$(cd "$here/../.." && pwd)
. "$top/selftests/unit/contents.sh"
export BUILD=$DIR/build
LIBDIR=$(rpm --eval '%{_libdir}')
LIBDIR=${LIBDIR#/} UNITS=usr/lib/systemd/system

rpm__packages_are_built() {
	"$top/packaging/rpm.sh" >"$DIR/said" || fail "$(tail "$DIR/said")"
	[ "$(wc -l <"$DIR/said")" = 4 ] || fail "$(cat "$DIR/said")"
}

# files PACKAGE: without the manual's .gz
files() {
	rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' \
		"$DIR/build/rpm/RPMS"/*/"$1-$("$top/packaging/version")"-*.rpm |
		sed -nE 's/^[^d][^ ]* \///p' | sed 's/\.gz$//'
}

rpm__have_what_the_list_says() {
	local package debian

	for package in prp-devel prp-tools mpipr; do
		debian=${package/prp-devel/libprp-dev}
		contents "$debian" >"$DIR/wanted"
		files $package >"$DIR/got"
		same $package
	done
}

rpm__dkms_has_all_of_the_module() {
	dkms_contents >"$DIR/wanted"
	files prp-dkms >"$DIR/got"
	same prp-dkms
}

# Later cases look at what the first has built: none is left out.
CASES='' run_cases rpm
