#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The grammar of prpctl, as far as no kernel that knows PRP is needed: where
# options may stand, batches, and what is said of wrong words.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
cd "$here/../../tools/prpctl" || exit
make -s || exit
export LC_ALL=C
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

fail() {
	echo "# FAIL: $*"
	exit 1
}

# ctl STATUS WORD...: what it prints is in $OUT, what it complains of in $ERR
ctl() {
	local rc=0

	./prpctl "${@:2}" >"$DIR/out" 2>"$DIR/err" <"${INPUT:-/dev/null}" ||
		rc=$?
	OUT=$(<"$DIR/out")
	ERR=$(<"$DIR/err")
	[ $rc = "$1" ] || fail "${*:2}: status $rc, not $1: $OUT $ERR"
}

# complains STATUS PATTERN WORD...: in its last line, and says nothing else
complains() {
	ctl "$1" "${@:3}"
	[ -z "$OUT" ] || fail "${*:3}: prints $OUT"
	[[ ${ERR##*$'\n'} == $2 ]] || fail "${*:3}: $ERR"
	[ "$(wc -l <"$DIR/err")" = 1 ] || fail "${*:3}: more than a line: $ERR"
}

# json STATUS EXPRESSION WORD...
json() {
	ctl "$1" "${@:3}"
	python3 -c 'import json, sys
x = json.load(sys.stdin)
sys.exit(not eval("(x" + sys.argv[1] + ")"))' "$2" <<<"$OUT" ||
		fail "${*:3}: $OUT"
}

prpctl__options_stand_anywhere() {
	local words

	while read -r words; do
		json 1 '["errors"][0]["text"] == "/none: No such file or directory"' \
			$words
	done <<-EOF2
	-j hosts setup -f /none
	hosts -j setup -f /none
	hosts setup -j -f /none
	hosts setup -f /none -j
	hosts setup -f /none --json
	hosts setup -jf /none
	hosts setup --file=/none -jp
	-b /none -j
	EOF2
	json 1 '["errors"]' sockets state nothing -ipj
	json 1 '["errors"]' nothing -j
	json 1 '["errors"]' hosts nothing -j
	ctl 0 hosts show -V
	[[ $OUT == "prpctl "* ]] || fail "$OUT"
	json 0 '["version"]' -j -V
	complains 1 '*network namespace none: *' hosts show -n none
	complains 1 '*network namespace none: *' stats -n none show
	complains 1 '*network namespace none: *' stats --netns=none
}

prpctl__words_behind_two_dashes_are_words() {
	complains 1 '*"-x" is not understood' sockets -l -- -x
	complains 1 '*"-j" is not understood' sockets -- -j
	complains 1 '*"-j" is not understood' hosts flush -- -j
	complains 1 '*/none: No such file*' hosts check -- /none
	complains 1 '*--ssh: No such file*' hosts check -- --ssh
	complains 1 '*"x" is not understood' monitor -- x
	complains 1 '*"x" is not understood' monitor -t -- table x
}

# What is a line of a file with no host, although a file begins so
prpctl__a_host_that_is_none() {
	complains 1 '*is not understood' hosts add $'\xef\xbb\xbf'
}

prpctl__states_of_sockets_need_no_verb() {
	complains 1 '*"shut" is no state' sockets state shut
	complains 1 '*"shut" is no state' sockets state close -l state shut
	complains 1 '*NAME is missing' sockets state
}

prpctl__words_of_check() {
	json 1 '["errors"][0]["text"] == "--lines are no JSON"' \
		-j hosts check --lines
	complains 1 '*"--ssh" is not understood' hosts check --lines --ssh
	complains 1 '*"x" is not understood' hosts check --ssh x
	complains 1 '*"y" is not understood' hosts check x y
	complains 1 '*"--nothing" is not understood' hosts check --nothing
}

# What is no UTF-8 is there as numbers of its bytes.
prpctl__json_is_utf8() {
	json 1 '["errors"][0]["text"][:8] == "/\u00fc\u20ac\U0001f600\u00e2\u0082/:"' \
		-j hosts check $'/\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x82/'
}

prpctl__interval_of_a_ping() {
	local word

	for word in 0.0000001 1e-9 -1 1x nan 86401; do
		complains 1 "*\"interval $word\" is not understood" \
			ping x interval $word
	done
	complains 2 '*modprobe prp' ping x interval 0
	complains 2 '*modprobe prp' ping x interval 0.000001
}

prpctl__usage_is_printed_when_it_is_asked_for() {
	local words

	complains 1 '*an object is missing*'
	complains 1 '*"-x"*prpctl help*' -x
	complains 1 '*"-x"*' hosts -x
	complains 1 '*"--nothing"*' hosts setup --nothing
	complains 1 '*--netns is missing' hosts -n
	complains 1 '*--json takes no "yes"' hosts --json=yes
	complains 1 '*"red" is not always, auto or never' --color=red dev
	complains 1 '*"nothing" is no object*' nothing
	complains 1 '*"nothing" is no command*' hosts nothing
	for words in help -h "hosts help" "hosts -h" "hosts show help" \
		"hosts show -h" "hosts setup -f x --help" "monitor -h"; do
		ctl 0 $words
		[[ $OUT == Usage:* && -z $ERR ]] || fail "$words: $OUT $ERR"
	done
	ctl 0 help
	[[ $OUT == *"access { setup | show | "* ]] || fail "$OUT"
}

prpctl__batch() {
	cat >"$DIR/batch" <<-EOF2
	# a comment, and an empty line

	hosts show -V   # another one
	sockets state nothing
	-V
	EOF2
	ctl 1 -b "$DIR/batch"
	[ "$(grep -c ^prpctl <<<"$OUT")" = 1 ] || fail "not ended: $OUT"
	[[ $ERR == "prpctl: $DIR/batch:4: "*"is no state" ]] || fail "$ERR"
	ctl 1 --force --batch "$DIR/batch"
	[ "$(grep -c ^prpctl <<<"$OUT")" = 2 ] || fail "ended: $OUT"
	INPUT=$DIR/batch
	ctl 1 -batch - --force
	[[ $ERR == "prpctl: -:4: "* ]] || fail "$ERR"
	ctl 1 -j -b - --force
	[ "$(python3 -c 'import json, sys
for line in sys.stdin:
	x = json.loads(line)
	print(len(x["errors"]), x["errors"][0]["line"] if x["errors"] else "")
' <<<"$OUT" | tr '\n' ,)" = "0 ,1 4,0 ," ] || fail "$OUT"
}

prpctl__batch_of_nothing() {
	ctl 0 -b /dev/null
	[ -z "$OUT$ERR" ] || fail "$OUT $ERR"
	complains 1 '*/none: No such file*' -b /none
	complains 1 '*/: Is a directory' -b /
	complains 1 '*"hosts" beside a batch' -b /dev/null hosts
	complains 1 '*--batch is missing' -b
	complains 1 '*"show" beside a batch' hosts show -b /dev/null
	complains 1 '*"stats" beside a batch' -b /dev/null stats
	complains 1 '*"top" beside a batch' top -b /dev/null
}

# A line does not read the lines below it, nor have what others chose.
prpctl__batch_keeps_its_lines_apart() {
	printf 'hosts setup -f - -j\n-V\n' >"$DIR/batch"
	INPUT=$DIR/batch
	ctl 1 -b - --force
	[[ $OUT == "{"*"input is in use already"*$'\nprpctl '* ]] || fail "$OUT"
	printf 'x %.0s' {1..65} >"$DIR/batch"
	ctl 1 -b -
	[[ $ERR == *"-:1: more than 64 words" ]] || fail "$ERR"
}

# It is empty when it is read again, and nobody means that.
prpctl__standard_input_is_read_once() {
	INPUT=$DIR/hosts
	echo "1 a 52:54:00:00:00:01" >"$INPUT"
	complains 1 '*-: standard input is in use already' \
		access setup -f - -H -
	complains 2 '*modprobe prp' access setup -f /dev/null -H -
	# ... nor by two lines of a batch
	printf 'hosts setup --dry-run -f -\n%.0s' 1 2 >"$DIR/batch"
	ctl 1 -b "$DIR/batch" --force
	[[ $ERR == *"$DIR/batch:2: -: standard input is in use already" ]] ||
		fail "$ERR"
}

without_the_module() {
	! grep -qw PRP /proc/net/protocols || skip "the module is loaded"
}

# two_hosts MAC: a file of them, the first one with this address
two_hosts() {
	printf '1 a %s\n2 b 52:54:00:00:00:02\nlink a b\n' "$1" \
		>"$DIR/hosts"
}

prpctl__a_file_of_this_machine() {
	local mac

	without_the_module
	mac=$(grep -hvs 00:00:00:00:00:00 /sys/class/net/e*/address |
		head -n 1) || skip "no device of Ethernet is called e*"
	two_hosts "$mac"
	ctl 0 hosts check "$DIR/hosts"
	[[ $OUT == "2 hosts, 1 link; this is node 1 (a) on rail 0" ]] ||
		fail "$OUT"
	ctl 0 hosts setup --dry-run -f "$DIR/hosts"
	[[ $OUT == "+ 1 "*$'\n+ link 1 2\n'*"2 added"*"nothing was changed)" &&
	   $ERR == *"compared with an empty table"* ]] || fail "$OUT $ERR"
	json 0 '["dry_run"]' hosts setup --dry-run -f "$DIR/hosts" -j
}

# What can be said of a file where the module is not loaded
prpctl__files_are_looked_at_without_the_module() {
	without_the_module
	two_hosts 52:54:00:00:00:01
	ctl 0 hosts check "$DIR/hosts"
	[[ $OUT == "2 hosts, 1 link; this "* ]] || fail "$OUT"
	complains 2 '*modprobe prp' hosts setup -f "$DIR/hosts"
	echo x >>"$DIR/hosts"
	complains 1 "$DIR/hosts:4:1: *" hosts check "$DIR/hosts"
	complains 1 "$DIR/hosts:4:1: *" hosts setup --dry-run -f "$DIR/hosts"
	complains 1 '*/none: No such file*' hosts check /none
	ctl 0 hosts check /dev/null
	[[ $OUT == "0 hosts, 0 links; this machine is none of them" ]] ||
		fail "$OUT"
}

# --- the run -----------------------------------------------------------------

run_cases prpctl
