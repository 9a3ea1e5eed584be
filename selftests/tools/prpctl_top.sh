#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl top: what connections and rails move, of none, of few and of many.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

top__of_nothing() {
	local out

	two_nodes
	out=$(ctl top -1)
	[[ $out == "0 connections, 0.000 MB/s out, 0.000 MB/s in"$'\n'* ]] ||
		fail "$out"
	grep -Eq '^0 +'"$(mac 1)"' +p0 +1500 +up +[0-9]+ B/s' <<<"$out" ||
		fail "no rail: $out"
	ctl top -1 -j | json '["connections"] == []'
	ctl hosts flush >/dev/null
	ctl -j top --once | json '["rails"] == []'
	expect "a word" "$(status_of ctl top all)" -eq 1
	expect "an option" "$(status_of ctl top -2)" -eq 1
}

# moving TOP: what -j has printed shows that something moves at all
is_moving() {
	OUT=$(ctl top -1 -j)
	[[ $OUT == *'"connections":[{"bytes_out_per_s":'[1-9]* ]]
}

# The one that moves something comes first, whoever came first.
top__of_two_by_rate() {
	local xfer

	two_nodes
	connected_pair 4000
	told_ok client send 1000
	prp_xfer -c "$NODE-1" -s "$NODE-2" -a 2 -p 5000 -u -L 100 \
		>/dev/null &
	xfer=$!
	wait_for "it moves" is_moving
	say "$OUT"
	json '["connections"][0]["peer"]["port"] == 5000' <<<"$OUT"
	json '["connections"][1]["peer"]["port"] == 4000' <<<"$OUT"
	json '["connections"][1]["bytes_out_per_s"] == 0' <<<"$OUT"
	json '["connections"][0]["local"]["name"] == "n1"' <<<"$OUT"
	json '["rails"][0]["bytes_out_per_s"] >
		x["connections"][0]["bytes_out_per_s"] / 2' <<<"$OUT"
	json '["interval_us"] >= 1000000' <<<"$OUT"
	OUT=$(ctl -br top -1)
	grep -Eq '[1-9][0-9.]* [kMG]?B/s +0 B/s +n1:[0-9]+ +n2:5000$' \
		<<<"$OUT" || fail "brief: $OUT"
	kill -USR1 "$xfer"
	wait "$xfer" || :
	release client
	release server
}

printed() {
	[ "$(grep -c '"interval_us"' "$SAID")" -ge "$1" ]
}

# It goes on, and ends well when the user has seen enough.
top__again_and_again() {
	local pid line rc=0

	two_nodes
	connected_pair 4000
	SAID=$(mktemp)
	prpctl -n "$NODE-1" -j top >"$SAID" &
	pid=$!
	wait_for "two samples" printed 2
	kill -INT "$pid"
	wait "$pid" || rc=$?
	expect "exit status" $rc -eq 0
	while read -r line; do
		json '["connections"][0]["peer"]["port"] == 4000' <<<"$line"
	done <"$SAID"
	rm "$SAID"
	release client
	release server
}

# It does not go on for nobody.
top__nobody_reads_it() {
	two_nodes
	expect "top" "$(deaf top)" -eq 2
	expect "top -j" "$(deaf -j top)" -eq 2
}

# on_screen ROWS COLUMNS: what a terminal of this size has in the end
on_screen() {
	python3 -c '
import fcntl, os, pty, signal, struct, sys, termios
rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, fd = pty.fork()
if not pid:
	fcntl.ioctl(0, termios.TIOCSWINSZ,
		    struct.pack("HHHH", rows, columns, 0, 0))
	os.execvp("prpctl", ["prpctl", "-n", sys.argv[3], "top"])
said = b""
while b"\x1b[?7h" not in said:
	said += os.read(fd, 65536)
os.kill(pid, signal.SIGINT)
try:
	while os.read(fd, 65536):
		pass
except OSError:
	pass
status = os.waitpid(pid, 0)[1]
last = said.split(b"\x1b[H\x1b[J\x1b[?7l")[1].split(b"\x1b[?7h")[0]
sys.stdout.write(last.decode().replace("\r", ""))
sys.exit(status != 0)' "$1" "$2" "$NODE-1"
}

# Many that nobody has accepted, and as many as fit
top__of_many() {
	local count=${PRP_LONG:+1000} i start

	count=${count:-200}
	two_nodes
	hold server 2
	hold client 1
	told_ok server listen 4000 2000
	for ((i = 0; i < count; i++)); do
		told_ok client connect 2 4000
		told_ok client keep
	done
	now_ms
	start=$NOW
	ctl top -1 -j | json '["connections"].__len__() == '$count
	now_ms
	say "a sample of $count connections took $((NOW - start)) ms"
	OUT=$(on_screen 24 80)
	[[ $OUT == "$count connections, "* ]] || fail "$OUT"
	expect "lines" "$(wc -l <<<"$OUT")" -eq 23
	expect "connections" "$(grep -c ' n2:4000' <<<"$OUT")" -eq 18
	# there is one, however small it is
	OUT=$(on_screen 3 20)
	expect "connections" "$(grep -c ' n2:4000' <<<"$OUT")" -eq 1
	release client
	release server
}

run_cases
