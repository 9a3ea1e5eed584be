#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tools/dissector/prp.lua makes of frames that are written here from
# their specification: every extension, what is malformed, frames that end at
# any byte. What it makes of the module's own frames is in
# ../tools/dissector.sh.
#
# A case calls frame once for each frame of its capture, then look FIELD...,
# then row NR EXPECTED for the fields of frame NR.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lua=$here/../../tools/dissector/prp.lua
. "$here/../lib/tshark.sh"
export LC_ALL=C

SEG=0x001 REQ=0x002 ANS=0x004 ACKNOW=0x008 ERROR=0x010 EOM=0x020
END=0x040 RST=0x080 OVERRUN=0x100 CON=0x200 QUERY=0x400 RAIL2=0x4000

REQUEST=0103010005b80000000000aa00010000123456780000000a
ANSWER=0203010005b80000000000bb000300011234567800000384
# type 3, 4 units, rails 0 and 2, 2 words, offset 0; 70007 and 9; the words
SACK=03040502000000000001117700000009000000000000000d8000000000000001
# no rail, 2 words, offset 63
SACK_WORDS=03030002003f00000000000000000003c000000000000000
QUOTE=04020200000000bb0000000a00000000
TOO_BIG=0502030000030578000000bb0000000b
FRAGMENT=0601057803e80000
IP_V4=080500000000000000000000000000000000ffff0a000001
IP_V4+=00000000000000000000ffff0a000002
IP_V6=08050000000000002001000000000000000000000000000a
IP_V6+=2001000000000000000000000000000b
ZEROES=00000000000000000000000000000000
PLACE=0a020000000000000000000000000000
COOKIE=0a027f0000000384fedcba9876543210

# --- captures ----------------------------------------------------------------

# record HEX [BYTES]: a frame to the capture, of which so many are kept; each
# is 1 ms after the one before
record() {
	local len=$((${#1} / 2)) kept=${2:-$((${#1} / 2))}

	((kept <= len)) || kept=$len
	printf '%08x%08x%08x%08x%s' $((NR / 1000)) $((NR % 1000 * 1000)) \
		"$kept" "$len" "${1:0:kept * 2}" >>"$DIR/hex"
	NR=$((NR + 1))
}

# frame [KEY=VALUE]...: in $FRAME, and in the capture. ext is in hex, payload
# a number of bytes and their length unless len says another one, pad a number
# of bytes behind them, units another length of the extensions, hops with the
# mark.
frame() {
	local version=2 hops=16 vnet=0 dnode=2 snode=1 sport=40001 dport=5201
	local seq=10 ack=900 len="" flags=0 window=512 txno=1 tag=0xbb ext=""
	local payload=0 pad=0 units="" marks=0 type=88b5 key rest

	for key; do
		local "$key"
	done
	printf -v rest '%*s' "$payload" ''
	rest=$ext${rest// /78}
	printf -v FRAME '%s%s%s%02x%02x%04x%04x%04x%04x%04x' 020000000002 \
		020000000001 "$type" "$version" "$hops" "$vnet" "$dnode" \
		"$snode" "$sport" "$dport"
	printf -v FRAME '%s%08x%08x%04x%04x%08x%04x%02x%02x%08x%s' "$FRAME" \
		"$seq" "$ack" "${len:-$payload}" "$flags" "$txno" "$window" \
		$((${units:-${#ext} / 16})) "$marks" "$tag" "$rest"
	printf -v rest '%*s' "$pad" ''
	FRAME+=${rest// /00}
	record "$FRAME"
}

# back KEY=VALUE...: the same in the other direction
back() {
	frame snode=2 dnode=1 sport=5201 dport=40001 seq=900 ack=10 tag=0xaa \
		"$@"
}

# dissect ARGUMENT...: tshark's output in $OUT; what it has to say to the
# person at the terminal is no part of it
dissect() {
	{
		echo a1b2c3d4000200040000000000000000
		echo 0000ffff00000001
		cat "$DIR/hex"
	} | perl -0777 -ne 's/\s//g; print pack("H*", $_)' >"$DIR/pcap"
	OUT=$(tshark_with "$lua" "$DIR/pcap" "$@" 2>"$DIR/err") ||
		fail "tshark $*: $(<"$DIR/err")"
	if [ -s "$DIR/err" ]; then
		fail "tshark complained: $(<"$DIR/err")"
	fi
	if [[ $OUT == *"Lua Error"* ]]; then
		fail "$(grep "Lua Error" <<<"$OUT" | head -n 3)"
	fi
}

# look FIELD...: their values, one row a frame, with | between fields
look() {
	local fields=()

	for field; do
		fields+=(-e "$field")
	done
	dissect -T fields -E separator='|' "${fields[@]}" "${OPTIONS[@]}"
	mapfile -t ROWS <<<"$OUT"
}

row() {
	[ "${ROWS[$1 - 1]-}" = "$2" ] ||
		fail "frame $1: got ${ROWS[$1 - 1]-nothing}, expected $2"
}

fail() {
	echo "# FAIL: $*"
	exit 1
}

# --- cases -------------------------------------------------------------------

dissector__header() {
	frame flags=$((SEG | ACKNOW | END | RAIL2)) payload=5 txno=77 vnet=3
	look parma.version parma.hops parma.vnet parma.snode parma.dnode \
		parma.sport parma.dport parma.seq_raw parma.ack_raw \
		parma.len parma.window parma.txno parma.tag parma.rail
	row 1 "2|16|3|1|2|40001|5201|10|900|5|512|77|0x000000bb|2"
	look parma.flags parma.flags.seg parma.flags.acknow parma.flags.end \
		parma.flags.req parma.flags.ans parma.flags.rst \
		parma.flags.error parma.flags.eom parma.flags.overrun \
		parma.flags.con parma.flags.zero parma.ext_units \
		parma.payload data.data _ws.col.Protocol
	row 1 "0x4049|1|1|1|0|0|0|0|0|0|0|0x0000|0|7878787878|7878787878|PARMA"
	look parma.node parma.port
	row 1 "2,1|40001,5201"
}

# Written byte for byte, with no two that are the same
dissector__header_at_its_offsets() {
	local bytes=02d31415 want

	bytes+=161718191a1b1c1d		# nodes, ports
	bytes+=1e1f2021222324250003	# seq, ack, len
	bytes+=a141262728292a2b012c	# flags, txno, window, ext, marks
	bytes+=2d2e2f30			# tag
	bytes+=0301000000000000		# selective acknowledgment
	record "020000000002020000000001""88b5${bytes}313233"
	OPTIONS=(-o parma.relative:FALSE)
	look parma.version parma.mark parma.hops parma.vnet parma.dnode \
		parma.snode parma.sport parma.dport parma.seq parma.ack \
		parma.len parma.flags parma.txno parma.window \
		parma.ext_units parma.marks parma.tag parma.payload
	want="2|1|83|$((0x1415))|$((0x1617))|$((0x1819))|$((0x1a1b))"
	want+="|$((0x1c1d))|$((0x1e1f2021))|$((0x22232425))|3|0xa141"
	want+="|$((0x26272829))|$((0x2a2b))|1|44|0x2d2e2f30|313233"
	row 1 "$want"
	look parma.rail parma.flags.seg parma.flags.end parma.flags.overrun \
		parma.drop_short parma.drop_extension parma.drop_flags
	row 1 "5|1|1|1|||"
}

dissector__flags() {
	local bit names=(seg req ans acknow error eom end rst overrun con query)

	for bit in {0..15}; do
		frame flags=$((1 << bit))
	done
	look "${names[@]/#/parma.flags.}" parma.flags.zero parma.rail
	row 1 "1|0|0|0|0|0|0|0|0|0|0|0x0000|0"
	row 2 "0|1|0|0|0|0|0|0|0|0|0|0x0000|0"
	row 3 "0|0|1|0|0|0|0|0|0|0|0|0x0000|0"
	row 4 "0|0|0|1|0|0|0|0|0|0|0|0x0000|0"
	row 5 "0|0|0|0|1|0|0|0|0|0|0|0x0000|0"
	row 6 "0|0|0|0|0|1|0|0|0|0|0|0x0000|0"
	row 7 "0|0|0|0|0|0|1|0|0|0|0|0x0000|0"
	row 8 "0|0|0|0|0|0|0|1|0|0|0|0x0000|0"
	row 9 "0|0|0|0|0|0|0|0|1|0|0|0x0000|0"
	row 10 "0|0|0|0|0|0|0|0|0|1|0|0x0000|0"
	row 11 "0|0|0|0|0|0|0|0|0|0|1|0x0000|0"
	row 12 "0|0|0|0|0|0|0|0|0|0|0|0x0001|0"
	row 13 "0|0|0|0|0|0|0|0|0|0|0|0x0002|0"
	row 14 "0|0|0|0|0|0|0|0|0|0|0|0x0000|1"
	row 15 "0|0|0|0|0|0|0|0|0|0|0|0x0000|2"
	row 16 "0|0|0|0|0|0|0|0|0|0|0|0x0000|4"
}

# All 8 bits of the header's second byte, and of the mark's echo
dissector__marks() {
	frame hops=$((0x80)) marks=255
	frame hops=$((0x7f)) marks=1
	frame hops=$((0xff))
	look parma.mark parma.hops parma.marks
	row 1 "1|0|255"
	row 2 "0|127|1"
	row 3 "1|127|0"
}

# Any window is one: how much of it is made use of is the sender's affair.
dissector__a_window_of_16_bits() {
	frame window=65535
	look parma.window _ws.expert
	row 1 "65535|"
}

# Extensions of more than 15 units, as wire 1 had room for
dissector__many_extensions() {
	local all

	printf -v all '%s030dff08%0200d%s' 0701000000000000 0 0601000007d00000
	frame flags=$SEG payload=2 ext=$all pad=4
	frame flags=$SEG payload=100 ext="${all}0901000a00000000" txno=2
	look parma.ext_units parma.ext.type parma.payload parma.padding \
		parma.drop_short parma.drop_extension parma.drop_flags
	row 1 "15|7,3,6|7878|00000000|||"
	row 2 "16|7,3,6,9|$(printf '78%.0s' {1..100})||||"
	look parma.sack.rail parma.sack.newest parma.fragment.total \
		parma.messages.first_end
	row 2 "0,1,2,3,4,5,6,7|0,0,0,0,0,0,0,0|2000|10"
}

dissector__info() {
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	back flags=$ANS ext=$ANSWER
	frame flags=$((SEG | ACKNOW)) payload=3 ack=900 txno=2
	back ack=12 txno=2 ext=$SACK
	back flags=$RST txno=3 ext=$QUOTE
	back ack=12 txno=4 ext=03020100000000000000000500000000
	back ack=12 txno=5 ext=$SACK_WORDS
	back ack=12 txno=6 ext=0301000000010000
	look _ws.col.Info
	row 1 "40001 -> 5201 [REQ] Seq=0 Ack=0 Win=512 Len=0 Tx=1\
 Size=1464 Tag=0x000000aa"
	row 2 "5201 -> 40001 [ANS] Seq=0 Ack=0 Win=512 Len=0 Tx=1\
 Size=1464 Tag=0x000000bb"
	row 3 "40001 -> 5201 [SEG, ACKNOW] Seq=0 Ack=0 Win=512 Len=3 Tx=2"
	row 4 "5201 -> 40001 [ACK] Seq=0 Ack=2 Win=512 Len=0 Tx=2\
 SACK=3,5-6,67,130"
	row 5 "5201 -> 40001 [RST] Seq=0 Ack=0 Win=512 Len=0 Tx=3 NO_LISTENER"
	row 6 "5201 -> 40001 [ACK] Seq=0 Ack=2 Win=512 Len=0 Tx=4 SACK=none"
	row 7 "5201 -> 40001 [ACK] Seq=0 Ack=2 Win=512 Len=0 Tx=5\
 SACK=3-65?,66-67,192-193"
	row 8 "5201 -> 40001 [ACK] Seq=0 Ack=2 Win=512 Len=0 Tx=6 SACK=3?"
}

dissector__request_and_answer() {
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	back flags=$ANS ext=$ANSWER
	look parma.ext.type parma.ext.units parma.open.sock_type \
		parma.open.seg_size parma.open.tag parma.open.can \
		parma.open.can.checksum parma.open.must \
		parma.open.must.checksum parma.open.table_hash \
		parma.open.first parma.analysis.request_in \
		parma.analysis.answer_time
	row 1 "1|3|1|1464|0x000000aa|0x0001|1|0x0000|0|0x12345678|10||"
	row 2 "2|3|1|1464|0x000000bb|0x0003|1|0x0001|1|0x12345678|900|1|0.001000000"
}

dissector__selective_acknowledgment() {
	back ext=$SACK
	back ext=$SACK_WORDS
	OPTIONS=(-o parma.relative:FALSE)
	look parma.sack.rails parma.sack.words parma.sack.offset \
		parma.sack.rail parma.sack.newest parma.sack.first \
		parma.sack.last parma.sack.segments
	row 1 "0x05|2|0|0,2|70007,9|11,13,75,138|11,14,75,138|5"
	row 2 "0x00|2|63|||74,200|75,201|4"
	look parma.sack.map
	row 1 "0x000000000000000d,0x8000000000000001"
}

# The numbers wrap, with an offset of all its bits, too.
dissector__selective_acknowledgment_that_wraps() {
	frame seq=4294967290 payload=1 flags=$SEG
	back ack=4294967290 ext=03020001000300000000000000000009
	back ack=4294967290 ext=03020001ffff00000000000000000001
	look parma.sack.first parma.sack.last _ws.col.Info
	row 2 "4,7|4,7|5201 -> 40001 [ACK] Seq=0 Ack=0 Win=512 Len=0 Tx=1\
 SACK=1-3?,4,7"
	row 3 "65536|65536|5201 -> 40001 [ACK] Seq=0 Ack=0 Win=512 Len=0 Tx=1\
 SACK=1-65535?,65536"
	OPTIONS=(-o parma.relative:FALSE)
	look parma.sack.first
	row 2 "4294967294,1"
}

# The numbers of an answer that leaves nothing behind are the connection's
# only if they are confirmed, and then they begin at what the cookie says.
dissector__cookies() {
	local request=(flags=$REQ tag=0 ack=0 ext=$REQUEST$IP_V4$PLACE)
	local other=${ANSWER/bb/bc}$COOKIE

	frame "${request[@]}"
	back flags=$ANS txno=0 seq=7777 ext="${other//00000384/00001e61}"
	frame "${request[@]}" txno=2
	back flags=$ANS txno=0 ext=$ANSWER$COOKIE
	frame flags=$CON txno=3 ext=$REQUEST$IP_V4$COOKIE
	frame flags=$CON txno=4 ext=$REQUEST$IP_V4$COOKIE
	back flags=$SEG payload=1 seq=902
	back flags=$ANS txno=0 seq=7777 ext="${other//00000384/00001e61}"
	back flags=$ANS txno=0 ext=$ANSWER$COOKIE
	look parma.flags.con parma.ext.type parma.cookie.slot \
		parma.cookie.first parma.cookie.mac
	row 1 "0|1,8,10|0|0|0x0000000000000000"
	row 4 "0|2,10|127|900|0xfedcba9876543210"
	row 5 "1|1,8,10|127|900|0xfedcba9876543210"
	look parma.stream \
		parma.analysis.retransmission_of parma.analysis.request_in \
		parma.analysis.gap_segments parma.analysis.other_tag
	row 1 "0||||"
	row 2 "0||1||"
	row 3 "0|1|||"
	row 4 "0||3||"
	row 5 "0||||"
	row 6 "0|5|||"
	row 7 "0|||2|"
	row 8 "0||||1"
	row 9 "0|4|3||"
	look _ws.col.Info
	row 1 "40001 -> 5201 [REQ] Seq=0 Ack=0 Win=512 Len=0 Tx=1 Size=1464\
 Tag=0x000000aa IP=10.0.0.1->10.0.0.2"
	row 2 "5201 -> 40001 [ANS] Seq=0 Ack=0 Win=512 Len=0 Tx=0 Size=1464\
 Tag=0x000000bc Cookie"
	row 5 "40001 -> 5201 [CON] Seq=0 Ack=0 Win=512 Len=0 Tx=3 Size=1464\
 Tag=0x000000aa IP=10.0.0.1->10.0.0.2 Cookie"
	row 7 "[Gap] 5201 -> 40001 [SEG] Seq=2 Ack=0 Win=512 Len=1 Tx=1"
}

# The confirmation is all that was captured of a connection's beginning, and
# a request of the next one has come in between.
dissector__confirmation_of_an_earlier_request() {
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST$PLACE
	back flags=$ANS txno=0 ext=$ANSWER$COOKIE
	frame flags=$REQ tag=0 ack=0 ext=${REQUEST/aa/ac}$PLACE
	frame flags=$CON txno=2 ext=$REQUEST$COOKIE
	frame flags=$SEG payload=1 txno=3
	frame flags=$CON sport=40002 ext=$REQUEST$COOKIE ack=901
	back flags=$SEG seq=901 payload=1 dport=40002
	look parma.stream parma.analysis.other_tag parma.seq parma.ack
	row 1 "0||0|0"
	row 2 "0||0|0"
	row 3 "1||0|0"
	row 4 "0||0|0"
	row 5 "0||0|0"
	row 6 "2||0|1"
	row 7 "2||1|0"
}

dissector__reset() {
	back flags=$RST ext=$QUOTE
	look parma.quote.code parma.quote.tag parma.quote.seq_raw \
		_ws.expert.message
	row 1 "2|0x000000bb|10|Reset: NO_LISTENER"
}

dissector__reset_for_features() {
	back flags=$RST ext=04020500000000bb0000000a80010000
	back flags=$RST ext=04020600000000bb0000000a00000000
	look parma.quote.code parma.quote.features \
		parma.quote.features.checksum _ws.expert.message _ws.col.Info
	row 1 "5|0x8001|1|Reset: FEATURES|5201 -> 40001 [RST] Seq=900 Ack=10\
 Win=512 Len=0 Tx=1 FEATURES=0x8001"
	row 2 "6|0x0000|0|Reset: EXPIRED|5201 -> 40001 [RST] Seq=900 Ack=10\
 Win=512 Len=0 Tx=1 EXPIRED"
}

# It is of the conversation of the frame that it quotes.
dissector__error_of_a_forwarder() {
	frame flags=$SEG payload=9 seq=11 dnode=3
	back snode=2 flags=$ERROR tag=0 ext=$TOO_BIG txno=0
	frame flags=$SEG payload=9 seq=11 dnode=3 txno=2
	look parma.stream parma.error.code parma.error.dnode parma.error.mtu \
		parma.error.tag parma.error.seq parma.error.seq_raw
	row 2 "0|3|3|1400|0x000000bb|0|11"
	row 3 "0||||||"
	look _ws.col.Info
	row 2 "5201 -> 40001 [ERROR] Seq=900 Ack=10 Win=512 Len=0 Tx=0\
 TOO_BIG Node=3 MTU=1400"
}

# They are of no connection.
dissector__query_and_reply() {
	local query=0d0401000a0b0c0d0005000100090000$ZEROES
	local reply=0e04010f0a0b0c0d0002000911111111222222220001057803010000
	reply+=00000000

	frame flags=$QUERY sport=0 tag=0 payload=9 ext=$query
	back flags=$QUERY dport=0 tag=0 payload=5 ext=$reply
	frame flags=$QUERY tag=0 payload=9 ext=$query
	frame flags=$SEG payload=9 ext=$query
	look parma.query.cookie parma.query.back parma.query.low \
		parma.query.high parma.reply.node parma.reply.table_hash \
		parma.reply.mtu parma.reply.rails parma.reply.up parma.stream
	row 1 "0x0a0b0c0d|5|1|9||||||"
	row 2 "0x0a0b0c0d||||2|0x11111111|1400|0x03|0x01|"
	look parma.reply.port parma.reply.knows.ip _ws.col.Info
	row 2 "1|1|5201 -> 0 [QUERY] Seq=900 Ack=10 Win=512 Len=5 Tx=1\
 Reply=0a0b0c0d Node=2"
	look _ws.expert.message
	row 3 "a port or addresses where there are none"
}

dissector__fragments() {
	frame flags=$SEG payload=500 ext=0601000003e80000
	frame flags=$SEG payload=500 ext=060101f403e80000 txno=2
	frame flags=$SEG payload=500 ext=060101f403e80000 txno=3
	look parma.fragment.offset parma.fragment.total \
		parma.analysis.retransmission_of _ws.col.Info
	row 1 "0|1000||40001 -> 5201 [SEG] Seq=0 Ack=0 Win=512 Len=500 Tx=1\
 Part=0+500/1000"
	row 2 "500|1000||40001 -> 5201 [SEG] Seq=0 Ack=0 Win=512 Len=500 Tx=2\
 Part=500+500/1000"
	row 3 "500|1000|2|[Retransmission] 40001 -> 5201 [SEG] Seq=0 Ack=0\
 Win=512 Len=500 Tx=3 Part=500+500/1000"
}

dissector__messages() {
	frame flags=$((SEG | EOM)) payload=500 ext=0901006400000000
	frame flags=$((SEG | EOM)) txno=2 seq=11
	look parma.messages.first_end _ws.col.Info
	row 1 "100|40001 -> 5201 [SEG, EOM] Seq=0 Ack=0 Win=512 Len=500 Tx=1\
 FirstEnd=100"
	row 2 "|40001 -> 5201 [SEG, EOM] Seq=1 Ack=0 Win=512 Len=0 Tx=2"
}

dissector__crowd() {
	back ext=0b01004000030000
	back ext=0b01004000030000"0301000000000000"
	look parma.crowd.among parma.crowd.active _ws.col.Info
	row 1 "64|3|5201 -> 40001 [ACK] Seq=0 Ack=0 Win=512 Len=0 Tx=1\
 Among=64 Active=3"
	look parma.crowd.among parma.crowd.active
	row 2 "64|3"
}

# crc32c HEX: bit by bit, and in the order in which the wire has it
crc32c() {
	perl -e 'my $c = 0xffffffff;
		for (unpack("C*", pack("H*", $ARGV[0]))) {
			$c ^= $_;
			$c = $c & 1 ? $c >> 1 ^ 0x82f63b78 : $c >> 1 for 1..8;
		}
		print unpack("H*", pack("V", $c ^ 0xffffffff))' "$1"
}

# frame_crc HEX: of a frame that begins with the extension, behind the
# Ethernet header; hop limit, mark and checksum count as 0
frame_crc() {
	local frame=${1:28}

	crc32c "${frame:0:2}00${frame:4:76}00000000${frame:88}"
}

dissector__checksum() {
	local bare=(flags=$SEG payload=100 ext=0701000000000000) sum borne

	# RFC 3720, B.4: 32 bytes of zeroes
	[ "$(crc32c "$(printf '00%.0s' {1..32})")" = aa36918a ] ||
		fail "the test's own CRC32C"
	frame "${bare[@]}"
	sum=$(frame_crc "$FRAME")
	borne=(flags=$SEG payload=100 ext=07010000"$sum")
	frame "${borne[@]}"
	record "$FRAME" 100
	frame "${borne[@]}" hops=9 pad=3
	frame "${borne[@]}" txno=2
	frame "${borne[@]}" payload=101
	frame "${borne[@]}" hops=$((0x80 + 9))
	frame "${borne[@]}" marks=1
	look parma.checksum.status parma.checksum.bad parma.checksum
	row 1 "0|1|0x00000000"
	row 2 "1||0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 3 "2||0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 4 "1||0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 5 "0|1|0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 6 "0|1|0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 7 "1||0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	row 8 "0|1|0x${sum:6}${sum:4:2}${sum:2:2}${sum:0:2}"
	OPTIONS=(-o parma.checksum:FALSE)
	look parma.checksum.status
	row 2 2
}

dissector__ip() {
	local flags=(flags=$REQ tag=0 ack=0)

	frame "${flags[@]}" ext=$REQUEST$IP_V4
	frame "${flags[@]}" ext=$REQUEST$IP_V6 sport=40002
	look parma.ip.source parma.ip.dest parma.ip.source_v4 parma.ip.dest_v4
	row 1 "::ffff:10.0.0.1|::ffff:10.0.0.2|10.0.0.1|10.0.0.2"
	row 2 "2001::a|2001::b||"
	look _ws.col.Info
	row 1 "40001 -> 5201 [REQ] Seq=0 Ack=0 Win=512 Len=0 Tx=1 Size=1464\
 Tag=0x000000aa IP=10.0.0.1->10.0.0.2"
}

dissector__version_notice() {
	local quote

	frame version=9
	quote=${FRAME:28:64}
	record 0200000000010200000000028"8b50001030900000000$quote"
	record 0200000000010200000000028"8b50001030900000000${quote}0000"
	frame version=1
	frame version=3
	look parma.version parma.drop_version parma.notice.low \
		parma.notice.high parma.notice.got parma.padding \
		_ws.col.Info
	row 1 "9|1|||||Unknown version 9"
	row 2 "0||1|3|9||Version notice: speaks 1 to 3, got 9"
	row 3 "0||1|3|9|0000|Version notice: speaks 1 to 3, got 9"
	row 4 "1|1|||||Unknown version 1"
	row 5 "3|1|||||Unknown version 3"
	look parma.notice.quote
	row 2 "$quote"
}

dissector__padding_is_not_payload() {
	frame flags=$SEG payload=1 pad=13
	frame ext=$SACK pad=2
	look parma.payload parma.padding data.len
	row 1 "78|00000000000000000000000000|1"
	row 2 "|0000|"
}

# Each under the reason under which net/prp/pure/wire.c drops it
dissector__malformed() {
	local rows=() nr words cookie zero

	forged() {
		frame "${@:2}"
		rows+=("$1")
	}
	forged short flags=$SEG payload=10 len=11
	forged short units=15
	forged short units=255
	forged short flags=$SEG payload=5 len=65535
	forged extension ext=6301000000000000
	forged extension ext=0000000000000000
	forged extension ext=0302000000000000
	forged extension ext=0301000900000000
	forged extension ext=0301000100000000
	printf -v words '%0160d' 0
	forged extension ext=${words/#00000000/030a0009}
	forged extension ext=0301000000000001
	forged extension ext=0301000000000100
	forged extension ext=0301010000000000
	forged extension ext=03020100000000000000000500000001
	forged extension ext=${SACK/030405020000/030405010000}
	forged extension ext=$SACK$SACK
	forged extension ext=0101000000000000 flags=$REQ tag=0
	forged extension ext=${REQUEST/05b8/001f} flags=$REQ tag=0
	forged extension ext=${REQUEST/aa/00} flags=$REQ tag=0
	forged extension ext=${REQUEST/01030100/01030101} flags=$REQ tag=0
	forged extension ext=$REQUEST$ANSWER flags=$REQ tag=0
	forged extension ext=${REQUEST/00010000/00010002} flags=$REQ tag=0
	forged extension ext=${REQUEST/00010000/00018000} flags=$REQ tag=0
	forged extension ext=${ANSWER/00030001/00020001} flags=$ANS
	forged extension ext=${QUOTE/040202/040205} flags=$RST
	forged extension ext=${QUOTE/040202/040207} flags=$RST
	forged extension ext=${QUOTE/%00000000/00010000} flags=$RST
	forged extension ext=${QUOTE/%00000000/00000001} flags=$RST
	forged extension ext=04020500000000bb0000000a00010001 flags=$RST
	forged extension ext=${TOO_BIG/050203/050201} flags=$ERROR tag=0
	forged extension ext=${TOO_BIG/0578/0000} flags=$ERROR tag=0
	forged extension ext=${TOO_BIG/050203/050204} flags=$ERROR tag=0
	forged extension ext=$FRAGMENT flags=$SEG payload=500
	forged extension ext=0601000000640000 flags=$SEG payload=100
	forged extension ext=0301000000000000"0701000000000000"
	forged extension ext=0801000000000000
	forged extension ext=0b01000100010000
	forged extension ext=0b01000200000000
	forged extension ext=0b01000200010001
	forged extension ext=0b020002000100000000000000000000
	forged flags flags=$ACKNOW ext=0b01000200010000
	forged flags flags=$SEG payload=1 ext=0b01000200010000
	for cookie in $COOKIE ${PLACE/0a0200/0a0201} ${PLACE/%0/1} \
			0a020000000000010000000000000000; do
		forged extension ext=$REQUEST$cookie flags=$REQ tag=0
	done
	forged extension ext=$REQUEST${PLACE/0a020000/0a020001} flags=$REQ \
		tag=0
	forged extension ext=$REQUEST${COOKIE/7f00/7f01} flags=$CON
	forged extension ext=$REQUEST$COOKIE$COOKIE flags=$CON
	forged extension ext=${REQUEST}0a017f0000000384 flags=$CON
	forged extension ext=${REQUEST}0b01000000000000 flags=$CON
	forged flags flags=$((SEG | REQ)) payload=1
	forged flags flags=$SEG
	forged flags flags=$REQ tag=0
	forged flags flags=$REQ ext=$REQUEST
	forged flags flags=$REQ tag=0 ext=$REQUEST"0301000000000000"
	forged flags flags=$REQ tag=0 ext=$ANSWER
	forged flags flags=$ANS
	forged flags flags=$RST
	forged flags flags=$ERROR tag=0
	forged flags flags=$ERROR ext=$TOO_BIG
	forged flags flags=$((ERROR | ACKNOW)) tag=0 ext=$TOO_BIG
	forged flags payload=1
	forged flags flags=$END
	forged flags ext=$QUOTE
	forged flags ext=$IP_V4
	forged flags ext=$ANSWER$IP_V4 flags=$ANS
	for zero in 0x400 0x800 0x1000; do
		forged flags flags=$zero
		forged flags flags=$((SEG | zero)) payload=1
	done
	forged flags flags=$CON
	forged flags flags=$CON ext=$COOKIE
	forged flags flags=$CON ext=$REQUEST
	forged flags flags=$CON ext=$ANSWER$COOKIE
	forged flags flags=$CON ext=$REQUEST$COOKIE payload=1
	forged flags flags=$CON ext=$REQUEST$COOKIE$QUOTE
	forged flags flags=$((CON | END)) ext=$REQUEST$COOKIE
	forged flags flags=$((CON | EOM)) ext=$REQUEST$COOKIE
	forged flags flags=$((CON | REQ)) ext=$REQUEST$PLACE
	forged flags flags=$((CON | ANS)) ext=$REQUEST$COOKIE
	forged flags flags=$((CON | SEG)) ext=$REQUEST$COOKIE
	forged flags flags=$((CON | RST)) ext=$REQUEST$COOKIE$QUOTE
	forged flags flags=$((CON | ERROR)) tag=0 ext=$REQUEST$COOKIE
	forged flags ext=$COOKIE
	forged flags ext=$COOKIE flags=$SEG payload=1
	forged flags ext=$QUOTE$COOKIE flags=$RST
	forged flags ext=$TOO_BIG$COOKIE flags=$ERROR tag=0
	for zero in sport dport; do
		forged flags flags=$REQ tag=0 ext=$REQUEST $zero=0
		forged flags flags=$ANS ext=$ANSWER $zero=0
		forged flags flags=$CON ext=$REQUEST$COOKIE $zero=0
	done
	look parma.drop_short parma.drop_extension parma.drop_flags \
		parma.stream
	for nr in "${!rows[@]}"; do
		case ${rows[nr]} in
		short)		[[ ${ROWS[nr]} == ?*"||"?"|" ||
				   ${ROWS[nr]} == ?*"|||" ]] ;;
		extension)	[[ ${ROWS[nr]} == "|"?*"||" ]] ;;
		flags)		[[ ${ROWS[nr]} == "||"?*"|" ]] ;;
		esac || fail "frame $((nr + 1)): ${ROWS[nr]}, not ${rows[nr]}"
	done
}

# What is just not malformed
dissector__within_bounds() {
	local row

	frame flags=$REQ tag=0 ext=${REQUEST/05b8/0020}
	frame flags=$REQ tag=0 ext=${REQUEST/00010000/ffffffff}$PLACE
	frame flags=$ANS ext=$ANSWER
	frame flags=$ANS ext=$ANSWER$PLACE$SACK
	frame flags=$CON ext=$REQUEST$PLACE
	frame flags=$((CON | ACKNOW | OVERRUN | RAIL2)) \
		ext=0701000000000000$SACK$COOKIE$IP_V6$REQUEST
	frame ext=0301000012340000
	frame flags=$RST ext=040205000000000000000000ffff0000
	frame flags=$OVERRUN hops=255 window=0 marks=255 txno=0xffffffff
	look parma.drop_short parma.drop_extension parma.drop_flags
	for row in "${ROWS[@]}"; do
		[ "$row" = "||" ] || fail "$row"
	done
	[ ${#ROWS[@]} = 9 ] || fail "${#ROWS[@]} frames"
	look parma.txno
	row 9 4294967295
}

# Of each kind of frame all beginnings, short on the wire or cut by the
# capture: none is taken for whole, none makes the dissector fail.
dissector__frames_that_end_at_any_byte() {
	local kinds kind len nr=0 whole=0

	kinds=("flags=$REQ tag=0 ack=0 ext=0701000000000000$REQUEST$IP_V4"
	       "flags=$ANS ext=$ANSWER$SACK" "ext=$SACK_WORDS"
	       "flags=$SEG payload=40 ext=0601000003e80000"
	       "flags=$RST ext=$QUOTE" "flags=$ERROR tag=0 ext=$TOO_BIG"
	       "flags=$REQ tag=0 ack=0 ext=$REQUEST$PLACE"
	       "flags=$ANS ext=$ANSWER$COOKIE"
	       "flags=$CON ext=$REQUEST$IP_V4$COOKIE"
	       "version=0" "version=1")
	for kind in "${kinds[@]}"; do
		frame $kind
		if [ "$kind" = version=0 ]; then
			FRAME+=00000000
		fi
		for ((len = 28; len < ${#FRAME}; len += 2)); do
			record "${FRAME:0:len}"
			record "$FRAME" $((len / 2))
		done
	done
	dissect -V
	look frame.number parma.drop_short parma.cut parma.drop_version \
		parma.drop_flags
	for kind in "${ROWS[@]}"; do
		nr=$((nr + 1))
		[ "$kind" != "$nr||||" ] || whole=$((whole + 1))
	done
	[ "$nr" = "$NR" ] || fail "$nr frames of $NR dissected"
	# Of these without complaint: 9 that are whole, 40 that are cut within
	# the payload, 22 of which nothing is there.
	[ "$whole" = 71 ] || fail "$whole frames of $nr passed"
}

dissector__random_bytes() {
	local nr

	while read -r bytes; do
		record "02000000000202000000000188b502$bytes"
	done < <(perl -e 'srand(7); for (1..3000) {
		my $len = int rand 150;
		# Lengths that fit now and then, and known extensions
		my @b = map { int rand 256 } 1..$len;
		if ($len > 40) {
			$b[19] = 0; $b[20] = int rand 40;
			$b[21] &= 0xe3; $b[29] = int rand 8;
			$b[35] = int rand 12; $b[36] = int rand 6;
		}
		printf "%02x" x @b . "\n", @b }')
	dissect -V
	nr=$(grep -c '^PRP, the PaRma Protocol' <<<"$OUT")
	[ "$nr" = 3000 ] || fail "$nr frames of 3000 dissected"
}

dissector__relative_numbers() {
	frame flags=$SEG payload=1 seq=4294967295 ack=5
	frame flags=$SEG payload=1 seq=0 ack=5 txno=2
	back ack=1 seq=5
	look parma.seq parma.ack parma.seq_raw parma.ack_raw
	row 1 "0|0|4294967295|5"
	row 2 "1|0|0|5"
	row 3 "0|2|5|1"
	OPTIONS=(-o parma.relative:FALSE)
	look parma.seq parma.ack
	row 2 "0|5"
}

dissector__repeats_gaps_and_acknowledgments() {
	frame flags=$SEG payload=1 seq=10 txno=1
	frame flags=$SEG payload=1 seq=12 txno=3
	frame flags=$SEG payload=1 seq=11 txno=2
	frame flags=$SEG payload=1 seq=14 txno=5
	back ack=13 txno=1
	frame flags=$SEG payload=1 seq=13 txno=6
	frame flags=$SEG payload=1 seq=13 txno=7
	frame flags=$SEG payload=1 seq=13 txno=7
	frame flags=$ACKNOW seq=16 txno=9
	back ack=14 txno=2
	frame flags=$SEG payload=1 seq=15 txno=40009
	look parma.analysis.retransmission parma.analysis.duplicate \
		parma.analysis.overtaken parma.analysis.gap_segments \
		parma.analysis.retransmission_of \
		parma.analysis.retransmission_time \
		parma.analysis.acks_frame parma.analysis.ack_time
	row 1 "|||||||"
	row 2 "|||1||||"
	row 3 "||1|||||"
	row 4 "|||1||||"
	row 5 "||||||2|0.003000000"
	row 6 "1|||||||"
	row 7 "1||||6|0.001000000||"
	row 8 "|1|||7|0.001000000||"
	row 9 "|||1||||"
	row 10 "||||||8|0.002000000"
	row 11 "1|||||||"
}

# The same two ports again: another connection, by its tags
dissector__connections_are_told_apart() {
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	back flags=$ANS ext=$ANSWER
	frame flags=$SEG payload=1 txno=2
	frame flags=$REQ tag=0 ack=0 ext=${REQUEST/aa/ac} txno=1 seq=5000
	back flags=$ANS ext=${ANSWER/bb/bc} tag=0xac
	frame flags=$SEG payload=1 txno=2 tag=0xbc
	frame flags=$SEG payload=1 txno=3 tag=0xbb
	frame flags=$SEG payload=1 txno=3 tag=0x99
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	frame flags=$SEG payload=1 sport=40002
	look parma.stream parma.analysis.other_tag \
		parma.analysis.retransmission_of
	row 1 "0||"
	row 2 "0||"
	row 3 "0||"
	row 4 "1||"
	row 5 "1||"
	row 6 "1||"
	row 7 "0||3"
	row 8 "1|1|"
	row 9 "0||1"
	row 10 "2||"
}

# The capture begins within a connection; a request begins the next one.
dissector__a_request_after_an_unknown_beginning() {
	frame flags=$SEG payload=1 txno=9
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	look parma.stream
	row 1 0
	row 2 1
}

# Both connect, and it is one connection.
dissector__simultaneous_connect() {
	frame flags=$REQ tag=0 ack=0 ext=$REQUEST
	back flags=$REQ tag=0 ack=0 ext=${REQUEST/aa/bb}
	frame flags=$ANS ext=${ANSWER/bb/aa} txno=2
	back flags=$ANS ext=$ANSWER txno=2
	look parma.stream parma.analysis.other_tag
	row 1 "0|"
	row 2 "0|"
	row 3 "0|"
	row 4 "0|"
	look parma.analysis.retransmission parma.analysis.request_in
	row 3 "|2"
	row 4 "|1"
}

dissector__another_ethertype() {
	frame type=88b6
	look parma.version
	row 1 ""
	OPTIONS=(-o parma.ethertype:0x88b6)
	look parma.version
	row 1 2
}

# --- the run -----------------------------------------------------------------

run_case() (
	DIR=$(mktemp -d)
	trap 'rm -r "$DIR"' EXIT
	: >"$DIR/hex"
	NR=0
	OPTIONS=()
	"$1"
)

mapfile -t names < <(sed -n 's/^\([a-z0-9_]*__[a-z0-9_]*\)() {.*/\1/p' "$0")
for i in "${!names[@]}"; do
	[[ ${names[i]} == ${CASES:-*} ]] || unset "names[i]"
done
echo "TAP version 13"
echo "1..${#names[@]}"
nr=0 failed=0
for name in "${names[@]}"; do
	nr=$((nr + 1))
	if run_case "$name"; then
		echo "ok $nr $name"
	else
		echo "not ok $nr $name"
		failed=1
	fi
done
exit $failed
