#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames that nobody should send. Each is dropped under its own reason, and
# neither an old nor a new connection suffers.
. "$(dirname "$0")/lib/lib.sh"

PORT=4000
SEG=0x001
REQ=0x002
RST=0x080
CON=0x200
QUERY=0x400
HELLO=0103010005bc000012345678000000000000000000000007
QUOTE=04020000000000000000000000000000
ZEROES=00000000000000000000000000000000
ASK=0d0400000000000a${ZEROES}${ZEROES:0:16}
TELL=0e0400000000000a${ZEROES}${ZEROES:0:16}
COOKIE=0a020000000000000000000000000001

# forged COUNTER KEY=VALUE...: node 2 drops such a frame of node 1's
forged() {
	local before name=$1

	before=$(counter 2 "$name")
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" src_node=1 \
		dst_node=2 src_port=1 dst_port=$PORT "${@:2}"
	wait_for "$name counts ${*:2}" \
		counter_is 2 "$name" -eq $((before + 1))
}

frames__malformed() {
	two_nodes
	forged drop_short cut=20
	forged drop_short cut=49
	forged drop_short flags=$SEG payload=10 len=11
	forged drop_short extlen=15
	forged drop_extension ext=6301000000000000
	forged drop_extension ext=0000000000000000
	forged drop_extension ext=0302000000000000
	forged drop_extension ext=03010009000000000
	forged drop_flags flags=$((SEG | REQ)) ext=$HELLO payload=1
	forged drop_flags flags=$REQ
	forged drop_flags payload=1
	forged drop_flags flags=$RST
	for flag in 0x400 0x800 0x1000; do
		forged drop_flags flags=$flag
		forged drop_flags flags=$((SEG | flag)) payload=1
	done
	forged drop_flags ext=$COOKIE
	forged drop_flags flags=$CON ext=$HELLO tag=1
	forged drop_extension flags=$REQ ext=${HELLO}${COOKIE%1}2
	forged drop_extension flags=$REQ \
		ext=${HELLO/0000000000000000/0000000100000000}
	forged drop_extension flags=$RST ext=${QUOTE/040200/040205}
	forged drop_extension flags=$RST ext=${QUOTE:0:24}00010000
	xfer -z 100000 -d
}

frames__misaddressed() {
	two_nodes
	forged drop_not_us dst_node=5
	forged drop_not_us dst_node=0
	forged drop_net net=3
	forged drop_source src_node=2
	forged drop_source src_node=7
	forged drop_source src=02:66:66:66:66:66
	xfer -z 100000 -d
}

# Nobody is at such an address, whatever the frame says: nothing is answered.
frames__of_no_host() {
	local src

	two_nodes
	for src in 00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 01:00:5e:00:00:01 \
		03:50:52:50:00:01; do
		forged drop_hw_source src=$src
		forged drop_hw_source src=$src version=9
		forged drop_hw_source src=$src flags=$SEG payload=1
		forged drop_hw_source src=$src cut=40
		forged drop_hw_source src=$src dst_node=5
	done
	expect "answers" "$(counter 2 frames_out)" -eq 0
	expect "answers" "$(counter 1 frames_in)" -eq 0
	# who has no address but is no stranger: this machine
	xfer_between 2 2 -z 1000
	xfer -z 100000 -d
}

frames__of_no_connection() {
	two_nodes
	forged drop_no_conn flags=$SEG payload=1 tag=5
	forged drop_no_conn tag=5
	forged drop_no_listener flags=$REQ ext=$HELLO
	xfer -z 100000 -d
}

# seen NODE: leaves in $FRAMES and $BYTES what arrived at it since wire load
seen() {
	local OUT

	OUT=$(wire "$NODE-$1" p0 show)
	FRAMES=$(val ack_frames)
	BYTES=$(val ack_bytes)
}

# A query gets a reply that is not longer, whoever asks, and no reply gets one.
frames__queries() {
	local args bytes replies

	two_nodes
	wire "$NODE-1" p0 load
	wire "$NODE-2" p0 load
	query="src_port=0 flags=$QUERY ext=$ASK"
	forged controls_in $query
	wait_for "nobody waits for the reply" counter_is 1 drop_state -eq 1
	forged drop_source $query src=02:66:66:66:66:66
	forged drop_source $query src_node=7
	forged drop_not_us $query dst_node=9
	forged drop_not_us $query dst_node=0
	expect "replies" "$(counter 2 replies_out)" -eq 5
	# these are for nobody
	forged drop_state flags=$QUERY dst_port=0 ext=$TELL
	forged drop_source flags=$QUERY dst_port=0 ext=$TELL src_node=7
	forged drop_not_us flags=$QUERY dst_port=0 ext=$TELL dst_node=9
	forged drop_not_us $query dst=ff:ff:ff:ff:ff:ff
	expect "replies" "$(counter 2 replies_out)" -eq 5
	seen 2
	bytes=$BYTES
	seen 1
	expect "bytes back" "$BYTES" -lt "$bytes"
	# of two, or with what is a connection's
	forged drop_flags $query ext=$ASK$TELL
	forged drop_flags $query tag=1
	forged drop_flags $query src_port=5
	forged drop_flags flags=$((QUERY | SEG)) ext=$ASK payload=1
	forged drop_extension $query ext=${ASK/0d0400/0d0500}
	expect "replies" "$(counter 2 replies_out)" -eq 5
	xfer -z 100000 -d
}

# left_out RATE COUNTER FIELD...: of 2000 queries so many a second have a reply,
# and before them as many as may have one at once; each of the others is counted
# once
left_out() {
	local begun replies

	now_ms
	begun=$NOW
	rawframe "$NODE-1" p0 dst="$(mac 2)" src_node=1 dst_node=2 src_port=0 \
		flags=$QUERY ext=$ASK count=2000 "${@:3}"
	wait_for "all are seen" counter_is 2 "$2" -eq 2000
	replies=$(counter 2 replies_out)
	now_ms
	expect "replies in $((NOW - begun)) ms" "$replies" -le \
		$(((NOW - begun) * $1 / 1000 + 20))
	expect "replies" "$replies" -ge 16
	expect "left out" "$(counter 2 drop_rate)" -eq $((2000 - replies))
}

# Strangers share a budget, which takes nothing from the node's own.
frames__queries_of_strangers() {
	two_nodes
	left_out 100 drop_source src=02:66:66:66:66:66
	prpctl -j -n "$NODE-1" ping n2 count 5 interval 0.01 >/dev/null ||
		fail "the node is not replied to"
}

frames__queries_of_a_node() {
	two_nodes
	left_out 1000 controls_in src="$(mac 1)"
}

# What an attacker or an earlier incarnation sends into a live connection
frames__into_a_connection() {
	local seg

	wired_nodes 2
	bad_wire 1
	connected_pair $PORT
	told_ok client send 1000
	told_ok server recv 1000
	seg=$(wire "$WIRE" w1 frame seg)

	rawframe "$WIRE" w2 hex="$seg" tag=99 payload=1000
	wait_for "a wrong tag is seen" counter_is 2 drop_tag -eq 1
	rawframe "$WIRE" w2 hex="$seg" payload=1000
	wait_for "a repeat is seen" counter_is 2 drop_duplicate -eq 1
	rawframe "$WIRE" w2 hex="$seg" seq=$((0x$(field "$seg" 26 4) + 60000)) \
		payload=1000
	wait_for "one beyond the window is seen" \
		counter_is 2 drop_window -eq 1
	rawframe "$WIRE" w2 hex="$seg" tag=98 flags=$RST len=0 ext=$QUOTE
	wait_for "a forged reset is seen" counter_is 2 drop_tag -eq 2

	told_ok client send 100000
	told_ok server recv 100000
	expect "bytes received" "${ANSWER#ok }" -eq 100000
	release client
	release server
}

request_seen() {
	REQUEST=$(wire "$WIRE" w1 frame req)
}

# A reset that overtakes the answer, or comes instead of it; by its code
frames__reset_of_what_is_not_made_yet() {
	local code=0 error

	wired_nodes 2
	hold client 1
	for error in ECONNRESET ECONNREFUSED ECONNREFUSED EACCES EPROTOTYPE \
		EPROTONOSUPPORT ECONNREFUSED; do
		bad_wire 1 first_req=1000
		echo "connect 2 $PORT 5000" >&"${HOLD_IN[client]}"
		wait_for "it asks" request_seen
		rawframe "$NODE-2" p0 dst="$(mac 1)" src="$(mac 2)" src_node=2 \
			dst_node=1 src_port=$PORT dst_port=5000 flags=$RST \
			tag=$((0x$(field "$REQUEST" 58 4))) \
			"ext=0402$(printf %02x $code)${QUOTE:6:18}$(((code == 5) * 8))0000000"
		read -r -t 60 ANSWER <&"${HOLD_OUT[client]}" ||
			fail "code $code: no answer"
		expect "code $code" "$ANSWER" = $error
		told_ok client close
		code=$((code + 1))
	done
	release client
}

# field HEX OFFSET BYTES
field() {
	echo "${1:$2 * 2:$3 * 2}"
}

# Short frames come padded to 60 bytes from a real device.
frames__padding_is_not_payload() {
	two_nodes
	forged drop_no_conn flags=$SEG tag=5 payload=14 len=1
	xfer -z 1 -d
}

# What Ethernet adds is no part of what a checksum is of.
frames__padding_is_not_checksummed() {
	local size nr

	wired_nodes 2
	bad_wire 1 pad=60
	bad_wire 2 pad=60
	for size in {1..7}; do
		xfer -z $size -d -K
	done
	for nr in 1 2; do
		expect "wrong checksums" "$(counter $nr drop_checksum)" -eq 0
	done
}

frames__nothing_logs_above_debug() {
	two_nodes
	forged drop_short cut=40
	forged drop_version version=77
	forged drop_source src_node=9
	if kernel_log | grep -i prp; then
		fail "a remote host can write into the log"
	fi
}

run_cases
