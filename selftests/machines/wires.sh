#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Machines with real drivers on a wire: what they send arrives, also when
# frames are short or long or the cable is pulled, and strangers are not
# believed.
. "$(dirname "$0")/cluster.sh"

# pingpong FROM TO SIZE...: each reply is compared with its request
pingpong() {
	local from=$1 to=$2 size

	shift 2
	for size in "$@"; do
		on "$to" "start pong$size prp_pingpong -o server -z $size" \
			"-n 20 -u 1 -p $((5000 + size))"
	done
	for size in "$@"; do
		ready "$to" "pong$size"
	done
	on "$from" "for size in $*; do prp_pingpong -o client -a $to" \
		"-z \$size -n 20 -u 1 -p \$((5000 + size)) || break; done"
	for size in "$@"; do
		ended_well "$to" "pong$size"
	done
	say "from $from to $to and back: each of $* bytes"
}

# received NR: leaves $BYTES and $FRAMES of its device
received() {
	on "$1" 'cat /sys/class/net/eth0/statistics/rx_bytes' \
		'/sys/class/net/eth0/statistics/rx_packets'
	{ read -r BYTES; read -r FRAMES; } <<<"$OUT"
}

# short_frames FROM TO OPERATOR: less than 60 bytes long where they arrive?
# Their payload is 1 to 9 bytes, behind headers of 50.
short_frames() {
	local bytes frames

	received "$2"
	bytes=$BYTES
	frames=$FRAMES
	pingpong "$1" "$2" {1..9}
	received "$2"
	expect "bytes in a frame to $2" \
		$(((BYTES - bytes) / (FRAMES - frames))) "$3" 60
	pingpong "$1" "$2" {10..30}
}

# Sizes around the edges of a segment, then much, in both directions
all_sizes() {
	local size nr

	for size in 1 1463 1464 1465 65537; do
		xfer 1 2 -z $size -d
	done
	xfer 1 2 -z $((8 << 20))
	xfer 2 1 -z $((8 << 20))
	xfer 1 2 -z $((1 << 20)) -d -n 4 -w
	for nr in 1 2; do
		expect "merged, of $(counter $nr segs_in) that came to $nr" \
			"$(counter $nr segs_merged)" -gt 1000
	done
}

machines__two_with_virtio_net() {
	wired 2 virtio-net-pci virtio-net-pci
	all_sizes
	short_frames 1 2 -lt
	understood 1 2
}

# The third machine knows the others, but they do not know it.
machines__a_stranger_is_not_believed() {
	local dropped

	TABLE=2
	wired 3 virtio-net-pci virtio-net-pci virtio-net-pci
	on 1 'hold server; tell server listen 4000 5'
	serve 2 xfer -z 4000000 -d
	on 1 'start client prp_xfer -o client -a 2 -z 4000000 -d'

	on 3 "echo '1 a $(mac 1)' >/hosts; echo '3 c $(mac 3)' >>/hosts"
	join 3
	try 3 prp_pingpong -o client -a 1 -p 4000 -n 1 -T 1000
	[[ $OUT == *"connect: Connection timed out"* ]] ||
		fail "a stranger's connect: $OUT"
	dropped=$(counter 1 drop_source)
	expect "frames of an unknown node dropped" "$dropped" -ge 3

	# With the number of one that they know, from the wrong address
	on 3 "echo '1 a $(mac 1)' >/hosts; echo '2 c $(mac 3)' >>/hosts"
	on 3 setup
	try 3 prp_pingpong -o client -a 1 -p 4000 -n 1 -T 1000
	[[ $OUT == *"connect: Connection timed out"* ]] ||
		fail "an impostor's connect: $OUT"
	expect "frames of an impostor dropped" \
		$(($(counter 1 drop_source) - dropped)) -ge 3

	on 1 tell server again
	expect "the listener has" "$OUT" = EAGAIN
	ended_well 1 client
	hashed "from 1 to 2 meanwhile"
	ended_well 2 xfer
	hashed "from 2 to 1 meanwhile"
	on 1 release server
}

machines__three_all_pairs_at_once() {
	local nr to

	wired 3 virtio-net-pci e1000 virtio-net-pci
	for nr in 1 2 3; do
		serve $nr server -z 2000000 -d -n 2
	done
	for nr in 1 2 3; do
		for to in 1 2 3; do
			[ $to = $nr ] || on $nr "start to$to prp_xfer" \
				"-o client -a $to -z 2000000 -d"
		done
	done
	for nr in 1 2 3; do
		for to in 1 2 3; do
			[ $to != $nr ] || continue
			ended_well $nr to$to
			hashed "from $nr to $to"
		done
		ended_well $nr server
		hashed "to $nr"
	done
}

# As it comes from Debian; there, and back what arrived there
machines__two_with_socat() {
	local sum from to

	wired 2 virtio-net-pci e1000
	on 1 'cat /bin/busybox /bin/socat /lib/modules/* >/run/file'
	on 1 'sha256sum </run/file'
	sum=$OUT
	for from in 1 2; do
		to=$((3 - from))
		on $to start socat socat -u \
			"SOCKET-LISTEN:$(prp_address 4000 0)" \
			OPEN:/run/got,creat,trunc
		on $from socat -u OPEN:/run/file \
			"SOCKET-CONNECT:$(prp_address 4000 $to),$RETRY"
		ended_well $to socat
		on $to 'sha256sum </run/got'
		[ "$OUT" = "$sum" ] || fail "what arrived is $OUT, not $sum"
		say "from $from to $to: the same sha256"
		on $to mv /run/got /run/file
	done
}

machines__two_with_different_devices() {
	wired 2 virtio-net-pci e1000
	all_sizes
	pingpong 1 2 {1..30}
	MTU=9000
	join 1
	xfer 1 2 -z 1000000 -d
	expect "segment size, one end at 9000" "$(val server_seg_size)" \
		-eq 1464
	join 2
	xfer 1 2 -z $((8 << 20)) -d
	expect "segment size, both at 9000" "$(val server_seg_size)" -eq 8964
	understood 1 2
}

# sent NR: leaves the frames of its $BRIDGE and its $PORT
sent() {
	on "$1" cat /sys/class/net/{br0,eth0}/statistics/tx_packets
	{ read -r BRIDGE; read -r PORT; } <<<"$OUT"
}

# A bridge that has a device without a wire, as for containers, is given what
# that one takes whole. It is cut in front of the card. One bridge has an
# address of its own, the container's, as that is lower than the card's.
machines__two_behind_bridges() {
	local nr address=(0 02:00:00:00:00:01 fe:00:00:00:00:02)
	local -A before

	wired 2 virtio-net-pci e1000
	for nr in 1 2; do
		on $nr "brctl addbr br0 && brctl addif br0 eth0"
		on $nr "ip link add v0 address ${address[nr]} type veth"
		on $nr "brctl addif br0 v0 && ip link set br0 up"
		until_on $nr "prpctl dev show | grep -q br0"
		sent $nr
		before[$nr]=$((PORT - BRIDGE))
	done
	on 1 "ip link show br0 | grep -q ${address[1]}"
	all_sizes
	for nr in 1 2; do
		sent $nr
		expect "cut, of all that port $nr has sent" \
			$((PORT - BRIDGE - before[$nr])) -gt 1000
	done
	understood 1 2
}

# goes NR WHAT COMMAND...: the link of a machine, while machine 1 sends to 2;
# the other one notices that nothing comes any more
goes() {
	local nr=$1 other=$((3 - $1)) what=$2

	shift 2
	"$@"
	until_on $other counter_is probes_out -gt \
		$(($(counter $other probes_out) + 2))
	on 1 runs client
	say "$what: it stands still, $(counter 1 segs_in) segments came"
}

# comes COMMAND...: the link is there again
comes() {
	"$@"
	until_on 1 carrier_is 1
	until_on 2 carrier_is 1
	until_on 1 counter_is segs_in -gt $(($(counter 1 segs_in) + 100))
	on 1 runs client
	say "it goes on"
}

machines__the_link_goes_for_a_moment() {
	local nr sent got

	wired 2 virtio-net-pci e1000
	serve 2 server -u -L 600 -d
	on 1 "start client prp_xfer -o client -a 2 -u -L 600 -d"
	until_on 1 counter_is segs_in -gt 500
	for nr in 1 2; do
		goes $nr "${DEVICE[$nr]} is taken down" \
			on $nr ip link set eth0 down
		comes on $nr ip link set eth0 up
		goes $nr "${DEVICE[$nr]}'s cable is pulled" \
			monitor $nr set_link eth0 off
		until_on $nr carrier_is 0
		comes monitor $nr set_link eth0 on
	done
	for nr in 1 2; do
		on $nr killall -USR1 prp_xfer
	done
	ended_well 1 client
	hashed "from 2 to 1"
	sent=$(val sent)
	got=$(val got)
	ended_well 2 server
	hashed "from 1 to 2"
	expect "bytes to 2" "$(val got)" -eq "$sent"
	expect "bytes to 1" "$(val sent)" -eq "$got"
}

# This one pads what is shorter than 60 bytes.
machines__two_with_e1000() {
	wired 2 e1000 e1000
	all_sizes
	short_frames 1 2 -ge
	short_frames 2 1 -ge
	understood 1 2
}

# refers: bytes of which MSG_ZEROCOPY says where they are
refers() {
	xfer 1 2 -z $((8 << 20)) -Z
	OUT=$CLIENT
	expect "sends that a note told of" "$(val notes)" -gt 100
}

# A device that takes pages, and the same one when it does not
machines__zero_copy_on_a_wire() {
	wired 2 e1000 e1000
	on 1 ethtool -K eth0 sg on
	refers
	expect "sends whose bytes were copied" "$(val copied)" -eq 0
	on 1 ethtool -K eth0 sg off
	refers
	expect "sends whose bytes were copied" "$(val copied)" -gt 0
	on 1 ethtool -K eth0 sg on
}

run_cases
