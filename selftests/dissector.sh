#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tools/dissector/prp.lua makes of the module's own frames, held against
# what the module and the wire counted. Frames that the module never sends are
# in unit/test_dissector.sh.
. "$(dirname "$0")/lib.sh"

PORT=4000
SEG=0x001
REQ=0x002
ANS=0x004
RST=0x080
HELLO=0103010005bc000012345678000000000000000000000007
QUOTE=04020200000000000000000000000000

# capture NODE...: from now on all frames of their p0
capture() {
	local nr

	CAPTURES=$(mktemp -d)
	CAPTURERS=()
	for nr; do
		in_node "$nr" tcpdump -Z root -U --immediate-mode -i p0 \
			-w "$CAPTURES/$nr" 2>/dev/null &
		CAPTURERS[nr]=$!
		wait_for "the capture begins" [ -s "$CAPTURES/$nr" ]
	done
}

# end_capture NODE: by a frame of another EtherType that goes nowhere and says
# "The capture ends"
end_capture() {
	rawframe "$NODE-$1" p0 type=0x88b6 dst="$(mac "$1")" src="$(mac "$1")" \
		src_node=0x5468 src_port=0x6520 dst_port=0x6361 \
		seq=0x70747572 ack=0x6520656e len=0x6473
	wait_for "the capture ends" grep -qa "capture ends" "$CAPTURES/$1"
	kill "${CAPTURERS[$1]}"
	wait "${CAPTURERS[$1]}" || :
}

# Its library is mapped; in a virtual machine that sees another one's files
# each page would come by itself.
tshark_near() {
	local library

	library=$(ldd "$(type -P tshark)" |
		  sed -n 's/.*=> \(.*libwireshark[^ ]*\) .*/\1/p')
	[ -e "$NEAR/${library##*/}" ] || cp -L "$library" "$NEAR"
	LD_LIBRARY_PATH=$NEAR tshark "$@"
}

# captured FIELD...: the fields' values with | between them, a row for each
# frame; seen_at NODE chooses
captured() {
	local fields=(-e eth.type) field nr

	for nr in "${!CAPTURERS[@]}"; do
		end_capture "$nr"
	done
	for field; do
		fields+=(-e "$field")
	done
	# A file's header has 24 bytes.
	{
		head -c 24 "$CAPTURES/$nr"
		tail -q -c +25 "$CAPTURES"/[12]
	} >"$CAPTURES/all"
	tshark_near -X "lua_script:$HERE/prp.lua" -r "$CAPTURES/all" \
		-T fields -E separator='|' "${fields[@]}" \
		>"$CAPTURES/rows" 2>"$CAPTURES/log" ||
		fail "$(<"$CAPTURES/log")"
	mapfile -t ALL_ROWS <"$CAPTURES/rows"
	if grep -v '^Running as user' "$CAPTURES/log"; then
		fail "tshark complains"
	fi
	rm -r "$CAPTURES"
}

# seen_at NODE: leaves the rows of its frames in ROWS
seen_at() {
	local row node=1

	ROWS=()
	[ "${#CAPTURERS[@]}" = 2 ] || node=$1
	for row in "${ALL_ROWS[@]}"; do
		if [[ $row == 0x88b6* ]]; then		# a capture ends
			node=$((node + 1))
		elif [[ $row == 0x88b5* ]] && [ $node = "$1" ]; then
			ROWS+=("${row#*|}")
		fi
	done
}

# rows PATTERN: how many there are that match
rows() {
	local row count=0

	for row in "${ROWS[@]}"; do
		[[ $row != $1 ]] || count=$((count + 1))
	done
	echo "$count"
}

# 30 segments, of which the wire loses two that do not follow each other
dissector__shows_what_was_lost_on_the_way() {
	wired_nodes 2
	bad_wire 1 list=5,9
	hold server 2
	told_ok server listen $PORT 1
	capture 1 2
	hold client 1
	told_ok client connect 2 $PORT
	told_ok server accept
	told_ok client send $((30 * 1468))
	told_ok server recv $((30 * 1468))
	told_ok client close
	told_ok server close
	wait_for "all connections are freed" all_freed
	captured parma.snode parma.seq parma.analysis.repeat_of \
		parma.analysis.repeat parma.analysis.gap_segments \
		parma.sack.first parma.payload _ws.col.Info \
		parma.analysis.answer_time parma.drop_short \
		parma.drop_extension parma.drop_flags parma.window.large \
		parma.padding parma.analysis.other_tag
	release client
	release server
	seen_by_the_sender
	seen_by_the_receiver
}

seen_by_the_sender() {
	local row again payload sum=0

	seen_at 1
	expect "frames" "${#ROWS[@]}" -eq \
		$(($(counter 1 frames_out) + $(counter 1 frames_in)))
	expect "frames without fault" "$(rows "[12]|*||||||")" -eq "${#ROWS[@]}"
	expect "requests" "$(rows "1|0|*[[]REQ]*")" -eq 1
	expect "answers with a time" "$(rows "2|0|*[[]ANS]*|0.0*")" -eq 1
	expect "repeats" "$(rows "1|*|?*|1||*[[]Repeat]*")" -eq 2
	expect "repeats of the first one lost" \
		"$(rows "1|5|?*|1|*[[]Repeat]*Seq=5 *Len=1468*")" -eq 1
	expect "repeats of the second one lost" \
		"$(rows "1|9|?*|1|*[[]Repeat]*Seq=9 *Len=1468*")" -eq 1
	expect "selective acknowledgements from 6 on" \
		"$(rows "2|0||||6*|*SACK=6*")" -ge 1
	expect "ends" "$(rows "*[[ ]END[],]*")" -eq 2
	for row in "${ROWS[@]}"; do
		IFS='|' read -r _ _ again _ _ _ payload _ <<<"$row"
		[ -n "$again" ] || sum=$((sum + ${#payload} / 2))
	done
	expect "bytes of payload" $sum -eq $((30 * 1468))
}

seen_by_the_receiver() {
	seen_at 2
	expect "frames" "${#ROWS[@]}" -eq \
		$(($(counter 2 frames_out) + $(counter 2 frames_in)))
	expect "gaps" "$(rows "*[[]Gap]*")" -eq 2
	expect "gaps before 6" "$(rows "1|6|||1|*")" -eq 1
	expect "gaps before 10" "$(rows "1|10|||1|*")" -eq 1
	expect "repeats of what had not come" "$(rows "1|[59]||1|*")" -eq 2
}

# forged KEY=VALUE...: node 1 sends such a frame, whatever node 2 says to it
forged() {
	rawframe "$NODE-1" p0 dst="$(mac 2)" src="$(mac 1)" src_node=1 \
		dst_node=2 src_port=1 dst_port=$PORT "$@"
	FORGED=$((FORGED + 1))
}

# same_reason REASON: as many frames as the module dropped for it
same_reason() {
	local of_dissector column=

	case $1 in
	drop_short)	column="*|?*|*|*|*" ;;
	drop_extension)	column="*|*|?*|*|*" ;;
	drop_flags)	column="*|*|*|?*|*" ;;
	drop_version)	column="*|*|*|*|?*" ;;
	esac
	of_dissector=$(rows "1|$column")
	expect "$1" "$of_dissector" -ge 1
	expect "$1" "$of_dissector" -eq "$(counter 2 "$1")"
}

dissector__gives_the_reasons_that_the_module_gives() {
	local FORGED=0 reason

	two_nodes
	capture 2
	forged cut=45
	forged flags=$SEG payload=10 len=11
	forged extlen=15
	forged ext=6301000000000000
	forged ext=0000000000000000
	forged ext=0302000000000000
	forged ext=0301000900000000
	forged ext=0301000000000001
	forged ext=03010000000000000301000000000000
	forged ext=04020500000000000000000000000000 flags=$RST
	forged ext=${HELLO/05bc/0023} flags=$REQ
	forged ext=${HELLO/12345678/00000000} flags=$REQ
	forged ext=05020400000300000000000000000000 flags=0x010
	forged ext=05020100000305780000000000000000 flags=0x010
	forged ext=0601000000640000 flags=$SEG payload=100
	forged ext=03010000000000000701000000000000
	forged ext=0801000000000000
	forged flags=$((SEG | REQ)) ext=$HELLO payload=1
	forged flags=$REQ
	forged flags=$REQ ext=$HELLO tag=1
	forged flags=$ANS ext=$HELLO
	forged payload=1
	forged flags=$RST
	forged flags=$((RST | SEG)) ext=$QUOTE
	forged ext=$QUOTE
	forged version=9
	wait_for "node 2 drops them all" counter_is 2 frames_in -ge $FORGED
	forged flags=$SEG payload=1 tag=5 seq=1234
	forged flags=$REQ ext=$HELLO
	wait_for "node 2 drops the last one" \
		counter_is 2 drop_no_listener -eq 1
	captured parma.snode parma.drop_short parma.drop_extension \
		parma.drop_flags parma.drop_version parma.version \
		parma.notice.got parma.quote.code parma.quote.seq_raw \
		_ws.col.Info
	seen_at 2
	for reason in drop_short drop_extension drop_flags; do
		same_reason $reason
	done
	expect "unknown versions" "$(rows "||||1|9||||*")" -eq 1
	expect "notices" "$(rows "|||||0|9|||Version notice: speaks 1 to 1,*")" \
		-eq 1
	expect "resets of nobody's segment" \
		"$(rows "2|||||1||1|1234|*[[]RST]*NO_CONN*")" -eq 1
	expect "resets of a request" \
		"$(rows "2|||||1||2|*|*[[]RST]*NO_LISTENER*")" -eq 1
}

NEAR=$(mktemp -d)
trap 'rm -r "$NEAR"' EXIT
run_cases
