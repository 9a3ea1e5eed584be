#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Says which lines of files are not as clang-format has them, one process for
# all of them.
set -o pipefail
clang-format --dry-run "$@" 2>&1 | sed -n -E \
	's/^([^:]*:[0-9]*):.*clang-formatted.*/\1: FORMAT: not as clang-format has it/p' ||
	echo "$1:0: FORMAT: clang-format failed"
