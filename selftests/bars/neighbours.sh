#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One stream of PRP beside one of TCP, of two hosts to a third, through one
# port of 100 Mbit/s that drops at its tail: neither is to be starved, and the
# port is to be used. Round trips take 200 us without a queue.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"

RATE=100			# Mbit/s of the port
SIZE=$(amount $((16 << 20)) $((100 << 20)))	# of PRP's stream

# sent_bytes NODE: what its device has sent
sent_bytes() {
	local line

	while read -r -a line; do
		[ "${line[0]}" != p0: ] || echo "${line[9]}"
	done < <(in_node "$1" cat /proc/net/dev)
}

# has_sent NODE BYTES, for wait_for
has_sent() {
	test "$(sent_bytes "$1")" -gt "$2"
}

beside_tcp() {
	local tcp prp start took

	wired_nodes 3 delay 50us
	tc -n "$WIRE" qdisc replace dev w2 root \
		tbf rate ${RATE}mbit burst 3100 limit "$1"
	prp_xfer -t -c "$NODE-1" -s "$NODE-2" -a 10.9.0.2 -u -L 600 \
		>/dev/null &
	wait_for "TCP sends" has_sent 1 2000000
	prp_xfer -c "$NODE-3" -s "$NODE-2" -a 2 -p 4000 -u -L 600 >/dev/null &
	wait_for "PRP sends" has_sent 3 1000000
	tcp=$(sent_bytes 1)
	prp=$(sent_bytes 3)
	now_ms
	start=$NOW
	LIMIT_MS=$((120000 * SLOW)) wait_for "all is sent" \
		both_have_sent $((tcp + prp + SIZE))
	now_ms
	took=$((NOW - start))
	tcp=$(($(sent_bytes 1) - tcp))
	prp=$(($(sent_bytes 3) - prp))
	kill -USR1 %1 %2
	wait %1 %2
	say "Mbit/s offered: TCP $((tcp * 8 / took / 1000))," \
		"PRP $((prp * 8 / took / 1000))"
	expect_float "TCP's share" "$(ratio $tcp $((tcp + prp)))" ">=" 0.3
	expect_float "PRP's share" "$(ratio $prp $((tcp + prp)))" ">=" 0.3
	expect_float "of the port" \
		"$(ratio $(((tcp + prp) * 8)) $((took * RATE * 1000)))" \
		">=" 0.95
}

# both_have_sent BYTES, for wait_for
both_have_sent() {
	test $(($(sent_bytes 1) + $(sent_bytes 3))) -gt "$1"
}

neighbours__tcp_at_a_port_of_64_kb() {
	beside_tcp $((64 << 10))
}

neighbours__tcp_at_a_port_of_256_kb() {
	beside_tcp $((256 << 10))
}

neighbours__tcp_at_a_port_of_1_mb() {
	beside_tcp $((1 << 20))
}

run_bars neighbours__tcp_at_a_port_of_64_kb
