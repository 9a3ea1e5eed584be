#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl discover and hosts discover: a host file from who is there.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

FILE=/tmp/$NODE.hosts

# says NODE: it says who it is
says() {
	prpctl -n "$NODE-$1" discover on p0 name "n$1" >/dev/null
}

# found STATUS EXPRESSION [WORD]...: what node 1 finds
found() {
	local rc=0 out

	out=$(ctl -j hosts discover p0 -f "$FILE" "${@:3}") || rc=$?
	json "$2" <<<"$out"
	expect "exit status" $rc -eq "$1"
}

discover__a_file_from_nothing() {
	wired_nodes 4
	on_each 4 says
	found 0 '["answered"] == 4 and not x["written"]'
	[ ! -e "$FILE" ] || fail "written"
	found 0 '["answered"] == 4 and x["written"]' --write
	hosts 4 | tr -s ' ' '\t' | diff - "$FILE" || fail "another file"
	# It does, and once more nothing is new.
	ctl hosts setup -f "$FILE" | grep -q "4 hosts: unchanged" ||
		fail "$(ctl hosts diff -f "$FILE")"
	found 0 '["changes"] == [] and x["silent"] == []' --write
	rm "$FILE"
}

# A kernel's name may have 64 characters, one of a host file 63.
discover__a_long_name() {
	local name

	wired_nodes 2
	for name in $(printf 'a%.0s' {1..63}) $(printf 'b%.0s' {1..64}); do
		# shellcheck disable=SC2016
		unshare --uts bash -ec 'printf %s "$1" \
			>/proc/sys/kernel/hostname
			prpctl -n "$2" discover on p0' - "$name" "$NODE-2"
		# itself, and the one with the name
		found 0 '["answered"] == 2' --write
		grep -q "${name:0:63}" "$FILE" || fail "$(cat "$FILE")"
		rm "$FILE"
	done
}

# Only who was told to, where he was told to, and no longer than that.
discover__only_by_leave() {
	wired_nodes 3
	prpctl -n "$NODE-1" discover on p0 name n1 >/dev/null
	found 0 '["answered"] == 1'
	says 2
	says 3
	found 0 '["answered"] == 3'
	prpctl -n "$NODE-2" -j discover | json '["discover"] == [{
		"device": "p0", "text": "n2 '"$(mac 2)"' 10.9.0.2"}]'
	prpctl -n "$NODE-2" discover off p0
	found 0 '["answered"] == 2'
	expect "status" "$(status_of prpctl -n "$NODE-2" discover off p0)" -eq 2
	expect "status" "$(status_of nobody discover on p0)" -eq 2
	nobody hosts discover p0 -f "$FILE" 2>&1 | grep -q CAP_NET_RAW ||
		fail "no reason"
	# With its device it goes, too.
	ip -n "$NODE-3" link del p0
	found 0 '["answered"] == 1'
	prpctl -n "$NODE-3" -j discover | json '["discover"] == []'
}

# What the file has stays: numbers, comments, links, who is silent.
discover__an_existing_file() {
	wired_nodes 4
	on_each 4 says
	{
		echo "# our rack"
		echo "7 n3 $(mac 3) # at the bottom"
		echo "2 old $(mac 2) 10.9.0.2"
		echo "9 gone $(mac 99)"
		echo "link 7 2"
		printf '3 n4 %s 10.9.0.4' "$(mac 4)"
	} >"$FILE"
	found 0 '["silent"] == [9] and [(c["change"], c["new"]["number"])
		for c in x["changes"]] == [("added", 1), ("changed", 2),
		("changed", 7)]' --write
	{
		echo "# our rack"
		printf '7\tn3\t%s\t10.9.0.3 # at the bottom\n' "$(mac 3)"
		printf '2\tn2\t%s\t10.9.0.2\n' "$(mac 2)"
		echo "9 gone $(mac 99)"
		echo "link 7 2"
		echo "3 n4 $(mac 4) 10.9.0.4"
		printf '1\tn1\t%s\t10.9.0.1\n' "$(mac 1)"
	} | diff - "$FILE" || fail "another file"
	rm "$FILE"
}

# A last line that is not ended
discover__a_last_line_that_changes() {
	wired_nodes 3
	on_each 3 says
	printf '2 old %s' "$(mac 2)" >"$FILE"
	found 0 '["answered"] == 3' --write
	expect "names" "$(cut -f 2 "$FILE" | tr '\n' ,)" = "n2,n1,n3,"
	printf '2 old %s # ours' "$(mac 2)" >"$FILE"
	found 0 '["answered"] == 3' --write
	[[ $(head -n 1 "$FILE") == *$'\t10.9.0.2 # ours' ]] ||
		fail "$(cat "$FILE")"
	expect "names" "$(cut -f 2 "$FILE" | tr '\n' ,)" = "n2,n1,n3,"
	rm "$FILE"
}

# discovered_nothing PATTERN: it is refused, and the file is what it was
discovered_nothing() {
	cp "$FILE" "$FILE.before"
	refused "$1" "$1" ctl hosts discover p0 -f "$FILE" --write
	diff "$FILE.before" "$FILE" || fail "$1: another file"
	rm "$FILE.before"
}

# The file has none but those who answer, whoever says a name that it has.
discover__a_name_that_another_host_has() {
	wired_nodes 3
	on_each 3 says
	hosts 2 >"$FILE"
	prpctl -n "$NODE-3" discover on p0 name n2 >/dev/null
	discovered_nothing "n2"
	# The one of the address is renamed, and the other one is new.
	prpctl -n "$NODE-2" discover on p0 name n9 >/dev/null
	found 0 '["answered"] == 3' --write
	expect "hosts" "$(cut -f 1-3 "$FILE" | tail -n 2)" = \
		"2	n9	$(mac 2)"$'\n'"3	n2	$(mac 3)"
	rm "$FILE"
}

# A card went from one machine into another one.
discover__addresses_of_one_host_at_two() {
	wired_nodes 3
	on_each 3 says
	{
		hosts 1
		echo "2 n2 $(mac 2),$(mac 3)"
	} >"$FILE"
	discovered_nothing "n2 and n3 both have addresses of n2"
	rm "$FILE"
}

# A link stays one, a file has the rights it had, and no other is touched.
discover__the_file_is_what_it_was() {
	wired_nodes 2
	on_each 2 says
	echo "# ours" >"$FILE.real"
	echo staged >"$FILE.new"
	chown 65534:65534 "$FILE.real"
	chmod 640 "$FILE.real"
	ln -s "$FILE.real" "$FILE"
	found 0 '["written"]' --write
	[ -L "$FILE" ] || fail "no link any more"
	expect "rights" "$(stat -c '%a %u %g' "$FILE.real")" = "640 65534 65534"
	expect "staged" "$(<"$FILE.new")" = staged
	expect "lines" "$(wc -l <"$FILE.real")" -eq 3
	rm "$FILE"
	(umask 027 && found 0 '["written"]' --write)
	expect "rights" "$(stat -c '%a %u %g' "$FILE")" = "640 0 0"
	expect "files" "$(echo "$FILE"*)" = "$FILE $FILE.new $FILE.real"
	rm "$FILE" "$FILE.new" "$FILE.real"
}

# Several rails: the same machine on each of them, once in the file.
discover__rails() {
	linked_nodes 2 1-2-0 1-2-1
	prpctl -n "$NODE-1" discover on p0 p1 name n1 >/dev/null
	prpctl -n "$NODE-2" discover on p0 p1 name n2 >/dev/null
	found 0 '["answered"] == 2 and [c["new"]["addresses"]
		for c in x["changes"]] == [["'"$(mac 1 0)"'", "'"$(mac 1 1)"'"],
		["'"$(mac 2 0)"'", "'"$(mac 2 1)"'"]]'
}

# Whose file is made of an answer on one device has that rail alone.
discover__on_all_devices_or_none() {
	linked_nodes 2 1-2-0 1-2-1
	ip -n "$NODE-1" link set p1 mtu 68
	refused "too long for one" "too much, is to be said" \
		ctl discover on p0 p1 name "$(printf 'n%.0s' {1..60})"
	ctl -j discover | json '["discover"] == []'
}

# The one that asks, and says nothing itself, is what its file says.
discover__this_machine_is_silent() {
	linked_nodes 2 1-2-0 1-2-1
	prpctl -n "$NODE-2" discover on p0 p1 name n2 >/dev/null
	echo "5 ours $(mac 1 0),$(mac 1 1) 10.9.0.1 # our rack" >"$FILE"
	cp "$FILE" "$FILE.before"
	found 0 '["answered"] == 2 and x["silent"] == [] and
		[c["new"]["name"] for c in x["changes"]] == ["n2"]' --write
	head -n 1 "$FILE" | diff "$FILE.before" - || fail "another line"
	# Somebody else has its other rail: that is for people to judge.
	prpctl -n "$NODE-2" discover off
	echo "5 ours $(mac 1 0),$(mac 2 0)" >"$FILE"
	prpctl -n "$NODE-2" discover on p0 name n2 >/dev/null
	discovered_nothing "both have addresses of ours"
	rm "$FILE"
}

# Two that say the same name, and one that says what is none
discover__nonsense() {
	wired_nodes 3
	on_each 3 says
	prpctl -n "$NODE-3" discover on p0 name n2 >/dev/null
	expect "status" "$(status_of ctl hosts discover p0 -f "$FILE" --write)" \
		-eq 1
	[ ! -e "$FILE" ] || fail "written"
	expect "status" "$(status_of ctl discover on p0 name 'a b')" -eq 1
	expect "status" "$(status_of ctl discover on p0 name 5)" -eq 1
	expect "status" "$(status_of ctl discover on lo)" -eq 1
	expect "status" "$(status_of ctl discover on)" -eq 1
	expect "status" "$(status_of ctl hosts discover)" -eq 1
	expect "status" "$(status_of ctl hosts discover nodev -f "$FILE")" -eq 1
}

# A stranger cannot make it answer without bound, nor with more than he sent.
discover__answers_are_bounded() {
	local frames begin most

	two_nodes
	says 2
	wire "$NODE-1" p0 load
	in_node 1 python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('p0', 0x88b6))
head = b'\xff' * 6 + bytes.fromhex('$(mac 1)'.replace(':', ''))
head += b'\x88\xb6'
for n in (0, 1, 28):
    s.send(head + b'\1\1' + n.to_bytes(2, 'big') + b'abcd' + bytes(100))
s.send(head + b'\1\1\2\0abcd')
s.send(head + b'\2\1\2\0abcd' + bytes(512))
s.send(head + b'\1\2\2\0abcd' + bytes(512))
s.send(head + b'\1')"
	frames=$(wire "$NODE-1" p0 show)
	OUT=$frames
	expect "answers" "$(val other_frames)" -eq 0
	now_ms
	begin=$NOW
	in_node 1 python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('p0', 0x88b6))
head = b'\xff' * 6 + bytes.fromhex('$(mac 1)'.replace(':', ''))
head += b'\x88\xb6\1\1\2\0abcd' + bytes(512)
for n in range(2000):
    s.send(head)"
	wait_for "the rest is left out" counter_above 2 drop_rate 0
	OUT=$(wire "$NODE-1" p0 show)
	now_ms
	# 4 a second: everybody has heard each of the questions
	most=$((17 + (NOW - begin) / 250))
	expect "answers" "$(val other_frames)" -ge 16
	expect "answers in $((NOW - begin)) ms" "$(val other_frames)" -le $most
}

counter_above() {
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# A hundred machines
discover__many() {
	local nr

	wired_nodes 1
	for ((nr = 2; nr <= 100; nr++)); do
		echo "netns add $NODE-$nr"
	done | ip -batch -
	for ((nr = 2; nr <= 100; nr++)); do
		echo "link add w$nr netns $WIRE type veth peer name p0" \
			"address $(mac $nr) netns $NODE-$nr"
	done | ip -batch -
	for ((nr = 2; nr <= 100; nr++)); do
		echo "link set w$nr master br0 addrgenmode none up"
	done | ip -n "$WIRE" -batch -
	NODES=100
	for ((nr = 2; nr <= 100; nr++)); do
		ip -n "$NODE-$nr" link set p0 addrgenmode none up
		says $nr
	done
	says 1
	found 0 '["answered"] == 100'
}

run_cases
