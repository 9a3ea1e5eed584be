#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Streams of PRP beside streams of TCP and beside each other, of several hosts
# to one, through its port of 100 Mbit/s that drops at its tail: nobody is to
# be starved, the port is to be used, and who asks for little waits for little.
# Round trips take 200 us without a queue.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

RATE=100			# Mbit/s of the port
SIZE=$(amount $((16 << 20)) $((100 << 20)))	# of what is measured
TO=1				# node behind the port
PLACES=()			# where it is counted what got through
CC=				# TCP's rule, the kernel's own if empty

# count NODE DEVICE: what comes there
count() {
	PLACES+=("$NODE-$1 $2")
	tc -n "$NODE-$1" qdisc add dev "$2" clsact
}

# count_of SENDER MATCH...: what of it is of that node; at the last place
count_of() {
	local place=${PLACES[-1]}

	tc -n "${place% *}" filter add dev "${place#* }" ingress pref "$1" \
		"${@:2}" action gact pass
}

# out_of_hand NODE DEVICE [DELAY]: what has left a node is out of its hands, as
# on a cable: else TCP's sockets would know what waits at the port, and send no
# more (small queues); a queue that holds frames up takes them from sockets.
out_of_hand() {
	in_node "$1" tc qdisc add dev "$2" root netem limit 10000 \
		delay "${3:-50us}"
}

# to_first COUNT [DELAY]: that many nodes, of which the others send to the first
to_first() {
	local nr

	wired_nodes "$1"
	count $TO p0
	for ((nr = 1; nr <= $1; nr++)); do
		out_of_hand "$nr" p0 ${2:+"$2"}
		count_of "$nr" flower src_mac "$(mac "$nr")"
	done
}

# behind_port COUNT BYTES: likewise, through a port with a buffer of so many
# bytes
behind_port() {
	to_first "$1"
	tc -n "$WIRE" qdisc replace dev w$TO root \
		tbf rate ${RATE}mbit burst 3100 limit "$2"
}

# behind_policer COUNT BYTES: likewise, but nothing waits at the port: what is
# so many bytes ahead of its rate is dropped. Round trips take 1 ms: where they
# take 200 us TCP's window is below a segment there, so that two of TCP leave
# more than half of the port to nobody, and PRP takes what one of them leaves.
behind_policer() {
	to_first "$1" 500us
	tc -n "$WIRE" qdisc add dev w$TO clsact
	tc -n "$WIRE" filter add dev w$TO egress matchall \
		action police rate ${RATE}mbit burst "$2" conform-exceed drop
}

# behind_forwarders BYTES: two pairs of nodes, 1 and 5, 2 and 6, with one link
# of two forwarders between them, which has a buffer of so many bytes: nobody
# but the forwarders sees both. TCP's way is the same.
#
#	1 -- p0 -- 3 -- p2 -- 4 -- p3 -- 5
#	2 -- p1 --'            `-- p4 -- 6
behind_forwarders() {
	local nr

	linked_nodes 6 1-3-0 2-3-1 3-4-2 4-5-3 4-6-4
	for nr in 3 4; do
		in_node $nr sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv4.conf.all.proxy_arp=1
	done
	ip -n "$NODE-1" address add 10.9.0.1/24 dev p0
	ip -n "$NODE-2" address add 10.9.0.2/24 dev p1
	ip -n "$NODE-5" address add 10.9.0.5/24 dev p3
	ip -n "$NODE-6" address add 10.9.0.6/24 dev p4
	ip -n "$NODE-3" -batch - <<-EOF
	address add 10.9.0.3/32 dev lo
	route add 10.9.0.1 dev p0
	route add 10.9.0.2 dev p1
	route add 10.9.0.4/30 dev p2
	EOF
	ip -n "$NODE-4" -batch - <<-EOF
	address add 10.9.0.4/32 dev lo
	route add 10.9.0.5 dev p3
	route add 10.9.0.6 dev p4
	route add 10.9.0.0/30 dev p2
	EOF
	out_of_hand 1 p0
	out_of_hand 2 p1
	out_of_hand 5 p3
	out_of_hand 6 p4
	count 5 p3
	count_of 1 matchall
	count 6 p4
	count_of 2 matchall
	tc -n "$NODE-3" qdisc add dev p2 root \
		tbf rate ${RATE}mbit burst 3100 limit "$1"
}

# sent_bytes NODE...: what their devices have sent
sent_bytes() {
	local nr line sum=0

	for nr; do
		while read -r -a line; do
			[[ ${line[0]} != p[0-9]: ]] || : $((sum += line[9]))
		done < <(in_node "$nr" cat /proc/net/dev)
	done
	echo $sum
}

# have_sent BYTES NODE..., for wait_for
have_sent() {
	test "$(sent_bytes "${@:2}")" -gt "$1"
}

STREAMS=()

# stream NODE PORT WORD...: from there, until stopped
stream() {
	prp_xfer -c "$NODE-$1" -s "$NODE-$TO" -p "$2" -u -L 600 "${@:3}" \
		>/dev/null &
	STREAMS+=($!)
}

# streams_of_tcp NODE...: one of each of them
streams_of_tcp() {
	local nr

	for nr; do
		[ -z "$CC" ] || in_node "$nr" sysctl -qw \
			net.ipv4.tcp_congestion_control="$CC"
		stream "$nr" $((5000 + nr)) -t -a 10.9.0.$TO
	done
	for nr; do
		wait_for "TCP sends" have_sent 2000000 "$nr"
	done
}

streams_of_prp() {
	local nr

	for nr; do
		stream "$nr" $((4000 + nr)) -a $TO
	done
	for nr; do
		wait_for "PRP sends" have_sent 1000000 "$nr"
	done
}

# stopped: the streams end, and all of them have arrived as they were sent
stopped() {
	kill -USR1 "${STREAMS[@]}"
	wait "${STREAMS[@]}"
	STREAMS=()
}

# got_through BYTES: have those behind the port so many? What they have of each
# that is counted is left in ${GOT[@]}, as the port counts, all of it in $SUM.
got_through() {
	local place line nr

	GOT=() SUM=0
	for place in "${PLACES[@]}"; do
		while read -r -a line; do
			case ${line[0]} in
			filter)	nr=${line[4]} ;;
			Sent)	GOT[nr]=$((line[1] + 14 * line[3]))
				: $((SUM += GOT[nr])) ;;
			esac
		done < <(tc -n "${place% *}" -s filter show \
			dev "${place#* }" ingress)
	done
	test "$SUM" -gt "$1"
}

# measured NODE...: what each has got through, of $SIZE in all, and what that
# took, in $TOOK
measured() {
	local nr start before=()

	got_through 0 || :
	for nr; do
		before[nr]=${GOT[nr]}
	done
	now_ms
	start=$NOW
	LIMIT_MS=$((120000 * SLOW)) wait_for "all is there" \
		got_through $((SUM + SIZE))
	now_ms
	TOOK=$((NOW - start)) SUM=0
	for nr; do
		: $((GOT[nr] -= before[nr], SUM += GOT[nr]))
		say "node $nr: $((GOT[nr] * 8 / TOOK / 1000)) Mbit/s"
	done
}

# port_used LEAST
port_used() {
	expect_float "of the port" \
		"$(ratio $((SUM * 8)) $((TOOK * RATE * 1000)))" ">=" "$1"
}

# share WHAT NODE LEAST: of all that got through
share() {
	expect_float "$1's share" "$(ratio "${GOT[$2]}" $SUM)" ">=" "$3"
}

# measured_beside LEAST TCP PRP: one of each, from these nodes. A guard measures
# for a second or two, in which one of them may be ahead: shares of 0.17 to 0.53
# were seen where they are 0.4 in the end. And not the second in which PRP,
# having sent its first megabyte, finds out that it is not alone.
measured_beside() {
	local least

	least=$(amount 0.1 "$1")
	wait_for "PRP has sent more" have_sent "$(amount 4000000 0)" "$3"
	measured "$2" "$3"
	stopped
	share TCP "$2" "$least"
	share PRP "$3" "$least"
}

# streams_to_first LEAST: of node 2 with TCP and of node 3
streams_to_first() {
	streams_of_tcp 2
	streams_of_prp 3
	measured_beside "$1" 2 3
}

# beside_tcp BYTES LEAST: at a port
beside_tcp() {
	behind_port 3 "$1"
	streams_to_first "$2"
	port_used 0.95
}

neighbours__tcp_at_a_port_of_64_kb() {
	beside_tcp $((64 << 10)) 0.3
}

neighbours__tcp_at_a_port_of_256_kb() {
	beside_tcp $((256 << 10)) 0.3
}

# It takes cubic 7 s to be where it was before a loss here.
neighbours__tcp_at_a_port_of_1_mb() {
	SIZE=$(amount $((16 << 20)) $((375 << 20)))
	beside_tcp $((1 << 20)) 0.3
}

neighbours__tcp_at_a_port_of_eight_frames() {
	beside_tcp $((8 * 1514)) 0.2
}

# Bursts of 10 ms, and of 1 ms: loss comes without any delay.
neighbours__tcp_at_a_policer_of_128_kb() {
	behind_policer 3 $((128 << 10))
	streams_to_first 0.2
}

neighbours__tcp_at_a_policer_of_16_kb() {
	behind_policer 3 $((16 << 10))
	streams_to_first 0.2
}

neighbours__two_over_a_forwarders_link() {
	behind_forwarders $((256 << 10))
	TO=5 streams_of_prp 1
	TO=6 streams_of_prp 2
	measured 1 2
	stopped
	share PRP 1 0.4
	share PRP 2 0.4
	port_used 0.95
}

neighbours__tcp_over_a_forwarders_link() {
	behind_forwarders $((256 << 10))
	TO=5 streams_of_tcp 1
	TO=6 streams_of_prp 2
	measured_beside 0.3 1 2
	port_used 0.95
}

neighbours__bbr_at_a_port_of_64_kb() {
	CC=bbr
	beside_tcp $((64 << 10)) 0.3
}

neighbours__bbr_at_a_port_of_256_kb() {
	CC=bbr
	beside_tcp $((256 << 10)) 0.3
}

neighbours__bbr_at_a_port_of_1_mb() {
	CC=bbr
	beside_tcp $((1 << 20)) 0.3
}

# Nobody has less than half of what is fair: four of TCP, and one of PRP
four_and_one() {
	local nr

	streams_of_tcp 2 3 4 5
	streams_of_prp 6
	measured 2 3 4 5 6
	stopped
	share PRP 6 0.1
	for nr in 2 3 4 5; do
		share TCP $nr 0.1
	done
}

neighbours__four_of_tcp() {
	behind_port 6 $((256 << 10))
	four_and_one
}

# TCP in windows that its receiver bounds keeps a queue, too, and never loses
# anything by which it would learn of others.
neighbours__four_of_tcp_that_are_bound() {
	behind_port 6 $((256 << 10))
	in_node 1 sysctl -qw net.ipv4.tcp_rmem="4096 16384 16384"
	four_and_one
}

neighbours__four_of_prp() {
	local nr

	behind_port 6 $((256 << 10))
	streams_of_tcp 2
	streams_of_prp 3 4 5 6
	measured 2 3 4 5 6
	stopped
	share TCP 2 0.1
	for nr in 3 4 5 6; do
		share PRP $nr 0.1
	done
}

# The queue is that of the node itself: what waits there is not lost.
behind_own_queue() {
	local tcp prp drops segs

	wired_nodes 2 delay 50us
	count $TO p0
	count_of 2 matchall
	in_node 2 tc qdisc add dev p0 root handle 1: \
		tbf rate ${RATE}mbit burst 3100 limit $((256 << 10))
	[ $# = 0 ] || in_node 2 tc qdisc add dev p0 parent 1: "$@"
	streams_of_tcp 2
	streams_of_prp 2
	segs=$(counter 2 segs_out)
	drops=$(counter 2 local_drops)
	measured 2
	prp=$(($(counter 2 segs_out) - segs))
	drops=$(($(counter 2 local_drops) - drops))
	stopped
	tcp=$((GOT[2] - prp * 1500))
	say "MB of TCP $((tcp / 1000000)), of PRP $((prp * 1500 / 1000000))"
	expect_float "TCP's share" "$(ratio $tcp "${GOT[2]}")" ">=" 0.3
	expect_float "PRP's share" "$(ratio $((prp * 1500)) "${GOT[2]}")" \
		">=" 0.3
	expect_float "local drops" "$(ratio $drops $prp)" "<=" 0.001
	port_used 0.95
}

neighbours__behind_one_queue_fifo() {
	behind_own_queue
}

neighbours__behind_one_queue_fq() {
	behind_own_queue fq
}

neighbours__behind_one_queue_fq_codel() {
	behind_own_queue fq_codel
}

# Samples of the port's queue, bytes, while a stream of PRP has it alone
neighbours__alone_keeps_the_queue_short() {
	local queue=() i line

	behind_port 2 $((1 << 20))
	streams_of_prp 2
	for ((i = 0; i < $(amount 100 1000); i++)); do
		line=$(tc -n "$WIRE" -s qdisc show dev w$TO root)
		line=${line#*backlog }
		line=${line%%b *}
		case $line in
		*K)	line=$((${line%K} << 10)) ;;
		*M)	line=$((${line%M} << 20)) ;;
		esac
		queue+=("$line")
	done
	measured 2
	stopped
	mapfile -t queue < <(printf '%s\n' "${queue[@]}" | sort -n)
	expect "queue in us, median" \
		$((queue[i / 2] * 8 / RATE)) -le 1000
	expect "queue in us, p99" \
		$((queue[i * 99 / 100] * 8 / RATE)) -le 5000
	port_used 0.95
}

# Who asks 64 bytes of the same node
neighbours__short_ones_beside_bulk() {
	local idle p99

	behind_port 3 $((256 << 10))
	run prp_pingpong -c "$NODE-3" -s "$NODE-$TO" -a $TO -z 64 -n 1000
	idle=$(val p99)
	streams_of_prp 2
	run prp_pingpong -c "$NODE-3" -s "$NODE-$TO" -a $TO -z 64 -n 1000
	p99=$(val p99)
	stopped
	say "p99 in us: idle $((idle / 1000)), beside bulk $((p99 / 1000))"
	expect "us more" $(((p99 - idle) / 1000)) -le 2000
}

# drops_of_port: thousandths of what it was offered
drops_of_port() {
	local line sent

	line=$(tc -n "$WIRE" -s qdisc show dev w$TO root)
	sent=${line#* bytes }
	line=${line#*dropped }
	echo $((${line%%,*} * 1000 / (${line%%,*} + ${sent%% *})))
}

# jain NODE...: how even their shares are, in $JAIN
jain() {
	local nr all=0 squares=0

	for nr; do
		: $((all += GOT[nr] / 1000, squares += (GOT[nr] / 1000) ** 2))
	done
	JAIN=$(ratio $((all * all)) $((squares * $#)))
}

# crowd NODES STREAMS LEAST: shares by node, each has that many streams
crowd() {
	local nr nodes=()

	behind_port $(($1 + 1)) $((64 << 10))
	for ((nr = 2; nr <= $1 + 1; nr++)); do
		nodes+=($nr)
		stream "$nr" $((4000 + 100 * nr)) -a $TO -n "$2"
	done
	wait_for "all send" have_sent $((SIZE / 4)) "${nodes[@]}"
	measured "${nodes[@]}"
	stopped
	jain "${nodes[@]}"
	expect_float "Jain's index" "$JAIN" ">=" "$3"
	expect "drops of 1000" "$(drops_of_port)" -le 50
	port_used 0.9
}

neighbours__two_of_prp() {
	crowd 2 1 0.95
}

neighbours__eight_of_prp() {
	crowd 8 1 0.95
}

neighbours__thirty_two_of_prp() {
	crowd 32 1 0.95
}

# Who comes to seven others has what they have after a second, for two.
neighbours__late_one_has_its_share() {
	local nodes=(2 3 4 5 6 7 8)

	behind_port 9 $((64 << 10))
	streams_of_prp "${nodes[@]}"
	wait_for "all send" have_sent $((SIZE / 4)) "${nodes[@]}"
	stream 9 4009 -a $TO
	wait_for "it begins" have_sent 3000 9
	sleep 1
	SIZE=$((25 << 20))
	measured "${nodes[@]}" 9
	stopped
	jain "${nodes[@]}" 9
	expect_float "Jain's index" "$JAIN" ">=" 0.95
	share "the late one" 9 0.0625
	port_used 0.9
}

# Each begins when the one before it sends, and finds a queue.
neighbours__eight_of_prp_one_by_one() {
	local nr nodes=(2 3 4 5 6 7 8 9)

	behind_port 9 $((64 << 10))
	for nr in "${nodes[@]}"; do
		stream "$nr" $((4000 + nr)) -a $TO
		wait_for "it sends" have_sent 200000 "$nr"
	done
	wait_for "all send" have_sent $((SIZE / 4)) "${nodes[@]}"
	measured "${nodes[@]}"
	stopped
	jain "${nodes[@]}"
	expect_float "Jain's index" "$JAIN" ">=" 0.9
	expect "drops of 1000" "$(drops_of_port)" -le 10
	port_used 0.95
}

neighbours__sixty_four_of_prp() {
	crowd 8 8 0.95
}

# at_once COUNT MOST: so many connections of 16 nodes, idle until then, send
# 64 KB each in the same instant, while somebody asks the same node for little
# by TCP; of each round what it took, of the time that it takes at least. In the
# first one each knows of those only who were there before it: of two rounds it
# is half.
at_once() {
	local nr round rounds nodes=() ideal bystander pings

	rounds=$(amount 2 5)
	pings=$(mktemp)
	behind_port 18 $((64 << 10))
	for ((nr = 2; nr <= 17; nr++)); do
		nodes+=("$NODE-$nr")
	done
	prp_pingpong -t -c "$NODE-18" -s "$NODE-$TO" -a 10.9.0.$TO -z 64 \
		-n $((rounds * ($1 * 2 + 200))) >"$pings" &
	bystander=$!
	run prp_crowd -n "$rounds" "$NODE-$TO" $TO 4000 "$1" 65536 "${nodes[@]}"
	wait $bystander
	ideal=$(($1 * 45 * 1538 * 8 / RATE))
	for ((round = 0; round < rounds; round++)); do
		expect_float "round $round, of $ideal us" \
			"$(ratio "$(val took_$round)" $ideal)" "<=" "$2"
	done
	expect "drops of 1000" "$(drops_of_port)" -le "$(amount 100 50)"
	OUT=$(<"$pings")
	rm "$pings"
	say "$OUT"
	expect "us of a bystander, p99" $(($(val p99) / 1000)) -le 20000
}

neighbours__sixteen_at_once() {
	at_once 16 "$(amount 1.2 1.05)"
}

neighbours__sixty_four_at_once() {
	at_once 64 1.3
}

# They take turns, so that each pauses, but not their node: what gets through is
# known. Else each turn begins anew. So do those between which the clock jumps,
# as it does while all wait for the other machine's disk.
neighbours__turns_of_one_node() {
	local before anew

	wired_nodes 2
	for _ in 1 2 3; do
		before=$(counter 2 crowds)
		run prp_crowd -n 20 -p 0 "$NODE-1" 1 4000 32 65536 "$NODE-2"
		say "$OUT"
		anew=$(($(counter 2 crowds) - before))
		[ $anew -gt 64 ] || break
	done
	expect "began anew in 640 turns" $anew -le 64
}

run_bars neighbours__tcp_at_a_port_of_64_kb neighbours__sixteen_at_once \
	neighbours__turns_of_one_node
