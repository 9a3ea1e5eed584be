#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots a debug kernel of build.sh, which has all it needs built in, straight
# into this machine's file system, read only, and runs a command there as
# vm/run.sh does; virtme-ng's first user space is slow on such a kernel.
#
#	boot.sh [-l LIMIT_S] -m MODULE LOGS COMMAND
#
# $KERNEL is kernels/NAME-HASH/image. LOGS gets output, console, dmesg and rc.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
limit=600
while getopts l:m: option; do
	case $option in
	l)	limit=$OPTARG ;;
	m)	module=$(realpath "$OPTARG") ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$1"
logs=$(cd "$1" && pwd)
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
. "$top/selftests/vm/kernel.sh"

rm -f "$logs"/{output,console,dmesg,rc}
printf '%s\n' "$2" >"$logs/command"
printf '%q ' "$top" "$BUILD" "$logs" "$module" >"$logs/guest"

# What init needs is in the kernel's command line; see there.
append="init=$here/init panic=-1 ro $KERNEL_WORDS"
append+=" prp_logs=$logs prp_guest=$top/selftests/vm/guest.sh"

# The older machine, pc, has ACPI code in which an emulated processor may take
# longer than the kernel waits; then its devices have no interrupts.
in_qemu() {
	local accel="-accel tcg,thread=multi -cpu max"
	local shared=readonly=on,multidevs=remap
	local mounted=trans=virtio,version=9p2000.L,msize=262144,cache=loose

	! kvm_works || accel="-accel kvm -cpu host"
	timeout -k 10 "$limit" qemu-system-x86_64 -M q35 $accel -smp 2 -m 3G \
		-nodefaults -nographic -no-reboot \
		-serial "file:$logs/console" \
		-fsdev "local,id=root,path=/,security_model=none,$shared" \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev "local,id=logs,path=$logs,security_model=none" \
		-device virtio-9p-pci,fsdev=logs,mount_tag=logs \
		-device virtio-rng-pci \
		-kernel "$KERNEL" -append "console=ttyS0 \
			root=/dev/root rootfstype=9p \
			rootflags=$mounted \
			$append" </dev/null >"$logs/qemu" 2>&1
}

in_uml() {
	timeout -k 10 "$limit" "$KERNEL" mem=3000M root=/dev/root rootfstype=hostfs \
		rootflags=/ con0=null,fd:1 con=null $append \
		</dev/null >"$logs/console" 2>&1
}

case $(head -c 4 "$KERNEL") in
*ELF)	in_uml || : ;;
*)	in_qemu || : ;;
esac

cat "$logs/output" 2>/dev/null || :
if kernel_complained "$logs/console"; then
	exit 1
fi
if [ ! -s "$logs/rc" ]; then
	echo "The machine did not finish within $limit s ($logs/console):"
	tail -n 5 "$logs/console"
	exit 1
fi
exit "$(cat "$logs/rc")"
