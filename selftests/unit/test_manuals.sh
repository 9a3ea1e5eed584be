#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The manual pages as texts: mandoc has nothing to say of them, prp(7) has all
# that programs can meet, and each example is one that ../tools/manuals.sh runs.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
cd "$here/../.." || exit
export LC_ALL=C

mapfile -t PAGES < <(find tools mpipr -name '*.[1-8]' | sort)
PRP=tools/man/prp.7
HEADER=include/uapi/linux/prp.h

fail() {
	echo "# FAIL: $*"
	exit 1
}

# has PAGE WHAT: fails if the page lacks a word of standard input
has() {
	local word words lacks=() text

	mapfile -t words
	text=$(mandoc -Tascii "$1" | col -b)
	for word in "${words[@]}"; do
		grep -qw -- "$word" <<<"$text" || lacks+=("$word")
	done
	[ ${#words[@]} != 0 ] || fail "no $2 found"
	[ ${#lacks[@]} = 0 ] || fail "$2 that $1 lacks: ${lacks[*]}"
	echo "# $2 in $1: ${#words[@]}"
}

# What a page of rst calls a section may have another name here.
manuals__sections_that_are_named_are_there() {
	local name

	while read -r name; do
		grep -qx "\.S[SH] $name" $PRP || fail "no section $name"
	done < <(grep -oE '\bsee [A-Z][a-z]+( [a-z]+)?$' $PRP | sed 's/see //')
}

manuals__are_all_there() {
	local page

	for page in prp.7 prpctl.8 prphosts.5 prprun.1 prpperf.1; do
		[[ " ${PAGES[*]} " == *"/$page "* ]] || fail "no $page"
		grep -q "install.* $page " tools/*/Makefile ||
			fail "$page is not installed"
	done
}

manuals__mandoc_has_nothing_to_say() {
	local said

	said=$(mandoc -T lint "${PAGES[@]}" 2>&1) || fail "$said"
	[ -z "$said" ] || fail "$said"
}

manuals__every_example_is_run() {
	local page name names

	for page in "${PAGES[@]}"; do
		names=$(selftests/tools/manual_example.sh "$page")
		[ "$(grep -c . <<<"$names")" = "$(sed -n '/^.SH EXAMPLES/,$p' \
			"$page" | grep -cE '^\.(EX|nf)')" ] ||
			fail "$page: an example has no name"
		for name in $names; do
			grep -q "manual_example.sh \S*prp.7 \\$\$name" \
				selftests/Makefile &&
				grep -q "for name in .*\b$name\b" \
					selftests/Makefile && continue
			grep -Eq "${page##*/} $name\b|table_of $name\b" \
				selftests/tools/manuals.sh ||
				fail "$page: nobody runs $name"
		done
		echo "# examples of $page:" $names
	done
}

manuals__tools_have_all_their_options() {
	local page

	for page in tools/prpctl/prpctl.8 \
			tools/prp{run/prprun,perf/prpperf}.1; do
		sed -nE -e 's/.*\{ "([a-z-]+)", \w+_argument,.*/--\1/p' \
			-e 's/.*"(--[a-z-]+)".*/\1/p' "${page%/*}"/*.c |
			sort -u | has "$page" options
	done
}

manuals__prp_has_all_of_its_header() {
	sed -n 's/^#define \([A-Z]\w*\) .*/\1/p' $HEADER | has $PRP names
	sed -n 's/^\t__\w* \(s\?prpi\?_\w*\)\(\[8]\)\?;/\1/p' $HEADER |
		has $PRP fields
}

manuals__prp_has_no_other_names() {
	local word

	for word in $(grep -oE '\b(PRP_|SOL_PRP|PRPPROTO_|prpi_|sprp_)\w*' \
			$PRP | sort -u); do
		grep -qw "$word" $HEADER || fail "$word is not in $HEADER"
	done
}

# Those that the calls of a program return, but for one that the kernel
# makes another one of
manuals__prp_has_all_errors() {
	grep -ohE '[-]E[A-Z]{3,}\b' \
		net/prp/*/{af_prp,accept,close,connect,deliver}.c \
		net/prp/*/{handshake,message,seqpacket_recv,seqpacket_send}.c \
		net/prp/*/{port,send,sockopt,timers}.c |
		grep -v ENOIOCTLCMD | tr -d - | sort -u |
		has $PRP "errors of the code"
	sed -n '/^Errors/,/^IP mode/p' Documentation/networking/prp.rst |
		grep -oE '``E[A-Z]{3,}``' | tr -d '`' | sort -u |
		has $PRP "errors of prp.rst"
}

# --- the run -----------------------------------------------------------------

run_cases manuals
