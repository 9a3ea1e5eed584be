#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make demo` runs once everything is built: shows a file's way over
# PRP in a virtual machine. Fails if it did not arrive as it was, or on
# another way.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
BUILD=${BUILD:-$top/build}
file=$(printf '%s\n' /usr/src/linux-source-*.tar.xz | sort -V | tail -n 1)
sha=$(sha256sum <"$file")
sha=${sha%% *}

# On one processor nothing overtakes on its way through another one, as
# nothing does in one queue of a network card.
echo "Booting Linux $KVER in a virtual machine (under a minute)"
if ! "$top/selftests/vm/run.sh" -c 1 -l 280 ${MODULE:+-m "$MODULE"} \
	"$BUILD/logs/demo" \
	"cp $file /dev/shm/ &&
	 prp/demo.sh /dev/shm/${file##*/} $sha"; then
	echo "The demo FAILED"
	exit 1
fi
echo "All of it arrived, and all of it in frames of PRP."
