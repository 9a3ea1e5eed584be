#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What kbuild runs as CHECK: sparse, whose words shall not pass for gcc's.
# A silent kbuild throws its standard output away.
sparse "$@" 2>&1 | sed 's/^/sparse: /' >&2
