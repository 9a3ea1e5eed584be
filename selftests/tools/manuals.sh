#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples of the manual pages, run as they are there. Node 1 is the
# machine alpha of these pages and node 2 is beta, each example is run in a
# folder of the case's own, and names of hosts are in its /etc/hosts. The
# programs of prp(7) were compiled from the page by its own example.
#
# test_manuals.sh of the unit tests looks that each example is run here.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/programs.sh"

# that of the pages
# shellcheck disable=SC2034
MAC=52:54:00:00:00:

# example PAGE NAME: what stands there
example() {
	"$HERE/manual_example.sh" "$HERE/$1" "$2"
}

# In the folder, on a machine that knows the names
IN_FOLDER=(unshare -m bash -ec 'mount --bind "$0/hosts" /etc/hosts
	cd "$0"
	exec "$@"' "$DIR")

# run_on NODE COMMAND...
run_on() {
	in_node "$1" "${IN_FOLDER[@]}" "${@:2}"
}

# example_on NODE PAGE NAME: what it says is left in $OUT
example_on() {
	local text

	text=$(example "$2" "$3")
	say "$2, $3: ${text//$'\n'/$'\n# '}"
	OUT=$(run_on "$1" bash -ec "$text" 2>&1) || fail "$3 ($?): $OUT"
}

# serve_example NODE PAGE NAME COMMAND...: in the background, until the
# command says that it serves; its process in $STARTED
serve_example() {
	local text

	text=$(example "$2" "$3")
	start "$1" "${IN_FOLDER[@]}" bash -ec "exec $text"
	wait_for "$3 of $2 serves" "${@:4}"
}

# alpha and beta in a table with a host that is not there, and the folder
machines() {
	rm -rf "$DIR"
	mkdir -p "$DIR"
	printf '10.0.0.1 alpha\n10.0.0.2 beta\n' >"$DIR/hosts"
	two_nodes
	example prphosts.5 three.prphosts >"$DIR/three"
	on_each 2 as_in_the_page
}

as_in_the_page() {
	ip -n "$NODE-$1" addr add "10.0.0.$1/24" dev p0
	prpctl -n "$NODE-$1" hosts setup -f "$DIR/three" \
		>/dev/null 2>&1
}

# The two programs of prp(7) under the names that it gives them
native_programs() {
	ln -s "$HERE/manual_server" "$DIR/server"
	ln -s "$HERE/manual_client" "$DIR/client"
	serve_example 2 prp.7 server.sh listens_by_prp 5000
}

# listens_by_prp PORT: on node 2, for wait_for
listens_by_prp() {
	[[ $(prpctl -n "$NODE-2" sockets -l) == *:$1* ]]
}

manuals__client_and_server_of_prp_with_an_access_list() {
	machines
	native_programs
	example_on 1 prp.7 client.sh
	[ "$OUT" = "Hello, beta" ] || fail "the client says: $OUT"
	[[ $(<"$DIR/said.2") =~ ^"node 1, port "[0-9]+$ ]] ||
		fail "the server says: $(<"$DIR/said.2")"
	example_on 2 prpctl.8 access.sh
	example_on 1 prp.7 client.sh
	prpctl -n "$NODE-2" access del 5000 alpha
	refused "alpha is not in the list" "Permission denied" \
		run_on 1 ./client 2 5000 x
	stop "$STARTED"
}

# lines_like PATTERN: how many there are of standard input
lines_like() {
	local line n=0

	while read -r line; do
		# shellcheck disable=SC2053
		[[ $line != $1 ]] || n=$((n + 1))
	done
	echo $n
}

# tables_are FILE: the kernel's host table is that of the file
tables_are() {
	local shown

	shown=$(prpctl -n "$NODE-1" hosts show)
	expect "hosts of $1" "$(lines_like '[1-9]*' <<<"$shown")" -eq \
		"$(lines_like '[1-9]*' <"$DIR/$1")"
	expect "links of $1" "$(lines_like 'link *' <<<"$shown")" -eq \
		"$(lines_like 'link *' <"$DIR/$1")"
	shown=$(prpctl -n "$NODE-1" hosts diff -f "$DIR/$1")
	expect "differences" "$(lines_like '[-+]*' <<<"$shown")" -eq 0
}

# table_of NAME: the example is a host table, and node 1 is its first host
table_of() {
	example prphosts.5 "$1" >"$DIR/$1"
	run prpctl -n "$NODE-1" hosts setup -f "$DIR/$1"
	tables_are "$1"
}

manuals__host_tables_of_prphosts_and_a_new_one() {
	machines
	table_of three.prphosts
	table_of line.prphosts
	[[ $(prpctl -n "$NODE-1" route show delta) == *beta* ]] ||
		fail "line: $(prpctl -n "$NODE-1" route show delta)"
	table_of ring.prphosts
	[[ $(prpctl -n "$NODE-1" route show d) =~ d\ +5\ \(e\)\ +2 ]] ||
		fail "ring: $(prpctl -n "$NODE-1" route show d)"
	table_of hypercube.prphosts
	[[ $(prpctl -n "$NODE-1" route show h7) =~ h7\ +2\ \(h1\)\ +3 ]] ||
		fail "hypercube: $(prpctl -n "$NODE-1" route show h7)"
	{
		cat "$DIR/three"
		echo "8 delta 52:54:00:00:00:08"
	} >"$DIR/prphosts.new"
	example_on 1 prpctl.8 change.sh
	[[ $OUT == *"+"*"8"*delta* ]] || fail "no difference: $OUT"
	tables_are prphosts.new
	example_on 1 prphosts.5 addresses.sh
	[[ $OUT == *p0*"$(mac 1)"* ]] || fail "addresses: $OUT"
}

# All that the example makes goes with the shell that runs it.
manuals__two_namespaces_of_prpctl() {
	local explain

	rm -rf "$DIR"
	mkdir -p "$DIR"
	explain=$(example prpctl.8 explain.sh)
	OUT=$(unshare -nm bash -ec '
		mount -t tmpfs none /run/netns
		cd "$0"
		eval "$1"
		ip netns exec a '"$explain"'
		ip -n b link set eth0 down
		! ip netns exec a '"$explain"' || exit 1
		' "$DIR" "$(example prpctl.8 namespaces.sh)" 2>&1) ||
		fail "$OUT"
	say "${OUT//$'\n'/$'\n# '}"
	[[ $OUT == *"beta is reachable"*"of beta has a carrier"* ]] ||
		fail "not that beta is reachable, and then not"
}

manuals__looking_with_prpctl() {
	machines
	connected_pair 4000
	told_ok client send 1000
	told_ok server recv 1000
	example_on 1 prpctl.8 sockets.sh
	[[ $OUT == *beta:4000*prp_hold*rtt* ]] || fail "sockets: $OUT"
	example_on 1 prpctl.8 metrics.sh
	grep -q '^prp_conns_opened_total 1$' "$DIR/prp.prom" ||
		fail "metrics: $(<"$DIR/prp.prom")"
	example_on 1 prpctl.8 self.sh
	expect "this machine" "$OUT" -eq 1
	release client
	release server
}

manuals__measuring_with_prpperf() {
	machines
	example_on 1 prpperf.1 itself.sh
	[[ $OUT == *p50_us*" 100 "*" 100 "*"# fit:"* ]] || fail "it says: $OUT"
	example_on 1 prpperf.1 medians.sh
	expect_float "the median in us" "$OUT" ">" 0
}

# systemd looks for the program, as the path does here.
manuals__programs_with_prprun() {
	local line

	machines
	line=$(example prprun.1 service | sed -n 's/^ExecStart=//p')
	[[ $line == prprun\ * ]] || fail "$line"
	start 2 bash -ec "exec $line"
	wait_for "the service listens" listens_by_prp 5201
	stop "$STARTED"
	serve_example 2 prprun.1 server.sh listens_by_prp 5201
	example_on 1 prprun.1 client.sh
	[[ $OUT == *"iperf Done."* ]] || fail "iperf3: $OUT"
	expect "connections over PRP" "$(counter 1 ip_prp_out)" -eq 2
	stop "$STARTED"
	web_servers
	example_on 1 prprun.1 curl.sh
	[ "$(sed 's/\[[0-9]*]/[4711]/' <<<"$OUT")" = \
		"$(example prprun.1 curl.out)" ] || fail "it says: $OUT"
	stop "$STARTED"
}

# Both are one, at an address that the host table has and one that it has not.
web_servers() {
	ip -n "$NODE-2" addr add 192.0.2.7 dev p0
	ip -n "$NODE-1" route add 192.0.2.7 dev p0
	printf '#!/bin/sh\nsed -n "/^.$/q"\nprintf "HTTP/1.0 200 OK%s"\n' \
		'\r\n\r\n' >"$DIR/reply"
	chmod +x "$DIR/reply"
	serve 2 80 prprun socat TCP-LISTEN:80,fork,reuseaddr \
		"EXEC:$DIR/reply"
}

# usages TEXT PROGRAM: its lines that begin with the program, without
# brackets and blanks, of which a manual may have others
usages() {
	sed -n -e "s/^ *\(Usage: \)\?$2 \(\[[Oo][A-Za-z]*\] \)\?/$2/" \
		-e "T" -e 's/[][ {}]//g' -e "p" <<<"$1" | sort
}

manuals__every_command_of_prpctl() {
	local object all

	all=$(for object in $(prpctl help |
		sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
		prpctl "$object" help
	done)
	diff <(usages "$all" prpctl) \
		<(usages "$(synopsis prpctl.8)" prpctl | grep -v COMMANDhelp) ||
		fail "help and SYNOPSIS differ"
	options prpctl prpctl.8
}

manuals__every_option_of_prprun() {
	[[ $(synopsis prprun.1) == *"prprun [-qrv] [--] COMMAND [ARGUMENT]..."* ]] ||
		fail "SYNOPSIS: $(synopsis prprun.1)"
	options prprun prprun.1
}

synopsis() {
	mandoc -Tascii "$HERE/$1" | col -b | sed -n '/^SYNOPSIS/,/^DESCR/p'
}

# options PROGRAM PAGE: those that it tells of are those of the page
options() {
	diff <("$1" --help | grep -oE '^  -[a-zA-Z], --[a-z]+' | tr -d ' ') \
		<(mandoc -Tascii "$HERE/$2" | col -b |
		  sed -n '/^OPTIONS/,/^[B-NP-Z]/p' |
		  grep -oE '^ {7}-[a-zA-Z], --[a-z]+' | tr -d ' ') ||
		fail "options of $1 and of $2"
}

run_cases
