#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of run.sh that runs inside the virtual machine.
top=$1 build=$2 logs=$3 module=$4 icount=$5

# Signs of life; with counted instructions they would count, too.
beat() {
	[ "$icount" = no ] || return
	while echo >>"$logs/alive"; do
		sleep 10
	done
}

main() {
	dmesg -n 7			# all of the kernel's log on the console
	mount -t tmpfs -o size=1g none /dev/shm
	# From here on nothing may wait for the other machine's disk: with
	# counted instructions time would jump.
	cp -r "$build/kselftest" /dev/shm/ || return
	export TMPDIR=/dev/shm
	export PRP_MODULE=/dev/shm/prp.ko
	cp "$module" "$PRP_MODULE" || return
	modprobe -a $(modinfo -F depends "$PRP_MODULE" | tr , " ") \
		veth bridge tun sch_netem sch_ingress cls_bpf 2>/dev/null
	insmod "$PRP_MODULE" || return
	cp "$top"/tools/{prpctl/prpctl,prpperf/prpperf,prprun/prprun} \
		"$top"/tools/prprun/*.so \
		/dev/shm/kselftest/prp/ || return
	export PATH=/dev/shm/kselftest/prp:$PATH
	export PATH=$PATH:$build/programs/usr/bin:$build/programs/usr/sbin
	export TOP=$top BUILD=$build CAPTURES=$logs/captures
	cd /dev/shm/kselftest || return
	sh -c "$(cat "$logs/command")"
}

beat &
# kselftest's runner opens /dev/stdout: not for a file to begin again.
main 2>&1 | cat >"$logs/output"
rc=${PIPESTATUS[0]}
dmesg >"$logs/dmesg"
echo "$rc" >"$logs/rc"
