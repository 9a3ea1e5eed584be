#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tracepoints: what they tell of a transfer, of loss and of dropped frames.
# Notifications and peers are in events.c, sock_diag in sock_diag.c.
. "$(dirname "$0")/../lib/lib.sh"

PORT=4000
TRACEFS=/sys/kernel/tracing

# A buffer of the case's own, gone with it
trace_on() {
	[ -d $TRACEFS/instances ] || mount -t tracefs none $TRACEFS
	TRACE=$TRACEFS/instances/$NODE
	mkdir "$TRACE"
	AT_END=trace_off
	echo 1024 >"$TRACE/buffer_size_kb"
	echo 1 >"$TRACE/events/prp/enable"
}

trace_off() {
	if [ -d "$TRACE" ]; then
		echo 0 >"$TRACE/events/prp/enable"
		rmdir "$TRACE"
	fi
}

# traced EVENT PATTERN: how many lines of the event match, from their begin
traced() {
	grep -c "prp_$1: $2" "$TRACE/trace" || :
}

traced_is() {
	test "$(traced "$1" "$2")" "$3" "$4"
}

# expect_traced EVENT PATTERN OPERATOR VALUE
expect_traced() {
	expect "prp_$1 with $2" "$(traced "$1" "$2")" "$3" "$4"
}

seeing__every_state() {
	two_nodes
	trace_on
	xfer -z 5000
	wait_for "both ends have finished" traced_is state ".*finished" -eq 2
	expect_traced state "0:[0-9]* 0:0 old=PRP_CLOSE new=PRP_LISTEN event=listen" -eq 1
	expect_traced state "1:[0-9]* 2:[0-9]* old=PRP_CLOSE new=PRP_CONN_WAIT event=connect" -eq 1
	expect_traced state "2:[0-9]* 1:[0-9]* old=PRP_CLOSE new=PRP_ESTABLISHED event=request" -eq 1
	expect_traced state "1:[0-9]* 2:[0-9]* old=PRP_CONN_WAIT new=PRP_ESTABLISHED event=answer" -eq 1
	expect_traced state ".* old=PRP_ESTABLISHED new=PRP_CLOSE event=finished" -eq 2
	expect_traced state ".* old=PRP_LISTEN new=PRP_CLOSE event=release" -eq 1
}

seeing__reset_and_orphan() {
	two_nodes
	connected_pair $PORT
	trace_on
	told_ok client fill
	told_ok client close
	expect_traced state "1:[0-9]* 2:$PORT old=PRP_ESTABLISHED new=PRP_ESTABLISHED event=release" -eq 1
	told_ok server close	# what was not read is lost: a reset
	wait_for "the client is told" \
		traced_is state "1:[0-9]* 2:$PORT .*event=reset" -eq 1
	expect_traced state "2:$PORT 1:[0-9]* .*new=PRP_CLOSE event=reset" -eq 1
	release client
	release server
}

# Every frame leaves one line where it is sent and one where it comes in.
seeing__every_frame() {
	wired_nodes 2
	trace_on
	xfer -z 200000 -d
	wait_for "all connections are freed" all_freed
	expect "lines lost" \
		"$(grep -c 'LOST' "$TRACE/trace")" -eq 0
	expect_traced transmit "1:" -eq "$(counter 1 frames_out)"
	expect_traced transmit "2:" -eq "$(counter 2 frames_out)"
	expect_traced receive "1:" -eq "$(counter 1 frames_in)"
	expect_traced receive "2:" -eq "$(counter 2 frames_in)"
	expect_traced transmit "1:.* flags=[^ ]*SEG" -eq \
		"$(counter 1 segs_out)"
	expect "bytes in the lines of node 1" \
		"$(sed -n 's/.*prp_transmit: 1:.*SEG.* len=\([0-9]*\).*retransmit=0.*/\1/p' "$TRACE/trace" |
		   awk '{ sum += $1 } END { print sum }')" -eq 200000
}

# The segments that the wire lost are those found lost and sent again. A probe
# has the number of the segment that comes next, but is none.
seeing__loss_and_repeat() {
	local first nr seq

	wired_nodes 2
	bad_wire 1 list=3,7,8,20
	trace_on
	xfer -z 200000
	first=$(sed -n 's/.*prp_transmit: 1:.*flags=[^ ]*SEG.* seq=\([0-9]*\) .*/\1/p' \
		"$TRACE/trace" | head -n 1)
	for nr in 3 7 8 20; do
		seq=$(((first + nr) % 4294967296))
		expect_traced transmit "1:.* flags=SEG[^ ]* seq=$seq .*retransmit=0" -eq 1
		expect_traced transmit "1:.* flags=SEG[^ ]* seq=$seq .*retransmit=1" -ge 1
	done
	expect "segments in prp_retransmit" \
		"$(sed -n 's/.*prp_retransmit: 1:.* found=\([0-9]*\) .*/\1/p' "$TRACE/trace" |
		   awk '{ sum += $1 } END { print sum }')" -ge 4
	expect_traced retransmit "1:.* seq=$(((first + 3) % 4294967296)) rail=0 txno=[0-9]* found=[1-9]" \
		-ge 1
	expect_traced transmit "1:.*retransmit=1" -eq "$(counter 1 segs_retransmitted)"
}

seeing__timers() {
	wired_nodes 2
	bad_wire 1 first_req=1
	bad_wire 2
	trace_on
	connected_pair $PORT
	expect_traced timer "1:[0-9]* 2:$PORT due=request tries=0" -eq 1
	# the first one asks, as the request that was repeated timed nothing
	told_ok client send 100
	told_ok server recv 100
	told_ok client send 100
	told_ok server recv 100
	wait_for "a delayed acknowledgment" \
		traced_is timer "2:$PORT 1:[0-9]* due=ack" -ge 1
	bad_wire 1 drop_seg=10000 drop_ack=10000
	told_ok client send 100
	wait_for "probes" traced_is timer "1:.*due=probe tries=[1-9]" -ge 2
	tell client close
	bad_wire 1
	told_ok server recv 100
	release client
	release server
}

# rounds CONDITION: of node 1's, how many it is true of, as awk says it, with
# the fields of prp_round in f[]
rounds() {
	awk -v mode="${2:-}" -v min_rtt="${3:-}" -v pace="${4:-}" '
	/ prp_round: 1:[0-9]* 2:/ {
		for (i = 1; i <= NF; i++)
			if (split($i, word, "=") == 2)
				f[word[1]] = word[2]
		n += '"$1"'
	}
	END { print n + 0 }' "$TRACE/trace"
}

# The shortest round trip is of 2 ms, and then a queue tells that the wire is
# full.
seeing__rounds() {
	local modes=(start alone share policed) all mode

	wired_nodes 2 rate 100mbit delay 1ms
	trace_on
	xfer -z 20000000
	all=$(rounds 1)
	expect_traced round "1:[0-9]* 2:[0-9]* mode=[a-z]* cwnd=[0-9]* rtt=[0-9]* min_rtt=[0-9]* pace=[0-9]* netns=[0-9]*$" -eq "$all"
	expect "rounds in which it is alone" \
		"$(rounds 'f["mode"] == "alone"')" -ge 1
	expect "rounds of a way as long as it is" \
		"$(rounds 'f["min_rtt"] >= 2000')" -eq "$all"
	expect "rounds no shorter than the shortest" \
		"$(rounds 'f["rtt"] >= f["min_rtt"]')" -eq "$all"
	# two windows of 1464 bytes each in a round trip, at most
	expect "rounds paced by their window" "$(rounds \
		'f["pace"] * f["min_rtt"] <= 3e9 * (f["cwnd"] + 1)')" -eq "$all"
	# what getsockopt() says of it, which counts headers, too
	mode=${modes[$(val client_mode)]}
	say "at last: $mode, $(val client_min_rtt_us) us, $(val client_pace)"
	expect "rounds like the last one" "$(rounds 'f["mode"] == mode &&
		f["min_rtt"] == min_rtt && f["pace"] < pace &&
		f["pace"] * 1.1 > pace' "$mode" "$(val client_min_rtt_us)" \
		"$(val client_pace)")" -ge 1
}

seeing__end_of_patience() {
	wired_nodes 2
	bad_wire 1 drop_seg=10000 drop_ack=10000 drop_rst=10000
	bad_wire 2 drop_rst=10000
	trace_on
	refused "a transfer over nothing" "timed out" \
		prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -z 5000 -T 500
	wait_for "both ends give up" traced_is timer ".*due=patience" -eq 2
	expect_traced timer "1:[0-9]* 2:[0-9]* due=patience tries=[1-9]" -eq 1
	expect_traced timer "1:[0-9]* 2:[0-9]* due=confirm tries=[1-9]" -ge 1
	expect_traced state "1:[0-9]* 2:[0-9]* old=PRP_ESTABLISHED new=PRP_CLOSE event=reset" -eq 1
}

# One line for each frame that a counter of drops counted, and by that name.
# Node 2 answers: a notice and resets, which node 1 drops.
seeing__every_drop_by_its_reason() {
	local name want

	two_nodes
	trace_on
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" version=9 \
		src_node=1 dst_node=2
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 7)" \
		src_node=1 dst_node=2 src_port=11 dst_port=12 seq=13 count=2
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" \
		src_node=1 dst_node=5
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" \
		src_node=1 dst_node=2 cut=30
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" \
		src_node=1 dst_node=2 src_port=21 dst_port=22 seq=23 \
		flags=1 payload=10 count=3
	rawframe "$NODE-1" p0 dst="$(mac 2)" src=ff:ff:ff:ff:ff:ff \
		src_node=1 dst_node=2
	wait_for "all are dropped" counter_is 2 frames_in -eq 9
	wait_for "the answers are dropped" counter_is 1 frames_in -eq 4
	expect_traced drop "reason=drop_source from 1:11 to 2:12 flags= seq=13 len=0 dev=p0" -eq 2
	expect_traced drop "reason=drop_no_conn from 1:21 to 2:22 flags=SEG seq=23 len=10 dev=p0" -eq 3
	expect_traced drop "reason=drop_version from 0:0 to 0:0" -eq 2
	expect_traced drop "reason=drop_short" -eq 1
	expect_traced drop "reason=drop_hw_source from 1:0 to 2:0" -eq 1
	for name in $(prpctl -j -n "$NODE-1" stats show |
			grep -o 'drop_[a-z_]*'); do
		want=$(($(counter 1 "$name") + $(counter 2 "$name")))
		[ "$want" = 0 ] ||
			expect_traced drop "reason=$name " -eq "$want"
	done
}

# What a person types who looks for one connection: filters by field.
seeing__filter() {
	two_nodes
	trace_on
	echo 'peer_node == 2 && retransmit == 0 && flags & 1' \
		>"$TRACE/events/prp/prp_transmit/filter"
	echo 'reason == "drop_source"' >"$TRACE/events/prp/prp_drop/filter"
	xfer -z 5000
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 7)" \
		src_node=1 dst_node=2
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" \
		src_node=1 dst_node=5
	wait_for "the frames are dropped" counter_is 2 drop_not_us -eq 1
	expect_traced transmit "" -ge 4
	expect_traced transmit "2:" -eq 0
	expect_traced drop "reason=drop_source" -eq 1
	expect_traced drop "" -eq 1
}

run_cases
