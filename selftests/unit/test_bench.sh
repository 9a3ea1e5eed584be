#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make bench` and `make profile` make of what was measured, written here:
# figures and tables.
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
	plot || fail "plot.py"
	grep -qF '| shipped | prp | 16.98 | 18.50 | – | – | 7.50 |' \
		"$DIR/bench.md" || fail "$(cat "$DIR/bench.md")"
	grep -qF '| off | tcp-nagle | 28.27 | – |' "$DIR/bench.md" ||
		fail "$(cat "$DIR/bench.md")"
	grep -q tcp-nagle "$DIR/bench-pingpong.svg" || fail "no legend"
	[ -s "$DIR/bench-spray.svg" ] || fail "no spray"
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

run_cases bench
