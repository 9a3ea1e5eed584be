#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make deb` runs: Debian packages of this tree as it is, in $BUILD/deb.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/stage.sh"
out=$BUILD/deb
tree=$out/prp
maintainer=$(sed -n 's/^Maintainer: //p' "$top/packaging/debian/control")

rm -rf "$out"
stage "$tree"
cp -a "$tree/packaging/debian" "$tree/debian"
# The module's source, where dh_dkms has it looked for
cat >"$tree/debian/prp-dkms.install" <<EOT
net/prp usr/src/prp-$version/net
include usr/src/prp-$version
EOT
cat >"$tree/debian/changelog" <<EOT
prp ($version) unstable; urgency=medium

  * Built from its repository.

 -- $maintainer  $(date -Rud "@$SOURCE_DATE_EPOCH")
EOT
cd "$tree"
logged "$out/log" dpkg-buildpackage -b -us -uc
ls "$out"/*.deb
