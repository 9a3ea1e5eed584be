#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A file from nginx, unmodified, by sendfile(), to curl: over PRP under prprun
# and over TCP in the same boot, at MTU 1500, on veth as it comes.
. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/lib_bars.sh"
. "$HERE/lib/programs.sh"

BYTES=8000000
LIMIT_MS=600000		# the clock jumps while programs are read from disk

# got [COMMAND...]: milliseconds that it took from asking to the last byte, the
# second time, in $TOOK
got() {
	serve 2 80 "$@" nginx -p "$DIR" -c "$DIR/conf"
	for _ in 1 2; do
		TOOK=$(in_node 1 "$@" curl -sS --max-time 600 -o /dev/null \
			-w '%{size_download} %{time_total}' http://10.9.0.2/f)
		[ "${TOOK% *}" = $BYTES ] || fail "not all came: $TOOK"
	done
	TOOK=$(awk "BEGIN { print ${TOOK#* } * 1000 }")
	stop "$STARTED"
}

nginx__a_file_in_at_most_tcps_time_as_shipped() {
	local prp=() tcp=() segments

	new_folder
	two_nodes
	long_frames 1 2
	a_file f $BYTES
	nginx_config 1 10.9.0.2:80 >"$DIR/conf"
	for _ in 1 2 3; do
		got
		tcp+=("$TOOK")
		segments=$(counter 1 segs_in)
		got prprun
		prp+=("$TOOK")
		expect "segments of PRP" \
			$(($(counter 1 segs_in) - segments)) -ge \
			$((2 * BYTES / 1464))
	done
	expect_float "ms: PRP's median ${prp[*]} of TCP's ${tcp[*]}" \
		"$(ratio "$(median "${prp[@]}")" "$(median "${tcp[@]}")")" \
		"<=" "$(amount 1.02 1)"
}

run_bars
