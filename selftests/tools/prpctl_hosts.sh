#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl hosts: links, single hosts, and what comes of wrong ones.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# Nodes 1 to 4, of which the inner ones have two rails, in a line
line() {
	cat <<-EOF
	1 n1 $(mac 1)
	2 n2 $(mac 2),02:50:52:50:01:02
	3 n3 $(mac 3),02:50:52:50:01:03
	4 n4 $(mac 4)
	link n1 n2 rail 0
	link 3 n2 rail 1
	link 4 3
	EOF
}

# --- links -----------------------------------------------------------------

hosts__links_are_set_up_with_their_hosts() {
	local out

	two_nodes
	out=$(line | ctl hosts setup -f -)
	[[ $out == *"4 hosts, 3 links:"*"3 links added"* ]] ||
		fail "summary: $out"
	out=$(ctl hosts show)
	[[ $out == *"4 hosts, 3 links"* &&
	   $out == *$'\nlink 1 2 rail 0\nlink 2 3 rail 1\nlink 3 4' ]] ||
		fail "show: $out"
	out=$(line | ctl hosts setup -f -)
	[[ $out == *": unchanged;"* ]] || fail "summary: $out"
}

hosts__links_change_alone() {
	local before out

	two_nodes
	line | ctl hosts setup -f - >/dev/null
	before=$(generation)
	out=$(line | sed 's/link 4 3/link 1 4/' | ctl hosts diff -f -)
	[[ $out == *"- link 3 4"*"+ link 1 4"* ||
	   $out == *"+ link 1 4"*"- link 3 4"* ]] || fail "diff: $out"
	expect "generation" "$(generation)" -eq "$before"
	out=$(line | sed 's/link 4 3/link 1 4/' | ctl hosts setup -f -)
	[[ $out == *"4 unchanged, 1 link added, 1 link removed"* ]] ||
		fail "summary: $out"
	expect "generation" "$(generation)" -eq $((before + 1))
	out=$(line | grep -v link | ctl hosts setup -f -)
	[[ $out == *"3 links removed"* ]] || fail "summary: $out"
	[[ $(ctl hosts show) != *link* ]] || fail "links are left"
}

# A host that is changed is removed and added; its links must outlive that.
hosts__links_survive_a_changed_host() {
	local out

	two_nodes
	line | ctl hosts setup -f - >/dev/null
	out=$(line | sed 's/n2/beta/g' | ctl hosts setup -f -)
	[[ $out == *"1 changed"* && $out != *"link"*"removed"* ]] ||
		fail "summary: $out"
	expect "links" "$(ctl hosts show | grep -c ^link)" -eq 3
}

hosts__links_can_be_set_up_from_show() {
	local out

	two_nodes
	line | ctl hosts setup -f - >/dev/null
	out=$(ctl hosts show | ctl hosts setup -f -)
	[[ $out == *": unchanged;"* ]] || fail "got: $out"
}

hosts__bad_links_name_line_and_column() {
	local before file out

	two_nodes
	before=$(generation)
	file=$(mktemp)
	{
		echo "link 9 1"
		line
		cat <<-EOF
		link 1
		link 1 2 rail 1
		 link 2 1 rail 0
		link 3 n4 rail 0
		link n2 2
		link 1 2 rail 8
		link 1 3
		EOF
	} >"$file"
	out=$(ctl hosts setup -f "$file" 2>&1) &&
		fail "a bad file was taken: $out"
	for place in 1:6 9:6 10:15 11:2 12:1 13:9 14:15; do
		[[ $out == *"$file:$place: "* ]] ||
			fail "$place is not reported in: $out"
	done
	expect "errors" "$(grep -c : <<<"$out")" -eq 7
	expect "exit status" "$(status_of ctl hosts setup -f "$file")" -eq 1
	expect "generation" "$(generation)" -eq "$before"
	rm "$file"
}

hosts__links_are_added_and_removed_one_by_one() {
	two_nodes
	line | grep -v link | ctl hosts setup -f - >/dev/null
	ctl hosts link add 2 n1
	ctl hosts link add 10.9.0.2 3 rail 1 &&
		fail "an address that no host has was taken"
	ctl hosts link add n2 3 rail 1
	ctl hosts link add 3 4
	expect "links" "$(ctl hosts show | grep -c ^link)" -eq 3
	ctl hosts link del n3 n2 rail 1
	[[ $(ctl hosts show) == *$'\nlink 1 2\nlink 3 4' ]] ||
		fail "left: $(ctl hosts show)"
	expect "again" "$(status_of ctl hosts link del 3 2 rail 1)" -eq 1
	expect "other rail" "$(status_of ctl hosts link del 1 2 rail 0)" -eq 1
	expect "twice" "$(status_of ctl hosts link add 1 2)" -eq 2
	expect "all beside one" "$(status_of ctl hosts link add 1 2 rail 0)" \
		-eq 1
	expect "no such rail" "$(status_of ctl hosts link add 1 4 rail 1)" \
		-eq 2
	expect "itself" "$(status_of ctl hosts link add 1 n1)" -eq 1
	expect "rail 8" "$(status_of ctl hosts link add 1 4 rail 8)" -eq 1
	expect "no verb" "$(status_of ctl hosts link 1 4)" -eq 1
	expect "one host" "$(status_of ctl hosts link add 1)" -eq 1
	expect "no rail" "$(status_of ctl hosts link add 1 4 rail)" -eq 1
	expect "not a rail" "$(status_of ctl hosts link add 1 4 rain 0)" -eq 1
	expect "links" "$(ctl hosts show | grep -c ^link)" -eq 2
}

# --- single hosts ----------------------------------------------------------

hosts__add_and_del() {
	local before out

	two_nodes
	before=$(generation)
	out=$(ctl hosts add 7 gamma "$(mac 7),-" 10.9.0.7 fd00::7)
	[[ $out == "host 7 (gamma) added; generation $((before + 1))" ]] ||
		fail "summary: $out"
	[[ $(ctl hosts show 10.9.0.7) == *gamma*fd00::7 ]] ||
		fail "show: $(ctl hosts show)"
	refused "taken" "exists" ctl hosts add 7 delta "$(mac 8)"
	out=$(ctl hosts del fd00::7)
	[[ $out == "host 7 (gamma) removed; generation $((before + 2))" ]] ||
		fail "summary: $out"
	expect "again" "$(status_of ctl hosts del gamma)" -eq 1
}

hosts__add_refuses_what_no_line_may_have() {
	local before

	two_nodes
	before=$(generation)
	refused "name" "is a number" ctl hosts add 7 8 "$(mac 7)"
	refused "address" "not a hardware address" ctl hosts add 7 g xx
	refused "no address" "addresses are missing" ctl hosts add 7 g
	refused "nothing" "missing" ctl hosts add
	refused "comment" "not understood" ctl hosts add 7 g "$(mac 7)" "#"
	refused "two lines" "not understood" \
		ctl hosts add 7 g "$(mac 7)"$'\n'"8 h $(mac 8)"
	refused "link" "missing" ctl hosts add link 1 2
	expect "exit status" "$(status_of ctl hosts add 7 g xx)" -eq 1
	expect "generation" "$(generation)" -eq "$before"
}

hosts__del_ends_connections_and_links() {
	local out

	two_nodes
	echo "link 1 2" | cat <(hosts 3) - | ctl hosts setup -f - >/dev/null
	connected_pair 4000
	out=$(ctl hosts del n2)
	[[ $out == *"1 link removed; 1 connection ended" ]] ||
		fail "summary: $out"
	release client
	release server
	LEAVES_CONNECTIONS=yes		# the server's end was told by nobody
}

hosts__flush() {
	two_nodes
	line | ctl hosts setup -f - >/dev/null
	[[ $(ctl hosts flush) == "all hosts removed"* ]] || fail "no summary"
	[[ $(ctl hosts show) == "# 0 hosts, generation"* ]] ||
		fail "left: $(ctl hosts show)"
	expect "again" "$(status_of ctl hosts flush)" -eq 0
	expect "a word" "$(status_of ctl hosts flush all)" -eq 1
}

# Nobody's change is lost when several change the table at once.
hosts__add_at_the_same_time() {
	local nr pids=()

	two_nodes
	for nr in 11 12 13 14 15 16; do
		ctl hosts add $nr m$nr "$(mac $nr)" >/dev/null &
		pids+=($!)
	done
	for nr in "${pids[@]}"; do
		wait "$nr" || fail "an add failed"
	done
	expect "hosts" "$(ctl hosts show | grep -c " m1")" -eq 6
}

# The devices are read again when they change meanwhile, as where containers
# come and go.
hosts__while_devices_come_and_go() {
	local file pid i all=

	two_nodes
	for ((i = 0; i < 400; i++)); do
		all+="link add d$i type dummy"$'\n'
	done
	ip -n "$NODE-1" -batch - <<<"$all"
	file=$(mktemp)
	while :; do
		ip -n "$NODE-1" link add dx type dummy
		ip -n "$NODE-1" link del dx
	done &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		hosts 2 >"$file"
		expect "good" "$(status_of ctl hosts check "$file")" -eq 0
		echo "9 n9 $(mac 99)" >"$file"
		expect "foreign" "$(status_of ctl hosts setup -f "$file")" -eq 1
	done
	kill "$pid"
	wait "$pid" || :
	rm "$file"
}

# What is to be done is not cut off by what there is.
hosts__another_machine_s_file_where_there_are_many_devices() {
	local i all=

	two_nodes
	for ((i = 0; i < 16; i++)); do
		all+="link add device$i type dummy"$'\n'
	done
	ip -n "$NODE-1" -batch - <<<"$all"
	refused "foreign" "With --force it is done" \
		ctl hosts setup -f - <<<"9 n9 $(mac 99)"
	refused "foreign" "Only with --force it is done" \
		ctl hosts setup --dry-run -f - <<<"9 n9 $(mac 99)"
}

hosts__only_administrators_change() {
	two_nodes
	hosts 3 | ctl hosts setup -f - >/dev/null
	for verb in "add 9 n9 $(mac 9)" "del 3" "flush" "link add 1 2"; do
		refused "$verb" CAP_NET_ADMIN nobody hosts $verb
		expect "exit status" "$(status_of nobody hosts $verb)" -eq 2
	done
}

hosts__json_is_valid() {
	two_nodes
	line | ctl -j hosts setup -f - | json '["links_added"] == 3'
	ctl -j hosts show | json '["links"][1] == {
		"node": 2, "peer": 3, "rail": 1}'
	ctl -j hosts show | json '["links"][2]["rail"] is None'
	ctl -j hosts show n4 | json '["hosts"][0]["number"] == 4'
	hosts 2 | ctl -j hosts diff -f - | json '["link_differences"][0] == {
		"change": "removed",
		"link": {"node": 1, "peer": 2, "rail": 0}}'
	ctl -j hosts link del 3 4 | json '["ended"] == 0'
	ctl -j hosts add 9 n9 "$(mac 9)" | json '["generation"] > 1'
	ctl -j hosts del 9 | json '["removed"] == 1'
	ctl -j hosts flush | json '["removed"] == 4'
	printf '\n link 1 1' | ctl -j hosts setup -f - 2>/dev/null |
		json '["errors"][0]["line"] == 2'
	printf '\n link 1 1' | ctl -j hosts setup -f - 2>/dev/null |
		json '["errors"][0]["column"] == 7'
}

run_cases
