#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpperf where no kernel that knows PRP is needed: all experiments over TCP,
# UDP and Unix sockets of this machine, what it says of wrong words, and that it
# always comes to an end.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
make -s -C "$here/../../tools/prpperf" prpperf || exit
PATH=$here/../../tools/prpperf:$PATH
export LC_ALL=C
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT
AT=127.0.0.1

fail() {
	echo "# FAIL: $*"
	exit 1
}

# perf STATUS WORD...: what it prints is in $OUT, what it complains of in $ERR
perf() {
	local rc=0

	timeout 60 prpperf "${@:2}" >"$DIR/out" 2>"$DIR/err" || rc=$?
	OUT=$(<"$DIR/out")
	ERR=$(<"$DIR/err")
	[ $rc = "$1" ] || fail "${*:2}: status $rc, not $1: $OUT $ERR"
}

# holds EXPRESSION: of $OUT, which is JSON, as x
holds() {
	python3 -c 'import json, sys
x = json.load(sys.stdin)
sys.exit(not eval(sys.argv[1]))' "$1" <<<"$OUT" || fail "not $1: $OUT"
}

# has EXPRESSION WORD...: what it prints holds, of five times at most: where a
# machine has others to do a flow may have no round, or no time that all had
has() {
	for _ in 1 2 3 4; do
		perf 0 "${@:2}"
		(holds "$1") >/dev/null 2>&1 && return
	done
	perf 0 "${@:2}"
	holds "$1"
}

# refused WORD...: one line that says why, and nothing is measured
refused() {
	perf 2 "$@"
	[ -z "$OUT" ] && [ -n "$ERR" ] || fail "$*: $OUT $ERR"
}

prpperf__wrong_words_are_refused() {
	local words

	while read -r words; do
		# shellcheck disable=SC2086
		refused $words
	done <<-WORDS

	none here
	pingpong
	pingpong 1 2 3
	pingpong 1@
	pingpong 1@netns:
	pingpong 1@ssh:
	pingpong 1@ssh:-oProxyCommand=x
	pingpong @netns:x
	clients 1
	-f none pingpong 1
	-f packet pingpong lo
	-f packet clients lo lo
	-z 0x4 pingpong 1
	-z 4, pingpong 1
	-z -1 pingpong 1
	-z 1048577 pingpong 1
	-z 18446744073709551616 pingpong 1
	-n 0 pingpong 1
	-c 0 spray 1
	-t 0 pingpong 1
	-t 1x pingpong 1
	-L nan pingpong 1
	-m 67 pingpong 1
	--none pingpong 1
	WORDS
}

prpperf__tells_its_version_and_help() {
	local name

	perf 0 -V
	[[ $OUT == prpperf\ * ]] || fail "$OUT"
	perf 0 --help
	for name in pingpong bandwidth spray logp permute clients scale prp \
		prp-seq tcp udp sctp packet unix; do
		[[ $OUT == *"  $name "* ]] || fail "no $name: $OUT"
	done
}

prpperf__pingpong_of_all_sizes() {
	local family

	for family in tcp unix; do
		perf 0 -j -C -n 20 -f $family pingpong $AT
		holds 'x["experiment"] == "pingpong" and not x["interrupted"]'
		holds 'x["error"] is None and len(x["rows"]) == 25'
		# a stream has no empty messages
		holds 'x["rows"][0]["rounds"] == 0'
		holds 'all(r["rounds"] == 20 for r in x["rows"][1:])'
		holds 'all(0 < r["min_us"] <= r["p50_us"] <= r["max_us"]
			for r in x["rows"][1:])'
		holds 'x["fit"]["L1_us"] > 0'
	done
}

prpperf__datagrams_of_0_and_1_and_the_largest() {
	perf 0 -j -C -n 20 -f udp -z 0,1,65507,65508 pingpong $AT
	holds '[r["rounds"] for r in x["rows"]] == [20, 20, 20, 0]'
	holds 'all(r["lost"] == 0 for r in x["rows"])'
}

prpperf__largest_messages_of_a_stream() {
	perf 0 -j -C -n 3 -f tcp -z 1048575,1048576 pingpong ::1
	holds '[r["rounds"] for r in x["rows"]] == [3, 3]'
	perf 0 -j -C -n 3 -c 2 -f tcp -z 1048576 bandwidth localhost
	holds 'x["rows"][0]["arrived"] == 1'
}

prpperf__bandwidth() {
	perf 0 -j -C -n 2 -f unix bandwidth here
	holds 'all(r["arrived"] == 1 and r["rounds"] == 2 for r in x["rows"])'
	perf 0 -j -n 2 -f tcp -N -S 4096 -R 4096 -z 65536 -c 10 bandwidth $AT
	holds 'x["rows"][0]["MB_s"] > 0'
}

# More than all buffers hold: who only sends would wait for ever.
prpperf__spray_does_not_lock_up() {
	perf 0 -j -C -n 2 -w 1 -f tcp -S 4096 -R 4096 spray $AT
	holds 'len(x["rows"]) == 28'
	holds 'all(r["rounds"] == 2 for r in x["rows"])'
}

prpperf__logp() {
	perf 0 -j -n 50 -c 64 -f tcp logp $AT
	holds 'x["rows"][0]["o_send_us"] > 0 and x["rows"][0]["gap_us"] > 0'
}

prpperf__permutations() {
	has 'all(r["least_s"] > 0 for r in x["rows"])' \
		-j -t 0.5 -f unix permute a b c d e
	# all five, then the odd one out has nobody
	holds '[r["flows"] for r in x["rows"]] == [5, 4, 4] * 2'
}

prpperf__clients_up_to_92() {
	has 'all(r["least_s"] > 0 for r in x["rows"])' \
		-j -t 0.5 -f tcp -c 1,2,92 -z 4 clients $AT $AT $AT
	holds '[r["flows"] for r in x["rows"]] == [1, 2, 92]'
	has 'x["rows"][0]["least_s"] > 0' \
		-j -t 0.5 -f udp -c 92 -z 4 clients $AT $AT
}

prpperf__scale() {
	perf 0 -j -t 0.1 -f unix scale a b c d e
	holds '[r["nodes"] for r in x["rows"]] == [2, 4, 2, 4]'
}

# Of what a family cannot carry there is a row, and nothing is measured.
prpperf__udp_scale() {
	has 'x["rows"][0]["least_s"] > 0 and x["error"] is None' \
		-j -t 0.5 -f udp scale $AT $AT
	holds '[r["bytes"] for r in x["rows"]] == [4, 65536]'
	holds 'all(x["rows"][1][k] is None for k in x["rows"][1]
		if k not in ("nodes", "bytes", "flows"))'
	perf 0 -j -n 20 -f udp -z 65508,4 -c 1 clients $AT $AT
	holds '[r["rounds_s"] is None for r in x["rows"]] == [True, False]'
	has 'all((r["most_s"] is None) == (r["bytes"] == 0)
		for r in x["rows"]) and len(x["rows"]) == 6' \
		-j -t 0.1 -f tcp -z 0,4 permute $AT $AT
}

# One of two nodes begins when the other one has long ended.
prpperf__rates_are_of_a_time_that_all_had() {
	mkdir -p "$DIR/bin"
	cat >"$DIR/bin/ssh" <<-'END'
	#!/bin/sh
	host=$3
	shift 3
	while read -r line; do
		[ "$host ${line%% *}" != "late go" ] || sleep 3
		echo "$line"
	done | "$@"
	END
	chmod +x "$DIR/bin/ssh"
	PATH=$DIR/bin:$PATH perf 0 -j -t 0.1 -z 4 -f tcp -c 2 \
		clients $AT $AT@ssh:early $AT@ssh:late
	holds 'x["rows"][0]["p50_us"] > 0'
	holds 'x["rows"][0]["rounds_s"] is None'
	holds 'x["rows"][0]["least_s"] is x["rows"][0]["most_s"] is None'
	PATH=$DIR/bin:$PATH perf 0 -j -t 6 -z 4 -f tcp -c 2 \
		clients $AT $AT@ssh:early $AT@ssh:late
	holds '0 < x["rows"][0]["least_s"] <= x["rows"][0]["most_s"]'
}

# The fit is of messages that fill a frame.
prpperf__knows_the_header() {
	local bytes

	bytes=$(sed -n 's/^static_assert(sizeof(struct prp_hdr) == \(.*\));/\1/p' \
		"$here/../../net/prp/pure/wire.h")
	grep -q "HEADERS_PRP = ${bytes:?}," \
		"$here/../../tools/prpperf/family.c" || fail "not $bytes bytes"
}

# Nothing is measured on for nobody.
prpperf__ends_where_its_output_does() {
	local words rc

	for words in "-n 3 pingpong $AT" "-j -t 0.1 clients $AT $AT" \
		"-t 30 -z 4,5,6 scale $AT $AT"; do
		rc=0
		# shellcheck disable=SC2086
		timeout 20 prpperf -f tcp $words >/dev/full 2>"$DIR/err" ||
			rc=$?
		[ $rc = 1 ] || fail "$words: status $rc"
		grep -q "No space left on device" "$DIR/err" ||
			fail "$words: $(cat "$DIR/err")"
	done
}

# How long its rounds take is nobody's to say, as long as they go on.
prpperf__many_rounds_are_not_given_up() {
	perf 0 -j -L 2 -n 1000000000 -t 3 -z 4 -f unix pingpong here
	perf 0 -j -L 2 -n "$(holds_rounds)" -z 4 -f unix pingpong here
	holds 'x["error"] is None and len(x["rows"]) == 1'
}

# As many as had gone into that time
holds_rounds() {
	python3 -c 'import json, sys
print(max(json.load(sys.stdin)["rows"][0]["rounds"], 1))' <<<"$OUT"
}

prpperf__scale_of_more_nodes_than_there_are() {
	perf 1 -j -f unix -c 8 scale here here
	holds 'x["rows"] == [] and "2 nodes are not as many" in x["error"]'
	perf 0 -j -t 0.1 -z 4 -f unix -c 2,8 scale here here
	holds 'len(x["rows"]) == 1'
}

# A round of which all is lost, five times, is the end of it.
prpperf__datagrams_that_are_lost() {
	perf 0 -j -f udp -R 1 -W 100 -z 1400 -c 8192 spray $AT
	holds 'x["rows"][0]["lost"] == 5 and x["rows"][0]["rounds"] == 0'
	holds 'x["rows"][0]["us_msg"] is None'
}

prpperf__where_nothing_is() {
	perf 1 -j -f tcp pingpong $AT@netns:none
	holds '"/run/netns/none" in x["error"]'
	perf 1 -j -f tcp pingpong none.invalid
	holds '"none.invalid" in x["error"]'
	perf 1 -f prp pingpong x
	[[ $ERR == *"x: "* ]] || fail "$ERR"
}

# A machine that is reached, says nothing and stays
prpperf__nobody_answers() {
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\nexec sleep 60\n' >"$DIR/bin/ssh"
	chmod +x "$DIR/bin/ssh"
	PATH=$DIR/bin:$PATH perf 1 -j -L 0.5 -f tcp pingpong $AT@ssh:none
	holds 'x["error"] == "127.0.0.1@ssh:none: no answer in time"'
}

# over_ssh: the same program, started as another machine's would be
prpperf__over_ssh() {
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\nshift 3\nexec "$@"\n' >"$DIR/bin/ssh"
	chmod +x "$DIR/bin/ssh"
	PATH=$DIR/bin:$PATH perf 0 -j -n 5 -z 4 -f tcp \
		pingpong $AT@ssh:one $AT@ssh:two
	holds 'x["rows"][0]["rounds"] == 5'
}

# interrupted SIGNAL WORD...: once it has begun; what it had measured is told
interrupted() {
	local pid rc=0 words

	: >"$DIR/err"
	prpperf -p "${@:2}" >"$DIR/out" 2>"$DIR/err" &
	pid=$!
	words="[0-9] rounds"
	until grep -q "$words" "$DIR/err"; do
		kill -0 $pid || fail "it has ended: $(cat "$DIR/err")"
		read -r -t 0.05 <> <(:) || :
	done
	kill "-$1" $pid
	wait $pid || rc=$?
	OUT=$(<"$DIR/out")
	[ $rc = 130 ] || fail "status $rc: $OUT $(cat "$DIR/err")"
}

prpperf__a_signal_gives_what_there_is() {
	# a shell has what it starts in the background ignore SIGINT
	interrupted TERM -j -t 600 -z 4 -f tcp pingpong $AT
	holds 'x["interrupted"] and x["error"] is None'
	holds 'len(x["rows"]) == 1 and x["rows"][0]["rounds"] > 0'
	interrupted TERM -t 600 -z 4 -f unix scale here here
	[[ $OUT == *"# interrupted" ]] || fail "$OUT"
}

prpperf__ctrl_c() {
	set -m # as at a terminal: a group of its own, and SIGINT not ignored
	interrupted INT -t 600 -z 4 -f udp pingpong $AT
	[[ $OUT == *"# interrupted" ]] || fail "$OUT"
}

prpperf__leaves_no_process() {
	local pid left

	: >"$DIR/err"
	prpperf -t 600 -z 4 -f tcp -p pingpong $AT >"$DIR/out" 2>"$DIR/err" &
	pid=$!
	until grep -q rounds "$DIR/err"; do
		read -r -t 0.05 <> <(:) || :
	done
	left=$(pgrep -P $pid)
	[ "$(wc -w <<<"$left")" = 2 ] || fail "workers: $left"
	kill -KILL $pid
	{ wait $pid; } 2>/dev/null || :
	for pid in $left; do
		while kill -0 "$pid" 2>/dev/null; do
			read -r -t 0.05 <> <(:) || :
		done
	done
}

# shellcheck disable=SC1091
prpperf__completion() {
	. "$here/../../tools/prpperf/completion/prpperf"
	COMP_WORDS=(prpperf -f t)
	COMP_CWORD=2
	_prpperf
	[ "${COMPREPLY[*]}" = tcp ] || fail "${COMPREPLY[*]}"
	COMP_WORDS=(prpperf p)
	COMP_CWORD=1
	_prpperf
	[ "${COMPREPLY[*]}" = "pingpong permute" ] || fail "${COMPREPLY[*]}"
	COMP_WORDS=(prpperf --j)
	_prpperf
	[ "${COMPREPLY[*]}" = --json ] || fail "${COMPREPLY[*]}"
}

run_cases prpperf
