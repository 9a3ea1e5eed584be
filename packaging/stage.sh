# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For scripts that make packages: source it with $top set.

: "${top:?}"

# stage FOLDER: the tree as it is, without what git would not have. That needs
# no git.
stage() {
	rm -rf "$1"
	mkdir -p "$1"
	rsync -a --exclude=/.git --filter=':- .gitignore' "$top/" "$1/"
}

# What an outer make was told is none of a package's business.
unset MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR CFLAGS KVER KDIR
BUILD=${BUILD:-$top/build}
# shellcheck disable=SC2034
version=$("$top/packaging/version")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(
	git -C "$top" log -1 --format=%ct 2>/dev/null || date +%s)}
export -n BUILD
export SOURCE_DATE_EPOCH

# logged LOG COMMAND...: shows the log's end if it fails
logged() {
	local log=$1

	shift
	"$@" >"$log" 2>&1 && return
	tail -n 30 "$log" >&2
	echo "The packages were not built; all of it: $log" >&2
	exit 1
}
