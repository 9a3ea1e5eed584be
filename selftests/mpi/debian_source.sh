# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Fetches what Debian has of others' tests; for scripts that source it.

MIRROR=${MIRROR:-http://deb.debian.org/debian}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_source FOLDER RELEASE PACKAGE: leaves the source as its authors have
# made it in FOLDER/PACKAGE_VERSION.orig.tar.xz. apt has a configuration of its
# own there.
debian_source() (
	options="-q -o Dir::Etc::sourcelist=$1/sources.list
		-o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists=$1/lists
		-o Dir::Cache=$1/cache -o APT::Sandbox::User=root"
	mkdir -p "$1/lists" "$1/cache"
	echo "deb-src [signed-by=$KEYRING] $MIRROR $2 main" >"$1/sources.list"
	cd "$1" || exit
	# shellcheck disable=SC2086
	apt-get $options update
	# shellcheck disable=SC2086
	apt-get $options --download-only --tar-only source "$3"
)

# made NAME FOLDER LOG: runs fetch and compile, once
made() {
	[ ! -e "$2/complete" ] || return 0
	echo "Compiling: $1 (Debian) in $2"
	rm -rf "$2"
	mkdir -p "$2" "${3%/*}"
	if ! (fetch && compile) >"$3" 2>&1; then
		tail -n 20 "$3" >&2
		exit 1
	fi
	: >"$2/complete"
}
