#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fetches libfabric and its own tests, fabtests, out of Debian's source package,
# and compiles them with the provider for TCP only; they come to be in
# $BUILD/mpi/fabtests/root: they are nothing of ours, and not kept here. Says
# nothing when nothing is missing.
set -eu

BUILD=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
where=$BUILD/mpi/fabtests
RELEASE=trixie	# the first one whose package has the tests

. "$(dirname "$0")/debian_source.sh"

fetch() {
	debian_source "$where" $RELEASE libfabric
	tar -C "$where" --strip-components=1 -xf "$where"/libfabric_*.orig.tar.xz
}

# installed FOLDER [OPTION]...
installed() (
	cd "$1"
	shift
	autoreconf -fi
	./configure --prefix="$where/root" --disable-static CFLAGS=-O1 "$@"
	make -j"$(nproc)" install
)

# Each provider but one is left out.
compile() {
	others=$(cd "$where/prov" && echo */ | tr -d / | tr ' ' '\n' |
		 grep -vx -e tcp -e util -e coll -e hook |
		 sed 's/^/--disable-/')
	# shellcheck disable=SC2086
	installed "$where" --enable-tcp $others
	installed "$where/fabtests" --with-libfabric="$where/root"
	[ -x "$where/root/bin/fi_rdm" ]
}

made "libfabric's own tests" "$where" "$BUILD/logs/fabtests.log"
