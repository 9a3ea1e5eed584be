#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fetches MPICH's own tests, out of Debian's source package, and compiles those
# in C for the MPICH of wheels.sh, under $BUILD/mpi/mpich-tests: they are
# nothing of ours, and not kept here. apt has a configuration of its own there.
# Says nothing when nothing is missing.
set -eu

BUILD=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
where=$BUILD/mpi/mpich-tests
MIRROR=${MIRROR:-http://deb.debian.org/debian}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Their folders; those of processes that are started later, of files, of C++ and
# of Fortran are left out: no message of theirs is another one.
FOLDERS="util dtpools/src attr coll comm datatype errhan group info init pt2pt
	rma topo threads"

fetch() {
	options="-q -o Dir::Etc::sourcelist=$where/sources.list
		-o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists=$where/lists
		-o Dir::Cache=$where/cache -o APT::Sandbox::User=root"
	mkdir -p "$where/lists" "$where/cache"
	. /etc/os-release
	echo "deb-src [signed-by=$KEYRING] $MIRROR $VERSION_CODENAME main" \
		>"$where/sources.list"
	apt-get $options update
	(cd "$where" && apt-get $options --download-only source mpich)
	tar -C "$where" --strip-components=1 --wildcards \
		-xf "$where"/mpich_*.orig.tar.xz '*/test/mpi'
}

compile() {
	cd "$where/test/mpi"
	./configure --with-mpi="$BUILD/mpi/mpich" --disable-fortran \
		--disable-cxx --disable-spawn CFLAGS=-O0
	# What this MPICH does not have is left out: some are of another one.
	for folder in $FOLDERS; do
		make -k -j"$(nproc)" -C "$folder" || :
	done
	[ -x pt2pt/sendrecv2 ]
}

[ ! -e "$where/complete" ] || exit 0
echo "Compiling: MPICH's own tests (Debian) in $where"
rm -rf "$where"
mkdir -p "$where" "$BUILD/logs"
if ! (fetch && compile) >"$BUILD/logs/mpich-tests.log" 2>&1; then
	tail -n 20 "$BUILD/logs/mpich-tests.log" >&2
	exit 1
fi
: >"$where/complete"
