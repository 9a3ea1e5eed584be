#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make demo` shows, in the virtual machine: a big file over PRP with
# socat as it comes from Debian, then iperf3 under prprun, on a good wire and
# on one that loses one frame in a hundred, and TCP on the same wires.
#
#	demo.sh FILE SHA256
set -eE
. "$(dirname "$0")/lib/lib.sh"

file=$1
sha=$2
size=$(stat -c %s "$file")
NODE=node
WIRE=wire
NODES=0
ROUNDS=2000
STREAM=64			# megabytes for iperf3
rows=()

# socat's form of struct sockaddr_prp behind the family: port, node number,
# virtual network, zeroes
prp_address() {
	printf 'x%04x%04x00000000000000000000' "$1" "$2"
}

title() {
	printf '\n\033[1m%s\033[0m\n' "$*"
}

# shown COMMAND...: says what it does
shown() {
	echo "  \$ $*"
	"$@" | sed 's/^/    /'
}

give_up() {
	echo "FAILED: $*"
	exit 1
}

ended() {
	local rc=$?

	[ $rc = 0 ] || show_state
	kill $(jobs -p) 2>/dev/null || :
	exit $rc
}
trap ended EXIT

# transfer LISTEN CONNECT: leaves the seconds it took in $seconds
transfer() {
	local begin end receiver

	rm -f /dev/shm/received
	in_node 2 socat -u "$1" OPEN:/dev/shm/received,creat,excl &
	receiver=$!
	now_ms
	begin=$NOW
	echo "  \$ socat -u OPEN:${file##*/} $2"
	# The other end may need a moment until it listens.
	in_node 1 socat -u -b 65536 "OPEN:$file" "$2,retry=1200,interval=0.05"
	wait $receiver || give_up "the receiving socat failed"
	now_ms
	end=$NOW
	seconds=$(awk "BEGIN { print ($end - $begin) / 1000 }")
	[ "$(sha256sum </dev/shm/received)" = "$sha  -" ] ||
		give_up "what arrived has another sha256"
	echo "    $size bytes in $seconds s, sha256 is the same"
	rm /dev/shm/received
}

# stream [prprun -v]: iperf3 for some megabytes; leaves its rate at the
# receiver, in MB/s, in $streamed
stream() {
	local report=/dev/shm/iperf3.report server

	in_node 2 "$@" iperf3 -s -1 >/dev/null 2>&1 &
	server=$!
	wait_for "iperf3 listens" listening 5201
	echo "  \$ $* iperf3 -c 10.9.0.2 -n ${STREAM}M"
	in_node 1 "$@" iperf3 -c 10.9.0.2 -n ${STREAM}M -f m >$report 2>&1 ||
		give_up "iperf3: $(cat $report)"
	wait $server || give_up "iperf3 -s failed"
	grep -E '^prprun|sender|receiver' $report | sed 's/^/    /'
	streamed=$(sed -n 's,.* \([0-9.]*\) Mbits/sec.*receiver.*,\1,p' $report)
	streamed=$(awk "BEGIN { printf \"%.1f\", $streamed / 8 }")
}

listening() {
	[ -n "$(in_node 2 ss -Hltn "sport = :$1")" ]
}

# Bytes of frames of our EtherType, or of others, both ways
bytes() {
	echo $(($(wire_val 1 "$1") + $(wire_val 2 "$1")))
}

megabytes() {
	awk "BEGIN { printf \"%.1f\", $1 / 1e6 }"
}

lose() {
	bad_wire 1 drop="$1" drop_other="$1" seed=1
	bad_wire 2 drop="$1" drop_other="$1" seed=2
}

row() {
	rows+=("$(printf '%-5s %5s  %6s %6s  %8s %9s  %8s %8s  %7s %7s' "$@")")
}

# check_prp BYTES: so many are in our frames, and nothing is in others.
check_prp() {
	local payload other

	payload=$(wire_val 1 payload)
	other=$(bytes other_bytes)
	[ "$payload" -ge "$1" ] ||
		give_up "only $payload bytes of data in frames of PRP"
	[ "$other" -lt 10000 ] ||
		give_up "$other bytes went in frames of other EtherTypes"
	[ "$(wire_val 1 super)" = 0 ] || give_up "frames larger than the MTU"
}

speed() {
	awk "BEGIN { printf \"%.1f\", $size / $seconds / 1e6 }"
}

# ns_to_us KEY
us() {
	awk "BEGIN { printf \"%.0f\", $(val "$1") / 1000 }"
}

over_prp() {
	local loss=$1 dropped repeated ours other rate

	title "PRP, $loss % of the frames lost"
	lose $((loss * 100))
	transfer "SOCKET-LISTEN:19:0:$(prp_address 4000 0)" \
		"SOCKET-CONNECT:19:0:$(prp_address 4000 2)"
	check_prp "$size"
	rate=$(speed)
	dropped=$(wire_val 1 seg_dropped)
	repeated=$(wire_val 1 repeats)
	ours=$(megabytes "$(bytes bytes)")
	other=$(bytes other_bytes)
	stream prprun -v
	check_prp $((size + (STREAM << 19)))	# its end may outrun its data
	pingpong -z 64 -n $ROUNDS
	row PRP "$loss %" "$rate" "$streamed" "$(us p50)" "$(us p99)" \
		"$dropped" "$repeated" "$ours" "$(megabytes "$other")"
}

over_tcp() {
	local loss=$1 other rate

	title "TCP, $loss % of the frames lost"
	lose $((loss * 100))
	transfer TCP-LISTEN:4000,reuseaddr TCP-CONNECT:10.9.0.2:4000
	rate=$(speed)
	other=$(megabytes "$(bytes other_bytes)")
	stream
	run prp_pingpong -t -c "$NODE-1" -s "$NODE-2" -a 10.9.0.2 -z 64 \
		-n $ROUNDS
	row TCP "$loss %" "$rate" "$streamed" "$(us p50)" "$(us p99)" - - \
		0.0 "$other"
}

title "Two nodes, and a wire between them"
wired_nodes 2
hosts 2 >/dev/shm/prphosts
shown cat /dev/shm/prphosts
prpctl -n "$NODE-1" hosts flush >/dev/null
prpctl -n "$NODE-2" hosts flush >/dev/null
shown prpctl -n "$NODE-1" hosts setup -f /dev/shm/prphosts
shown prpctl -n "$NODE-2" hosts setup -f /dev/shm/prphosts
shown prpctl -n "$NODE-2" hosts setup -f /dev/shm/prphosts
over_prp 0
over_prp 1
over_tcp 0
over_tcp 1

title "${file##*/}, $(megabytes "$size") MB; iperf3, $STREAM MB;" \
	"$ROUNDS rounds of 64 bytes"
echo
printf '%-5s %5s  %6s %6s  %8s %9s  %8s %8s  %7s %7s\n' \
	"" frames file iperf3 "median" "99 % of" segments segments "MB in" "MB in" \
	over lost MB/s MB/s "round" "rounds" dropped repeated "PRP" "other" \
	"" "" "" "" "us" "below us" "" "" "frames" "frames"
printf '%s\n' "${rows[@]}"
echo
