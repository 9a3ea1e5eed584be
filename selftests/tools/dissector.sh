#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Captures the module's own frames for tools/dissector/prp.lua, and what the
# module counted of them; dissected.sh judges. tshark takes minutes to start
# in an emulated machine: so if $CAPTURES is set, all is left there and judged
# outside. Frames that the module never sends are in unit/test_dissector.sh.
. "$(dirname "$0")/lib/lib.sh"

PORT=4000
SEG=0x001
REQ=0x002
ANS=0x004
END=0x040
RST=0x080
CON=0x200
HELLO=0103010005b8000012345678000000000000000000000007
QUOTE=04020200000000000000000000000000
COOKIE=0a020000000000000000000000000001

# capture NODE...: from now on all frames of their p0, in memory, for a disk
# may be too slow to keep them all
capture() {
	local nr

	DIR=$(mktemp -dp /dev/shm)
	CAPTURERS=()
	for nr; do
		in_node "$nr" tcpdump -Z root -U -s 2000 -B 8192 \
			--immediate-mode -i p0 -w "$DIR/seen-$nr" \
			2>/dev/null &
		CAPTURERS[nr]=$!
		wait_for "the capture begins" [ -s "$DIR/seen-$nr" ]
	done
}

# end_capture NODE: by a frame of another EtherType that goes nowhere and says
# "The capture ends"
end_capture() {
	rawframe "$NODE-$1" p0 type=0x88b6 dst="$(mac "$1")" src="$(mac "$1")" \
		src_node=0x5468 src_port=0x6520 dst_port=0x6361 \
		seq=0x70747572 ack=0x6520656e len=0x6473
	wait_for "the capture ends" grep -qa "capture ends" "$DIR/seen-$1"
	kill "${CAPTURERS[$1]}"
	wait "${CAPTURERS[$1]}" || :
}

# captured TOPIC: ends the captures, notes what was counted; TOPIC says to
# dissected.sh what it is about
captured() {
	local nr captures=${CAPTURES:-$DIR}

	for nr in "${!CAPTURERS[@]}"; do
		end_capture "$nr"
	done
	for ((nr = 1; nr <= NODES; nr++)); do
		prpctl -j -n "$NODE-$nr" stats show >"$DIR/counted-$nr"
	done
	mkdir -p "$captures/$1"
	mv "$DIR"/*-[12] "$captures/$1"
	[ -n "${CAPTURES:-}" ] || dissected.sh "$captures"
	rm -r "$DIR"
}

# 30 segments, of which the wire loses two that do not follow each other
dissector__shows_what_was_lost_on_the_way() {
	wired_nodes 2
	bad_wire 1 list=5,9
	hold server 2
	told_ok server listen $PORT 1
	capture 1 2
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send $((30 * 1464))
	told_ok server recv $((30 * 1464))
	told_ok client close
	told_ok server close
	wait_for "all connections are freed" all_freed
	captured losses
	release client
	release server
}

# forged KEY=VALUE...: node 1 sends such a frame, whatever node 2 says to it
forged() {
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" src_node=1 \
		dst_node=2 src_port=1 dst_port=$PORT "$@"
	FORGED=$((FORGED + 1))
}

dissector__gives_the_reasons_that_the_module_gives() {
	local FORGED=0

	two_nodes
	hold server 2
	told_ok server listen 4001 8
	capture 2
	forged cut=49
	forged flags=$SEG payload=10 len=11
	forged extlen=15
	forged extlen=255
	forged ext=6301000000000000
	forged ext=0000000000000000
	forged ext=0302000000000000
	forged ext=0301000900000000
	forged ext=0301000000000001
	forged ext=0301010000000000
	forged ext=03010000000000000301000000000000
	forged ext=04020500000000000000000000000000 flags=$RST
	forged ext=04020700000000000000000000000000 flags=$RST
	forged ext=04020200000000000000000000010000 flags=$RST
	forged ext=${HELLO/05b8/001f} flags=$REQ
	forged ext=${HELLO/123456780000/123456780001}$COOKIE flags=$REQ
	forged ext=${HELLO/1234567800000000/1234567800010002} flags=$REQ
	forged ext=${HELLO/01030100/01030101} flags=$REQ
	forged ext=${HELLO/12345678/00000000} flags=$REQ
	forged ext=05020400000300000000000000000000 flags=0x010
	forged ext=05020100000305780000000000000000 flags=0x010
	forged ext=0601000000640000 flags=$SEG payload=100
	forged ext=03010000000000000701000000000000
	forged ext=0801000000000000
	forged flags=$((SEG | REQ)) ext=$HELLO payload=1
	forged flags=$REQ
	forged flags=$REQ ext=$HELLO tag=1
	forged flags=$ANS ext=$HELLO
	forged payload=1
	forged flags=$RST
	forged flags=$((RST | SEG)) ext=$QUOTE
	forged ext=$QUOTE
	forged flags=0x400
	forged flags=$((SEG | 0x1000)) payload=1
	forged ext=$COOKIE
	forged flags=$CON ext=$HELLO tag=1
	forged flags=$((CON | END)) ext=$HELLO$COOKIE tag=1
	forged flags=$REQ ext=$HELLO src_port=0
	forged flags=$CON ext=$HELLO$COOKIE tag=1 dst_port=0
	forged version=9
	wait_for "node 2 drops them all" counter_is 2 frames_in -ge $FORGED
	forged flags=$SEG payload=1 tag=5 seq=1234
	forged flags=$CON ext=$HELLO$COOKIE tag=5 seq=5678 dst_port=4001
	forged flags=$REQ ext=$HELLO
	wait_for "node 2 drops the last one" \
		counter_is 2 drop_no_listener -eq 1
	release server
	captured reasons
}

run_cases
