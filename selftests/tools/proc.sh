#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# /proc/net/prp: that it says what sock_diag does, however it is read; and what
# ss and lsof see.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

PORT=4000

# The lines of node 1, but for their numbers, the user and the references
proc_lines() {
	in_node 1 cat /proc/net/prp | awk 'NR > 1 { print $2, $3, $4, $5, $6,
		$8 }'
}

# The same from sock_diag
diag_lines() {
	ctl -j sockets -a | python3 -c '
import json, sys
number = {"established": 1, "conn-wait": 2, "close": 7, "listen": 10}
for s in json.load(sys.stdin)["sockets"]:
    end = ["%d:%d" % (s[e]["node"], s[e]["port"]) for e in ("local", "peer")]
    print(*end, "%02X" % number[s["state"]], s["wqueue"], s["rqueue"],
          s["inode"])'
}

proc__says_what_sock_diag_says() {
	two_nodes
	in_node 1 cat /proc/net/prp | grep -q "^  sl local " ||
		fail "no head: $(in_node 1 cat /proc/net/prp)"
	expect "lines of nothing" "$(proc_lines)" = ""
	connected_pair $PORT
	hold listener 1
	told_ok listener listen 5000 7
	told_ok server send 3000
	wait_for "it has arrived" counter_is 1 segs_in -ge 3
	wait_for "it is acknowledged" says_the_same
	expect "lines" "$(proc_lines | wc -l)" -eq 2
	proc_lines | grep -q "^1:[0-9]* 2:$PORT 01 0 3000 [1-9]" ||
		fail "no connection: $(proc_lines)"
	proc_lines | grep -q "^0:5000 0:0 0A 7 0 [1-9]\|^1:5000 0:0 0A 7 0" ||
		fail "no listener: $(proc_lines)"
	expect "users and references" "$(in_node 1 cat /proc/net/prp |
		awk 'NR > 1 && $7 == 0 && $9 > 0' | wc -l)" -eq 2
	release listener
	release client
	release server
}

says_the_same() {
	[ "$(proc_lines)" = "$(diag_lines)" ]
}

# A connection that no socket has is told of, too.
proc__children_and_others() {
	two_nodes
	hold server 2
	hold client 1
	told_ok server listen $PORT 8
	told_ok client connect 2 $PORT
	told_ok client send 100
	wait_for "it has arrived" counter_is 2 segs_in -ge 1
	in_node 2 cat /proc/net/prp | awk 'NR > 1 { print $2, $3, $4, $6, $8 }' |
		grep -q "^2:$PORT 1:[0-9]* 01 100 0$" ||
		fail "no child: $(in_node 2 cat /proc/net/prp)"
	release client
	release server
}

# Read in any pieces, from the start or from somewhere else, it is the same.
proc__read_in_pieces() {
	local whole size pid file

	two_nodes
	file=$(mktemp)
	nsenter --net="/run/netns/$NODE-1" python3 -c '
import signal, socket
kept = [socket.socket(19, socket.SOCK_STREAM) for _ in range(300)]
print("there", flush=True)
signal.pause()' >"$file" &
	pid=$!
	wait_for "there are many sockets" grep -q there "$file"
	whole=$(in_node 1 cat /proc/net/prp | md5sum)
	expect "lines" "$(proc_lines | wc -l)" -eq 300
	expect "inodes" "$(proc_lines | awk '{ print $6 }' | sort -u |
		wc -l)" -eq 300
	for size in 1 7 100 4096 65536; do
		expect "in pieces of $size" "$(in_node 1 dd if=/proc/net/prp \
			bs=$size 2>/dev/null | md5sum)" = "$whole"
	done
	expect "from the middle" "$(in_node 1 tail -c +5001 /proc/net/prp |
		md5sum)" = "$(in_node 1 cat /proc/net/prp | tail -c +5001 |
		md5sum)"
	expect "written to" "$(status_of in_node 1 \
		sh -c 'echo x >/proc/net/prp')" -ne 0
	kill $pid
	wait $pid || :
	rm "$file"
}

# Who may see the sockets of a namespace may read it, of no other one.
proc__belongs_to_its_namespace() {
	two_nodes
	hold server 2
	told_ok server listen $PORT 8
	expect "lines of node 1" "$(proc_lines)" = ""
	expect "lines of node 2" "$(in_node 2 cat /proc/net/prp | wc -l)" -eq 2
	expect "lines for nobody" "$(in_node 2 setpriv --reuid 65534 \
		--clear-groups cat /proc/net/prp | wc -l)" -eq 2
	release server
}

# What prp.rst says of ss and lsof
proc__ss_and_lsof() {
	local said

	two_nodes
	hold server 1
	told_ok server listen $PORT 8
	said=$(in_node 1 ss -a 2>&1) || :
	echo "# ss -a: $(wc -l <<<"$said") lines"
	[[ $said != *"$PORT"* ]] || fail "ss shows it: $said"
	said=$(lsof -w -p "${HOLD_PID[server]}" 2>&1 | grep sock) || :
	echo "# lsof: $said"
	[[ $said == *"protocol: PRP"* ]] || fail "lsof says: $said"
	release server
}

run_cases
