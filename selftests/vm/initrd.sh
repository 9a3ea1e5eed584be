# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The image of a stock kernel, and what it loads at first: for scripts that
# source it with $BUILD and $KVER set. $KERNEL is booted instead of the stock
# kernel, and has its modules in $KERNEL_ROOT.
KERNEL_ROOT=${KERNEL_ROOT:-/}

# One of kernels/build.sh, which calls it so, has no modules; with KASAN it
# boots only compressed.
is_debug_kernel() {
	[[ ${KERNEL:-} == */image ]]
}

# vmlinux: the uncompressed kernel, which an emulated processor boots in half
# the time, or the usual one if that is not to be had. dpkg gives an image the
# time at which it was built, which may be before an older one was unpacked.
vmlinux() {
	local image=${KERNEL:-/boot/vmlinuz-$KVER} at tool
	local cache

	if is_debug_kernel; then
		echo "$KERNEL"
		return
	fi
	cache=$BUILD/vmlinux-$KVER-$(stat -Lc %s-%Y "$image")
	if [ ! -e "$cache" ]; then
		for tool in 'xz \xfd7zXZ\x00' 'zstd \x28\xb5\x2f\xfd'; do
			for at in $(LC_ALL=C grep -aboP "${tool#* }" \
				    "$image" | cut -d: -f1); do
				tail -c +$((at + 1)) "$image" |
					"${tool%% *}" -dcq 2>/dev/null \
					>"$cache.$$" || :
				[ "$(head -c 4 "$cache.$$")" = \
					$'\x7fELF' ] || continue
				mv "$cache.$$" "$cache"
				break 2
			done
		done
		rm -f "$cache.$$"
	fi
	[ -e "$cache" ] && echo "$cache" || echo "$image"
}

# put_module ROOT FILE: as the emulated machine can read it
put_module() {
	local name=${2##*/}

	name=${name%%.ko*}.ko
	case $2 in
	*.xz)	xz -dc "$2" ;;
	*.zst)	zstd -dcq "$2" ;;
	*)	cat "$2" ;;
	esac >"$1/lib/modules/$name"
	echo "$name" >>"$1/modules"
}

# new_root ROOT INIT MODULE...: busybox, INIT as the first process, and these
# of the kernel's modules and what they need, in the order in which they are
# to be loaded, by their names in /modules
new_root() {
	local root=$1 file

	mkdir -p "$root"/{bin,lib/modules,proc,sys,dev,run,root}
	ln -s lib "$root/lib64"
	cp "$(command -v busybox)" "$root/bin/"
	ln -s busybox "$root/bin/sh"
	cp "$2" "$root/init"
	: >"$root/modules"
	is_debug_kernel ||
		modprobe -d "$KERNEL_ROOT" -S "$KVER" --show-depends \
			-a "${@:3}" |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r file; do
			put_module "$root" "$file"
		done
}

# pack ROOT FILE: leaves nothing of ROOT
pack() {
	(cd "$1" && find . | cpio -o -H newc --quiet) >"$2"
	rm -r "$1"
}
