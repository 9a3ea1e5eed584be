#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Holds what tools/dissector/prp.lua says of the captures of dissector.sh
# against what the module counted:
#
#	dissected.sh DIRECTORY
#
# needs no module and no privileges.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/tshark.sh"

LUA=$HERE/prp.lua

# counter NODE NAME, as it was when the captures ended
counter() {
	local all

	all=$(<"$DIR/counted-$1")
	[[ $all =~ \""$2"\":[[:space:]]*([0-9]+) ]] ||
		fail "no counter $2 in: $all"
	echo "${BASH_REMATCH[1]}"
}

# dissect NODE FIELD...: the fields' values with | between them, in ROWS, a
# row for each frame that was seen there
dissect() {
	local fields=() field

	for field in "${@:2}"; do
		fields+=(-e "$field")
	done
	OUT=$(tshark_with "$LUA" "$DIR/seen-$1" -Y parma \
	      -T fields -E separator='|' "${fields[@]}" 2>"$ERRORS") ||
		fail "$(<"$ERRORS")"
	mapfile -t ROWS <<<"$OUT"
	if [ -s "$ERRORS" ]; then
		fail "tshark complains: $(<"$ERRORS")"
	fi
}

# rows PATTERN: how many there are that match
rows() {
	local row count=0

	for row in "${ROWS[@]}"; do
		[[ $row != $1 ]] || count=$((count + 1))
	done
	echo "$count"
}

# Where frames were sent that the wire lost
losses__as_the_sender_sees_it() {
	local row again payload sum=0

	dissect 1 parma.snode parma.seq parma.analysis.retransmission_of \
		parma.analysis.retransmission parma.sack.first parma.payload \
		_ws.col.Info parma.analysis.answer_time parma.drop_short \
		parma.drop_extension parma.drop_flags parma.padding \
		parma.analysis.other_tag
	expect "frames" "${#ROWS[@]}" -eq \
		$(($(counter 1 frames_out) + $(counter 1 frames_in)))
	expect "frames without fault" "$(rows "[12]|*|||||")" \
		-eq "${#ROWS[@]}"
	expect "requests" "$(rows "1|0|*[[]REQ]*")" \
		-eq $((1 + $(counter 1 requests_retransmitted)))
	expect "answers with a time" "$(rows "2|0|*[[]ANS]*|0.0*")" \
		-eq $((1 + $(counter 2 answers_retransmitted)))
	expect "repeats" "$(rows "1|*|?*|1|*[[]Retransmission]*[[]*SEG*")" \
		-eq "$(counter 1 segs_retransmitted)"
	expect "repeats of the first one lost" \
		"$(rows "1|5|?*|1|*[[]Retransmission]*Seq=5 *Len=1464*")" -ge 1
	expect "repeats of the second one lost" \
		"$(rows "1|9|?*|1|*[[]Retransmission]*Seq=9 *Len=1464*")" -ge 1
	expect "selective acknowledgments from 6 on" \
		"$(rows "2|0|||6*|*SACK=6*")" -ge 1
	expect "ends" "$(rows "[12]|*[[]*END[],]*")" -ge 2
	for row in "${ROWS[@]}"; do
		IFS='|' read -r _ _ again _ _ payload _ <<<"$row"
		[ -n "$again" ] || sum=$((sum + ${#payload} / 2))
	done
	expect "bytes of payload" $sum -eq $((30 * 1464))
}

losses__as_the_receiver_sees_it() {
	dissect 2 parma.snode parma.seq parma.analysis.retransmission_of \
		parma.analysis.retransmission parma.analysis.gap_segments
	expect "frames" "${#ROWS[@]}" -eq \
		$(($(counter 2 frames_out) + $(counter 2 frames_in)))
	expect "gaps before 6" "$(rows "1|6|||1")" -eq 1
	expect "gaps before 10" "$(rows "1|10|||1")" -eq 1
	expect "repeats of what had not come" "$(rows "1|[59]||1|")" -eq 2
}

# Malformed frames: the dissector's field is called as the module's counter.
reasons__as_many_as_the_module_gives() {
	local reason

	for reason in drop_short drop_extension drop_flags drop_version; do
		dissect 2 parma.version "parma.$reason"
		expect "$reason" "$(counter 2 "$reason")" -ge 1
		expect "$reason" "$(rows "[29]|?*")" \
			-eq "$(counter 2 "$reason")"
	done
}

reasons__resets_and_notices() {
	dissect 2 parma.version parma.snode parma.notice.got \
		parma.quote.code parma.quote.seq_raw _ws.col.Info
	expect "notices" "$(rows "0||9|||Version notice: speaks 2 to 2,*")" \
		-eq 1
	expect "resets of nobody's segment" \
		"$(rows "2|2||1|1234|*[[]RST]*NO_CONN*")" -eq 1
	expect "resets of a request" \
		"$(rows "2|2||2|*|*[[]RST]*NO_LISTENER*")" -eq 1
	expect "resets of a confirmation" \
		"$(rows "2|2||6|5678|*[[]RST]*EXPIRED*")" -eq 1
}

# --- the run -----------------------------------------------------------------

[ -d "${1-}" ] || { echo "usage: dissected.sh DIRECTORY" >&2; exit 2; }
names=()
while read -r name; do
	[ ! -d "$1/${name%%__*}" ] || names+=("$name")
done < <(sed -n 's/^\([a-z0-9_]*__[a-z0-9_]*\)() *[{(].*/\1/p' "$0")
ERRORS=$(mktemp)
trap 'rm "$ERRORS"' EXIT
echo "TAP version 13"
echo "1..${#names[@]}"
nr=0 failed=0
# if there is none at all, its name is *
for folder in "$1"/*/; do
	topic=$(basename "$folder")
	[[ " ${names[*]}" != *" ${topic}__"* ]] || continue
	echo "# no case for $folder"
	failed=1
done
for name in "${names[@]}"; do
	nr=$((nr + 1))
	DIR=$1/${name%%__*}
	if ("$name"); then
		echo "ok $nr $name"
	else
		echo "not ok $nr $name"
		failed=1
	fi
done
exit $failed
