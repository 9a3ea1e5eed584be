# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What all virtual machines have in common, for scripts that source it with
# $BUILD and $KVER set, and $KERNEL if it is not the stock one.

# What every kernel is told. Silent on the console, until a script raises the
# level. What an emulator translates it keeps by address: if each process had
# its code elsewhere, the same libraries would be translated for each process.
# It is slow with the clock that it would be asked for else, a device; with
# ERMS, as it does rep movsb byte by byte: a sixth of all its time; and with
# page tables and detours around branches that only real processors need.
# The kernel's tests of its own ciphers are a tenth of its way up. To clear what
# it gives itself is a twelfth of its work; what is not cleared may be seen.
# An emulated timer may be late on a busy machine: do not doubt it. What
# locks up is ended by the watchdogs, after 120 s: no processor has to wait for
# another one as long on a busy machine.
# shellcheck disable=SC2034
KERNEL_WORDS="oops=panic loglevel=1 norandmaps tsc=reliable no_timer_check"
KERNEL_WORDS+=" clearcpuid=erms no5lvl mitigations=off cryptomgr.notests"
KERNEL_WORDS+=" init_on_alloc=0"
KERNEL_WORDS+=" watchdog_thresh=60 softlockup_panic=1 hung_task_panic=1"
KERNEL_WORDS+=" rcupdate.rcu_cpu_stall_timeout=120"
KERNEL_WORDS+=" sysctl.kernel.panic_on_rcu_stall=1"
KERNEL_WORDS+=" ${KERNEL_OPTIONS:-}"

# Machines have this one's processor: QEMU's program, its plainest machine, an
# emulated processor and the console. Pointers that are signed are signed by
# what costs least.
# shellcheck disable=SC2034
case $(uname -m) in
aarch64)
	QEMU=qemu-system-aarch64 MACHINE=virt,gic-version=max
	EMULATED_CPU=max,pauth-impdef=on CONSOLE_TTY=ttyAMA0 ;;
*)	QEMU=qemu-system-x86_64 MACHINE=q35
	EMULATED_CPU=max CONSOLE_TTY=ttyS0 ;;
esac

# A /dev/kvm may be there and yet not boot: believe only a kernel that got
# as far as to miss its root file system.
kvm_works() {
	local boot cache

	read -r boot </proc/sys/kernel/random/boot_id
	cache=$BUILD/kvm-$boot

	if [ ! -e "$cache" ]; then
		rm -f "$BUILD"/kvm-*
		if [ -w /dev/kvm ] && timeout 10 "$QEMU" -M "$MACHINE" \
			-accel kvm -cpu host -m 256M -nodefaults -nographic \
			-serial stdio -no-reboot \
			-kernel "${KERNEL:-/boot/vmlinuz-$KVER}" \
			-append "console=$CONSOLE_TTY panic=-1" \
			</dev/null 2>&1 |
		   grep -q "Unable to mount root"; then
			echo yes >"$cache"
		else
			echo no >"$cache"
		fi
	fi
	[ "$(cat "$cache")" = yes ]
}

# emulated: QEMU's words for a processor that is
emulated() {
	echo "-accel tcg,thread=multi -cpu $EMULATED_CPU"
}

# accelerated: QEMU's words for the processor
accelerated() {
	if kvm_works; then
		echo "-accel kvm -cpu host"
	else
		emulated
	fi
}

# without_foreign_races CONSOLE: KCSAN's reports in which PRP has no part, and
# there are some in every kernel, are left out
without_foreign_races() {
	awk -v rule===================================== '
	function flush() {
		if (inside && report ~ /\[prp\]|\[planted\]/)
			printf "%s", report
		report = ""
	}
	index($0, rule) && inside { flush(); inside = 0; next }
	index($0, rule)	{ held = $0; next }
	held && /BUG: KCSAN/	{ inside = 1 }
	inside			{ report = report $0 "\n"; held = ""; next }
	held			{ print held; held = "" }
				{ print }
	END			{ flush() }' "$1"
}

# without_refusals: what the core kernel itself says when the tests of faults/
# make an allocation of its own fail: a trace for pages, a cache or a table of
# sysctls, and for the fields of a module's first event a warning, once
without_refusals() {
	awk '
	function flush() {
		printf "%s", held
		held = ""
	}
	/kmem_cache_create_usercopy\(.*\) failed with error -/ ||
	/sysctl could not get directory: / ||
	/ fail_(nth|load): .*, mode:0x.*nodemask=/ ||
	/WARNING: .* event_define_fields\+/ {
		flush()
		held = $0 "\n"
		lines = injected = 0
		next
	}
	held && (/WARNING:|BUG:/ || ++lines > 20)	{ flush() }
	!held						{ print; next }
							{ held = held $0 "\n" }
	/ Comm: fail_(nth|load) /			{ injected = 1 }
	/Call Trace/ {
		if (injected)
			held = ""
		flush()
	}
	END						{ flush() }'
}

# complaints CONSOLE: all of it but what is no complaint of PRP's
complaints() {
	without_foreign_races "$1" | without_refusals
}

# What a console says of a lock-up; and if our module may be to blame, and not
# an emulated processor that cannot go on: it is there, or waits for a lock
LOCKUP='soft lockup|hard LOCKUP|detected stall|blocked for more than'
# shellcheck disable=SC2034
OURS='RIP: .*(\[prp\]|spin_lock)|blocked for more than'

# locked_up CONSOLE
locked_up() {
	grep -qaE "$LOCKUP" "$1"
}

# before_lockup CONSOLE: what it said until then
before_lockup() {
	sed -E "/$LOCKUP/,\$d" "$1"
}

# kernel_complained CONSOLE: if it did, says what
kernel_complained() {
	local splat='BUG:|WARNING:|Oops|Kernel panic|general protection'

	splat+='|Call Trace|INFO: task .* blocked|refcount_t:|UBSAN|KASAN'
	splat+='|unregister_netdevice: waiting|detected stall'
	complaints "$1" | grep -aE "$splat" >/dev/null || return 1
	echo "The kernel complained ($1):"
	complaints "$1" | grep -aE -m1 -B5 -A40 "$splat"
}
