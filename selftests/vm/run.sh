#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots the stock kernel $KVER, or the file $KERNEL, in a virtual machine that
# sees this machine's files, loads the module and runs a command there:
#
#	run.sh [-i] [-c CPUS] [-l LIMIT_S] [-m MODULE] LOGS COMMAND
#
# COMMAND is for sh; it starts in $BUILD/kselftest, copied to memory. LOGS
# is a directory: output, console, dmesg and rc are left there. Fails if the
# command fails, the kernel complains, or time runs out. A machine that dies
# before guest.sh has begun, and our module is there, is booted a second time:
# on an emulated processor stock kernels sometimes do while they patch their own
# code, and once QEMU did of an assertion.
#
#   -c  processors, 2 if not given
#   -i  count instructions: one processor whose clock goes one nanosecond an
#       instruction, whatever else this machine does; never KVM
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
icount=
emulated=
cpus=2
limit=420
module=$top/net/prp/prp.ko
while getopts c:il:m: option; do
	case $option in
	c)	cpus=$OPTARG ;;
	i)	icount=yes ;;
	l)	limit=$OPTARG ;;
	m)	module=$(realpath "$OPTARG") ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$1"
logs=$(cd "$1" && pwd)
command=$2
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
kernel=${KERNEL:-/boot/vmlinuz-$KVER}
. "$top/selftests/vm/kernel.sh"

# The kernel's console is the machine's standard error.
append=$KERNEL_WORDS
# Half of the time to boot goes to drivers of what nobody here uses.
unused=kvm_amd,kvm_intel,ahci,sr_mod,sg,psmouse,evdev,serio_raw,pcspkr
unused+=,iTCO_wdt,lpc_ich,i2c_i801,i6300esb,qemu_fw_cfg,aesni_intel
unused+=,ghash_clmulni_intel,sha512_ssse3,sha256_ssse3,sha1_ssse3
unused+=,crct10dif_pclmul,crc32_pclmul
append+=" modprobe.blacklist=$unused"
# All files, for root.sh
qemu="-fsdev local,id=files,path=/,security_model=none,readonly=on"
qemu+=",multidevs=remap -device virtio-9p-pci,fsdev=files,mount_tag=files"
options=(-v -m 2G)
if [ -n "$icount" ]; then
	# What is counted is counted as users have it.
	append+=" nokaslr mitigations=auto"
	cpus=1
	emulated=yes
	qemu+=" -icount shift=0,sleep=off"
elif ! kvm_works; then
	emulated=yes
fi
options+=(--cpus "$cpus")
if [ -n "$emulated" ]; then
	# One eventfd for each of 390 queues, and all are asked at each timer
	options+=(--disable-kvm)
	qemu+=" -global virtio-pci.ioeventfd=off"
fi

rm -f "$logs"/{output,console,console.first,dmesg,rc}
printf '%s\n' "$command" >"$logs/command"

# virtme-ng reopens its output and its errors, so give each a pipe.
export PATH=$BUILD/venv/bin:$PATH
exec {out}>&1
boot() {
	{
		timeout -k 10 "$limit" vng -r "$kernel" "${options[@]}" \
			--qemu-opts="$qemu" \
			--rwdir "$logs" --append "$append" -- \
			"$top/selftests/vm/root.sh" "$logs" \
			"$top/selftests/vm/guest.sh" "$top" "$BUILD" "$logs" \
			"$module" </dev/null 2>&3 | cat >&$out
	} 3>&1 | cat >"$logs/console"
}

died() {
	kernel_complained "$logs/console" ||
		grep -a "^qemu-system.*Assertion" "$logs/console"
}

boot
if [ ! -e "$logs/output" ] && died; then
	echo "That was before our module was there: booting a second time"
	mv "$logs/console" "$logs/console.first"
	boot
fi

if kernel_complained "$logs/console"; then
	exit 1
fi
if [ ! -s "$logs/rc" ]; then
	echo "The machine did not finish within $limit s" \
		"($logs/output, $logs/console):"
	tail -n 5 "$logs/output" "$logs/console" 2>/dev/null
	exit 1
fi
exit "$(cat "$logs/rc")"
