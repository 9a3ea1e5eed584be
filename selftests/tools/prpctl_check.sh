#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl hosts check: every host, every rail, every size.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# checked STATUS EXPRESSION [WORD]...: what node 1 sees
checked() {
	local rc=0 out

	out=$(ctl -j hosts check "${@:3}") || rc=$?
	json "$2" <<<"$out"
	expect "exit status" $rc -eq "$1"
}

check__all_is_well() {
	wired_nodes 4
	checked 0 '["good"] == 3 and x["bad"] == 0'
	checked 0 '["ways"][1] == {**x["ways"][1], "from": 1, "to": 3,
		"rail": 0, "state": "ok", "mtu": 1500, "there": 1500,
		"back": 1500, "same_table": True} and x["differs"] == []'
	ctl hosts check | grep -q "^n1 *n4 *0 *ok .*1500 *1500 *1500 *same" ||
		fail "$(ctl hosts check)"
	ctl hosts check | grep -q "^3 ways: 3 ok, 0 not" || fail "no summary"
	nobody hosts check | grep -q "^3 ways: 3 ok" || fail "not for nobody"
}

# Alone there is nothing to look at.
check__alone() {
	two_nodes
	hosts 1 | ctl hosts setup -f - >/dev/null
	checked 0 '["ways"] == []'
	ctl hosts flush >/dev/null
	expect "status" "$(status_of ctl hosts check)" -eq 2
}

# Each of them has something else.
check__what_is_wrong() {
	MTU=4000 wired_nodes 7
	ip -n "$NODE-2" link set p0 down
	ip -n "$NODE-3" link set p0 mtu 3000
	ip -n "$WIRE" link set w4 mtu 2000
	hosts 7 | sed "s/$(mac 1)/$(mac 99)/" |
		prpctl -n "$NODE-5" hosts setup -f - >/dev/null
	hosts 7 | sed "s/^6 n6/66 n6/" |
		prpctl -n "$NODE-6" hosts setup -f - >/dev/null
	hosts 7 | sed "s/n3/other/" |
		prpctl -n "$NODE-7" hosts setup -f - >/dev/null
	checked 2 '["bad"] == 6 and [w["state"] for w in x["ways"]] == [
		"silent", "mtu-differs", "mtu-hole", "not-known-there",
		"wrong-number", "ok"] and x["ways"][2]["there"] == 2004 and
		x["differs"] == [{"host": 7, "in": [3]}]'
}

check__rails() {
	linked_nodes 2 1-2-0 1-2-1
	grep -v link <<<"$HOSTS" | ctl hosts setup -f - >/dev/null
	grep -v link <<<"$HOSTS" |
		prpctl -n "$NODE-2" hosts setup -f - >/dev/null
	checked 0 '["good"] == 2'
	ip -n "$NODE-2" link set p1 down
	checked 2 '["bad"] == 1 and x["ways"][1]["state"] == "device-down"'
}

check__through_forwarders() {
	linked_nodes 4 1-2-0 2-3-1 3-4-0
	checked 0 '["good"] == 3 and x["ways"][2]["rail"] is None and
		x["ways"][2]["there"] == 1500'
}

# By way of ssh, whose place nsenter takes: n2 is the network namespace -2.
check__all_pairs() {
	wired_nodes 3
	{
		echo '#!/bin/sh'
		echo '[ "$1" = -- ] || exit 9'
		echo "ns=$NODE-\${2#n}; shift 2"
		echo '[ ! -e /tmp/refuse.$ns ] || exit 255'
		echo 'exec nsenter --net=/run/netns/$ns "$@"'
	} >"/tmp/$NODE.ssh"
	chmod +x "/tmp/$NODE.ssh"
	export PRPCTL_SSH=/tmp/$NODE.ssh
	checked 0 '["good"] == 6 and [(w["from"], w["to"])
		for w in x["ways"]] == [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1),
		(3, 2)]' --ssh
	# as long as one with many options is
	PRPCTL_SSH="env A=$(printf 'a%.0s' {1..300}) $PRPCTL_SSH" \
		checked 0 '["good"] == 6' --ssh
	touch "/tmp/refuse.$NODE-2"
	checked 2 '["good"] == 4 and len(x["warnings"]) == 1' --ssh
	rm "/tmp/$NODE.ssh" "/tmp/refuse.$NODE-2"
}

check__wrong_words() {
	two_nodes
	expect "status" "$(status_of ctl hosts check x y)" -eq 1
	expect "status" "$(status_of ctl hosts check --ssh x)" -eq 1
}

# Sixteen hosts of two rails, of which three say nothing: seconds.
check__many() {
	local nr

	wired_nodes 16
	for nr in 3 9 16; do
		ip -n "$NODE-$nr" link set p0 down
	done
	now_ms
	local begin=$NOW
	checked 2 '["good"] == 12 and x["bad"] == 3'
	now_ms
	expect "ms" $((NOW - begin)) -lt $((5000 * SLOW))
}

# Those that say nothing take all that who has no privilege may ask: the others
# are asked before they are asked again.
check__many_silent_for_nobody() {
	local nr out

	wired_nodes 24
	for nr in {2..20}; do
		ip -n "$NODE-$nr" link set p0 down
	done
	out=$(nobody -j hosts check) &&
		fail "all is well: $out"
	json '["good"] == 4 and x["bad"] == 19' <<<"$out"
}

# One that carries more than all others: seconds, too.
check__many_that_carry_less() {
	local nr

	MTU=9000 wired_nodes 16
	for nr in {2..16}; do
		ip -n "$NODE-$nr" link set p0 mtu 1500
	done
	now_ms
	local begin=$NOW
	checked 2 '["bad"] == 15 and all((w["state"], w["there"], w["back"]) ==
		("mtu-differs", 1500, 1500) for w in x["ways"])'
	now_ms
	expect "ms" $((NOW - begin)) -lt $((5000 * SLOW))
}

run_cases
