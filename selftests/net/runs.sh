#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Segments that go down as one: whole through devices without a wire, cut in
# front of all others, and as one where knobs say so.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

SIZE=4000000
FEW=400000	# bytes: done before a machine that has others to do shows it

# knob NODE DEVICE WORD...: of ethtool
knob() {
	in_node "$1" ethtool -K "${@:2}" >/dev/null
}

# packets NODE DEVICE rx|tx: what its device has counted
packets() {
	local in out line

	while read -r line; do
		[[ $line == "$2:"* ]] || continue
		read -r _ _ in _ _ _ _ _ _ _ out _ <<<"${line/:/ }"
		[ "$3" = rx ] && echo "$in" || echo "$out"
	done < <(in_node "$1" cat /proc/net/dev)
}

# cuts: of windows, by each node
cuts() {
	local nr

	for ((nr = 1; nr <= NODES; nr++)); do
		counter "$nr" cwnd_cuts
	done
}

# uncut COMMAND...: was no window cut meanwhile?
uncut() {
	local before

	before=$(cuts)
	"$@"
	[ "$(cuts)" = "$before" ]
}

# until_uncut COMMAND...: where this machine has others to do a sender waits for
# answers, cuts its window, and little leaves at once, whose acknowledgments are
# frames of the other one. That tells nothing of what leaves at once, and is
# done again.
until_uncut() {
	wait_for "a window that is not cut" uncut "$@"
}

# count_moved NODE COMMAND...: leaves in $SEGS the segments that arrive there
# meanwhile, in $FRAMES those of its device
count_moved() {
	local frames segs

	frames=$(packets "$1" p0 rx)
	segs=$(counter "$1" segs_in)
	"${@:2}"
	FRAMES=$(($(packets "$1" p0 rx) - frames))
	SEGS=$(($(counter "$1" segs_in) - segs))
}

# moved NODE OPERATOR SHARE COMMAND...: frames that its device takes in
# meanwhile, of a hundred segments that arrive there
moved() {
	local command=(count_moved "$1" "${@:4}")

	[ "$2" != -lt ] || command=(until_uncut "${command[@]}")
	"${command[@]}"
	expect "frames to node $1 of $SEGS segments" $FRAMES "$2" \
		$((SEGS * $3 / 100))
}

runs__whole_through_veth() {
	two_nodes
	long_frames 1 2
	moved 2 -lt 20 xfer -z $FEW
	moved 1 -lt 40 xfer -z $FEW -d
	xfer -z $SIZE -n 4 -w -d
	moved 2 -lt 20 xfer -z $FEW -Q -k 65536
	xfer -z $SIZE -Q -k 9000 -d
	xfer -z $SIZE -Q -k 2000 -d
	for size in 1464 1465 2928 2929 64416 64417 65536 66000 131071; do
		xfer -z $size -d
	done
	expect "frames in and what became of them" "$(accounted 2)" -eq 0
}

# of_a_file: what iperf3 sends by sendfile(), which may give a page at a time
of_a_file() {
	serve 2 5201 prprun iperf3 -s -1
	iperf 1 10.9.0.2 -Z -n $FEW
	ended "the server" "$STARTED"
}

runs__of_a_file() {
	new_folder
	two_nodes
	long_frames 1 2
	moved 2 -lt 20 of_a_file
}

# A file as nginx sends it: through a wire that loses, and with segments of
# other lengths, which end in other places of a page
runs__of_a_file_are_the_file() {
	local mtu

	new_folder
	two_nodes
	long_frames 1 2
	a_file sent $SIZE
	nginx_config 1 10.9.0.2:80 >"$DIR/conf"
	serve 2 80 prprun nginx -p "$DIR" -c "$DIR/conf"
	in_node 2 tc qdisc replace dev p0 root netem loss 2% limit 10000
	for mtu in 600 1500 4000 9000; do
		ip -n "$NODE-1" link set p0 mtu $mtu
		ip -n "$NODE-2" link set p0 mtu $mtu
		quietly in_node 1 prprun curl -sS --max-time 60 \
			-o "$DIR/got" http://10.9.0.2/sent
		same sent got
		say "MTU $mtu: repeated $(counter 2 segs_retransmitted)"
	done
	expect "repeated" "$(counter 2 segs_retransmitted)" -gt 20
	stop "$STARTED"
}

# lost: segments of node 1 that were sent again, but for those that were only
# late, as some are on a busy machine
lost() {
	echo $(($(counter 1 segs_retransmitted) - $(counter 2 drop_duplicate)))
}

# vlan NODE...: the rail of these nodes is a VLAN, and one of that
vlan() {
	local nr

	for nr in "$@"; do
		ip -n "$NODE-$nr" -batch - <<-EOF
		link add link p0 name v0 type vlan id 5
		link set v0 addrgenmode none up
		link add link v0 name w0 type vlan id 6
		link set w0 addrgenmode none up
		EOF
		wait_for "a rail of node $nr" is_rail "$nr" w0
	done
}

# is_rail NODE DEVICE: does PRP receive from it, and from no other one?
is_rail() {
	[ "$(prp_rails "$NODE-$1")" = "$2" ]
}

runs__whole_through_a_vlan() {
	two_nodes
	long_frames 1 2
	vlan 1 2
	moved 2 -lt 20 xfer -z $FEW -d
	moved 1 -lt 40 xfer -z $FEW -d
}

# macvlans DEVICE: the rail of both nodes is a macvlan on it
macvlans() {
	local nr

	for nr in 1 2; do
		ip -n "$NODE-$nr" link add link "$1" name m0 type macvlan \
			mode passthru
		ip -n "$NODE-$nr" link set m0 addrgenmode none up
		wait_for "a rail of node $nr" is_rail $nr m0
	done
}

# tunnels KIND OPTION...: between both nodes, g0, on their veth
tunnels() {
	local nr

	for nr in 1 2; do
		ip -n "$NODE-$nr" -batch - <<-EOF
		link set p0 address $(mac $((10 + nr)))
		link add g0 type $1 remote 10.9.0.$((3 - nr)) ${@:2} $(
			[ "$1" = geneve ] || echo "local 10.9.0.$nr")
		link set g0 addrgenmode none
		EOF
	done
}

# on_tunnels MTU: the rail of both nodes is the tunnel
on_tunnels() {
	local nr

	for nr in 1 2; do
		ip -n "$NODE-$nr" link set g0 address "$(mac $nr)" mtu "$1" up
		wait_for "a rail of node $nr" is_rail $nr g0
	done
}

# behind_tunnels MTU: there is a bridge between the rail and the tunnel, as
# containers have it
behind_tunnels() {
	local nr

	for nr in 1 2; do
		ip -n "$NODE-$nr" -batch - <<-EOF
		link add br0 type bridge mcast_snooping 0
		link add c0 address $(mac $nr) type veth peer name b0
		link set c0 mtu $1 addrgenmode none up
		link set b0 mtu $1 addrgenmode none up
		link set g0 mtu $1 up
		link set b0 master br0
		link set g0 master br0
		link set br0 addrgenmode none up
		EOF
		wait_for "a rail of node $nr" is_rail $nr c0
	done
}

# queued NODE DEVICE: bytes that its queue has sent
queued() {
	in_node "$1" tc -s qdisc show dev "$2" | awk '/Sent/ { print $2 }'
}

# Nothing but what it is made of is longer than a frame: with an MTU of 1400 as
# many segments as there is room for in 64 KiB leave none for more headers.
runs__whole_through_tunnels() {
	local kind

	two_nodes
	long_frames 1 2
	for kind in "vxlan id 7 dstport 4789" "vxlan id 7 dstport 4789 udpcsum" \
		"geneve id 7" gretap; do
		# shellcheck disable=SC2086
		tunnels $kind
		on_tunnels 1450
		moved 2 -lt 33 xfer -z $FEW -d
		on_tunnels 1400
		moved 2 -lt 33 xfer -z $FEW -d
		ip -n "$NODE-1" link del g0
		ip -n "$NODE-2" link del g0
	done
}

runs__bridged_into_tunnels() {
	two_nodes
	long_frames 1 2
	tunnels vxlan id 7 dstport 4789
	behind_tunnels 1400
	moved 2 -lt 33 xfer -z $FEW -d
	in_node 2 tc qdisc add dev b0 root pfifo
	count_moved 2 xfer -z $SIZE
	expect "bytes that the queue behind the bridge has counted" \
		"$(queued 2 b0)" -ge $((SIZE + SEGS * 38))
}

# A card cuts nothing of it: the kernel does, and puts it together again where
# it comes out of the tunnel.
runs__cut_below_a_tunnel() {
	local nr

	two_nodes
	for nr in 1 2; do
		knob $nr p0 tx-sctp-segmentation off
	done
	long_frames 1 2
	tunnels vxlan id 7 dstport 4789
	behind_tunnels 1450
	moved 2 -ge 100 merged_uncut 2 -ge 50 xfer -z $FEW
	xfer -z $SIZE -d -n 3
}

# The tunnel has a checksum of all that is in it, and below it is a card that
# makes none.
runs__cut_below_a_tunnel_with_a_checksum() {
	local kind nr

	two_nodes
	for nr in 1 2; do
		knob $nr p0 tx off tx-sctp-segmentation off
	done
	long_frames 1 2
	for kind in "vxlan id 7 dstport 4789 udpcsum" "gretap csum"; do
		# shellcheck disable=SC2086
		tunnels $kind
		on_tunnels 1450
		xfer -z $SIZE -d
		expect "lost" "$(lost)" -lt $((SIZE / 40000))
		ip -n "$NODE-1" link del g0
		ip -n "$NODE-2" link del g0
	done
}

# Which one is above it: a macvlan, a bond, and a macvlan on that bond
runs__whole_through_a_macvlan_and_a_bond() {
	local nr

	two_nodes
	long_frames 1 2
	macvlans p0
	moved 2 -lt 20 xfer -z $FEW -d
	for nr in 1 2; do
		ip -n "$NODE-$nr" link del m0
		bond $nr b0 p0
		wait_for "a rail of node $nr" is_rail $nr b0
	done
	moved 2 -lt 20 xfer -z $FEW -d
	macvlans b0
	moved 2 -lt 20 xfer -z $FEW -d
}

# A bond of a veth and of what passes nothing on is given segments.
runs__of_a_bond_of_two_kinds_are_none() {
	two_nodes
	long_frames 1 2
	ip -n "$NODE-1" link add d0 type dummy
	bond 1 b0 p0 d0
	wait_for "a rail" is_rail 1 b0
	moved 2 -ge 100 xfer -z $SIZE -d
	ip -n "$NODE-1" link set d0 nomaster
	moved 2 -lt 20 xfer -z $FEW -d
	ip -n "$NODE-1" link set p0 nomaster
	expect "what it carries without ports" \
		"$(prp_rails "$NODE-1")" = p0
}

# accounted NODE: frames that came and are in no other counter; see mib.h
accounted() {
	local sum name

	sum=$(($(counter "$1" frames_in) - $(counter "$1" segs_in)))
	for name in controls_in forwarded $(prpctl -j -n "$NODE-$1" stats show |
		grep -o '"drop_[a-z_]*"' | tr -d '"'); do
		sum=$((sum - $(counter "$1" "$name")))
	done
	echo $sum
}

runs__mtu_9000_and_600() {
	local mtu nr

	two_nodes
	long_frames 1 2
	for mtu in 9000 600; do
		for nr in 1 2; do
			ip -n "$NODE-$nr" link set p0 mtu $mtu
		done
		moved 2 -lt 40 xfer -z $((400 * mtu))
		xfer -z $SIZE -d
	done
}

runs__by_the_knobs() {
	local off

	two_nodes
	long_frames 1 2
	for off in gso tx-sctp-segmentation sg; do
		knob 1 p0 $off off
		moved 2 -ge 100 xfer -z $SIZE
		knob 1 p0 sg on gso on tx-sctp-segmentation on
		moved 2 -lt 20 xfer -z $FEW
	done
	ip -n "$NODE-1" link set p0 gso_max_segs 4
	moved 2 -ge 25 xfer -z $SIZE
	ip -n "$NODE-1" link set p0 gso_max_segs 65535 gso_max_size 8000
	moved 2 -ge 20 xfer -z $SIZE
	ip -n "$NODE-1" link set p0 gso_max_size 65536
	knob 2 p0 gro on
	moved 2 -lt 20 xfer -z $FEW -d
	knob 1 p0 tso off gso off tx-sctp-segmentation off
	xfer -z $SIZE -d
}

# count_merged NODE COMMAND...: leaves in $SEGS the segments that arrive there
# meanwhile, in $MERGED those that come in one buffer with the one before them
count_merged() {
	local merged segs

	merged=$(counter "$1" segs_merged)
	segs=$(counter "$1" segs_in)
	"${@:2}"
	MERGED=$(($(counter "$1" segs_merged) - merged))
	SEGS=$(($(counter "$1" segs_in) - segs))
}

expect_merged() {
	expect "merged at node $1 of $SEGS segments" $MERGED "$2" \
		$((SEGS * $3 / 100))
}

# merged NODE OPERATOR SHARE COMMAND...: of a hundred segments that arrive there
# meanwhile, those that are merged
merged() {
	count_merged "$1" "${@:4}"
	expect_merged "$@"
}

# merged_uncut NODE OPERATOR SHARE COMMAND...: the same, while no window is cut
merged_uncut() {
	until_uncut count_merged "$1" "${@:4}"
	expect_merged "$@"
}

# What leaves in frames of its own is one buffer where it is read, if that
# device has GRO, which veth has behind one without TSO: in order, with others
# of other connections among them.
# What is queued, and shown to programs, as one is counted as what it is to be.
runs__are_counted_as_segments() {
	local line frames

	two_nodes
	long_frames 1 2
	in_node 1 tc qdisc add dev p0 root pfifo limit 1000
	wire "$NODE-2" p0 load
	frames=$(counter 1 frames_out)
	moved 2 -lt 20 xfer -z $FEW
	wait_for "all connections are freed" all_freed
	frames=$(($(counter 1 frames_out) - frames))
	line=$(tc -n "$NODE-1" -s qdisc show dev p0 root)
	expect "packets of the queue" "$(sed -n 's/.* \([0-9]*\) pkt.*/\1/p' \
		<<<"$line")" -ge "$frames"
	run wire "$NODE-2" p0 show
	expect "parts of what tc is shown" "$(val parts)" -eq "$frames"
	expect "frames that are many" "$(val super)" -gt 5
	expect "parts of the largest" "$(val most)" -gt 20
}

# No more than a millisecond's, or two, leave at once: here 1250 bytes.
runs__at_a_slow_pace() {
	two_nodes
	long_frames 1 2
	wire "$NODE-2" p0 load
	xfer -z $FEW -M 1250000
	run wire "$NODE-2" p0 show
	expect "parts of the largest" "$(val most)" -le 2
}

runs__put_together_on_arrival() {
	local nr size

	two_nodes
	for nr in 1 2; do
		knob $nr p0 tso off gso off tx-sctp-segmentation off
		knob $nr p0 gro on
	done
	merged_uncut 2 -gt 80 xfer -z 400000
	merged_uncut 1 -gt 50 xfer -z 400000 -d
	merged_uncut 2 -gt 40 xfer -z 100000 -d -n 4
	xfer -z $SIZE -n 4 -w -d
	merged_uncut 2 -gt 50 xfer -z 400000 -Q -k 65536
	xfer -z $SIZE -Q -k 2000 -d
	for size in 1 10 11 1464 1465 2928 2929 64416 64417 66000 131071; do
		xfer -z $size -d
	done
	expect "frames in and what became of them" "$(accounted 2)" -eq 0
	for nr in 1 2; do
		ip -n "$NODE-$nr" link set p0 mtu 600
	done
	merged_uncut 2 -gt 80 xfer -z 400000
	knob 2 p0 gro off
	merged 2 -eq 0 xfer -z $SIZE -d
	expect "frames in and what became of them" "$(accounted 2)" -eq 0
}

# Behind a gap a buffer of several is taken apart again.
runs__put_together_on_bad_wires() {
	local bad

	two_nodes
	knob 1 p0 tso off gso off tx-sctp-segmentation off
	knob 2 p0 gro on
	for bad in "loss 2%" "duplicate 10%" "delay 1ms reorder 95% gap 5"; do
		in_node 1 tc qdisc replace dev p0 root netem $bad limit 10000
		merged 2 -gt 5 xfer -z $SIZE
		xfer -z $SIZE -Q -k 20000
		say "$bad: repeated $(val client_segs_retransmitted)"
	done
	expect "frames in and what became of them" "$(accounted 2)" -eq 0
}

# The queue or the wire loses, doubles and turns round whole ones.
runs__on_bad_wires() {
	local bad

	wired_nodes 2
	long_frames 1 2
	for bad in "loss 5%" "duplicate 10%" "delay 1ms 1ms"; do
		netem 2 $bad
		xfer -z 2000000 -d
		xfer -z 2000000 -d -Q -k 20000
		say "$bad: repeated $(val client_segs_retransmitted)"
	done
	in_node 1 tc qdisc replace dev p0 root netem loss 10%
	xfer -z 2000000
}

# The port of a bridge that takes no more than a segment
runs__cut_in_front_of_a_port() {
	wired_nodes 2
	long_frames 1
	ip -n "$WIRE" link set w2 gso_max_segs 1
	moved 2 -ge 100 xfer -z $SIZE
	expect "lost" "$(lost)" -eq 0
	# where a window is cut many are sent alone
	expect "frames that node 1 has sent" "$(packets 1 p0 tx)" -lt \
		$(($(counter 1 frames_out) * 3 / 4))
	xfer -z $SIZE -d -n 3
}

# moves_at MBIT: a transfer that is as fast as that; a machine that has others
# to do is not so each time
moves_at() {
	xfer -z 10000000
	say "$(val mbit) Mbit/s"
	[ "$(val mbit | cut -d. -f1)" -ge "$1" ]
}

# Queues that count bytes, and have less room than a run, or cut it
runs__through_short_queues() {
	two_nodes
	long_frames 1 2
	in_node 1 tc qdisc replace dev p0 root \
		tbf rate 200mbit burst 1600 limit 1000000
	moved 2 -ge 100 xfer -z $SIZE
	in_node 1 tc qdisc replace dev p0 root bfifo limit 20000
	xfer -z $SIZE
	in_node 1 tc qdisc replace dev p0 root pfifo limit 1
	moved 2 -lt 20 xfer -z $FEW
	in_node 1 tc qdisc replace dev p0 root handle 1: \
		tbf rate 100mbit burst 100000 limit 10000000
	in_node 1 tc qdisc replace dev p0 parent 1:1 handle 2: bfifo limit 9000
	wait_for "$((60 / SLOW)) Mbit/s" moves_at $((60 / SLOW))
}

# Each segment has its checksum once it is on a wire.
runs__with_a_checksum() {
	two_nodes
	long_frames 1 2
	moved 2 -lt 20 xfer -z $FEW -K
	xfer -z $SIZE -K -d -n 4
	xfer -z $SIZE -K -Q -k 9000 -d
	for size in 1456 1457 2912 2913 64064 64065 65536 131071; do
		xfer -z $size -K -d
	done
	tc -n "$NODE-1" qdisc add dev p0 root netem corrupt 20%
	xfer -z $SIZE -K
	expect "found by 2" "$(counter 2 drop_checksum)" -gt 5
}

# count_through DEVICE COMMAND...: leaves in $IN the frames that come to the
# forwarder meanwhile, in $OUT_OF those that leave it on that device
count_through() {
	local in out

	in=$(packets 2 p0 rx)
	out=$(packets 2 "$1" tx)
	"${@:2}"
	IN=$(($(packets 2 p0 rx) - in))
	OUT_OF=$(($(packets 2 "$1" tx) - out))
}

# With a checksum, too
runs__forwarded() {
	local segs

	linked_nodes 3 1-2-0 2-3-1
	until_uncut count_through p1 xfer_between 1 3 -z $FEW
	segs=$(val client_segs_out)
	expect "forwarded" "$(counter 2 forwarded)" -ge "$segs"
	expect "frames to the forwarder" $IN -lt $((segs / 5))
	expect "frames from it" $OUT_OF -lt $((segs / 5))
	expect "frames in and what became of them" "$(accounted 2)" -eq 0
	ip -n "$NODE-2" link set p1 gso_max_segs 1
	count_through p1 xfer_between 1 3 -z $SIZE -d
	expect "frames from it" $OUT_OF -ge "$(val client_segs_out)"
	ip -n "$NODE-2" link set p1 mtu 1000
	xfer_between 1 3 -z $SIZE
	expect "too big" "$(counter 2 drop_too_big)" -gt 0
}

# bond NODE NAME PORT...: of these devices, the first of which is used
bond() {
	local nr=$1 name=$2 port

	ip -n "$NODE-$nr" link add "$name" type bond mode active-backup \
		miimon 10 primary_reselect always
	for port in "${@:3}"; do
		ip -n "$NODE-$nr" -batch - <<-EOF
		link set $port down
		link set $port master $name
		EOF
	done
	ip -n "$NODE-$nr" link set "$name" type bond primary "$3"
	ip -n "$NODE-$nr" link set "$name" addrgenmode none up
	wait_for "$3 is used" uses "$nr" "$name" "$3"
}

# uses NODE BOND PORT
uses() {
	in_node "$1" ip -d link show "$2" | grep -q "active_slave $3 "
}

# A device that says it takes a run, and is none that passes it as it is: a bond
# one of whose ports is a stranger
runs__forwarded_to_a_bond_of_two_kinds() {
	linked_nodes 3 1-2-0 2-3-1
	ip -n "$NODE-2" link add d0 type dummy
	bond 2 b0 p1 d0
	until_uncut count_through b0 xfer_between 1 3 -z $FEW -d
	expect "frames from it" $OUT_OF -gt "$(val client_segs_out)"
	expect "frames to the forwarder" $IN -lt \
		$(($(val client_segs_out) / 2))
}

# A wire between two bridges that is made of two taps
tapped() {
	two_bridges
	long_frames 1 2
	ip -n "$WIRE" link del m0
	TAPS_SAY=$(mktemp)
	prp_taps "$WIRE" t0 t1 >"$TAPS_SAY" 2>&1 &
	TAPS=$!
	wait_for "two taps" grep -q . "$TAPS_SAY"
	ip -n "$WIRE" -batch - <<-EOF
	link set t0 addrgenmode none master br0 up
	link set t1 addrgenmode none master br1 up
	EOF
}

# The same, of two macvtaps, each of which sits on an end of a veth whose other
# end is a port of a bridge
macvtapped() {
	local nr major minor paths=()

	two_bridges
	long_frames 1 2
	ip -n "$WIRE" link del m0
	for nr in 0 1; do
		ip -n "$WIRE" -batch - <<-EOF
		link add c$nr type veth peer name d$nr
		link set c$nr addrgenmode none master br$nr up
		link set d$nr addrgenmode none up
		link add link d$nr name t$nr type macvtap mode passthru
		link set t$nr addrgenmode none up
		EOF
		paths+=("$(mktemp -u)")
		IFS=: read -r major minor < <(ip netns exec "$WIRE" sh -c \
			"cat /sys/class/net/t$nr/macvtap/tap*/dev")
		mknod "${paths[nr]}" c "$major" "$minor"
	done
	TAPS_SAY=$(mktemp)
	prp_taps "$WIRE" "${paths[@]}" >"$TAPS_SAY" 2>&1 &
	TAPS=$!
	wait_for "two taps" grep -q . "$TAPS_SAY"
	rm "${paths[@]}"
}

# never_reach_a_tap TAGS: of a VLAN each
never_reach_a_tap() {
	xfer -z $SIZE -d
	xfer -z $SIZE -n 4
	# a busy machine loses some at the taps: these are sent again alone
	expect "frames that node 1 has sent" "$(packets 1 p0 tx)" -lt \
		$(($(counter 1 frames_out) * 3 / 4))
	kill $TAPS
	wait $TAPS || fail "$(cat "$TAPS_SAY")"
	OUT=$(cat "$TAPS_SAY")
	rm "$TAPS_SAY"
	say "$OUT"
	expect "frames through the taps" "$(val frames)" -gt $((6 * SIZE / 1464))
	expect "the longest, bytes" "$(val longest)" -eq $((1514 + 4 * $1))
	expect "those that were many" "$(val many)" -eq 0
}

runs__never_reach_a_tap() {
	tapped
	never_reach_a_tap 0
}

# They come as far as the device that it is on.
runs__never_reach_a_macvtap() {
	local below

	macvtapped
	never_reach_a_tap 0
	below=$(ip netns exec "$WIRE" sh -c \
		"cat /sys/class/net/d[01]/statistics/rx_packets")
	expect "frames below the macvtaps" $((${below/$'\n'/+})) -lt \
		$(($(val frames) * 3 / 4))
}

runs__of_a_vlan_never_reach_a_tap() {
	tapped
	vlan 1 2
	never_reach_a_tap 2
}

# What the table says is spoken is cut, and by nobody once nobody speaks it.
runs__of_another_ethertype() {
	local nr

	wired_nodes 2
	long_frames 1 2
	ip -n "$WIRE" link set w2 gso_max_segs 1
	for nr in 1 2; do
		prpctl -n "$NODE-$nr" dev ethertype 0x88b7
	done
	moved 2 -ge 100 xfer -z $SIZE
	for nr in 1 2; do
		prpctl -n "$NODE-$nr" dev ethertype 0x88b5
	done
	moved 2 -ge 100 xfer -z $SIZE
}

# driver_holds MS: what node 2's driver has put together, so long
driver_holds() {
	two_nodes
	knob 1 p0 tso off gso off tx-sctp-segmentation off
	knob 2 p0 gro on
	# what goes through there belongs to no socket any more
	ip -n "$NODE-1" link add x0 up type dummy
	in_node 1 tc qdisc add dev x0 clsact
	in_node 1 tc filter add dev x0 egress matchall \
		action mirred egress redirect dev p0
	in_node 2 unshare -m sh -c "mount -t sysfs none /sys &&
		echo ${1}000000 >/sys/class/net/p0/gro_flush_timeout"
}

# given_up PORT: node 2 speaks an EtherType until frames of it have come
given_up() {
	prpctl -n "$NODE-2" dev ethertype 0x88b7
	rawframe "$NODE-1" x0 dst="$(mac 2)" src="$(mac 1)" \
		type=0x88b7 dst_node=2 src_node=1 src_port=1 \
		dst_port="$1" tag=5 flags=1 payload=100 \
		vary=seq vary=trans count=10
	prpctl -n "$NODE-2" dev ethertype 0x88b5
}

# What a driver has put together, and holds on to, is completed by somebody
# though nobody speaks its EtherType any more: else the kernel complains.
runs__of_an_ethertype_given_up() {
	local round

	driver_holds 300
	for round in 1 2 3; do
		given_up $round
	done
	xfer -z 100000
}

# unwanted COUNT: has node 2 been handed more frames that nobody was there for?
unwanted() {
	[ "$(in_node 2 awk '$1 == "p0:" { print $5 }' /proc/net/dev)" -gt "$1" ]
}

# held_back: did the driver hand nothing up meanwhile? Any frame has it do so.
held_back() {
	local before

	before=$(counter 2 drop_no_conn)
	given_up 1
	[ "$(counter 2 drop_no_conn)" = "$before" ]
}

# So it is if the driver hands it up when nobody waits for it any more.
runs__of_an_ethertype_given_up_long_ago() {
	driver_holds 3000
	wait_for "a run that is held" held_back
	wait_for "what was held" unwanted 0
}

# Namespace $NODE-u is a user's, whose driver holds for ever what it has put
# together
users_driver_holds() {
	local pid

	coproc unshare -rn sh -c "echo; read -r _"
	pid=$!
	read -r _ <&"${COPROC[0]}"
	ip netns attach "$NODE-u" $pid
	echo >&"${COPROC[1]}"
	wait $pid
	ip -n "$NODE-u" -batch - <<-EOF
	link add v0 address $(mac 1) type veth peer name v1 address $(mac 2)
	link set v1 up addrgenmode none
	link set v0 up addrgenmode none
	link add x0 up type dummy
	EOF
	knob u v0 tso off gso off tx-sctp-segmentation off
	knob u v1 gro on
	in_node u tc qdisc add dev x0 clsact
	in_node u tc filter add dev x0 egress matchall \
		action mirred egress redirect dev v0
	in_node u unshare -m sh -c "mount -t sysfs none /sys &&
		echo 1000000000000 >/sys/class/net/v1/gro_flush_timeout"
}

# dropped TYPE: that namespace speaks it until a device went down that held what
# came of it
dropped() {
	prpctl -n "$NODE-u" dev ethertype "$1"
	rawframe "$NODE-u" x0 dst="$(mac 2)" src="$(mac 1)" type="$1" \
		dst_node=2 src_node=1 src_port=1 dst_port=1 tag=5 flags=1 \
		payload=100 vary=seq vary=trans count=10
	ip -n "$NODE-u" link set v1 down
	ip -n "$NODE-u" link set v1 up
	prpctl -n "$NODE-u" dev ethertype 0x88b5
}

# Nobody completes what a device holds when it goes. That takes none of the few
# EtherTypes from users that they may speak.
runs__dropped_of_users_ethertypes() {
	local type

	users_driver_holds
	for ((type = 0xa000; type < 0xa018; type++)); do
		dropped $type
	done
}

# sniffed: somebody on node 1 looks at all frames of a device
sniffed() {
	in_node 1 awk '$4 == "0003" && $6 == 1 { found = 1 }
		END { exit !found }' /proc/net/packet
}

# Sniffers see what is there, and nobody is disturbed by them.
runs__seen_by_sniffers() {
	local sniffer

	two_nodes
	long_frames 1 2
	in_node 2 tc qdisc add dev p0 clsact
	in_node 2 tc filter add dev p0 ingress matchall action gact pass
	in_node 1 tcpdump -Z root -nq -i p0 -w /dev/null 2>/dev/null &
	sniffer=$!
	wait_for "somebody sniffs" sniffed
	moved 2 -lt 20 xfer -z $FEW -d
	sniffed || fail "the sniffer has ended"
	kill $sniffer
	wait $sniffer || :
}

run_cases
