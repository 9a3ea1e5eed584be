#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Says which files, and from which line on, are not as clang-format has them.
for file; do
	clang-format "$file" | diff "$file" - | sed -n -E \
		"1s|^([0-9]*).*|$file:\1: FORMAT: not as clang-format has it|p"
done
