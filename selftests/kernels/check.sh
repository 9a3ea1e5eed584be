#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the kselftests on a debug kernel; what `make check-kasan`, check-uml
# and check-kcsan do:
#
#	check.sh kasan|uml|kcsan
#
# The kernel is built if need be, and the module for it, from a copy of the
# sources: the objects in net/prp are the stock kernel's. First the bugs of
# planted/ are loaded, each of which the kernel must report; then the tests
# run, in a boot of their own, and it must report nothing. All results are
# KTAP in $BUILD/logs/NAME; the last line counts them. A whole run writes its
# row into Documentation/results/runs.csv.
#
# TESTS, CASES, PRP_LONG   as in `make check`
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
vm=$top/selftests/vm
. "$vm/tests.sh"
. "$vm/results.sh"
export BUILD=${BUILD:-$top/build}
name=${1:?kasan, uml or kcsan}
logs=$BUILD/logs/$name
begun=$SECONDS
whole=${TESTS:-}${CASES:-}${PRP_LONG:-}

# What a kernel must find, in an order in which no report turns a later
# checker off: lockdep ends with its first find, and with KASAN's.
memory="rcu:planted.c:.* suspicious rcu_dereference_check"
sleep="sleep:sleeping function called from invalid context"
shift="shift:UBSAN: shift-out-of-bounds"
list="list:list_del corruption"
object="object:ODEBUG: free active"
lock="lock:possible circular locking dependency"
use="use:BUG: KASAN: (slab-)?use-after-free"
leak="leak:unreferenced object .*"
race="race:BUG: KCSAN: data-race in race_fn"

case $name in
kasan)
	bugs=("$memory" "$sleep" "$shift" "$list" "$object" "$lock" "$leak"
	      "$use")
	export PRP_SLOW=6
	collections='prp prp/net prp/oracle prp/mpi prp/faults prp/machines' ;;
uml)
	bugs=("$memory" "$list" "$object" "$lock" "$leak" "$use")
	export PRP_SLOW=4
	collections='prp prp/net prp/mpi prp/faults'
	TESTS=${TESTS:-prp:sock_bind prp:sock_connect prp:sock_io
		prp:sock_close prp:sock_message prp:sock_buffers
		prp:sock_pool prp:sock_inet
		prp:sock_inet_io prp:sock_diag
		prp:events prp:netlink prp:trust prp:races_end
		prp:self.sh prp:prpctl.sh prp:prpctl_hosts.sh
		prp:prpctl_see.sh prp:prpctl_explain.sh
		prp:prpctl_completion.sh
		prp:handshake.sh prp:data.sh prp:loss.sh prp:frames.sh
		prp:messages.sh prp:hostile.sh prp:access.sh
		prp:dissector.sh prp:prprun.sh prp:manuals.sh
		prp:autoload.sh prp:unload.sh
		prp/net:route.sh prp/net:devices.sh prp/net:stacked.sh
		prp/net:netns.sh prp/net:seeing.sh prp/net:programs.sh
		prp/net:paths.sh prp/net:queues.sh
		prp/mpi:fabric.sh prp/mpi:run.sh prp/mpi:operations.sh
		prp/mpi:ends.sh prp/mpi:suite.sh
		prp/faults:sockets.sh prp/faults:netlink.sh
		prp/faults:load.sh} ;;
kcsan)
	bugs=("$race")
	export PRP_SLOW=4
	collections='prp prp/net prp/mpi' ;;
*)
	echo "No such kernel: $name" >&2
	exit 2 ;;
esac

say() {
	echo "=== $* ($((SECONDS - begun)) s)"
}

# result STATUS WHAT
result() {
	[ "$1" = 0 ] || printf 'not '
	echo "ok 1 selftests: $name: $2"
}

# module SOURCE NAME: builds a copy of a folder for this kernel; $MODULE is it
module() {
	local at=$kernel/modules/$1

	mkdir -p "$at"
	rsync -a --delete --exclude '*.o' --exclude '.*.cmd' --exclude '*.ko' \
		--exclude '*.mod*' --exclude Module.symvers --exclude '*.order' \
		"$top/$1/" "$at/"
	MODULE=$at/$2.ko
	rm -f "$MODULE"
	make -s -C "$kernel/build" $arch M="$at" modules \
		>"$logs/$2.build" 2>&1 && [ -s "$MODULE" ] || {
		cat "$logs/$2.build"
		return 1
	}
}

# Each bug must be reported; so this boot is expected to complain.
planted() {
	local command='' bug load

	module selftests/kernels/planted planted || {
		result 1 "the planted bugs are built for it"
		return
	}
	cp "$MODULE" "$logs/planted.ko"
	for bug in "${bugs[@]}"; do
		load="insmod $logs/planted.ko bug=${bug%%:*}"
		# two processors of a busy machine seldom meet
		[ "$bug" != "$race" ] ||
			load="until dmesg | grep -q '${bug#*:}'; do $load; done"
		command+="$load; "
	done
	"$vm/run.sh" -l 600 -m "$prp" "$logs/planted" \
		"$command $here/guest.sh" >"$logs/planted.run" 2>&1
	for bug in "${bugs[@]}"; do
		cat "$logs"/planted/{output,console,dmesg} 2>/dev/null |
			grep -qaE "${bug#*:}"
		result $? "finds the planted bug ${bug%%:*}"
	done
}

machine() {
	choose "$1" || return 0
	say "$1 on the kernel $name"
	run_chosen "${PRP_LONG:+3}14400" "$logs/${1#prp/}" \
		"export CASES='${CASES:-}' PRP_LONG='${PRP_LONG:-}' \
			PRP_SLOW=$PRP_SLOW PRP_DEBUG=$name
		 $here/guest.sh" -m "$prp"
	result $? "the kernel is content with $1"
}

machines() {
	choose prp/machines || return 0
	say "prp/machines on the kernel $name"
	# these are limited themselves, and each wait in them
	sed -i 's/^timeout=.*/timeout=0/' "$BUILD/kselftest/prp/machines/settings"
	TOP=$top PRP_MODULE=$prp run_here
}

run_all() {
	local collection

	say "building"
	kernel=$("$here/build.sh" "$name")
	result $? "the kernel is built"
	[ -n "$kernel" ] || return
	export KERNEL=$kernel/image
	arch=
	[ $name != uml ] || arch=ARCH=um
	mkdir -p "$kernel/modules"
	rsync -a --delete "$top/include" "$kernel/modules/"
	module net/prp prp || {
		result 1 "the module is built for it"
		return
	}
	result 0 "the module is built for it"
	prp=$MODULE
	make -s --no-print-directory -C "$top" tools selftests
	result $? "everything else builds"
	all_known || {
		result 1 "the tests named exist"
		return
	}
	say "planted bugs"
	planted
	for collection in $collections; do
		if [ "$collection" = prp/machines ]; then
			machines
		else
			machine "$collection"
		fi
	done
}

mkdir -p "$logs"
exec {lock}>"$BUILD/check.lock"
flock -n $lock || { echo "Waiting for another check"; flock $lock; }
what_is_tested
run_all | tee "$logs/all.tap"
say "all results: $logs/all.tap"
[ -z "$whole" ] || exec "$vm/summary.sh" "$logs/all.tap"
ends_in_a_row "make check-$name" \
	"$(dpkg-query -W -f '${Version}' linux-source)" "$logs/all.tap" \
	$((SECONDS - begun))
