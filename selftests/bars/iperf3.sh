#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# iperf3, unmodified, over PRP under prprun and over TCP in the same boot, at
# MTU 1500, on veth as it comes; and without its segmentation: then no frame is
# longer than that, and TCP keeps its segmentation in software.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"
. "$HERE/lib/programs.sh"

# Its receiver's clock starts before the sender has made its first buffer: some
# ms that differ from run to run, whatever the transport is.
BYTES=$(($(amount 128 512) << 20))
LIMIT_MS=600000		# the clock jumps while iperf3 is read from disk
OPTIONS=		# of iperf3
MAKE=two_nodes		# what makes the two
LEAST=1			# of TCP's rate

# rate [COMMAND...]: Mbit/s that were received, in $RATE
rate() {
	serve 2 5201 "$@" iperf3 -s -1
	UNDER=$* iperf 1 10.9.0.2 -n $BYTES $OPTIONS
	ended "the server" "$STARTED"
	RATE=$(awk "BEGIN { print $(reported sum_received bits_per_second) / 1e6 }")
}

# against_tcp [WORD...]: of ethtool
against_tcp() {
	local prp=() tcp=() nr segments

	# Its buffers are files, and it makes them while a clock runs: that goes
	# from timer to timer while all wait for the other machine's disk.
	expect "where it makes its buffers" \
		"$(stat -f -c %T "${TMPDIR:-/tmp}")" != overlayfs
	new_folder
	$MAKE
	long_frames 1 2
	for nr in 1 2; do
		[ $# = 0 ] || in_node "$nr" ethtool -K p0 "$@" >/dev/null
	done
	rate				# all that is read from disk
	for _ in 1 2 3; do
		rate
		tcp+=("$RATE")
		segments=$(counter 2 segs_in)
		rate prprun
		prp+=("$RATE")
		# what is under way when it ends may be left out
		[ $((($(counter 2 segs_in) - segments) * 1464)) -ge \
			$((BYTES / 100 * 99)) ] ||
			fail "not all of it went over PRP"
		say "Mbit/s: TCP ${tcp[-1]}, PRP ${prp[-1]}"
	done
	expect_float "PRP's median ${prp[*]} of TCP's ${tcp[*]}" \
		"$(ratio "$(median "${prp[@]}")" "$(median "${tcp[@]}")")" \
		">=" $LEAST
}

iperf3__at_least_the_rate_of_tcp_as_shipped() {
	against_tcp
}

iperf3__at_least_the_rate_of_tcp_without_segmentation() {
	against_tcp tso off tx-sctp-segmentation off
}

# By sendfile(): up to 6.4 the kernel gives a page at a time
iperf3__of_a_file_at_least_the_rate_of_tcp_as_shipped() {
	OPTIONS=-Z
	against_tcp
}

iperf3__with_small_buffers_at_least_the_rate_of_tcp_as_shipped() {
	OPTIONS="-w 64K"
	against_tcp
}

# Two at a gigabit, 50 us apart
a_gigabit() {
	local nr

	wired_nodes 2
	for nr in 1 2; do
		tc -n "$WIRE" qdisc replace dev w$nr root netem delay 50us \
			rate 1gbit limit 1000
	done
}

# small_at_a_gigabit SIZE: part of a window is to be on its way while another
# part arrives
small_at_a_gigabit() {
	OPTIONS="-w $1" BYTES=$((64 << 20)) LEAST=0.95 MAKE=a_gigabit
	against_tcp
}

iperf3__with_buffers_of_16_kb_at_a_gigabit_0_95_of_tcp_as_shipped() {
	small_at_a_gigabit 16K
}

iperf3__with_buffers_of_64_kb_at_a_gigabit_0_95_of_tcp_as_shipped() {
	small_at_a_gigabit 64K
}

iperf3__of_32_streams_at_least_the_rate_of_tcp_as_shipped() {
	OPTIONS="-P 32"
	against_tcp
}

run_bars iperf3__at_least_the_rate_of_tcp_as_shipped
