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

# deaf WORD...: exit status of prpctl whose output nobody reads, where that does
# not end it, as in a service
deaf() {
	(
		trap '' PIPE
		set +e
		timeout 10 prpctl -n "$NODE-1" "$@" 2>/dev/null | true
		echo "${PIPESTATUS[0]}"
	)
}

generation() {
	[[ $(ctl -j hosts show) =~ \"generation\":\ *([0-9]+) ]]
	echo "${BASH_REMATCH[1]}"
}

# One interpreter answers all questions of a file: to start one takes longer
# than most cases. It ends when nobody can ask any more.
coproc python3 -c '
import json, os
asked = b""
while (more := os.read(0, 65536)):
    asked += more
    while asked.count(b"\0") > 1:
        text, expression, asked = asked.split(b"\0", 2)
        try:
            answer = eval("(x" + expression.decode() + ")",
                          {"x": json.loads(text)})
        except Exception:
            answer = False
        print("yes" if answer else "no", flush=True)'
exec {ASK}>&"${COPROC[1]}" {ANSWERED}<&"${COPROC[0]}"

# json [EXPRESSION]: standard input is valid, and the expression, which
# begins behind the name of what was read, is true of it
json() {
	local text answer

	text=$(</dev/stdin)
	printf '%s\0%s\0' "$text" "${1:- is not None}" >&"$ASK"
	read -r -t 60 answer <&"$ANSWERED" || answer=none
	[ "$answer" = yes ] ||
		fail "expected ${1:-valid JSON}, got: $text"
}
