#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots the stock kernel $KVER, or the file $KERNEL, in a virtual machine that
# sees this machine's files, loads the module and runs a command there:
#
#	run.sh [-i] [-c CPUS] [-l LIMIT_S] [-m MODULE] [-p PLUGIN] LOGS COMMAND
#
# COMMAND is for sh; it starts in $BUILD/kselftest, copied to memory. LOGS
# is a directory: output, console, dmesg and rc are left there. Fails if the
# command fails, the kernel complains, or time runs out. A machine that dies
# before guest.sh has begun, and our module is there, is booted a second time:
# on an emulated processor stock kernels sometimes do while they patch their own
# code, and once QEMU did of an assertion. One that stands still, which may have
# the same reason, is ended, its console's end shown, and the exit status is 3:
# its watchdog says so, or it gives no sign of life for $STILL_S seconds (180),
# or no output for a quarter of its time, which no case takes.
#
#   -c  processors, 2 if not given
#   -i  count instructions: one processor whose clock goes one nanosecond an
#       instruction, whatever else this machine does; never KVM
#   -p  a plugin of QEMU, with its arguments as QEMU has them; never KVM
#
# KERNEL_ROOT  where lib/modules of $KERNEL is; those of kernels/build.sh have
#              none, and all that they need built in
# KERNEL_OPTIONS  more words for its command line
# MEMORY  of the machine, 2G if not given; of a debug kernel 3G
set -eu

vm=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$vm/../.." && pwd)
export BUILD=${BUILD:-$top/build}
icount=
cpus=2
limit=420
plugin=
STILL_S=${STILL_S:-180}
module=$top/net/prp/prp.ko
while getopts c:il:m:p: option; do
	case $option in
	c)	cpus=$OPTARG ;;
	i)	icount=yes ;;
	l)	limit=$OPTARG ;;
	m)	module=$(realpath "$OPTARG") ;;
	p)	plugin=$OPTARG ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$1"
logs=$(cd "$1" && pwd)
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
. "$vm/kernel.sh"
. "$vm/initrd.sh"

rm -f "$logs"/{console,console.first,dmesg,rc}
: >"$logs/output"
printf '%s\n' "$2" >"$logs/command"
# All but a fortieth of it is for debuggers, and each load would read it.
strip -g -o "$logs/prp.ko" "$module"
printf '%q ' "$top" "$BUILD" "$logs" "$logs/prp.ko" "${icount:-no}" \
	>"$logs/guest"

# What init needs is in the kernel's command line; see there.
append="panic=-1 ro $KERNEL_WORDS prp_logs=$logs prp_guest=$vm/guest.sh"
machine=(setpriv --pdeathsig TERM timeout -k 10 "$limit")

# make_initrd: on the whole of this machine's files, by its modules for that
make_initrd() {
	rm -rf "$logs/root"
	new_root "$logs/root" "$vm/load" virtio_pci 9p 9pnet_virtio overlay
	pack "$logs/root" "$logs/initrd"
}

# To ask this machine anew for each name, link and page of a program that
# starts would take longer than all else, and nothing changes here meanwhile: so
# what has been seen is kept, cache=loose.
#
# The older machine, pc, has ACPI code in which an emulated processor may take
# longer than the kernel waits; then its devices have no interrupts.
in_qemu() {
	local shared=readonly=on,multidevs=remap memory=${MEMORY:-2G} words
	local mounted=trans=virtio,version=9p2000.L,msize=262144,cache=loose

	machine+=("$QEMU" -M "$MACHINE" -nodefaults -nographic -no-reboot)
	if [ -n "$icount" ]; then
		# What is counted is counted as users have it.
		append+=" nokaslr mitigations=auto init_on_alloc=1"
		cpus=1
		machine+=(-accel tcg -cpu "$EMULATED_CPU"
			-icount "shift=0,sleep=off")
	elif [ -n "$plugin" ]; then
		read -ra words <<<"$(emulated)"
		machine+=("${words[@]}")
	else
		read -ra words <<<"$(accelerated)"
		machine+=("${words[@]}")
	fi
	if is_debug_kernel; then
		memory=${MEMORY:-3G}
		append+=" root=/dev/root rootfstype=9p rootflags=$mounted"
		append+=" init=$vm/init"
	else
		make_initrd
		machine+=(-initrd "$logs/initrd")
		append+=" prp_rootflags=$mounted prp_init=$vm/init"
		[ "$KERNEL_ROOT" = / ] ||
			append+=" prp_modules=$KERNEL_ROOT/lib/modules"
	fi
	[ -z "$plugin" ] || machine+=(-plugin "$plugin")
	machine+=(-smp "$cpus" -m "$memory" -serial "file:$logs/console"
		-fsdev "local,id=root,path=/,security_model=none,$shared"
		-device "virtio-9p-pci,fsdev=root,mount_tag=root"
		-fsdev "local,id=logs,path=$logs,security_model=none"
		-device "virtio-9p-pci,fsdev=logs,mount_tag=logs"
		-device virtio-rng-pci
		-kernel "$(vmlinux)" -append "console=$CONSOLE_TTY $append")
}

in_uml() {
	machine+=("$KERNEL" mem=3000M root=/dev/root rootfstype=hostfs
		rootflags=/ "con0=null,fd:3" con=null "init=$vm/init" $append)
}

# size NAME...: in bytes, of what the machine leaves
size() {
	(cd "$logs" && stat -c %s "$@" 2>/dev/null | tr '\n' ' ')
}

# watch PID: ends the machine if it stands still, and writes why. Seconds are
# those for which this machine itself did not stand still. One that boots, or
# counts instructions, gives no other sign of life than output.
watch() {
	local output alive said='' signs='' mute=0 silent=0 locked=0
	local quiet=$((limit / 4))

	[ $quiet -gt 450 ] || quiet=450
	[ -z "$icount" ] || quiet=$((limit / 2))
	while sleep 5 && kill -0 "$1"; do
		mute=$((mute + 5))
		silent=$((silent + 5))
		output=$(size output console)
		alive=$(size alive)
		[ "$output" = "$said" ] || mute=0 silent=0
		[ "$alive" = "$signs" ] || silent=0
		said=$output
		signs=$alive
		# time to panic, and to say why
		! locked_up "$logs/console" || locked=$((locked + 5))
		if [ $locked -ge 30 ]; then
			echo "it did not end by itself" >"$logs/still"
		elif [ -s "$logs/alive" ] && [ $silent -ge "$STILL_S" ]; then
			echo "no sign of life for $silent s" >"$logs/still"
		elif [ $mute -ge $quiet ]; then
			echo "no output for $mute s" >"$logs/still"
		fi
		[ ! -s "$logs/still" ] || kill "$1"
	done
}

# The output is shown while it comes.
boot() {
	local pid watcher

	rm -f "$logs/still"
	: >"$logs/alive"
	"${machine[@]}" </dev/null 3>"$logs/console" >"$logs/machine" 2>&1 &
	pid=$!
	watch $pid >/dev/null 2>&1 &
	watcher=$!
	tail -n +1 -f --pid=$pid "$logs/output"
	wait $pid || :
	kill $watcher 2>/dev/null || :
}

died() {
	[ -s "$logs/still" ] || kernel_complained "$logs/console" ||
		grep -a "Assertion" "$logs/machine"
}

# stood_still: if it did, and nothing had gone wrong before, says so
stood_still() {
	local why

	if locked_up "$logs/console"; then
		why=$(grep -aEom1 "($LOCKUP).*" "$logs/console")
	elif [ -s "$logs/still" ]; then
		why=$(<"$logs/still")
	else
		return 1
	fi
	before_lockup "$logs/console" >"$logs/console.before"
	! kernel_complained "$logs/console.before" >/dev/null || return 1
	echo
	echo "The machine stood still: $why"
	echo "The end of $logs/console:"
	tail -n 60 "$logs/console"
}

if [ "$(head -c 4 "${KERNEL:-/dev/null}" | tr -d '\0')" = $'\x7fELF' ]; then
	in_uml
else
	in_qemu
fi
boot
if [ ! -s "$logs/output" ] && died; then
	echo "That was before our module was there: booting a second time"
	mv "$logs/console" "$logs/console.first"
	boot
fi
if [ ! -s "$logs/rc" ] && stood_still; then
	exit 3
fi
if kernel_complained "$logs/console"; then
	exit 1
fi
if [ ! -s "$logs/rc" ]; then
	echo "The machine did not finish within $limit s" \
		"($logs/output, $logs/console):"
	tail -n 5 "$logs/output" "$logs/console" "$logs/machine"
	exit 1
fi
exit "$(cat "$logs/rc")"
