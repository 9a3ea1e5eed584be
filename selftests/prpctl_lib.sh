# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of prpctl share.

# prpctl on node 1
ctl() {
	prpctl -n "$NODE-1" "$@"
}

# The same without any privilege
nobody() {
	in_node 1 setpriv --reuid 65534 --clear-groups prpctl "$@"
}

# Exit status of a command, whatever it prints
status_of() {
	local rc=0

	"$@" >/dev/null 2>&1 || rc=$?
	echo $rc
}

generation() {
	[[ $(ctl -j hosts show) =~ \"generation\":\ *([0-9]+) ]]
	echo "${BASH_REMATCH[1]}"
}

# json [EXPRESSION]: standard input is valid, and the expression, which
# begins behind the name of what was read, is true of it
json() {
	local text

	text=$(cat)
	python3 -c '
import json, sys
x = json.loads(sys.argv[1])
assert eval("(x" + sys.argv[2] + ")")' "$text" "${1:- is not None}" ||
		fail "expected ${1:-valid JSON}, got: $text"
}
