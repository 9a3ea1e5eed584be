#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples of a manual page, of which each is between
#
#	.\" SRC BEGIN (NAME)
#	.EX
# and
#	.EE
#	.\" SRC END
#
#   manual_example.sh PAGE		their names, one a line
#   manual_example.sh PAGE NAME		that one, as a reader sees it
set -eu

awk -v wanted="${2-}" '
	/^\.\\" SRC BEGIN \(/ {
		name = $4
		gsub(/[()]/, "", name)
		if (wanted == "")
			print name
		found = found || name == wanted
		next
	}
	/^\.\\" SRC END/	{ name = "" }
	name == "" || name != wanted || /^\.E[XE]$/	{ next }
	{
		gsub(/\\&/, "")
		gsub(/\\-/, "-")
		gsub(/\\e/, "\\")
		print
	}
	END {
		if (wanted != "" && !found) {
			print FILENAME ": no example " wanted >"/dev/stderr"
			exit 1
		}
	}
' "$1"
