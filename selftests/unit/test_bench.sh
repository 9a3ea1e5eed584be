#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make bench`, `make profile` and `make lines` make of what was measured,
# written here: figures, tables and verdicts.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
export LC_ALL=C
BENCH=$here/../bench
BUILD=${BUILD:-$(cd "$here/../.." && pwd)/build}
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

fail() {
	echo "# FAIL: $*"
	exit 1
}

# measured EXPERIMENT FAMILY ROWS: of prpperf, with a fit
measured() {
	local device

	for device in shipped off; do
		cat >"$DIR/$1.$device.$2.json" <<-END
		{"experiment": "$1", "family": "${2%-nagle}", "rows": [$3],
		 "fit": {"L_us": null, "B0_MB_s": null, "L1_us": 7.5,
			 "B1_MB_s": 200, "bandwidth_MB_s": 1234.5},
		 "interrupted": false, "error": null}
		END
	done
}

plot() {
	"$BUILD/mpi/mpich/bin/python" "$BENCH/plot.py" "$DIR" "$DIR"
}

bench__nothing_was_measured() {
	! plot >"$DIR/said" 2>&1 || fail "no error"
	grep -q "nothing was measured" "$DIR/said"
}

bench__figures_and_tables() {
	measured pingpong prp '{"bytes": 0, "p50_us": null},
		{"bytes": 4, "p50_us": 16.98}, {"bytes": 1400, "p50_us": 18.5}'
	measured pingpong tcp-nagle '{"bytes": 4, "p50_us": 28.27}'
	measured spray udp '{"bytes": 4, "messages": 8192, "us_msg": null}'
	measured logp prp '{"bytes": 4, "rtt_us": 16.98, "o_send_us": 15.5,
		"o_recv_us": 1.4, "gap_us": null}'
	plot || fail "plot.py"
	grep -qF '| shipped | prp | 16.98 | 18.50 | – | – | 7.50 |' \
		"$DIR/bench.md" || fail "$(cat "$DIR/bench.md")"
	grep -qF '| off | tcp-nagle | 28.27 | – |' "$DIR/bench.md" ||
		fail "$(cat "$DIR/bench.md")"
	grep -q tcp-nagle "$DIR/bench-pingpong.svg" || fail "no legend"
	[ -s "$DIR/bench-spray.svg" ] || fail "no spray"
	grep -q "o, receive" "$DIR/bench-logp.svg" || fail "no LogP"
	[ ! -e "$DIR/bench-clients.svg" ] || fail "of nothing a figure"
}

bench__equal_figures_are_equal_files() {
	measured bandwidth prp '{"bytes": 4, "us_KB": 3.5}'
	plot
	cp "$DIR/bench-bandwidth.svg" "$DIR/first"
	plot
	cmp "$DIR/first" "$DIR/bench-bandwidth.svg" || fail "they differ"
}

# Two functions of the module, one of the kernel, and user space
bench__rooms() {
	local what family nr=0

	mkdir -p "$DIR/module/transport"
	printf 'void prp_a(void) {}\nvoid prp_b(void) {}\n' >"$DIR/output.c"
	cc -c -o "$DIR/module/transport/output.o" "$DIR/output.c"
	cat >"$DIR/kallsyms" <<-END
	ffffffff81000000 T schedule
	ffffffffc0000000 t prp_a	[prp]
	ffffffffc0000100 t prp_b	[prp]
	ffffffffc0000200 t prp_c	[prp]
	END
	for what in trip bulk connect; do
		for family in prp tcp; do
			echo "# count $what.$family.less 0"
			echo "0 50" >"$DIR/insns.$nr"
			echo "# count $what.$family.more 10"
			cat >"$DIR/insns.$((nr + 1))" <<-END
			0 250
			ffffffff81000004 3000
			ffffffffc0000008 400
			ffffffffc0000108 100
			ffffffffc0000208 10
			END
			nr=$((nr + 2))
		done
	done >"$DIR/output"
	"$BENCH/rooms.py" "$DIR" "$DIR/module" >"$DIR/said" || fail "rooms.py"
	for line in "|  | PRP, 371 | TCP, 371 |" "| scheduler | 300 | 300 |" \
		"| user space | 20 | 20 |" "| PRP | 51 | 51 |" \
		"| transport/output | 50 |" "| several | 1 |"; do
		grep -qF "$line" "$DIR/said" || fail "no $line: $(cat "$DIR/said")"
	done
}

# lines MOVES STORE...: verdict on a count of 5000 frames in 1000 ms, of a
# connection that begins on both processors and STORE..., "LINE CPU PLACE
# COUNT" each, of which MOVES found the line at the other processor
lines() {
	cat >"$DIR/kallsyms" <<-END
	ffffffff81000000 T schedule
	ffffffff81000100 T _raw_spin_lock
	ffffffffc0000000 t prp_a	[prp]
	ffffffffc0000100 t crowd_turn	[prp]
	ffffffffc0000200 t pool_add	[prp]
	ffffffffc0001040 b a_lock	[prp]
	END
	echo "# count trip 5000 1000" >"$DIR/output"
	{
		echo "lost ${LOST:-0}"
		echo "3ff 0 ffffffffc0000008 9 4"
		echo "3ff 1 ffffffffc0000008 9 4"
		[ $# = 1 ] || printf "%s $1\n" "${@:2}"
	} >"$DIR/lines.0"
	"$BENCH/lines.py" "$DIR" >"$DIR/said" 2>&1
}

bench__lines_of_ours() {
	local at=ffffffffc0000

	lines 40 "400 0 ${at}008 2500" "400 1 ${at}008 33" && fail "both write"
	grep -q "FAIL: trip: both write a line: prp_a$" "$DIR/said" ||
		fail "$(cat "$DIR/said")"
	lines 40 "400 0 ${at}008 2500" "400 1 ${at}008 32" ||
		fail "no more than a connection: $(cat "$DIR/said")"
	lines 40 "400 0 ${at}008 2500" "401 1 ${at}008 2500" ||
		fail "two lines: $(cat "$DIR/said")"
	lines 16 "400 0 ${at}008 2500" "400 1 ${at}008 2500" ||
		fail "a line that seldom goes over: $(cat "$DIR/said")"
	lines 40 "400 0 ffffffff81000008 2500" "400 1 ${at}008 2500" ||
		fail "a line of another one before: $(cat "$DIR/said")"
}

bench__lines_with_locks() {
	local lock=ffffffff81000108

	lines 40 "400 0 $lock 99" "400 1 ffffffffc0000008 99" &&
		fail "a lock of ours"
	lines 40 "3ffffffff000041 0 $lock 99" "3ffffffff000041 1 $lock 99" &&
		fail "a lock that is a variable"
	grep -q "both write a line: _raw_spin_lock (a_lock)" "$DIR/said" ||
		fail "$(cat "$DIR/said")"
	lines 40 "400 0 $lock 99" "400 1 $lock 99" ||
		fail "a lock of the kernel's: $(cat "$DIR/said")"
	lines 40 "3ffffffff000041 0 ffffffff81000008 99" \
		"3ffffffff000041 1 ffffffff81000008 99" &&
		fail "a variable that others write for us"
	return 0
}

bench__lines_that_are_known() {
	local crowd=ffffffffc0000108 pool=ffffffffc0000208

	lines 40 "400 0 $crowd 2500" "400 1 $crowd 2500" \
		"401 0 $pool 200" "401 1 $pool 200" ||
		fail "in their bounds: $(cat "$DIR/said")"
	lines 40 "400 0 $crowd 2600" "400 1 $crowd 2600" && fail "crowd"
	lines 40 "401 0 $pool 300" "401 1 $pool 300" && fail "pool"
	lines 40 "400 0 $crowd 99" "400 1 $crowd 99" \
		"400 0 ffffffffc0000008 99" "400 1 ffffffffc0000008 99" &&
		fail "beside what is known"
	return 0
}

bench__lines_of_a_trace_that_is_not_whole() {
	LOST=1 lines 40 && fail "stores are lost"
	lines 40 || fail "nothing but connections: $(cat "$DIR/said")"
	echo "# count trip 100 1000" >"$DIR/output"
	"$BENCH/lines.py" "$DIR" >"$DIR/said" 2>&1 && fail "few frames"
	echo "# count trip 5000 1000" >"$DIR/output"
	echo "lost 0" >"$DIR/lines.0"
	"$BENCH/lines.py" "$DIR" >"$DIR/said" 2>&1 && fail "nothing seen"
	echo >"$DIR/output"
	"$BENCH/lines.py" "$DIR" >"$DIR/said" 2>&1 && fail "nothing counted"
	return 0
}

run_cases bench
