#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where wires are point to point: shortest paths, forwarding, and what
# forwarders say when they cannot.
. "$(dirname "$0")/../lib/lib.sh"

PORT=4000
LINE=(1-2-0 2-3-1 3-4-0)
RING=(1-2-0 2-3-1 3-4-0 4-5-1 5-1-2)
HYPERCUBE=(1-2-0 3-4-0 5-6-0 7-8-0
	   1-3-1 2-4-1 5-7-1 6-8-1
	   1-5-2 2-6-2 3-7-2 4-8-2)

# route NODE DESTINATION: next node and number of links, "2 3"
route() {
	prpctl -j -n "$NODE-$1" route show "$2" |
		awk -F'[:,}]' '{ for (i = 1; i < NF; i++) {
			if ($i ~ /"via"/) via = $(i + 1)
			if ($i ~ /"hops"/) hops = $(i + 1) } }
			END { print via + 0, hops + 0 }'
}

# connects NODE DESTINATION: the answer, and the time it took, in ms
connects() {
	hold caller "$1"
	now_ms
	TOOK=$NOW
	tell caller connect "$2" $PORT
	now_ms
	TOOK=$((NOW - TOOK))
	ERROR=$ANSWER
	release caller
}

# refused_soon NODE DESTINATION ERROR
refused_soon() {
	connects "$1" "$2"
	say "connect from node $1 to node $2: $ERROR after $TOOK ms"
	[ "$ERROR" = "$3" ] || fail "got $ERROR, expected $3"
	# which else would be all of its patience
	expect "ms to the error" "$TOOK" -lt 10000
}

# set_up NODE: it gets the table in $HOSTS, changed by the sed commands
set_up() {
	sed "${@:2}" <<<"$HOSTS" |
		prpctl -n "$NODE-$1" hosts setup -f - >/dev/null
}

route__line_of_4() {
	linked_nodes 4 "${LINE[@]}"
	expect "next node and links from 1 to 4" "$(route 1 4)" = "2 3"
	expect "next node and links from 4 to 2" "$(route 4 2)" = "3 2"
	xfer_between 1 4 -z 3000000 -d
	expect "forwarded by 2" "$(counter 2 forwarded)" -gt 4000
	expect "forwarded by 3" "$(counter 3 forwarded)" -gt 4000
	expect "seg size" "$(val client_seg_size)" -eq 1456
	xfer_between 4 2 -z 100000
	xfer_between 2 3 -z 100000
	expect "seg size" "$(val client_seg_size)" -eq 1464
	run prp_pingpong -c "$NODE-1" -s "$NODE-4" -a 4 -n 200
}

route__ring_of_5() {
	local a b

	linked_nodes 5 "${RING[@]}"
	expect "from 1 to 3" "$(route 1 3)" = "2 2"
	expect "from 1 to 4" "$(route 1 4)" = "5 2"
	expect "from 3 to 5" "$(route 3 5)" = "4 2"
	for a in 1 2 3 4 5; do
		for b in 1 2 3 4 5; do
			[ $a = $b ] || xfer_between $a $b -z 50000
		done
	done
}

# all_to_all SIZE: all at once
all_to_all() {
	local a b pids=() pid

	for ((a = 1; a <= NODES; a++)); do
		for ((b = a + 1; b <= NODES; b++)); do
			prp_xfer -c "$NODE-$a" -s "$NODE-$b" -a $b \
				-p $((PORT + a)) -z "$1" -d \
				>"$RESULTS/$a-$b" 2>&1 &
			pids+=($!)
		done
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "$(cat "$RESULTS"/*)"
	done
	cat "$RESULTS"/* | grep -c hash=ok
}

route__hypercube_of_8_all_to_all_1_percent_lost() {
	local link a b rail

	linked_nodes 8 "${HYPERCUBE[@]}"
	for link in "${HYPERCUBE[@]}"; do
		IFS=- read -r a b rail <<<"$link"
		bad_link $a $rail drop=100 seed=$((a * 8 + b))
		bad_link $b $rail drop=100 seed=$((b * 8 + a))
	done
	expect "from 1 to 8" "$(route 1 8)" = "2 3"
	expect "from 8 to 1" "$(route 8 1)" = "4 3"
	RESULTS=$(mktemp -d)
	expect "hashed transfers" "$(all_to_all "${PRP_LONG:+10}150000")" -eq 28
	rm -r "$RESULTS"
	expect "forwarded by 2" "$(counter 2 forwarded)" -gt 0
}

# forwarded_in_all COUNT: by nodes 1 to 3
forwarded_in_all() {
	[ $(($(counter 1 forwarded) + $(counter 2 forwarded) +
	     $(counter 3 forwarded))) = "$1" ]
}

# It is told at once; on a busy machine it has been asked again by then.
route__loop_ends_at_the_hop_limit() {
	linked_nodes 4 1-2-0 2-3-1 1-3-2 3-4-0
	prpctl -n "$NODE-1" route add 4 via 2
	prpctl -n "$NODE-3" route add 4 via 1
	prpctl -n "$NODE-2" route add 4 via 3
	refused_soon 1 4 EHOSTUNREACH
	expect "told at 1" "$(counter 1 errors_in)" -ge 1
	wait_for "each was forwarded 64 times" forwarded_in_all \
		$((64 * ($(counter 1 requests_out) +
			 $(counter 1 requests_retransmitted))))
	prpctl -n "$NODE-3" route del 4
	xfer_between 1 4 -z 10000
	prpctl -n "$NODE-2" route flush
	prpctl -n "$NODE-1" route flush
	expect "from 1 to 4" "$(route 1 4)" = "3 2"
}

# With a checksum, as a forwarder is on the way: 24 bytes a segment
route__narrowest_way() {
	linked_nodes 3 1-2-0 2-3-1
	ip -n "$NODE-1" link set p0 mtu 68
	ip -n "$NODE-2" link set p0 mtu 68
	ip -n "$NODE-2" link set p1 mtu 68
	ip -n "$NODE-3" link set p1 mtu 68
	xfer_between 1 3 -z 20000 -d
	expect "seg size" "$(val client_seg_size)" -eq $((68 - 44))
	expect "path size" "$(val client_path_size)" -eq $((68 - 44))
	expect "segments longer than agreed" "$(counter 3 drop_seg_size)" -eq 0
}

route__9000_and_1500() {
	linked_nodes 4 1-2-0-9000 2-3-1-1500 3-4-0-9000
	xfer_between 1 4 -z 3000000 -d
	say "fragments $(counter 1 fragments_out) of segments that were" \
		"queued before the answer \"too big\""
	expect "seg size" "$(val client_seg_size)" -eq $((9000 - 44))
	expect "path size" "$(val client_path_size)" -eq $((1500 - 44))
	expect "fragments sent" "$(counter 1 fragments_out)" -gt 0
	expect "fragments taken" "$(counter 4 fragments_in)" -gt 0
	expect "too big at 2" "$(counter 2 drop_too_big)" -gt 0
	xfer_between 1 2 -z 300000
	expect "path size" "$(val client_path_size)" -eq $((9000 - 36))
}

# A forwarder is not believed that so little passes; but it is found.
route__9000_and_200() {
	linked_nodes 4 1-2-0-9000 2-3-1-1500 3-4-0-9000
	ip -n "$NODE-2" link set p1 mtu 200
	ip -n "$NODE-3" link set p1 mtu 200
	LIMIT_MS=$((LIMIT_MS * 2)) xfer_between 1 4 -z 100000
	expect "path size" "$(val client_path_size)" -le $((200 - 44))
	expect "sizes found" "$(counter 1 sizes_found)" -ge 1
	expect "fragments taken" "$(counter 4 fragments_in)" -gt 0
}

# Segments of many messages are sent in fragments, too.
route__9000_and_1500_with_messages() {
	linked_nodes 4 1-2-0-9000 2-3-1-1500 3-4-0-9000
	# until the first "too big" is back they pile up
	in_node 1 tc qdisc add dev p0 root netem delay 20ms limit 10000
	xfer_between 1 4 -Q -k 700 -z 2000000 -d
	expect "fragments taken" "$(counter 4 fragments_in)" -gt 0
	expect "segments" "$(val client_segs_out)" -lt 2500
}

# Fragments are lost like other frames.
route__9000_and_1500_with_loss() {
	linked_nodes 4 1-2-0-9000 2-3-1-1500 3-4-0-9000
	bad_link 3 1 drop=10 seed=3
	bad_link 2 1 drop=10 seed=4
	xfer_between 1 4 -z 1000000 -d
	expect "fragments taken" "$(counter 4 fragments_in)" -gt 0
}

route__forwarder_dies_and_returns() {
	linked_nodes 3 1-2-0 2-3-1
	hold server 3
	told_ok server listen $PORT 1
	hold client 1
	told_ok client connect 3 $PORT
	told_ok server accept
	in_node 2 ip link set p1 down
	told_ok client send 200000
	wait_for "node 1 is told" counter_is 1 errors_in -gt 0
	in_node 2 ip link set p1 up
	told_ok server recv 200000
	expect "bytes" "${ANSWER#ok }" -eq 200000
	expect "told of no way" "$(counter 1 errors_in)" -gt 0
	release client
	release server
}

route__forwarder_stays_dead() {
	LEAVES_CONNECTIONS=yes		# the server waits for the end
	linked_nodes 3 1-2-0 2-3-1
	hold server 3
	told_ok server listen $PORT 1
	hold client 1
	told_ok client timeout 1000
	told_ok client connect 3 $PORT
	told_ok server accept
	in_node 2 ip link set p1 down
	told_ok client send 1000
	now_ms
	start=$NOW
	tell client recv 1
	now_ms
	say "recv after $((NOW - start)) ms: $ANSWER"
	expect "error" "$ANSWER" = EHOSTUNREACH
	# which would be 30 s else
	expect "ms to the error" $((NOW - start)) -lt 30000
	refused_soon 1 3 EHOSTUNREACH
	release client
	release server
}

route__no_way() {
	linked_nodes 4 1-2-0 3-4-0
	refused_soon 1 3 EHOSTUNREACH
	expect "from 1 to 3" "$(route 1 3)" = "0 0"
	expect "from 1 to 2" "$(route 1 2)" = "2 1"
}

# Node 2 does not know of the link behind it.
route__forwarder_knows_no_way() {
	linked_nodes 3 1-2-0 2-3-1
	set_up 2 '/link 2 3/d'
	refused_soon 1 3 EHOSTUNREACH
	expect "said by 2" "$(counter 2 errors_out)" -eq 1
	expect "heard by 1" "$(counter 1 errors_in)" -eq 1
}

route__override() {
	linked_nodes 5 "${RING[@]}"
	prpctl -n "$NODE-1" route add 3 via 5
	xfer_between 1 3 -z 100000
	expect "forwarded by 5" "$(counter 5 forwarded)" -gt 50
	expect "forwarded by 4" "$(counter 4 forwarded)" -gt 50
	refused "via a node that is no neighbour" "no neighbour" \
		prpctl -n "$NODE-1" route add 3 via 4
	refused "to nobody" "" prpctl -n "$NODE-1" route add 77 via 2
	prpctl -n "$NODE-1" route del 3
	refused "a second time" "no route was set" \
		prpctl -n "$NODE-1" route del 3
	expect "from 1 to 3" "$(route 1 3)" = "2 2"
}

# forged COUNTER KEY=VALUE...: node 3 drops what node 2's wire brings
forged() {
	local before

	before=$(counter 3 "$1")
	rawframe "$NODE-2" p1 dst="$(mac 3 1)" src="$(mac 2 1)" dst_node=3 \
		src_port=1 dst_port=$PORT tag=5 "${@:2}"
	wait_for "$1 counts ${*:2}" counter_is 3 "$1" -eq $((before + 1))
}

route__source_check() {
	linked_nodes 5 1-2-0 2-3-1 3-4-0 3-5-2
	# from a neighbour that may forward for it
	forged drop_no_conn src_node=1
	forged drop_no_conn src_node=2
	# node 4 has one wire only: it forwards for nobody
	rawframe "$NODE-4" p0 dst="$(mac 3 0)" src="$(mac 4 0)" dst_node=3 \
		src_node=1 src_port=1 dst_port=$PORT tag=5
	wait_for "drop_source counts it" counter_is 3 drop_source -eq 1
	# a stranger's address, our own number, nobody's number
	forged drop_source src_node=1 src=02:66:66:66:66:66
	forged drop_source src_node=3
	forged drop_source src_node=99
	# another rail's address
	forged drop_source src_node=1 src="$(mac 2 0)"
	xfer_between 1 5 -z 100000
}

# What is forged must not be passed on either.
route__forwards_nothing_forged() {
	linked_nodes 3 1-2-0 2-3-1
	rawframe "$NODE-1" p0 dst="$(mac 2 0)" src=02:66:66:66:66:66 \
		dst_node=3 src_node=1 src_port=1 dst_port=$PORT tag=5
	wait_for "drop_source counts it" counter_is 2 drop_source -eq 1
	rawframe "$NODE-1" p0 dst="$(mac 2 0)" src="$(mac 1 0)" \
		dst_node=3 src_node=3 src_port=1 dst_port=$PORT tag=5
	wait_for "drop_source counts it" counter_is 2 drop_source -eq 2
	rawframe "$NODE-1" p0 dst=ff:ff:ff:ff:ff:ff src="$(mac 1 0)" \
		dst_node=3 src_node=1 src_port=1 dst_port=$PORT tag=5
	wait_for "drop_not_us counts it" counter_is 2 drop_not_us -eq 1
	rawframe "$NODE-1" p0 dst="$(mac 2 0)" src="$(mac 1 0)" hops=0 \
		dst_node=3 src_node=1 src_port=1 dst_port=$PORT tag=5
	wait_for "drop_hops counts it" counter_is 2 drop_hops -eq 1
	expect "forwarded" "$(counter 2 forwarded)" -eq 0
}

# unlinked: nodes 1 to 3 in a row, and no node is told of the wires
unlinked() {
	local nr

	linked_nodes 3 1-2-0 2-3-1
	for nr in 1 2 3; do
		set_up $nr '/^link/d'
	done
}

# passed FROM TO: a frame that node 2 is to pass on, from one rail to the other
passed() {
	rawframe "$NODE-$1" p$(($1 / 2)) src="$(mac "$1" $(($1 / 2)))" \
		dst="$(mac 2 $(($1 / 2)))" src_node="$1" dst_node="$2" \
		src_port=1 dst_port=$PORT tag=5
}

# The two rails of a node are separate where the table does not link them.
route__without_links_nothing_is_forwarded() {
	unlinked
	passed 1 3
	wait_for "it is dropped" counter_is 2 drop_no_forward -eq 1
	passed 3 1
	wait_for "it is dropped" counter_is 2 drop_no_forward -eq 2
	expect "forwarded" "$(counter 2 forwarded)" -eq 0
	expect "sent by 2" "$(counter 2 frames_out)" -eq 0
	expect "heard by 1" "$(counter 1 frames_in)" -eq 0
	expect "heard by 3" "$(counter 3 frames_in)" -eq 0
	# nor does it help that the ends want it
	prpctl -n "$NODE-1" route add 3 via 2
	prpctl -n "$NODE-3" route add 1 via 2
	hold client 1
	told_ok client timeout 300
	told_error ETIMEDOUT client connect 3 $PORT
	release client
	expect "forwarded" "$(counter 2 forwarded)" -eq 0
	prpctl -n "$NODE-2" forward on
	xfer_between 1 3 -z 100000 -d
	expect "forwarded" "$(counter 2 forwarded)" -gt 100
	# whatever the table is
	set_up 2 -e '/^link/d' -e '/n3/a9 n9 02:50:52:50:00:09'
	xfer_between 3 1 -z 100000
	prpctl -n "$NODE-2" forward auto
	passed 1 3
	wait_for "it is dropped" counter_is 2 drop_no_forward -gt 2
}

# One link is enough, of whomever: it tells how the wires run.
route__with_a_link_frames_are_forwarded() {
	unlinked
	set_up 2 '/^link 2/d'
	passed 3 1
	wait_for "it is passed on" counter_is 2 forwarded -eq 1
	set_up 2 '/^link/d'
	passed 3 1
	wait_for "it is dropped" counter_is 2 drop_no_forward -eq 1
	set_up 2 ''
	passed 3 1
	wait_for "it is passed on" counter_is 2 forwarded -eq 2
	prpctl -n "$NODE-2" forward off
	passed 3 1
	wait_for "it is dropped" counter_is 2 drop_no_forward -eq 2
	expect "told nobody" "$(counter 2 errors_out)" -eq 0
}

# What runs waits, and goes on.
route__forwarding_switched_under_traffic() {
	local dropped

	linked_nodes 3 1-2-0 2-3-1
	hold server 3
	told_ok server listen $PORT 1
	hold client 1
	told_ok client connect 3 $PORT
	told_ok server accept
	told_ok client send 100000
	told_ok server recv 100000
	prpctl -n "$NODE-2" forward off
	told_ok client send 200000
	wait_for "it is dropped" counter_is 2 drop_no_forward -gt 0
	# switched off it stays, whatever the table is
	set_up 2 '/n3/a9 n9 02:50:52:50:00:09'
	dropped=$(counter 2 drop_no_forward)
	wait_for "more is dropped" counter_is 2 drop_no_forward -gt "$dropped"
	expect "told nobody" "$(counter 2 errors_out)" -eq 0
	prpctl -n "$NODE-2" forward on
	told_ok server recv 200000
	expect "bytes" "${ANSWER#ok }" -eq 200000
	told_ok server send 100000
	told_ok client recv 100000
	expect "bytes back" "${ANSWER#ok }" -eq 100000
	release client
	release server
}

# Programs that speak of IP addresses need no IP on the wires between.
route__ip_mode_through_a_forwarder() {
	local file=/dev/shm/$NODE

	linked_nodes 3 1-2-0 2-3-1
	ip -n "$NODE-1" address add 10.9.0.1/32 dev p0
	ip -n "$NODE-3" address add 10.9.0.3/32 dev p1
	head -c 1000000 /dev/urandom >"$file"
	in_node 3 prprun socat -u TCP-LISTEN:$PORT OPEN:"$file.got",creat &
	wait_for "it listens" listening 3
	in_node 1 prprun socat -u OPEN:"$file" TCP:10.9.0.3:$PORT
	wait $!
	cmp "$file" "$file.got" || fail "what arrived is something else"
	expect "over PRP" "$(counter 1 ip_prp_out)" -eq 1
	expect "forwarded by 2" "$(counter 2 forwarded)" -gt 600
	rm "$file" "$file.got"
}

listening() {
	[ -n "$(prpctl -n "$NODE-$1" sockets -l | grep "$PORT")" ]
}

# A forwarder's memory makes errors that a new FCS covers up.
route__corruption_by_a_forwarder_is_found() {
	linked_nodes 3 1-2-0 2-3-1
	ip -n "$NODE-1" link set p0 gso_max_segs 1
	ip -n "$NODE-3" link set p1 gso_max_segs 1
	tc -n "$NODE-2" qdisc add dev p1 root netem corrupt 5%
	tc -n "$NODE-2" qdisc add dev p0 root netem corrupt 5%
	xfer_between 1 3 -z 2000000 -d
	say "checksums that were wrong: $(counter 1 drop_checksum)," \
		"$(counter 3 drop_checksum)"
	expect "found by 3" "$(counter 3 drop_checksum)" -gt 5
	expect "found by 1" "$(counter 1 drop_checksum)" -gt 5
}

route__checksum_asked_for_on_one_hop() {
	two_nodes
	tc -n "$NODE-1" qdisc add dev p0 root netem corrupt 5%
	xfer -z 2000000 -K
	expect "found by 2" "$(counter 2 drop_checksum)" -gt 5
}

route__table_is_the_same_for_all() {
	local hash nr

	linked_nodes 5 "${RING[@]}"
	hash=$(prpctl -j -n "$NODE-1" hosts show |
	       grep -o '"hash": *"*[0-9a-fx]*')
	for nr in 2 3 4 5; do
		[ "$hash" = "$(prpctl -j -n "$NODE-$nr" hosts show |
			       grep -o '"hash": *"*[0-9a-fx]*')" ] ||
			fail "node $nr has another hash than $hash"
	done
	xfer_between 1 3 -z 1000
	expect "tables that differ" "$(counter 3 table_differs)" -eq 0
	set_up 3 's/link 4 5 rail 1//'
	xfer_between 1 3 -z 1000
	expect "tables that differ" "$(counter 3 table_differs)" -eq 1
}

run_cases
