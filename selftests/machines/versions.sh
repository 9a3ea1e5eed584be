#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Beside a machine that speaks the wire before this one: each says so to the
# other, and no program hangs. That module comes out of the history of this
# tree, and runs on the stock kernel, whatever the other one runs on.
. "$(dirname "$0")/cluster.sh"

WIRE_1=ec22ab6e9e7e	# the last commit that speaks it

# build_wire_1: leaves the module and prpctl of that commit in $OLD, for the
# kernel $STOCK
build_wire_1() {
	STOCK=${KDIR%/*}
	STOCK=${STOCK##*/}
	OLD=$BUILD/wire-$WIRE_1-$STOCK
	[ ! -e "$OLD/built" ] || return 0
	git -C "$TOP" cat-file -e "$WIRE_1^{commit}" 2>"$DIR/git" ||
		fail "$(<"$DIR/git"); a shallow clone: git fetch --unshallow"
	rm -rf "$OLD"
	mkdir -p "$OLD"
	git -C "$TOP" archive "$WIRE_1" net include tools | tar -x -C "$OLD"
	make -s -C "$KDIR" M="$OLD/net/prp" KCFLAGS=-g0 modules \
		>"$OLD/log" 2>&1 &&
		make -s -C "$OLD/tools/prpctl" prpctl >>"$OLD/log" 2>&1 ||
		fail "$(tail "$OLD/log")"
	touch "$OLD/built"
}

# refused NR OTHER: connect() from there says that the versions differ, and
# soon
refused() {
	local begin

	on "$1" 'hold asks'
	now_ms
	begin=$NOW
	on "$1" tell asks connect "$2" 4000
	expect "connect() from machine $1 said" "$OUT" = EPROTONOSUPPORT
	now_ms
	expect "ms until it did" $((NOW - begin)) -lt $((5000 * SLOW))
	on "$1" release asks
}

# says_version NR OTHER PATTERN: so does its prpctl
says_version() {
	try "$1" prpctl explain "n$2"
	expect "exit status" "$RC" -eq 2
	[[ $OUT == *$3* ]] || fail "machine $1: $OUT"
	say "machine $1: $OUT"
}

machines__of_two_versions_tell_each_other() {
	build_wire_1
	TABLE=2
	IMAGE[2]=$(KERNEL='' KVER=$STOCK vmlinux)
	INITRD[2]=$DIR/old
	(KERNEL='' KERNEL_ROOT=/ KVER=$STOCK
	 make_initrd "${INITRD[2]}" "$OLD/net/prp/prp.ko" \
		"$OLD/tools/prpctl/prpctl")
	wired 2 virtio-net-pci virtio-net-pci
	on 1 'hold answers; tell answers listen 4000 8'
	on 2 'hold answers; tell answers listen 4000 8'
	# who has not asked yet knows it, too
	refused 2 1
	says_version 2 1 "speaks versions 2 to 2 only"
	on 1 'prpctl node show n2'
	[[ $OUT =~ n2\ .*\ 1\  ]] || fail "no word of version 1: $OUT"
	refused 1 2
	says_version 1 2 "speaks version 1 only"
	on 1 release answers
	on 2 release answers
}

run_cases
