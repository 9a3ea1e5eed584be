#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Machines of four processors, whose device has one queue: the kernel's own
# steering, RPS and RFS, spreads what arrives by connection, as prpctl sets it.
. "$(dirname "$0")/cluster.sh"

# processed NR: frames that went up on each of its processors, in $FRAMES
processed() {
	local word

	on "$1" cat /proc/net/softnet_stat
	FRAMES=()
	while read -r word _; do
		FRAMES+=($((16#$word)))
	done <<<"$OUT"
}

# shares NR COMMAND...: of a hundred frames that go up meanwhile, those of each
# processor, in $SHARES
shares() {
	local nr=$1 before cpu all=0

	processed "$nr"
	before=("${FRAMES[@]}")
	"${@:2}"
	processed "$nr"
	SHARES=()
	for cpu in "${!FRAMES[@]}"; do
		FRAMES[cpu]=$((FRAMES[cpu] - before[cpu]))
		all=$((all + FRAMES[cpu]))
	done
	for cpu in "${!FRAMES[@]}"; do
		SHARES+=($((FRAMES[cpu] * 100 / all)))
	done
	say "frames: ${FRAMES[*]}; percent: ${SHARES[*]}"
}

# Two machines; RPS of the second one may use all four processors.
four() {
	CPUS=4
	wired 2 virtio-net-pci virtio-net-pci
	on 2 prpctl dev steer connection
}

# each_has_its_part: of many connections, by chance
each_has_its_part() {
	local share

	shares 2 xfer 1 2 -n 256 -z 30000
	for share in "${SHARES[@]}"; do
		[ "$share" -ge 15 ] || return 1
	done
}

# Of many connections each processor has its part, and each one its order.
# Chance may leave one of them too few, but not twice.
machines__many_connections_on_four_processors() {
	four
	each_has_its_part || each_has_its_part ||
		fail "a processor has less than 15 percent, twice"
	understood 2
}

# What one program reads comes to its processor.
machines__to_the_processor_that_reads() {
	local cpu

	four
	on 2 prpctl dev steer reader
	for cpu in 1 3; do
		on 2 "start xfer taskset $((1 << cpu)) prp_xfer -o server" \
			"-z $((4 << 20))"
		ready 2 xfer
		shares 2 on 1 "prp_xfer -o client -a 2 -z $((4 << 20))"
		ended_well 2 xfer
		hashed "from 1 to 2"
		expect "percent on processor $cpu" "${SHARES[cpu]}" -ge 80
	done
}

run_cases
