#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl with good and with bad input, and what it leaves in the kernel.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

prpctl__setup_says_what_it_did() {
	local out

	two_nodes
	out=$(hosts 4 | ctl hosts setup -f -)
	[[ $out == *"4 hosts"*"2 unchanged"*"2 added"*"node 1 (n1)"* ]] ||
		fail "summary: $out"
	out=$(hosts 3 | ctl hosts setup -f -)
	[[ $out == *"1 removed"* ]] || fail "summary: $out"
	out=$(hosts 3 | sed 's/n2/beta/' | ctl hosts setup -f -)
	[[ $out == *"1 changed"* ]] || fail "summary: $out"
}

prpctl__setup_again_is_unchanged() {
	local out before

	two_nodes
	before=$(generation)
	out=$(hosts 2 | ctl hosts setup -f -)
	[[ $out == *unchanged* && $out != *added* ]] || fail "summary: $out"
	expect "generation" "$(generation)" -eq "$before"
}

prpctl__setup_reads_etc_prphosts() {
	local out

	two_nodes
	hosts 3 >/etc/prphosts
	out=$(ctl hosts setup)
	[[ $out == *"3 hosts"* ]] || fail "summary: $out"
	rm /etc/prphosts
	refused "no file" /etc/prphosts ctl hosts setup
}

prpctl__setup_takes_any_layout() {
	local out

	two_nodes
	out=$(printf '%s\r\n%s\n\n\t 9\t n9 %s' \
		"# comment" \
		"1 n1 $(mac 1) # this one" "02:50:52:50:00:09" |
		ctl hosts setup -f -)
	[[ $out == *"2 hosts"* ]] || fail "summary: $out"
	ctl hosts show n9 | grep -q 02:50:52:50:00:09
}

# Every bad line is named, and nothing is changed.
prpctl__setup_reports_every_bad_line() {
	local file before out

	two_nodes
	before=$(generation)
	file=$(mktemp)
	cat >"$file" <<-EOF
	1 n1 $(mac 1)
	x nx $(mac 2)
	3 n3 02:50:52
	4
	5 n5 $(mac 5)
	5 again $(mac 6)
	6 n6 $(mac 1)
	65535 toolarge $(mac 7)
	0 toosmall $(mac 8)
	7 n7 $(mac 9) 300.1.1.1
	EOF
	out=$(ctl hosts setup -f "$file" 2>&1) &&
		fail "a bad file was taken: $out"
	for line in 2 3 4 6 7 8 9 10; do
		[[ $out == *"$file:$line:"* ]] ||
			fail "line $line is not reported in: $out"
	done
	for line in 1 5; do
		[[ $out != *"$file:$line:"* ]] ||
			fail "line $line is reported in: $out"
	done
	expect "exit status" "$(status_of ctl hosts setup -f "$file")" -eq 1
	expect "generation" "$(generation)" -eq "$before"
	ctl hosts show | grep -q n2 || fail "the table was changed"
	rm "$file"
}

prpctl__dry_run_and_diff_change_nothing() {
	local before out

	two_nodes
	before=$(generation)
	out=$(hosts 3 | ctl hosts setup -f - --dry-run)
	[[ $out == *n3* ]] || fail "dry run: $out"
	out=$(hosts 3 | ctl hosts diff -f -)
	[[ $out == *n3* ]] || fail "diff: $out"
	expect "generation" "$(generation)" -eq "$before"
}

prpctl__show_can_be_set_up() {
	local out

	two_nodes
	hosts 5 | ctl hosts setup -f - >/dev/null
	out=$(ctl hosts show | ctl hosts setup -f -)
	[[ $out == *unchanged* && $out != *changed,* ]] || fail "got: $out"
}

prpctl__json_is_valid() {
	two_nodes
	xfer -z 10000
	hosts 3 | ctl -j hosts setup -f - | json
	ctl -j hosts show | json
	ctl -j -p hosts show | json
	hosts 2 | ctl -j hosts diff -f - | json
	ctl -j stats show | json
	echo "bad line" | ctl -j hosts setup -f - 2>/dev/null | json
}

prpctl__stats_count() {
	two_nodes
	expect "connections" "$(counter 1 conns_opened)" -eq 0
	xfer -z 100000
	expect "connections" "$(counter 1 conns_opened)" -eq 1
	expect "segments" "$(counter 1 segs_out)" -ge 69
	expect "segments" "$(counter 2 segs_in)" -ge 69
	ctl stats show | grep -q conns_opened
}

prpctl__live_connections_are_kept() {
	two_nodes
	connected_pair 4000
	hosts 9 | ctl hosts setup -f - >/dev/null
	hosts 2 | sed 's/n2/beta/' | ctl hosts setup -f - >/dev/null
	told_ok client send 100000
	told_ok server recv 100000
	expect "bytes received" "${ANSWER#ok }" -eq 100000
	release client
	release server
}

prpctl__connections_to_a_removed_host_end() {
	local out

	two_nodes
	connected_pair 4000
	out=$(hosts 1 | ctl hosts setup -f -)
	[[ $out == *"1 connection ended"* ]] || fail "summary: $out"
	tell client send 10
	expect "send() said" "$ANSWER" != "ok 10"
	release client
	release server
	LEAVES_CONNECTIONS=yes		# the server's end was told by nobody
}

prpctl__only_administrators_change() {
	two_nodes
	refused "setup as nobody" CAP_NET_ADMIN setup_as_nobody
	nobody hosts show | grep -q n2
}

setup_as_nobody() {
	hosts 3 | nobody hosts setup -f -
}

prpctl__bad_commands() {
	two_nodes
	expect "no object" "$(status_of ctl)" -eq 1
	expect "unknown object" "$(status_of ctl nothing)" -eq 1
	expect "unknown command" "$(status_of ctl hosts nothing)" -eq 1
	expect "abbreviation" "$(status_of ctl hosts set)" -eq 1
	expect "further word" "$(status_of ctl hosts setup more)" -eq 1
	expect "missing file" "$(status_of ctl hosts setup -f /none)" -eq 1
	expect "unknown option" "$(status_of ctl --nothing hosts)" -eq 1
	expect "unknown host" "$(status_of ctl hosts show n77)" -eq 1
	expect "namespace" "$(status_of prpctl -n none hosts show)" -eq 1
	expect "help" "$(status_of ctl help)" -eq 0
	expect "help" "$(status_of ctl hosts help)" -eq 0
}

prpctl__a_thousand_hosts() {
	local nr out

	two_nodes
	out=$({
		hosts 2
		for nr in {3..1000}; do
			printf '%d m%d 02:50:52:51:%02x:%02x\n' \
				$nr $nr $((nr >> 8)) $((nr & 255))
		done
	} | ctl hosts setup -f -)
	[[ $out == *"1000 hosts"*"998 added"* ]] || fail "summary: $out"
	expect "hosts shown" "$(ctl hosts show | grep -c 02:50:52:51)" -eq 998
	xfer -z 100000
}

prpctl__own_address_missing_is_a_warning() {
	local out

	two_nodes
	out=$(echo "9 n9 $(mac 9)" | ctl hosts setup --force -f - 2>&1)
	[[ $out == *p0* ]] || fail "no word of the devices here: $out"
}

setup_of() {
	ctl hosts setup -f - "${@:2}" <<<"$1"
}

# What ends all connections is done to those alone who say so.
prpctl__drastic_setups_ask_for_force() {
	local before out

	two_nodes
	connected_pair 4000
	before=$(generation)
	refused "empty" "has no host: all 2 hosts of the kernel's table would go" \
		setup_of ""
	refused "comments" "With --force it is done" setup_of "# 1 n1 $(mac 1)"
	refused "strangers" "this machine, which is node 1 (n1): it would be none" \
		setup_of "2 n2 $(mac 2)"
	refused "strangers" "looked at: p0 ($(mac 1))" setup_of "2 n2 $(mac 2)"
	expect "exit status" "$(status_of setup_of "")" -eq 1
	expect "exit status" "$(status_of setup_of "2 n2 $(mac 2)")" -eq 1
	expect "dry run" "$(status_of setup_of "" --dry-run)" -eq 1
	expect "dry run" "$(status_of setup_of "" --dry-run --force)" -eq 0
	out=$(setup_of "" --dry-run 2>&1) || :
	[[ $out == *"Only with --force it is done."*"2 removed"* ]] ||
		fail "dry run: $out"
	expect "generation" "$(generation)" -eq "$before"
	told_ok client send 1000
	told_ok server recv 1000
	out=$(setup_of "2 n2 $(mac 2)" --force 2>/dev/null)
	[[ $out == *"1 connection ended; this machine is none of them" ]] ||
		fail "$out"
	# as often as it is said
	setup_of "2 n2 $(mac 2)" >/dev/null 2>&1
	refused "other strangers" "which could connect to none of its hosts" \
		setup_of "3 n3 $(mac 3)"
	setup_of "" --force >/dev/null
	expect "hosts" "$(ctl hosts show | wc -l)" -eq 1
	release client
	release server
	LEAVES_CONNECTIONS=yes		# the server's end was told by nobody
}

# Its device may be away for a while, and it is the host that it was.
prpctl__a_machine_without_its_device_needs_no_force() {
	two_nodes
	ip -n "$NODE-1" link del p0
	hosts 3 | ctl hosts setup -f - >/dev/null 2>&1
	refused "without its address" "does not have this machine" \
		setup_of "1 n1 $(mac 7)"
}

prpctl__check_of_a_file() {
	two_nodes
	expect "here" "$(hosts 3 | ctl hosts check -)" = \
		"3 hosts, 0 links; this is node 1 (n1) on rail 0"
	expect "nowhere" "$(ctl hosts check - <<<"7 n7 $(mac 7)")" = \
		"1 host, 0 links; this machine is none of them"
	hosts 3 | ctl hosts check - -j | json '["self"] == {"number": 1,
		"name": "n1", "rails": [0]}'
	ctl hosts check - -j <<<"7 n7 $(mac 7)" | json '["self"] is None'
	[[ $(ctl hosts check - 2>&1 <<<"1 n1 $(mac 1),$(mac 7)") == \
	   *"rail 1: no device has its hardware address $(mac 7)"* ]] ||
		fail "no word of the rail without a device"
	expect "bad" "$(status_of ctl hosts check - <<<"1 n1")" -eq 1
	expect "two" "$(status_of ctl hosts check - -)" -eq 1
}

run_cases
