#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make check-installed` runs: the Debian packages on a bare Debian 12 in a
# folder, $BUILD/installed, with the stock kernel, then with that of backports;
# for both DKMS builds the module there, at this machine's speed. What is typed
# there is read out of the README, "Install it", and the page that it names.
# Then two machines boot a copy of that folder each as their disk, with systemd,
# and what is in the folder `installed` beside this script as their units.
# Nobody types anything: each says on its console what it has seen. Results are
# KTAP in $BUILD/logs/installed; the last line counts them.
#
# Real is: apt, dpkg and DKMS, but that the folder has no kernel that runs, and
# `uname -r` is told which one it has; each machine's disk, which it keeps over
# all its starts; the reboot, `systemctl reboot` up to where the kernel resets
# the machine; and its next start, which finds in its journal that it was one.
# Not real is: what a firmware and a boot loader do. The machine's reset ends
# QEMU, which is started again on the same disk, and is told the other kernel
# and its initrd; both are the folder's, as they are on the disk. Nor does
# anybody enrol a key: the one that is missing is refused as without Secure Boot
# by module.sig_enforce, on a machine whose disk is thrown away.
set -u

[ "$(id -u)" = 0 ] || { echo "check-installed needs root" >&2; exit 1; }
[ $$ = 1 ] || exec \
	unshare --mount-proc --pid --fork --kill-child "$0"

vm=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$vm/../.." && pwd)
BUILD=${BUILD:-$top/build}
logs=$BUILD/logs/installed
folder=$BUILD/installed
root=$folder/root
disk=$folder/disk
begun=$SECONDS
. "$vm/kernel.sh"
. "$vm/initrd.sh"
. "$vm/bare.sh"

fail() {
	echo "FAIL: $*"
	exit 1
}

unmount() {
	umount -qlR "$root"/{proc,sys,dev} 2>/dev/null || :
}

clear_away() {
	unmount
	rm -rf --one-file-system "$folder"
}

# kernels: as uname -r says them, the stock one first
kernels() {
	find "$root/boot" -name 'vmlinuz-*' -printf '%f\n' |
		sed 's/^vmlinuz-//' | sort -V
}

# line COMMAND: which begins so, of those in the README's "Install it"
line() {
	awk -v command="$1 " '
	/^## /		{ here = /^## Install it$/ }
	here && /^```sh/	{ inside = 1; next }
	/^```/		{ inside = 0 }
	inside && index($0, command) == 1' "$top/README.md"
}

# typed LINE: in the root, where the packages are as here
typed() {
	[ -n "$1" ] || fail "nothing to type"
	echo "$1"
	in_root "$root" DEBIAN_FRONTEND=noninteractive \
		bash -c "cd prp && { $1"$'\n}' >"$logs/typed" 2>&1 ||
		fail "$(tail -n 30 "$logs/typed")"
}

# apt WORD...: in the root
apt() {
	in_root "$root" DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		--no-install-recommends "$@" >"$logs/apt" 2>&1 ||
		fail "$(tail -n 30 "$logs/apt")"
}

# is_built_for KVER: by DKMS, and signed with a key of this machine's own
is_built_for() {
	local status signer

	status=$(in_root "$root" dkms status prp -k "$1")
	echo "$status"
	[[ $status == *installed* ]] || fail "it is not installed"
	signer=$(in_root "$root" modinfo -k "$1" -F signer prp)
	echo "signer: $signer"
	[ "$signer" = "DKMS module signing key" ] || fail "not DKMS's key"
}

# --- machines ----------------------------------------------------------------

# boot NAME NR DISK KVER [WORD]...: $PID of it; a reboot ends it, too. No getty
# hangs up the console meanwhile.
boot() {
	local name=$1 nr=$2 drive=$3 kver=$4 image words

	shift 4
	read -ra words <<<"$(accelerated)"
	image=$(KVER=$kver KERNEL=$root/boot/vmlinuz-$kver vmlinux)
	setpriv --pdeathsig KILL timeout 900 qemu-system-x86_64 -M q35 \
		"${words[@]}" -smp 1 -m 1G -nodefaults -nographic -no-reboot \
		-serial "file:$logs/$name" \
		-drive "file=$drive,format=raw,if=virtio" \
		-netdev "socket,id=wire,mcast=$group,localaddr=127.0.0.1" \
		-device "virtio-net-pci,netdev=wire,romfile=,$(
			)mac=52:54:00:00:00:0$nr" \
		-device virtio-rng-pci -kernel "$image" \
		-initrd "$root/boot/initrd.img-$kver" \
		-append "console=ttyS0 panic=-1 root=/dev/vda ro quiet \
			systemd.mask=serial-getty@ttyS0.service \
			$KERNEL_WORDS $*" </dev/null >"$logs/$name.qemu" 2>&1 &
	PID=$!
}

# says NAME WORD...: of one that came to its end by itself, what was seen there
says() {
	local name=$1 word

	shift
	! kernel_complained "$logs/$name" || exit 1
	for word; do
		grep -aq "^SEEN: $word" "$logs/$name" || {
			tail -n 40 "$logs/$name"
			fail "machine $name, $logs/$name: no word of: $word"
		}
	done
	grep -a '^SEEN: ' "$logs/$name" | tr -d '\r'
}

# pair KVER [WORD]...: both machines with it, until each has seen all, and these
pair() {
	local name nr=0 pids=() kver=$1

	shift
	for name in alpha beta; do
		nr=$((nr + 1))
		boot "$name-$kver" $nr "$folder/$name" "$kver"
		pids+=("$PID")
	done
	wait "${pids[@]}"
	for name in alpha beta; do
		says "$name-$kver" "kernel $kver" "a connection to " \
			"the list" "a program of libprp-dev" \
			"the provider of mpipr" "two ranks" \
			"reload ends no connection" "a bad file is named" \
			"no word of it at stop" \
			"a module that is gone is no failure" "$@" "the end"
	done
}

# --- cases, in this order ----------------------------------------------------

installed__a_bare_root_is_made() {
	mkdir -p "$folder"
	bare_root "$root" --include=systemd-sysv,udev,iproute2,socat,zstd \
		-- "deb $MIRROR bookworm-backports main"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	# What mounts its disk, and no more
	mkdir -p "$root"/{etc,usr/share}/initramfs-tools/{conf.d,modules.d}
	echo MODULES=list >"$root/etc/initramfs-tools/conf.d/small"
	printf '%s\n' virtio_pci virtio_blk ext4 \
		>"$root/usr/share/initramfs-tools/modules.d/small"
}

# left_by_make_install FOLDER: all that DKMS looks at of such a module
left_by_make_install() {
	local release object=$BUILD/installed/prp.o

	release=$(sed -n 's/^#define PRP_RELEASE "\(.*\)"/\1/p' \
		"$top/include/prp_release.h")
	printf 'version=%s\0' "$release" >"$BUILD/installed/modinfo"
	: | cc -x c -c -o "$object" -
	mkdir -p "$1"
	objcopy --add-section ".modinfo=$BUILD/installed/modinfo" "$object" \
		"$1/prp.ko"
}

installed__the_line_of_the_readme() {
	local kver uname=$root/usr/local/bin/uname packages=root/prp/build/deb

	"$top/packaging/deb.sh" >/dev/null
	mkdir -p "$root/$packages"
	cp "$BUILD"/deb/*.deb "$root/$packages"
	apt update
	apt install linux-image-amd64
	kver=$(kernels)
	left_by_make_install "$root/lib/modules/$kver/extra"
	printf '%s\n' '#!/bin/sh' "[ \"\$*\" != -r ] || exec echo $kver" \
		'exec /usr/bin/uname "$@"' >"$uname"
	chmod +x "$uname"
	typed "$(line apt-get)"
	rm "$uname"
	in_root "$root" dpkg-query -W -f '${Package} ${db:Status-Status}\n' \
		'prp-*' '*prp-dev' mpipr | grep ' installed$' >"$logs/packages"
	cat "$logs/packages"
	[ "$(tr '\n' ' ' <"$logs/packages")" = "libprp-dev installed $(
		)mpipr installed prp-dkms installed prp-tools installed " ] ||
		fail "these are not the four"
	is_built_for "$kver"
	# DKMS leaves it there.
	rm -r "$root/lib/modules/$kver/extra"
}

# What the packages are for: the programs of prp(7) and of the guide to MPI, as
# they are there, compiled by who has the first from its package
installed__programs_are_compiled() {
	local name own=$root/root/own

	apt install pkg-config libfabric-bin openmpi-bin libopenmpi-dev
	mkdir "$own"
	for name in server client; do
		"$top/selftests/tools/manual_example.sh" \
			<(zcat "$root/usr/share/man/man7/prp.7.gz") $name.c \
			>"$own/$name.c"
	done
	sed -n "/<<'END'/,/^END/{//!p}" "$top/Documentation/mpi.md" \
		>"$own/hello.c"
	in_root "$root" bash -ec '
		cd own
		flags=$(pkg-config --cflags prp)
		for name in server client; do
			cc $flags -o /usr/local/bin/$name $name.c
		done
		mpicc -o /usr/local/bin/hello hello.c'
	rm -r "$own"
}

installed__dkms_follows_an_upgrade() {
	local kver

	apt install -t bookworm-backports linux-image-amd64 linux-headers-amd64
	[ "$(kernels | wc -l)" = 2 ] || fail "kernels: $(kernels)"
	for kver in $(kernels); do
		is_built_for "$kver"
	done
}

installed__the_service_is_asked_for_and_only_then() {
	local name line

	[ "$(in_root "$root" systemctl is-enabled prp)" = disabled ] ||
		fail "it is there unasked"
	cp "$vm"/installed/{prphosts,prpaccess} "$root/etc/"
	# Nothing runs there that could start it now.
	line=$(line systemctl)
	[[ $line == *" --now "* ]] || fail "it says: $line"
	typed "${line/ --now / }"
	cp "$vm"/installed/*.service "$root/etc/systemd/system/"
	cp "$vm"/installed/*.network "$root/etc/systemd/network/"
	cp "$vm"/installed/{seen,gone} "$root/usr/local/bin/"
	in_root "$root" systemctl enable systemd-networkd server seen
	rm "$root/usr/sbin/policy-rc.d"
	# What apt would read again there, which takes minutes
	rm -rf "$root"/{root/prp,var/lib/apt/lists/*,var/cache/apt/*}
	grep -o '``apt-get purge [^`]*``' \
		"$top/Documentation/networking/prp-install.rst" |
		tr -d '`' >"$root/root/purge"
	echo "/dev/vda / ext4 rw 0 1" >"$root/etc/fstab"
	unmount
	truncate -s 8G "$disk"
	mkfs.ext4 -q -d "$root" "$disk"
	for name in alpha beta; do
		cp --sparse=always "$disk" "$folder/$name"
	done
}

installed__up_after_the_start() {
	pair "$(kernels | head -n 1)"
}

installed__rebooted_into_the_other_kernel() {
	pair "$(kernels | tail -n 1)" \
		"rebooted from $(kernels | head -n 1)" \
		"what was added before"
}

# As with Secure Boot: only what is signed with a known key
installed__a_key_that_is_missing_is_named() {
	local kver

	kver=$(kernels | head -n 1)
	boot enforced 1 "$disk,snapshot=on" "$kver" module.sig_enforce=1
	wait $PID
	says enforced "kernel $kver" "prp failed" \
		"modprobe: ERROR: could not insert 'prp': Key was rejected"
}

installed__purge_leaves_nothing() {
	local kver

	kver=$(kernels | tail -n 1)
	boot purged 1 "$folder/alpha" "$kver" purge
	wait $PID
	says purged "kernel $kver" "prp is active" "nothing is left" "the end"
}

# --- the run -----------------------------------------------------------------

run_all() {
	local names name nr=0 rc failed=

	mapfile -t names < <(sed -n 's/^\(installed__[a-z_]*\)() {$/\1/p' \
		"$vm/installed.sh")
	echo "# selftests: installed: installed.sh"
	echo "# 1..${#names[@]}"
	for name in "${names[@]}"; do
		echo "=== $name ($((SECONDS - begun)) s)"
		(set -e; "$name") 2>&1 | sed -u 's/^/#   /'
		rc=${PIPESTATUS[0]}
		nr=$((nr + 1))
		if [ "$rc" = 0 ]; then
			echo "# ok $nr $name"
			continue
		fi
		echo "# not ok $nr $name"
		failed=yes
		# all others need these
		[ $nr -gt 5 ] || break
	done
	[ -z "$failed" ] || printf 'not '
	echo "ok 1 selftests: installed: installed.sh"
}

mkdir -p "$logs"
exec {lock}>"$BUILD/check.lock"
flock -n $lock || { echo "Waiting for another check"; flock $lock; }
group=239.$((SRANDOM % 256)).$((SRANDOM % 256)).1:$((20000 + SRANDOM % 10000))
trap clear_away EXIT
trap 'exit 130' INT TERM
clear_away
run_all | tee "$logs/all.tap"
echo "=== all results: $logs/all.tap ($((SECONDS - begun)) s)"
"$vm/summary.sh" "$logs/all.tap"
