#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the top Makefile does with `make -j`.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
unset MAKEFLAGS

# Two that build the module at once spoil what the other one writes.
make__targets_take_turns() {
	local said

	said=$(make -s -j4 --no-print-directory -C "$here/../.." \
		--eval='turn-1 turn-2:; @echo begin; sleep 0.2; echo end' \
		turn-1 turn-2 | tr '\n' ' ')
	echo "# $said"
	[ "$said" = "begin end begin end " ]
}

run_cases make
