#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds a debug kernel from Debian's linux-source package and prints where it
# is, a directory of $BUILD/kernels named by a hash of the configuration, the
# package's version and the compiler. What is there is not built again.
#
#	build.sh kasan|uml|kcsan
#
# In the directory: image, the kernel to boot; build, what modules are built
# against; build.log.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$(cd "$here/../.." && pwd)/build}
kernels=$BUILD/kernels
name=${1:?kasan, uml or kcsan}

case $name in
kasan)	arch=x86_64 fragments='tests x86_64 memory kasan' ;;
kcsan)	arch=x86_64 fragments='tests x86_64 kcsan' ;;
uml)	arch=um fragments='tests memory uml' ;;
*)	echo "No such kernel: $name" >&2; exit 2 ;;
esac

package=$(dpkg-query -W -f '${Depends}' linux-source)
package=${package%% *}
version=$(dpkg-query -W -f '${Version}' "$package")
patch=$here/uml.patch
tree=$kernels/source-$version-$(sha256sum <"$patch" | cut -c1-12)
configs=()
for fragment in $fragments; do
	configs+=("$here/$fragment.config")
done
hash=$({ echo "$arch ${tree##*/}"; gcc --version; cat "${configs[@]}"; } |
	sha256sum | cut -c1-12)
kernel=$kernels/$name-$hash

mkdir -p "$kernels"

unpack() {
	[ ! -e "$tree/Makefile" ] || return 0
	echo "Unpacking $package $version" >&2
	rm -rf "$tree.new"
	mkdir -p "$tree.new"
	tar -C "$tree.new" --strip-components=1 \
		-xf "/usr/src/$package.tar.xz"
	patch -s -d "$tree.new" -p1 <"$patch"
	mv "$tree.new" "$tree"
}

# Kconfig drops what does not fit without a word.
took_effect() {
	local line option missing=0

	while read -r line; do
		case $line in
		CONFIG_*=*)
			grep -qxF "$line" "$1" && continue ;;
		"# CONFIG_"*" is not set")
			option=${line#\# }
			grep -q "^${option% is not set}=" "$1" || continue ;;
		*)
			continue ;;
		esac
		echo "$name: did not take effect: $line" >&2
		missing=1
	done < <(cat "${configs[@]}")
	return $missing
}

configure() {
	make -s -C "$tree" O="$1" ARCH=$arch tinyconfig
	(cd "$tree" && scripts/kconfig/merge_config.sh -m -O "$1" \
		"$1/.config" "${configs[@]}")
	make -s -C "$tree" O="$1" ARCH=$arch olddefconfig
}

# Modules need no objects of the kernel, only those of its tools.
prune() {
	find "$1" \( -path "$1/scripts" -o -path "$1/tools" \) -prune -o \
		-type f \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \
		-o -name '.tmp_*' \) -exec rm -f {} +
}

build() {
	local out=$kernel.new/build

	rm -rf "$kernel.new"
	mkdir -p "$out"
	configure "$out" >"$kernel.new/build.log" 2>&1 || return
	took_effect "$out/.config" || return
	echo "Building kernel $name (minutes; $kernel.new/build.log)" >&2
	if [ $arch = um ]; then
		make -C "$tree" O="$out" ARCH=um -j"$(nproc)" linux modules
		cp "$out/linux" "$kernel.new/image"
	else
		make -C "$tree" O="$out" -j"$(nproc)" bzImage modules
		cp "$out/arch/x86/boot/bzImage" "$kernel.new/image"
	fi >>"$kernel.new/build.log" 2>&1 || return
	rm -f "$out/vmlinux" "$out/linux"
	prune "$out"
	mv "$kernel.new" "$kernel"
}

# One at a time, for they share the sources; who waited may find it built.
if [ ! -e "$kernel/image" ]; then
	exec {lock}>"$kernels/lock"
	flock "$lock"
fi
if [ ! -e "$kernel/image" ]; then
	unpack
	if ! build; then
		tail -n 20 "$kernel.new/build.log" >&2
		exit 1
	fi
fi
echo "$kernel"
