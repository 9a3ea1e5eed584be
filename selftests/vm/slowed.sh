#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shows that each guard of what is measured, a file of selftests/bars as `make
# check` runs it, fails if the module gets slow there: in a copy of its sources
# something is planted for each guard, in a function, and a parameter tells what
# is switched on. In a machine that counts instructions each guard runs with its
# plant: it must fail, and by the expectation named here. Results are KTAP.
#
#	slowed.sh [names]
#
# With "names" it only says which guards nothing is planted for.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
export BUILD=${BUILD:-$top/build}
export KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
KDIR=${KDIR:-/lib/modules/$KVER/build}
logs=$BUILD/logs/slowed
copy=$BUILD/slowed
vm=$top/selftests/vm

# slow GUARD CASE FILE FUNCTION STATEMENT SAYS: what is planted, and what the
# guard says then; busy(US) takes so many microseconds
guards=('') cases=('') files=('') functions=('') statements=('') says=('')
slow() {
	guards+=("$1")
	cases+=("$2")
	files+=("$3")
	functions+=("$4")
	statements+=("$5")
	says+=("$6")
}

slow instructions '*4_bytes*' transport/xmit.c __prp_xmit_segment \
	'busy(2)' "p1: PRP's"
slow opens '*' socket/connect.c prp_connect_start \
	'busy(20)' "PRP's"
slow acks '*none_in_request*' pure/ack.h prp_ack_in_order \
	'ack->now = true' 'acknowledgments of the client'
slow throughput '*lossless' transport/xmit.c __prp_xmit_segment \
	'busy(20)' 'Mbit/s'
slow repeats '*from_the_start' pure/snd.c snd_is_lost \
	'return true' 'segments repeated'
slow latency '*1_percent*' transport/recovery.c recovery_lost \
	'busy(6000)' '99th percentile'
slow iperf3 '*' transport/xmit.c __prp_xmit_run \
	'busy(100)' "PRP's median"
slow nginx '*' transport/xmit.c __prp_xmit_run \
	'busy(100)' "ms: PRP's median"
slow bulk 'bulk__as_shipped_at_most_0_72*' transport/xmit.c __prp_xmit_run \
	'busy(20)' "PRP's"
slow hosts '*look_up*' network/hop.c prp_hop_rcu \
	'busy(rcu_access_pointer(pn->table)->count / 100)' \
	'instructions with 1000 hosts'
slow messages '*pingpong*' socket/seqpacket_send.c message_send \
	'busy(2)' "instructions of a stream's"
slow closes '*' socket/close.c prp_release \
	'busy(500)' 'closed in a second'
slow many '*after_bulk' transport/tx_slots.c __prp_tx_slots_idle \
	'return' 'bytes of slab an end'
slow rails '*carrier*' network/rail.c prp_rail_notify \
	'busy(20000)' 'longest wait'
slow hostile '*forged*' transport/stray.c stray_request \
	'busy(30)' 'requests a second'
slow holes '*1000_bytes' transport/path_search.c search_ask \
	'busy(300000)' 'longest wait'
slow neighbours '*' pure/cong.c cong_drop \
	'return false' "TCP's share"
slow mpi '*8_bytes' transport/xmit.c __prp_xmit_segment \
	'busy(20)' 'missed: MPIPR'

# Each guard of `make check` is one of those above.
without_plant() {
	local file

	for file in "$top"/selftests/bars/*.sh; do
		file=${file##*/}
		[[ $file = lib_* || " ${guards[*]} " = *" ${file%.sh} "* ]] ||
			echo "selftests/bars/$file:0: GUARD: slowed.sh plants" \
				"nothing for it"
	done
}

# plant NR FILE FUNCTION STATEMENT: where its body begins
plant() {
	local file=$copy/net/prp/$2 planted="if (prp_planted == $1) { $4; }"

	awk -v call="[ *]$3[(]" -v planted="$planted" '
	/^[a-z]/ && $0 ~ call && !/;$/	{ here = 1 }
					{ print }
	/^{/ && here			{ print planted; here = 0 }
	' "$file" >"$file.new"
	grep -qF "$planted" "$file.new" || {
		echo "No function $3 in $2" >&2
		return 1
	}
	mv "$file.new" "$file"
}

build_planted() {
	local nr unkernel=-Wno-declaration-after-statement

	mkdir -p "$copy" "$logs"
	rsync -a --delete --include='*/' --include='*.[ch]' \
		--include=Makefile --exclude='*' "$top"/{net,include} "$copy/"
	cat >"$copy/planted.h" <<-'END'
	#ifndef __ASSEMBLY__
	#include <linux/ktime.h>
	extern int prp_planted;
	static inline void busy(u64 us)
	{
		u64 end = ktime_get_ns() + us * 1000;

		while (ktime_get_ns() < end)
			;
	}
	#endif
	END
	cat >>"$copy/net/prp/main.c" <<-'END'
	int prp_planted;
	module_param_named(planted, prp_planted, int, 0);
	END
	for ((nr = 1; nr < ${#guards[@]}; nr++)); do
		plant $nr "${files[nr]}" "${functions[nr]}" \
			"${statements[nr]}" || return
	done
	make -s -j"$(nproc)" -C "$KDIR" M="$copy/net/prp" modules \
		KCFLAGS="-g0 -include $copy/planted.h $unkernel" \
		>"$logs/build" 2>&1 || { cat "$logs/build"; return 1; }
}

# said NR: what came of the guard with that plant
said() {
	sed -n "/^=== $1\$/,/^===/p" "$logs/output"
}

# result STATUS NAME
nr=0 failed=0
result() {
	if [ "$1" != 0 ]; then
		printf 'not '
		failed=1
	fi
	nr=$((nr + 1))
	echo "ok $nr $2"
}

if [ "${1:-}" = names ]; then
	without_plant
	exit
fi
build_planted || exit
command='run() {
	until rmmod prp; do :; done
	insmod $PRP_MODULE planted=$1
	echo "=== $1"
	CASES="$3" ./run_kselftest.sh -t "prp/bars:$2.sh"
}
set -f
export PRP_BARS=
run 0 instructions "*"'
for ((i = 1; i < ${#guards[@]}; i++)); do
	command+=$'\n'"run $i ${guards[i]} '${cases[i]}'"
done
"$vm/run.sh" -i -l 2400 -m "$copy/net/prp/prp.ko" "$logs" \
	"$command"$'\necho ===; true' | sed -u 's/^/# /'
echo "TAP version 13"
echo "1..${#guards[@]}"
said 0 | grep -q '^ok 1 selftests: prp/bars: instructions.sh'
result $? slowed__passes_where_nothing_is_planted
for ((i = 1; i < ${#guards[@]}; i++)); do
	said $i | grep -qE "^# # FAIL: .*${says[i]}" &&
		said $i | grep -q "^not ok 1 selftests: prp/bars: ${guards[i]}.sh"
	result $? "slowed__${guards[i]}_is_noticed"
done
exit $failed
