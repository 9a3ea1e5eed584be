#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What profile.sh counts, in a machine whose emulator has its plugin: between
# two marks round trips of 4 bytes, bulk, and connections that are opened and
# closed, over PRP and over TCP. It says the name of each count, how many of
# what it is of, and leaves the symbols of the kernel in $RESULTS.
. "$(dirname "$0")/../lib/lib.sh"

ROUNDS=2000
BULK_KB=16384
CONNECTS=300

at() {
	case $1 in
	prp)	echo "$2@netns:$NODE-$2" ;;
	tcp)	echo "10.9.0.$2@netns:$NODE-$2" ;;
	esac
}

# counted NAME COUNT COMMAND...: the difference of what takes COUNT of them and
# what takes none is what they take: so a command is run twice, for its
# beginning and end to be taken off
counted() {
	mark
	"${@:3}" >/dev/null || fail "$1"
	mark
	echo "count $1 $2"
}

perf() {
	prpperf -f "$1" "${@:2}" "$(at "$1" 2)" "$(at "$1" 1)"
}

# open_many FAMILY COUNT: connections, one after the other
open_many() {
	local over=(-a 2)

	[ "$1" = prp ] || over=(-t -a 10.9.0.2)
	prp_connects -c "$NODE-1" -s "$NODE-2" "${over[@]}" "$2"
}

# both NAME FAMILY COUNT MORE OPTION...: one round, and MORE in which COUNT are
both() {
	counted "$1.$2.less" 0 perf "$2" -n 1 "${@:5}"
	counted "$1.$2.more" "$3" perf "$2" -n $((1 + $4)) "${@:5}"
}

rooms__of_each() {
	local family

	two_nodes
	long_frames 1 2
	cat /proc/kallsyms >"$RESULTS/kallsyms"
	for family in prp tcp; do
		both trip $family $ROUNDS $ROUNDS -z 4 pingpong
		both bulk $family $BULK_KB 4 -w 1 -z 65536 \
			-c $((BULK_KB / 4 / 64)) bandwidth
		counted connect.$family.less 0 open_many $family 1
		counted connect.$family.more $CONNECTS \
			open_many $family $((1 + CONNECTS))
	done
}

run_cases
