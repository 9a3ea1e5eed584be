#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who gets which path under prprun: PRP where both ends know each other and
# want it, TCP everywhere else, at once and from one server.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

SIZE=500000
UNKNOWN="not in the host table"

# Node 3 is on the wire and in nobody's table, and has none itself.
with_a_stranger() {
	local nr

	counted_nodes 3
	for nr in 1 2; do
		hosts 2 | prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
	prpctl -n "$NODE-3" hosts flush >/dev/null
	a_file sent $SIZE
}

# fetch NODE PORT NAME [COMMAND...]: nc gets what a server sends at once
fetch() {
	local nr=$1 port=$2 name=$3

	shift 3
	in_node "$nr" "$@" nc -d 10.9.0.2 "$port" >"$DIR/$name" ||
		fail "node $nr: nc ($?)"
	same sent "$name"
}

# offer NODE PORT [COMMAND...]: socat sends it to everybody who connects
offer() {
	local nr=$1 port=$2

	shift 2
	serve "$nr" "$port" "$@" socat -U "TCP-LISTEN:$port,reuseaddr,fork" \
		OPEN:"$DIR/sent"
}

paths__verbose_tells_who_takes_which() {
	local said

	with_a_stranger
	serve 2 4000 prprun -v python3 -m http.server -d "$DIR" 4000
	said=$(in_node 1 prprun -v curl -sS -o "$DIR/got" \
		http://10.9.0.2:4000/sent 2>&1) || fail "curl: $said"
	[[ $said == "prprun: curl["*"]: connected to 10.9.0.2:4000: PRP" ]] ||
		fail "node 1 said: $said"
	same sent got
	rm "$DIR/got"
	said=$(in_node 3 prprun -v curl -sS -o "$DIR/got" \
		http://10.9.0.2:4000/sent 2>&1) || fail "curl: $said"
	[[ $said == "prprun: curl["*"]: connected to 10.9.0.2:4000: TCP, $UNKNOWN" ]] ||
		fail "node 3 said: $said"
	same sent got
	carried 3
	expect "frames of PRP from node 3" "$OURS" -eq 0
	expect "bytes in other frames" "$(other_bytes)" -ge $SIZE
	stop "$STARTED"
	said=$(<"$DIR/said.2")
	[[ $said == *"accepted from 10.9.0.1:"*": PRP"* &&
	   $said == *"accepted from 10.9.0.3:"*": TCP"$'\n'* ]] ||
		fail "node 2 said: $said"
}

# says_tcp REASON ADDRESS [COMMAND...]: nc or another client at node 1
says_tcp() {
	local reason=$1 address=$2 said

	shift 2
	[ $# != 0 ] || set -- nc -d "$address" 4000
	said=$(in_node 1 prprun -v "$@" 2>&1 >/dev/null)
	[[ $said == *"connected to $address:4000: TCP, $reason" ]] ||
		fail "not '$reason': $said"
}

paths__verbose_tells_why_it_is_tcp() {
	with_a_stranger
	offer 2 4000
	says_tcp "nobody listens there under PRP" 10.9.0.2
	stop "$STARTED"
	offer 2 4000 prprun
	prpctl -n "$NODE-1" hosts setup -f <(hosts 2) >/dev/null # forgets
	says_tcp "for the option SO_BINDTODEVICE" 10.9.0.2 \
		socat -u TCP-CONNECT:10.9.0.2:4000,bindtodevice=p0 -
	ip -n "$NODE-1" addr add 10.9.0.9/24 dev p0
	says_tcp "no address of ours in the host table" 10.9.0.2 \
		socat -u TCP-CONNECT:10.9.0.2:4000,bind=10.9.0.9 -
	prpctl -n "$NODE-2" access add 4000 2
	says_tcp "denied by an access list" 10.9.0.2
	prpctl -n "$NODE-2" access del 4000 2
	stop "$STARTED"
}

remembers() {
	[[ $(in_node 1 prprun -v nc -d 10.9.0.3 4000 2>&1 >/dev/null) == \
		*": TCP, PRP is not answered: "*" (not asked again)" ]]
}

# Node 3 is in the table, and does not know it.
paths__verbose_tells_that_nobody_answers() {
	with_a_stranger
	prpctl -n "$NODE-1" hosts setup -f <(hosts 3) >/dev/null
	offer 3 4000
	says_tcp "PRP is not answered: no module, or a full backlog" 10.9.0.3
	# for a second at first, and then for longer
	wait_for "it is remembered" remembers
	stop "$STARTED"
}

# nc connects without waiting, socat waits.
paths__verbose_tells_of_each_kind_of_connect() {
	local said

	with_a_stranger
	offer 2 4000 prprun -v
	said=$(in_node 1 prprun -v nc -d 10.9.0.2 4000 2>&1 >/dev/null)
	[[ $said == *"nc["*"connected to 10.9.0.2:4000: PRP" ]] ||
		fail "nc said: $said"
	said=$(in_node 1 prprun -v socat -u TCP-CONNECT:10.9.0.2:4000 \
		OPEN:/dev/null 2>&1)
	[[ $said == *"socat["*"connected to 10.9.0.2:4000: PRP" ]] ||
		fail "socat said: $said"
	stop "$STARTED"
	[ "$(grep -c "socat.*accepted from .*: PRP" "$DIR/said.2")" = 2 ] ||
		fail "node 2 said: $(cat "$DIR/said.2")"
}

paths__stranger_takes_tcp() {
	with_a_stranger
	offer 2 4000 prprun
	fetch 3 4000 got prprun
	stop "$STARTED"
	serve 2 5201 prprun iperf3 -s -1
	iperf 3 10.9.0.2 -n $SIZE --bidir
	ended "iperf3" "$STARTED"
	over_tcp 3 $((2 * SIZE))
	carried 2
	expect "frames of PRP from node 2" "$OURS" -eq 0
	expect "not in the table" "$(counter 3 ip_tcp_unknown)" -gt 0
}

# The server is the stranger.
paths__to_a_stranger_takes_tcp() {
	with_a_stranger
	serve 3 4000 prprun socat -u TCP-LISTEN:4000 CREATE:"$DIR/got"
	quietly in_node 1 prprun socat -u OPEN:"$DIR/sent" \
		TCP-CONNECT:10.9.0.3:4000
	ended "socat" "$STARTED"
	same sent got
	over_tcp 3 $SIZE
	over_tcp 1 $SIZE
}

paths__server_takes_both_at_once() {
	local clients=() client

	with_a_stranger
	offer 2 4000 prprun
	(fetch 1 4000 got.prp prprun) &
	clients+=($!)
	(fetch 1 4000 got.plain) &
	clients+=($!)
	(fetch 3 4000 got.stranger prprun) &
	clients+=($!)
	for client in "${clients[@]}"; do
		wait "$client" || fail "a client failed"
	done
	stop "$STARTED"
	expect "accepted from TCP" "$(counter 2 ip_tcp_in)" -eq 2
	carried 2
	expect "bytes in frames of PRP" "$PAYLOAD" -ge $SIZE
	expect "bytes in frames of PRP" "$PAYLOAD" -lt $((2 * SIZE))
	expect "bytes in other frames" "$OTHER_BYTES" -ge $((2 * SIZE))
}

paths__plain_server_is_reached_over_tcp() {
	with_a_stranger
	offer 2 4000
	fetch 1 4000 got prprun
	stop "$STARTED"
	expect "refused by PRP" "$(counter 1 ip_tcp_refused)" -eq 1
	carried 2
	expect "bytes in frames of PRP" "$PAYLOAD" -eq 0
	expect "bytes in other frames" "$OTHER_BYTES" -ge $SIZE
}

paths__children_inherit_it() {
	with_a_stranger
	offer 2 4000 prprun
	in_node 1 prprun sh -c "nc -d 10.9.0.2 4000 | cat" >"$DIR/got"
	same sent got
	stop "$STARTED"
	over_prp $SIZE
}

paths__needs_no_root() {
	local nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

	with_a_stranger
	# shellcheck disable=SC2086
	offer 2 4000 $nobody prprun
	# shellcheck disable=SC2086
	fetch 1 4000 got $nobody prprun
	stop "$STARTED"
	over_prp $SIZE
}

paths__nobody_listens_is_refused() {
	counted_nodes 2
	refused "curl" "Couldn't connect" in_node 1 prprun curl -sS \
		http://10.9.0.2:4000/
	refused "nc" "refused" in_node 1 prprun nc -v 10.9.0.2 4000
}

# --- TCP is not wanted -----------------------------------------------------

paths__required_where_it_is_there() {
	local said

	with_a_stranger
	offer 2 4000 prprun -r
	fetch 1 4000 got prprun -r
	# The reset may come before connect() has returned, which then fails.
	said=$(in_node 3 socat -u TCP-CONNECT:10.9.0.2:4000 - \
		2>&1 >"$DIR/tcp") || [[ $said == *"reset by peer"* ]] ||
		fail "socat: $said"
	expect "bytes over TCP" "$(stat -c %s "$DIR/tcp")" -eq 0
	stop "$STARTED"
	expect "over PRP" "$(counter 1 ip_prp_out)" -eq 1
	expect "accepted from TCP" "$(counter 2 ip_tcp_in)" -eq 0
}

# socat waits in connect(), curl and nc ask later.
paths__required_where_it_is_not() {
	with_a_stranger
	offer 2 4000
	refused "socat" "Connection refused" in_node 1 prprun -r socat -u \
		TCP-CONNECT:10.9.0.2:4000 -
	refused "nc" "Connection refused" in_node 1 prprun -r nc -dv 10.9.0.2 4000
	refused "curl" "Couldn't connect" in_node 1 prprun -r curl -sS \
		http://10.9.0.2:4000/
	refused "a stranger" "No route to host" in_node 1 prprun -r socat -u \
		TCP-CONNECT:10.9.0.3:4000 -
	stop "$STARTED"
	offer 1 4001 prprun -r
	in_node 1 prprun -r nc -d 127.0.0.1 4001 >"$DIR/got" ||
		fail "its own machine ($?)"
	same sent got
	stop "$STARTED"
}

# --- signals ---------------------------------------------------------------

# First the client goes in the middle of a test, then the server.
paths__iperf3_is_interrupted() {
	local server client

	counted_nodes 2
	serve 2 5201 prprun iperf3 -s
	server=$STARTED
	start 1 prprun iperf3 -c 10.9.0.2 -t 60
	client=$STARTED
	wait_for "data" counter_is 2 segs_in -gt 200
	kill -INT "$client"
	wait "$client" && fail "the client ended well"
	wait_for "the server notices" grep -q terminated "$DIR/said.2"
	iperf 1 10.9.0.2 -n $SIZE
	# Word of the end may overtake the last bytes on their way to the
	# server's program, which then does not count them.
	expect "bytes" "$(reported sum_sent bytes)" -ge $SIZE
	expect "bytes that came" "$(reported sum_received bytes)" -gt 0
	start 1 prprun iperf3 -c 10.9.0.2 -t 60
	client=$STARTED
	bad_wire 1
	wait_for "data again" on_the_wire $SIZE
	kill -INT "$server"
	wait "$server" || :
	wait "$client" && fail "the client did not notice"
	say "$(cat "$DIR/said.1")"
}

on_the_wire() {
	carried 1
	[ "$PAYLOAD" -ge "$1" ]
}

# --- without the module ----------------------------------------------------

unused() {
	[ "$(cat /sys/module/prp/refcnt)" = 0 ]
}

paths__without_the_module_it_is_tcp() {
	local said rc=0

	LEAVES_CONNECTIONS=yes		# there is nobody left to count them
	with_a_stranger
	wait_for "no socket is left" unused
	rmmod prp
	NODES=0
	(without_the_module) || rc=1
	load_module
	exit $rc
}

# multipath [COMMAND]...: which protocol who asks for Multipath TCP gets here
multipath() {
	"$@" python3 - <<-'EOF'
	import socket

	MPTCP, SO_PROTOCOL = 262, 38
	try:
	    with socket.socket(proto=MPTCP) as sock:
	        print(sock.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL))
	except OSError as error:
	    print(error)
	EOF
}

without_the_module() {
	local said

	offer 2 4000 prprun -v
	fetch 1 4000 got prprun
	said=$(in_node 1 prprun -v nc -d 10.9.0.2 4000 2>&1 >/dev/null)
	[[ $said == *"prprun: PRP's module is not loaded: all goes over TCP"* &&
	   $said == *"connected to 10.9.0.2:4000: TCP, PRP's module is not loaded" ]] ||
		fail "said: $said"
	stop "$STARTED"
	[ "$(grep -c "is not loaded: all goes over TCP (modprobe prp)" \
		"$DIR/said.2")" = 1 ] ||
		fail "node 2 said: $(cat "$DIR/said.2")"
	said=$(prprun true 2>&1) || fail "true ($?)"
	[ "$said" = "prprun: PRP's module is not loaded: all goes over TCP (modprobe prp)" ] ||
		fail "said: $said"
	said=$(prprun -q true 2>&1) || fail "true ($?)"
	[ -z "$said" ] || fail "said, although quiet: $said"
	[ "$(multipath prprun -q)" = "$(multipath)" ] ||
		fail "Multipath TCP is $(multipath prprun -q)"
	said=$(prprun -r true 2>&1) && fail "ran, although required"
	[ "$said" = "prprun: PRP's module is not loaded (modprobe prp)" ] ||
		fail "said: $said"
	said=$(prprun -qr true 2>&1) && fail "ran, although required"
	[ "$said" = "prprun: PRP's module is not loaded (modprobe prp)" ] ||
		fail "said, as errors are no warnings: $said"
}

run_cases
