#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fetches MPICH's own tests, out of Debian's source package, and compiles those
# in C for the MPICH of wheels.sh, under $BUILD/mpi/mpich-tests: they are
# nothing of ours, and not kept here. Says nothing when nothing is missing.
set -eu

BUILD=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
where=$BUILD/mpi/mpich-tests
. "$(dirname "$0")/debian_source.sh"

# Their folders; those of processes that are started later, of files, of C++ and
# of Fortran are left out: no message of theirs is another one.
FOLDERS="util dtpools/src attr coll comm datatype errhan group info init pt2pt
	rma topo threads"

fetch() {
	. /etc/os-release
	debian_source "$where" "$VERSION_CODENAME" mpich
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

made "MPICH's own tests" "$where" "$BUILD/logs/mpich-tests.log"
