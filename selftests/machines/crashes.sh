#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A machine fails, and maybe comes back at once with the same ports: its
# peers' programs get their errors, and what belongs to the earlier life does
# not get into the later one.
. "$(dirname "$0")/cluster.sh"

MANY=$((1 << 30))		# more than is sent before it is interrupted
PATIENCE_MS=$((20 * LIMIT_MS))	# longer than a boot, by fast clocks, too

# comes_back: machine 2 has crashed; it is not yet a node
comes_back() {
	crash 2
	boot 2
	booted 2
	put_hosts 2
	say "machine 2 is back"
}

# Machine 2 comes back, and had a connection with nothing under way: only a
# new request can tell machine 1 that it is stale.
machines__back_while_the_old_one_is_idle() {
	wired 2 virtio-net-pci virtio-net-pci
	on 1 'hold old; tell old listen 4000 1'
	on 2 'hold client; tell client connect 1 4000 5000'
	expect "connect" "$OUT" = ok
	on 1 'tell old accept && tell old unlisten'
	on 2 tell client send 1000
	on 1 tell old recv 1000
	expect "received" "$OUT" = "ok 1000"
	comes_back
	serve 1 new -z 4000000 -d
	on 2 'up 1500 && setup &&' \
		prp_xfer -o client -a 1 -b 5000 -z 4000000 -d
	hashed "to the one that is back"
	expect "its first request met the stale connection" \
		"$(counter 1 drop_stale_request)" -ge 1
	ended_well 1 new
	hashed "from the one that is back"
	on 1 tell old recv 1
	expect "the stale one" "$OUT" = ECONNRESET
	on 1 release old
}

# The one that sends, and the one that waits for a reply, with 2 s of patience
machines__one_killed_is_noticed() {
	local begin

	wired 2 virtio-net-pci virtio-net-pci
	serve 2 server -z $MANY
	on 2 'hold answers; tell answers listen 4001 1'
	on 1 'hold asks; tell asks timeout 2000'
	on 1 tell asks connect 2 4001
	expect "connect" "$OUT" = ok
	on 1 "start client prp_xfer -o client -a 2 -T 2000 -z $MANY"
	until_on 2 counter_is segs_in -gt 2000
	on 1 runs client
	crash 2
	up_ms 1
	begin=$NOW
	on 1 tell asks send 1000
	expect "asked" "$OUT" = "ok 1000"
	ended 1 client
	[[ $OUT == *"Connection timed out"* ]] || fail "client: $OUT"
	say "$OUT"
	in_time "who sends"
	on 1 tell asks recv 1000
	expect "the answer" "$OUT" = ETIMEDOUT
	in_time "who waits"
	on 1 release asks
}

# up_ms K: leaves in $NOW how long machine K has been up, by its own clock: one
# that boots while this machine is busy may take it for faster than it is
up_ms() {
	on "$1" cat /proc/uptime
	NOW=${OUT%% *}
	NOW=$((10#${NOW/./} * 10))
}

# in_time WHO: the error came when the patience since $begin was over
in_time() {
	up_ms 1
	expect "$1: milliseconds to its error" $((NOW - begin)) -ge 1900
	expect "$1: milliseconds to its error" $((NOW - begin)) \
		-le $((5000 * SLOW))
}

# Machine 2 connected from port 5000; it does so again, while machine 1 still
# sends to, and waits for, its earlier life.
machines__back_from_the_same_port() {
	wired 2 virtio-net-pci e1000
	serve 1 old -z $MANY -d -w -T $PATIENCE_MS
	on 2 "start client prp_xfer -o client -a 1 -b 5000 -z $MANY -d"
	until_on 1 counter_is segs_in -gt 1000
	comes_back
	serve 1 new -z 4000000 -d
	on 1 runs old
	on 2 'up 1500 && setup &&' \
		prp_xfer -o client -a 1 -b 5000 -z 4000000 -d
	hashed "to the one that is back"
	ended_well 1 new
	hashed "from the one that is back"
	reset 1 old
}

machines__module_stays_while_it_is_used() {
	wired 2 virtio-net-pci e1000
	serve 2 server -z $((16 << 20)) -d
	on 1 "start client prp_xfer -o client -a 2 -z $((16 << 20)) -d"
	until_on 1 counter_is segs_in -gt 100
	for nr in 1 2; do
		try $nr rmmod prp
		[ "$RC" != 0 ] || fail "machine $nr let the module go"
		say "$OUT"
	done
	on 1 runs client
	ended_well 1 client
	hashed "from 1 to 2"
	ended_well 2 server
	hashed "from 2 to 1"
}

# What a program has left behind holds no module. Its peer only reads, and would
# never find out.
machines__unload_is_told() {
	wired 2 virtio-net-pci e1000
	on 2 'hold reads; tell reads listen 4000 1'
	on 1 'hold writes; tell writes connect 2 4000'
	expect "connect" "$OUT" = ok
	on 2 'tell reads accept && tell reads unlisten'
	on 1 'tell writes fill; release writes'
	on 1 rmmod prp
	until_on 2 counter_is resets_in -ge 1
	on 2 release reads
	on 1 'load && up 1500 && setup'
}

# Machine 2 had the server; it serves again at once.
machines__back_with_the_same_server() {
	wired 2 e1000 virtio-net-pci
	serve 2 server -z $MANY -d
	on 1 "start client prp_xfer -o client -a 2 -b 5000 -z $MANY -d -w \
		-T $PATIENCE_MS"
	until_on 1 counter_is segs_in -gt 1000
	comes_back
	on 1 runs client
	on 2 'up 1500 && setup &&' \
		start server prp_xfer -o server -z 4000000 -d
	reset 1 client
	ready 2 server
	on 1 prp_xfer -o client -a 2 -b 5000 -z 4000000 -d
	hashed "to the one that is back, from the same port"
	ended_well 2 server
	hashed "from the other one"
}

# reset NR NAME: it ends, by a reset
reset() {
	ended "$1" "$2"
	[ "$RC" != 0 ] || fail "$2 did not fail: $OUT"
	[[ $OUT == *"Connection reset by peer"* ]] || fail "$2: $OUT"
	say "the stale one: ${OUT##*$'\n'}"
}

run_cases
