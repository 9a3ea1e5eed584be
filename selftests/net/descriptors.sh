#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What programs do with descriptors, under prprun: passed on, shared, copied,
# watched. TCP says what is to be seen.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

# as_with_tcp CASE: it sees the same over PRP and over TCP
as_with_tcp() {
	local case=$1

	counted_nodes 2
	serve 2 4000 prprun socat TCP-LISTEN:4000,reuseaddr,fork EXEC:cat
	with tcp "$case"
	expect "connections of PRP" "$(counter 1 ip_prp_out)" -eq 0
	with prp "$case" prprun
	expect "connections of PRP" "$(counter 1 ip_prp_out)" -eq 1
	[ -s "$DIR/tcp" ] || fail "nothing was seen"
	say "$(cat "$DIR/tcp")"
	diff "$DIR/tcp" "$DIR/prp" || fail "it differs over PRP"
	stop "$STARTED"
}

# with NAME CASE [COMMAND...]
with() {
	in_node 1 "${@:3}" timeout $((LIMIT_MS / 1000)) python3 \
		"$(dirname "$0")/descriptors.py" "$2" 10.9.0.2 4000 \
		>"$DIR/$1" 2>&1 || fail "$2 ($?): $(cat "$DIR/$1")"
}

descriptors__passed_over_a_unix_socket() {
	as_with_tcp passed
}

descriptors__forked() {
	as_with_tcp forked
}

descriptors__duplicated() {
	as_with_tcp duplicated
}

descriptors__in_two_epolls() {
	as_with_tcp two_epolls
}

descriptors__in_a_nested_epoll() {
	as_with_tcp nested_epoll
}

descriptors__inherited_over_exec() {
	as_with_tcp inherited
}

run_cases
