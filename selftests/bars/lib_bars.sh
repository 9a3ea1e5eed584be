# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What all that is measured has in common. `make bars` measures, PRP_BARS=1;
# `make check` only guards: the same, with as little as its bound allows, and
# once where the cases differ in a seed or in which end it is.

# amount GUARD BAR [LONG]: how much this run is to take
amount() {
	if [ -z "${PRP_BARS:-}" ]; then
		echo "$1"
	elif [ -z "${PRP_LONG:-}" ]; then
		echo "$2"
	else
		echo "${3:-$2}"
	fi
}

# median NUMBER...
median() {
	printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"
}

# run_bars GUARD...: all cases, or those that are the guards
run_bars() {
	[ $# = 0 ] || declare -F "$@" >/dev/null || fail "guards are cases: $*"
	[ -z "${PRP_BARS:-}" ] || set --
	run_cases "$@"
}
