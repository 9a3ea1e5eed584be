#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What prpctl dev, route, node, sockets and monitor show and change.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# row COMMAND... -- PATTERN: one line of the output matches
row() {
	local words=()

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	OUT=$(ctl "${words[@]}") || fail "${words[*]}: exit status $?"
	grep -Eq "$2" <<<"$OUT" || fail "no line '$2' in: $OUT"
}

# --- dev -------------------------------------------------------------------

see__dev() {
	two_nodes
	row dev -- "^0 +$(mac 1) +p0 +1500 +up$"
	ip -n "$NODE-1" link set p0 mtu 1400
	row dev show -- " p0 +1400 +up$"
	ip -n "$NODE-2" link set p0 down
	row dev -- " p0 +1400 +no carrier$"
	ip -n "$NODE-1" link set p0 down
	row dev -- " p0 +1400 +down$"
	{
		echo "1 n1 $(mac 1),$(mac 99)"
		echo "2 n2 $(mac 2)"
	} | ctl hosts setup -f - >/dev/null 2>&1
	row dev -- "^1 +$(mac 99) +- +- +no device$"
	ctl -j dev | json '["rails"][0] == {"number": 0, "mtu": 1400,
		"mac": "'"$(mac 1)"'", "ifname": "p0", "up": False,
		"carrier": False}'
	ctl -j dev | json '["rails"][1]["ifname"] is None'
	ctl -j dev | json '["rails"][0].get("passed") is None'
	row dev -s -- \
		'^ +[0-9]+ frames .*in, [0-9]+ frames .*of all protocols$'
	ctl -j -s dev | json '["rails"][0]["passed"]["bytes_out"] >= 0'
	ctl -j -s dev | json '["rails"][1]["passed"] is None'
	expect "brief" "$(ctl dev -br)" = "0  p0  down
1  -   no device"
}

# moved NODE RAIL: leaves in $MOVED frames and bytes in, the same out, and what
# was lost
moved() {
	MOVED=$(prpctl -n "$NODE-$1" -s dev | tr -d '(' |
		awk "/^$2 /"' { getline; print $1, $3, $6, $8, $11 }')
}

# agree NODE RAIL NODE RAIL: what one end of a wire sent the other one received
agree() {
	local there

	moved "$1" "$2"
	there=$MOVED
	moved "$3" "$4"
	say "rail $2 of node $1: $there; rail $4 of node $3: $MOVED"
	[ "$(cut -d ' ' -f 3,4 <<<"$there")" = \
		"$(cut -d ' ' -f 1,2 <<<"$MOVED")" ]
}

# Of each rail by itself, in runs and one by one, and of what is passed on
see__dev_counts_by_rail() {
	local bytes

	linked_nodes 3 1-2-0 2-3-1
	for bytes in 1000000 100; do
		xfer_between 1 3 -z $bytes
		wait_for "1 and 2 agree" agree 1 0 2 0
		wait_for "2 and 1 agree" agree 2 0 1 0
		wait_for "2 and 3 agree" agree 2 1 3 1
		wait_for "3 and 2 agree" agree 3 1 2 1
		moved 1 0
		[ "$bytes" = 100 ] || expect "bytes out" \
			"$(cut -d ' ' -f 4 <<<"$MOVED")" -ge 1000000
		moved 2 1
		expect "passed on" "$(cut -d ' ' -f 3 <<<"$MOVED")" -gt 0
		expect "of node 2 itself" "$(counter 2 frames_out)" -eq 0
	done
	moved 1 0
	ctl -s -j dev | json '["rails"][0]["counters"]["frames_in"] == '\
"${MOVED%% *}"
	ctl -s -j dev | json '["rails"][0]["counters"]["lost"] == 0'
	# to itself on no rail
	xfer_between 1 1 -z 1000
	bytes=$MOVED
	moved 1 0
	expect "rail 0" "$MOVED" = "$bytes"
}

# What was lost was lost on that rail.
see__dev_counts_what_was_lost() {
	linked_nodes 2 1-2-0 1-2-1
	bad_link 2 0 drop=700 seed=2
	ip -n "$NODE-1" link set p1 down
	xfer -z 3000000		# a run is lost as one
	moved 1 0
	expect "lost" "${MOVED##* }" -gt 0
	expect "lost" "${MOVED##* }" -eq "$(counter 1 segs_retransmitted)"
	moved 1 1
	expect "lost on the other rail" "${MOVED##* }" -eq 0
}

see__dev_ethertype() {
	two_nodes
	expect "EtherType" "$(ctl dev ethertype)" = 0x88b5
	ctl dev ethertype 0x88b7
	prpctl -n "$NODE-2" dev ethertype 34999
	expect "EtherType" "$(ctl dev ethertype)" = 0x88b7
	xfer -z 100000
	ctl -j dev ethertype | json '["ethertype"] == 0x88b7'
	refused "IP's" "another protocol" ctl dev ethertype 0x800
	refused "that of discovery" "discovery's" ctl dev ethertype 0x88b6
	refused "a length" "is a length" ctl dev ethertype 5
	refused "nobody" CAP_NET_ADMIN nobody dev ethertype 0x88b5
	expect "IP's" "$(status_of ctl dev ethertype 0x800)" -eq 2
	expect "too large" "$(status_of ctl dev ethertype 65536)" -eq 1
	expect "negative" "$(status_of ctl dev ethertype -1)" -eq 1
	expect "a word" "$(status_of ctl dev ethertype 1x)" -eq 1
}

# Colours where they are asked for, and by themselves on terminals alone.
see__colors() {
	local red=$'\e[31m' green=$'\e[32m' end=$'\e[0m'

	two_nodes
	[[ $(ctl dev) != *$'\e'* ]] || fail "colours in a file"
	[[ $(ctl dev -c) == *" ${green}up$end" ]] || fail "$(ctl dev -c)"
	[[ $(NO_COLOR=1 ctl --color=always dev) == *"$green"* ]] ||
		fail "none where they are asked for"
	TERM=xterm
	[[ $(on_terminal ctl dev) == *"${green}up$end"* ]] ||
		fail "none on a terminal"
	[[ $(on_terminal ctl dev --color=never) != *$'\e'* ]] ||
		fail "colours that nobody wants"
	[[ $(NO_COLOR=1 on_terminal ctl dev) != *$'\e'* ]] ||
		fail "colours in spite of NO_COLOR"
	[[ $(TERM=dumb on_terminal ctl dev) != *$'\e'* ]] ||
		fail "colours on a terminal that has none"
	ip -n "$NODE-1" link set p0 down
	[[ $(ctl -c route show 2) == *"${red}device down$end" ]] ||
		fail "$(ctl -c route show 2)"
}

# on_terminal COMMAND...: whatever this one writes to
on_terminal() {
	export -f ctl
	export NODE TERM=${TERM:-xterm}
	python3 -c 'import pty, sys
pty.spawn(["bash", "-c", "\"$@\"", "bash"] + sys.argv[1:])' "$@" <&"$NEVER"
}

# --- forward ---------------------------------------------------------------

see__forward() {
	two_nodes
	expect "at first" "$(ctl forward)" = \
		"off (auto: the host table has no links)"
	ctl -j forward | json '["forward"] == "auto"'
	ctl -j forward | json '["forwards"] is False'
	ctl hosts link add n1 n2
	expect "with a link" "$(ctl forward show)" = \
		"on (auto: the host table has links)"
	ctl forward off
	expect "switched off" "$(ctl forward)" = off
	[[ $(ctl hosts | head -n 1) == *", forward off" ]] ||
		fail "hosts show: $(ctl hosts)"
	ctl hosts link del n1 n2
	ctl forward on
	expect "switched on" "$(ctl forward)" = on
	# of this namespace alone, and whatever the table is
	ctl hosts flush >/dev/null
	expect "without hosts" "$(ctl forward)" = on
	ctl -j hosts | json '["forward"] == "on"'
	ctl -j hosts | json '["forwards"] is True'
	expect "at node 2" "$(prpctl -n "$NODE-2" forward)" = \
		"off (auto: the host table has no links)"
	refused "nobody" CAP_NET_ADMIN nobody forward off
	ctl forward auto
	expect "as at first" "$(ctl forward)" = \
		"off (auto: the host table has no links)"
}

# --- memory ----------------------------------------------------------------

see__memory() {
	two_nodes
	[[ $(ctl memory) == "machine: "*" of "*"
namespace: 0 bytes of "*" (limit none; "* ]] || fail "at first: $(ctl memory)"
	ctl -j memory | json '["limit"] is None'
	ctl memory namespace 20M
	[[ $(ctl memory show) == *"(limit 20 MiB; "* ]] ||
		fail "then: $(ctl memory)"
	ctl -j memory | json '["limit"] == 20 << 20'
	ctl -j memory | json '["most"] <= 20 << 20'
	ctl -j memory | json '["bytes"] == 0'
	ctl -j memory | json '["machine_bytes"] <= x["machine_limit"]'
	prpctl -j -n "$NODE-2" memory | json '["limit"] is None'
	ctl memory namespace 1
	ctl -j memory | json '["most"] == 1'
	ctl memory namespace none
	refused "nobody" CAP_NET_ADMIN nobody memory namespace 1M
	refused "nobody" CAP_NET_ADMIN nobody memory machine 1M
}

# --- route -----------------------------------------------------------------

see__route() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0
	row route -- '^1 +n1 +this machine +0 '
	row route -- '^2 +n2 +direct +1 +0 +p0 +1500 +ok$'
	row route -- '^3 +n3 +2 \(n2\) +2 +0 +p0 +1500 +ok$'
	row route show 10.9.0.4 -- '^4 +n4 +2 \(n2\) +3 +0 '
	expect "lines" "$(wc -l <<<"$OUT")" -eq 2
	ctl -j route show n4 | json '["routes"] == [{"number": 4,
		"name": "n4", "via": 2, "via_name": "n2", "hops": 3,
		"rail": 0, "ifname": "p0", "mtu": 1500, "override": False,
		"state": "ok"}]'
	ip -n "$NODE-1" link set p0 down
	row route show 4 -- ' device down$'
	ctl hosts link del 1 2 rail 0
	row route show 4 -- '^4 +n4 +- +- +- +- +- +no way$'
}

see__route_override() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0 4-1-1
	row route show 3 -- '^3 +n3 +2 \(n2\) +2 '
	ctl route add n3 via 10.9.0.4
	row route show 3 -- '^3 +n3 +4 \(n4\) +- +1 +p1 +1500 +ok, override$'
	ctl -j route show 3 | json '["routes"][0]["override"]'
	xfer_between 1 3 -z 100000
	ctl route del 3
	row route show 3 -- '^3 +n3 +2 \(n2\) +2 .* ok$'
	ctl route add 3 via 4
	ctl route flush
	row route show 3 -- '^3 +n3 +2 \(n2\) +2 .* ok$'
	refused "no neighbour" "no neighbour" ctl route add 2 via 3
	refused "no override" "no route was set" ctl route del 3
	refused "nobody" CAP_NET_ADMIN nobody route add 3 via 4
	refused "nobody" CAP_NET_ADMIN nobody route del 3
	refused "nobody" CAP_NET_ADMIN nobody route flush
	expect "no neighbour" "$(status_of ctl route add 2 via 3)" -eq 2
	expect "nobody" "$(status_of nobody route flush)" -eq 2
}

# --- node ------------------------------------------------------------------

see__node() {
	two_nodes
	row node -- '^2 +n2 +- +- +- +- +0 +- +-$'
	connected_pair 4000
	row node -- '^2 +n2 +[0-9.]+ s +same +- +- +1 +- +-$'
	ctl -j node show n2 | json '["nodes"][0]["conns"] == 1'
	release client
	release server
	hosts 3 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	xfer -z 1000
	row node show 10.9.0.2 -- '^2 +n2 +[0-9.]+ s +differs '
	ctl -j node show 2 | json '["nodes"][0]["table_differs"]'
	ctl -j node | json '["nodes"][0]["self"]'
}

# --- sockets ---------------------------------------------------------------

# unread BYTES: at node 2
unread() {
	prpctl -n "$NODE-2" sockets -a | grep -q "^established  $1 "
}

see__sockets() {
	two_nodes
	hold server 2
	told_ok server listen 4000 5
	hold client 1
	told_ok client connect 2 4000
	told_ok server accept
	told_ok client send 1000
	row sockets -- '^established +0 +[0-9]+ +n1:[0-9]+ +n2:4000 +prp$'
	expect "lines" "$(wc -l <<<"$OUT")" -eq 2
	row sockets -N -- ' 1:[0-9]+ +2:4000 '
	expect "listeners" "$(ctl sockets -l | wc -l)" -eq 1
	row sockets show state close state established -- '^established '
	row sockets state established -- '^established '
	row sockets state established -N -- ' 1:[0-9]+ +2:4000 '
	expect "others" "$(ctl sockets state conn-wait | wc -l)" -eq 1
	expect "brief" "$(ctl -br sockets | tr -s ' ' | sed 's/:[0-9]* / /')" \
		= "established n1 n2:4000"
	row sockets -d -- \
		'^ +stream, native, user 0, inode [1-9][0-9]*(, silent .*)?$'
	ctl sockets state established -j | json '["sockets"][0]["path"] == "prp"'
	OUT=$(prpctl -n "$NODE-2" sockets -l)
	[[ $OUT == *$'\nlisten '*" 5 "*"*:4000"* ]] || fail "got: $OUT"
	wait_for "all of it is there to be read" unread 1000
	OUT=$(prpctl -n "$NODE-2" sockets -a)
	[[ $OUT == *$'\nlisten '* ]] || fail "got: $OUT"
	release client
	release server
}

see__sockets_tell_process_and_info() {
	two_nodes
	connected_pair 4000
	told_ok client send 1000
	told_ok server recv 1000
	row sockets -p -- ' prp_hold\(pid [0-9]+, fd [0-9]+\)$'
	row sockets --info -- '^ .*segs_out 1.*bytes_out 1000'
	row sockets -s -- '^ .*segs_out 1.*bytes_out 1000'
	ctl -j sockets -ip | json '["sockets"][0]["info"]["bytes_out"] == 1000'
	ctl -j sockets -p | json '["sockets"][0]["processes"][0]["name"] ==
		"prp_hold"'
	ctl -j sockets | json '["sockets"][0]["peer"] == {"node": 2,
		"name": "n2", "port": 4000, "ip": None, "ip_port": None}'
	OUT=$(nobody sockets -p)
	grep -Eq '^established .* -$' <<<"$OUT" || fail "got: $OUT"
	release client
	release server
}

# A process calls itself what it likes, and no terminal does what that says.
see__sockets_of_a_process_with_a_bad_name() {
	local dir

	two_nodes
	dir=$(mktemp -d)
	ln -s "$(type -P prp_hold)" "$dir/"$'\e[31mhold\xe4'
	prp_hold() {
		exec "$dir/"$'\e[31mhold\xe4' "$@"
	}
	connected_pair 4000
	row sockets -p -- ' \?\[31mhold\?\(pid [0-9]+, fd [0-9]+\)$'
	release client
	release server
	rm -r "$dir"
}

# shows NODE PATTERN [OPTION]...: prpctl sockets has such a line
shows() {
	prpctl -n "$NODE-$1" sockets "${@:3}" | grep -Eq "$2"
}

# talk PATH: a TCP program talks to another one, and PATH carries it
talk() {
	local server client

	nsenter --net="/run/netns/$NODE-2" \
		prprun socat TCP-LISTEN:5000,reuseaddr PIPE &
	server=$!
	wait_for "the server listens" shows 2 '^listen .*:5000 ' -l
	nsenter --net="/run/netns/$NODE-1" \
		prprun socat TCP:10.9.0.2:5000 - <&"$NEVER" &
	client=$!
	wait_for "$1 carries it" shows 1 \
		"^established +0 +0 +10.9.0.1:[0-9]+ +10.9.0.2:5000 +$1$"
	ctl -j sockets | json '["sockets"][0]["protocol"] == "inet"'
	ctl -j sockets | json '["sockets"][0]["peer"]["ip"] == "10.9.0.2"'
	kill "$client" "$server"
	wait "$client" "$server" || :
}

see__sockets_of_the_ip_mode() {
	two_nodes
	talk prp
	ctl hosts del 2 >/dev/null
	talk tcp
}

# --- monitor ---------------------------------------------------------------

subscribed() {
	in_node 1 awk '$2 == 16 && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

# watched [OPTION]... -- [MONITOR OPTION]: prpctl monitor in the background
watched() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	WATCH=$(mktemp)
	prpctl -n "$NODE-1" "${options[@]}" monitor "$@" >"$WATCH" &
	WATCHER=$!
	wait_for "the monitor listens" subscribed
}

seen() {
	grep -Eq "$1" "$WATCH"
}

# It ends well when the user has seen enough.
unwatched() {
	local rc=0

	kill -INT "$WATCHER"
	wait "$WATCHER" || rc=$?
	expect "exit status" $rc -eq 0
	rm "$WATCH"
}

see__monitor() {
	linked_nodes 3 1-2-0 2-3-1
	watched --
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	wait_for "the table is seen" \
		seen "^table: generation $(generation), .* hosts 4, links 2,"
	ip -n "$NODE-1" link set p0 mtu 1400
	wait_for "the device is seen" \
		seen "^rail 0: $(mac 1), p0, MTU 1400, up$"
	ctl route add 3 via 2
	wait_for "the override is seen" \
		seen '^route to 3 \(n3\): via 2 \(n2\), .*override'
	ctl route del 3
	wait_for "its end is seen" seen '^route to 3 .*2 hops, rail 0'
	hosts 2 | prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	xfer -z 1000
	wait_for "the peer's table is seen" \
		seen '^node 2 \(n2\): heard .*its host table differs'
	unwatched
}

# A host may leave the table while a route to it is set, and the route then.
see__monitor_tells_of_routes_to_nobody() {
	two_nodes
	on_each 1 set_hosts "$(hosts 3)"
	watched --
	ctl route add 3 via 2
	wait_for "the override is seen" seen '^route to 3 \(n3\): via 2 '
	ctl hosts del 3 >/dev/null
	ctl route flush
	wait_for "its end is seen" seen '^route to 3 \(\?\): none$'
	unwatched
}

see__monitor_says_which_hosts_are_others() {
	local line

	two_nodes
	watched --
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	wait_for "the new one" seen "^host 7 \\(n7\\): added, $(mac 7)$"
	hosts 2 | sed "s/n2/beta/; s/10.9.0.2/10.9.0.9/; s/$(mac 2)/&,$(mac 9)/" |
		ctl hosts setup -f - >/dev/null
	wait_for "the old one" seen "^host 7 \\(n7\\): removed, $(mac 7)$"
	wait_for "the changed one" seen "^host 2 \\(n2\\): name n2, now beta; \
addresses $(mac 2), now $(mac 2),$(mac 9); \
IP addresses 10.9.0.2, now 10.9.0.9$"
	ctl hosts link add 1 beta rail 0 >/dev/null
	wait_for "the link" seen '^link 1 2 rail 0: added$'
	ctl hosts flush >/dev/null
	wait_for "its end" seen '^link 1 2 rail 0: removed$'
	wait_for "the end of all" seen '^host 2 \(beta\): removed, '
	expect "lines of hosts" "$(grep -c '^host' "$WATCH")" -eq 5
	unwatched
	on_each 1 set_hosts "$(hosts 2)"
	watched -j --
	ctl hosts del 2 >/dev/null
	wait_for "the removed one" seen '"event":"host"'
	json '["old"]["name"] == "n2"' <<<"$(grep '"host"' "$WATCH")"
	json '["change"] == "removed"' <<<"$(grep '"host"' "$WATCH")"
	unwatched
}

# Of events that it could not take in time it tells what came of them.
see__monitor_that_is_too_slow() {
	two_nodes
	watched --
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	wait_for "the first one" seen '^host 7 \(n7\): added'
	kill -STOP "$WATCHER"
	seq -f '%g 1' 1 2000 >"$WATCH.list"
	ctl access setup -f "$WATCH.list" -H <(hosts 2) >/dev/null
	ctl hosts add 8 n8 "$(mac 8)" >/dev/null
	kill -CONT "$WATCHER"
	wait_for "the one whose event was lost" seen '^host 8 \(n8\): added'
	expect "all events" "$(grep -c '^access: ' "$WATCH")" -lt 2000
	rm "$WATCH.list"
	unwatched
}

# It does not go on for nobody.
see__monitor_that_nobody_reads() {
	local pid

	two_nodes
	while :; do
		ctl hosts add 7 n7 "$(mac 7)"
		ctl hosts del 7
	done >/dev/null &
	pid=$!
	expect "status" "$(deaf monitor)" -eq 2
	expect "status of JSON" "$(deaf -j monitor)" -eq 2
	kill "$pid"
	wait "$pid" || :
}

# seen_sending PATTERN: the same while node 1 sends, and so looks at its rails
seen_sending() {
	told_ok client send 100
	seen "$1"
}

see__monitor_tells_of_rails() {
	linked_nodes 2 1-2-0 1-2-1
	watched --
	connected_pair 4000
	ip -n "$NODE-1" link set p0 down
	wait_for "it is left" seen_sending \
		'^way to 2 \(n2\): rail 0 left \(no link\)$'
	ip -n "$NODE-1" link set p0 up
	wait_for "it is taken back" seen_sending \
		'^way to 2 \(n2\): rail 0 taken back after [0-9]+\.[0-9]{3} s$'
	expect "times" "$(grep -c '^way .* left' "$WATCH")" -eq 1
	unwatched
	release client
	release server
}

see__monitor_tells_of_connections() {
	local line

	two_nodes
	watched --
	connected_pair 4000
	wait_for "it comes" \
		seen '^connection n1:[0-9]+ n2:4000: established$'
	told_ok client send 1000
	told_ok server recv 1000
	told_ok client close
	told_ok server close
	wait_for "it goes" seen '^connection n1:[0-9]+ n2:4000: ended, '\
'1000 bytes out, 0 bytes in$'
	unwatched
	release client
	release server
	watched -j -- connection
	connected_pair 4000
	told_ok client send 1000
	wait_for "it is there to be read" unread 1000
	release server
	wait_for "it is reset" seen '"change":"ended"'
	expect "lines" "$(wc -l <"$WATCH")" -eq 2
	while read -r line; do
		json '["event"] == "connection"' <<<"$line"
		json '["local"]["name"] == "n1"' <<<"$line"
		json '["peer"]["port"] == 4000' <<<"$line"
		json '["seqpacket"] is False' <<<"$line"
	done <"$WATCH"
	json '["error"] == "Connection reset by peer"' \
		<<<"$(tail -n 1 "$WATCH")"
	unwatched
	release client
}

see__monitor_names_connections_as_programs_do() {
	two_nodes
	watched -- connection
	talk prp
	wait_for "it comes" seen \
		'^connection 10.9.0.1:[0-9]+ 10.9.0.2:5000: established$'
	wait_for "it goes" seen '^connection 10.9.0.1:.* bytes in$'
	unwatched
}

# Only what is asked for
see__monitor_tells_what_is_named() {
	two_nodes
	watched -- rail host
	connected_pair 4000
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	wait_for "the new one" seen '^host 7 \(n7\): added, '
	ip -n "$NODE-1" link set p0 mtu 1400
	wait_for "the device" seen '^rail 0: '
	! grep -v -e '^host' -e '^rail' "$WATCH" || fail "not asked for"
	unwatched
	release client
	release server
}

see__monitor_tells_the_time() {
	two_nodes
	watched -- -t
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	wait_for "the table is seen" \
		seen '^20..-..-..T..:..:..\.[0-9]{6}[+-][0-9]{4} table: '
	unwatched
}

see__monitor_speaks_json() {
	local line

	two_nodes
	watched -j -- -t
	ctl hosts add 7 n7 "$(mac 7)" >/dev/null
	ip -n "$NODE-1" link set p0 mtu 1400
	ctl route add 2 via 2
	wait_for "all is seen" seen route
	while read -r line; do
		json '["event"] in ("table", "host", "rail", "route", "peer")' \
			<<<"$line"
		json '["time"]' <<<"$line"
	done <"$WATCH"
	for line in table rail route; do
		seen "\"event\":\"$line\"" || fail "no $line"
	done
	unwatched
}

# --- what is wrong ---------------------------------------------------------

see__bad_commands() {
	local words rc out

	two_nodes
	while read -r words; do
		expect "$words" "$(status_of ctl $words)" -eq 1
		rc=0
		out=$(ctl -j $words 2>/dev/null) || rc=$?
		expect "JSON, $words" $rc -eq 1
		json '["errors"]' <<<"$out"
	done <<-EOF
	dev nothing
	dev show p0
	dev ethertype 1 2
	route nothing
	route show n77
	route show 1 2
	route add
	route add 1 via
	route add 1 through 2
	route add 1 via 77
	route add 1 via 2 3
	route del
	route del 1 2
	route flush 1
	forward nothing
	forward show 1
	forward on 1
	memory nothing
	memory show 1
	memory machine
	memory machine none
	memory namespace 1 2
	memory namespace 1Kx
	node nothing
	node show 1 2
	node show 10.9.0.77
	node show -x
	sockets nothing
	sockets -x
	sockets show state
	sockets show state estab
	sockets show status close
	monitor all
	monitor -t -t
	monitor connection -t nothing
	explain
	explain 1 2 3
	explain -x
	EOF
	while read -r words; do
		expect "$words" "$(status_of ctl $words)" -eq 0
	done <<-EOF
	dev help
	route help
	route add help
	node help
	sockets help
	monitor help
	explain help
	EOF
}

run_cases
