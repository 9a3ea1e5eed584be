# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Stock kernels of the releases that PRP supports, for scripts that source
# this file with $top, $BUILD, $KVER and $KDIR set. The one that is installed
# is taken as it is; others are downloaded and unpacked in
# $BUILD/kernels/release-RELEASE, never installed. apt has a configuration of
# its own there: the machine's is left alone.

RELEASES="6.1 6.8 6.12 7.2"

# That of Ubuntu 24.04, as it came out: it lacks what Debian's 6.1 has taken
# over from later ones since. What Ubuntu came out with stays in its archive;
# of each file there is its SHA-256, too.
NOBLE=6.8.0-31-generic
NOBLE_PACKAGES=$top/selftests/kernels/noble.packages
UBUNTU=${UBUNTU:-http://archive.ubuntu.com/ubuntu}

# Debian has the others. Where those that this one lacks may be, and what it is
# called in the archive. Versions are looked up: old ones vanish from there.
SUITES="trixie forky sid"
MIRROR=${MIRROR:-http://deb.debian.org/debian}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

apt=$BUILD/kernels/apt
apt_options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list"
	     -o Dir::Etc::sourceparts=/dev/null
	     -o "Dir::State::lists=$apt/lists"
	     -o Dir::State::status=/dev/null
	     -o "Dir::Cache=$apt/cache"
	     -o APT::Sandbox::User=root
	     -o Acquire::Languages=none
	     -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)

# apt_update: what the archive has today
apt_update() {
	local suite

	mkdir -p "$apt/lists" "$apt/cache/archives/partial"
	for suite in $SUITES; do
		echo "deb [signed-by=$KEYRING] $MIRROR $suite main"
	done >"$apt/sources.list"
	apt-get "${apt_options[@]}" update >"$apt/log" 2>&1
}

# newest_version RELEASE: as uname -r will say it
newest_version() {
	local release=${1//./\\.}

	if [ "$1" = 6.8 ]; then
		echo "$NOBLE"
		return
	fi
	apt-cache "${apt_options[@]}" pkgnames "linux-headers-$1" |
		sed -nE "s/^linux-headers-(${release}[.][0-9].*-amd64)$/\1/p" |
		grep -vE -- '-(cloud|rt)-' | sort -V | tail -n 1
}

# packages_of VERSION: its kernel, modules and headers, and the C library that
# the headers' build tools were linked with
packages_of() {
	local base=${1%-amd64}

	apt-cache "${apt_options[@]}" depends --recurse --no-recommends \
		--no-suggests --no-conflicts --no-breaks --no-replaces \
		--no-enhances "linux-image-$1" "linux-headers-$1" |
		grep -E "^linux-[a-z]+-${base//[.+]/[.+]}(-|\$)" |
		grep -v unsigned | sort -u
	echo libc6
}

# download VERSION: these packages, into this folder
download() {
	local sum file

	if [ "$1" != "$NOBLE" ]; then
		apt-get "${apt_options[@]}" download $(packages_of "$1")
		return
	fi
	while read -r file && read -r sum; do
		curl -fsS --retry 3 -O "$UBUNTU/$file" || return
		echo "$sum  ${file##*/}" | sha256sum --quiet -c || return
	done <"$NOBLE_PACKAGES"
}

# wrap_tools ROOT: the build tools of a newer system find its C library
wrap_tools() {
	local lib=$1/usr/lib/x86_64-linux-gnu tool

	find "$1"/usr/lib/linux-kbuild-* "$1"/usr/src/*-generic/{scripts,tools} \
		-type f -perm -u+x 2>/dev/null |
	while read -r tool; do
		[ "$(head -c 4 "$tool")" = $'\x7fELF' ] || continue
		mv "$tool" "$tool.elf"
		# Some look for others by the name that they were called.
		cat >"$tool" <<-WRAPPER
		#!/bin/sh
		exec $lib/ld-linux-x86-64.so.2 --argv0 "\$0" --library-path \
			$lib:/usr/lib/x86_64-linux-gnu $tool.elf "\$@"
		WRAPPER
		chmod +x "$tool"
	done
}

# unpack VERSION FOLDER
unpack() {
	local root=$2/root package

	rm -rf "$2"
	mkdir -p "$root/usr/lib" "$2/packages"
	ln -s usr/lib usr/bin usr/sbin "$root"
	ln -s lib "$root/usr/lib64"
	ln -s usr/lib64 "$root/lib64"
	(cd "$2/packages" && download "$1") >"$2/log" 2>&1 || {
		tail -n 5 "$2/log" >&2
		return 1
	}
	for package in "$2"/packages/*.deb; do
		# Not dpkg-deb -x: it would replace the links made above.
		dpkg-deb --fsys-tarfile "$package" |
			tar -C "$root" --keep-directory-symlink -xf - || return
	done
	rm -r "$2/packages"
	if [ "$1" = "$NOBLE" ]; then
		find "$root/usr/lib/modules" -name '*.ko.zst' \
			-exec zstd -q -d --rm {} +
	else
		sed -i "s#/usr/src/#$root/usr/src/#" \
			"$root/usr/src/"*-amd64/Makefile
	fi
	wrap_tools "$root"
	depmod -b "$root" "$1"
	echo "$1" >"$2/version"
}

# fetch_release RELEASE: leaves its $version, the $headers to build with, the
# kernel's $image, $words for its command line and, in $root, the folder of its
# lib/modules
fetch_release() {
	local folder=$BUILD/kernels/release-$1

	# Debian has BPF among the security modules, which tests write one for.
	words=
	[ "$1" != 6.8 ] || words=lsm=landlock,lockdown,yama,integrity,apparmor,bpf
	if [[ $KVER == "$1".* ]]; then
		version=$KVER
		headers=$KDIR
		root=/
		image=/boot/vmlinuz-$KVER
		return
	fi
	version=$(newest_version "$1")
	if [ -z "$version" ]; then
		echo "No kernel $1 in $SUITES of $MIRROR" >&2
		return 1
	fi
	if [ "$version" != "$(cat "$folder/version" 2>/dev/null)" ]; then
		echo "Fetching: Linux $version in $folder"
		unpack "$version" "$folder" || return
	fi
	root=$folder/root
	headers=$root/usr/src/linux-headers-$version
	image=$root/usr/lib/modules/$version/vmlinuz
	[ -e "$image" ] || image=$root/boot/vmlinuz-$version
}
