#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make rpm` runs: packages for rpm of this tree as it is, in $BUILD/rpm.
# Its database knows nothing of what Debian has installed: --nodeps.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/stage.sh"
out=$BUILD/rpm

rm -rf "$out"
stage "$out/SOURCES/prp-$version"
tar -C "$out/SOURCES" -cf "$out/SOURCES/prp-$version.tar" "prp-$version"
logged "$out/log" rpmbuild -bb --nodeps --define "_topdir $out" \
	--define "prp_version $version" "$top/packaging/prp.spec"
ls "$out"/RPMS/*/*.rpm
