#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prpctl fault: what is injected into frames as they come in, that it is what
# was asked for and the same each time, and that nobody overlooks it.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"

# ping_seen COUNT: which of so many queries to node 2 had a reply
ping_seen() {
	ctl ping n2 count "$1" interval 0.01 2>/dev/null |
		sed -n 's/.* seq=\([0-9]*\) .*/\1/p' | tr '\n' ' '
}

fault__off_by_default() {
	two_nodes
	ctl -j fault | json '["faults"] == [] and x["warnings"] == []'
	ctl -j stats | json '["warnings"] == []'
	xfer -z 100000
	expect "drop_fault" "$(counter 1 drop_fault)" -eq 0
	expect "live_faults" "$(counter 1 live_faults)" -eq 0
}

# The same seed: the same frames. What is sent before it is set does not count.
fault__loss_by_seed() {
	local first again other

	two_nodes
	ctl fault add n2 loss 50 seed 7 2>/dev/null
	first=$(ping_seen 60)
	ctl fault add n2 loss 50 seed 7 2>/dev/null
	again=$(ping_seen 60)
	ctl fault add n2 loss 50 seed 8 2>/dev/null
	other=$(ping_seen 60)
	expect "replies with one seed" "$first" = "$again"
	expect "replies with another one" "$first" != "$other"
	expect "how many" "$(wc -w <<<"$first")" -gt 10
	expect "how many" "$(wc -w <<<"$first")" -lt 50
	ctl -j fault | json '["faults"][0]["frames"] == 60 and
		x["faults"][0]["lost"] == 60 - '"$(wc -w <<<"$other")"
	expect "drop_fault" "$(counter 1 drop_fault)" -eq \
		$((180 - $(wc -w <<<"$first $again $other")))
	expect "frames that node 2 lost" "$(counter 2 drop_fault)" -eq 0
}

fault__nothing_and_all() {
	two_nodes
	ctl fault add n2 loss 100 2>/dev/null
	expect "replies" "$(ping_seen 5)" = ""
	ctl fault add n2 loss 0 delay 1 2>/dev/null
	expect "replies" "$(ping_seen 5)" = "1 2 3 4 5 "
	ctl fault add n2 loss 0.01 seed 1 2>/dev/null
	expect "replies" "$(ping_seen 5 | wc -w)" -ge 4
}

# Only frames of that node, and only while it is asked for.
fault__one_node_of_others() {
	wired_nodes 3
	ctl fault add n2 loss 100
	expect "n2" "$(status_of ctl ping n2 count 1)" -eq 2
	expect "n3" "$(status_of ctl ping n3 count 1)" -eq 0
	expect "itself" "$(status_of ctl ping n1 count 1)" -eq 0
	ctl fault add n1 loss 100 2>/dev/null
	expect "itself" "$(status_of ctl ping n1 count 1)" -eq 2
	ctl fault del n2 2>/dev/null
	expect "n2" "$(status_of ctl ping n2 count 1)" -eq 0
	ctl fault flush 2>/dev/null
	expect "itself" "$(status_of ctl ping n1 count 1)" -eq 0
	ctl -j stats | json '["warnings"] == []'
}

# A stranger with the node's number has no part in it.
fault__not_of_who_is_not_believed() {
	two_nodes
	ctl fault add n2 loss 100 2>/dev/null
	rawframe "$NODE-2" p0 dst="$(mac 1)" src="$(mac 9)" dst_node=1 \
		src_node=2 count=5
	wait_for "the frames are dropped" counter_is 1 drop_source -eq 5
	expect "drop_fault" "$(counter 1 drop_fault)" -eq 0
	rawframe "$NODE-2" p0 dst="$(mac 1)" src="$(mac 2)" dst_node=1 \
		src_node=2 count=5
	wait_for "the frames are dropped" counter_is 1 drop_fault -eq 5
}

fault__delay() {
	two_nodes
	ctl fault add n2 delay 60 2>/dev/null
	ctl -j ping n2 count 5 interval 0.001 |
		json '["replies"] == 5 and x["rtt_ns"]["min"] >= 60000000'
	expect "faults_delayed" "$(counter 1 faults_delayed)" -eq 5
	xfer -z 300000
	wait_for "all has come" counter_is 1 pool_bytes -eq 0
}

fault__duplicate() {
	two_nodes
	ctl fault add n2 duplicate 100 2>/dev/null
	prpctl -n "$NODE-2" fault add n1 duplicate 100 delay 2 2>/dev/null
	xfer -z 1000000 -d
	wait_for "all connections are freed" all_freed
	expect "faults_duplicated" "$(counter 1 faults_duplicated)" -gt 10
	expect "frames" "$(counter 1 frames_in)" -eq \
		$((2 * $(counter 1 faults_duplicated)))
}

# The checksum is asked for, so all that arrives is what was sent.
fault__corrupt() {
	two_nodes
	ctl fault add n2 corrupt 5 seed 3 2>/dev/null
	prpctl -n "$NODE-2" fault add n1 corrupt 5 seed 3 2>/dev/null
	xfer -z 1000000 -K
	expect "faults_corrupted" "$(counter 2 faults_corrupted)" -gt 10
	expect "drop_checksum" "$(counter 2 drop_checksum)" -gt 0
}

# What comes as one buffer is many frames, and each has its own fate.
fault__each_segment_of_a_run() {
	two_nodes
	long_frames 1 2
	prpctl -n "$NODE-2" fault add n1 corrupt 5 loss 1 seed 3 2>/dev/null
	xfer -z 2000000 -K
	expect "drop_checksum" "$(counter 2 drop_checksum)" -gt 10
	expect "drop_fault" "$(counter 2 drop_fault)" -gt 5
	# but for those that were only late, as some are on a busy machine
	expect "segments repeated" $(($(val client_segs_retransmitted) -
		$(counter 2 drop_duplicate))) -lt 200
}

fault__transfer_through_all_of_it() {
	wired_nodes 2
	for nr in 1 2; do
		prpctl -n "$NODE-$nr" fault add $((3 - nr)) loss 2 delay 3 \
			duplicate 2 corrupt 1 seed $nr 2>/dev/null
	done
	xfer -z 2000000 -K -d
	for nr in 1 2; do
		expect "drop_fault on $nr" "$(counter $nr drop_fault)" -gt 0
		expect "faults_duplicated on $nr" \
			"$(counter $nr faults_duplicated)" -gt 0
		expect "faults_delayed on $nr" \
			"$(counter $nr faults_delayed)" -gt 100
	done
}

# What is held is bounded, and all of it is given back.
fault__held_frames_are_bounded() {
	two_nodes
	ctl fault add n2 delay 10000 2>/dev/null
	timeout 60 prpctl -n "$NODE-2" ping n1 count 1500 interval 0.0001 \
		>/dev/null 2>&1 || :
	wait_for "too many" held -ge 1024
	ctl -j fault | json '["faults"][0]["delayed"] == 1024 and
		x["faults"][0]["overflowed"] ==
		x["faults"][0]["frames"] - 1024'
	expect "pool_bytes" "$(counter 1 pool_bytes)" -gt 0
	ctl fault flush 2>/dev/null
	expect "pool_bytes" "$(counter 1 pool_bytes)" -eq 0
	expect "drop_fault" "$(counter 1 drop_fault)" -ge 1024
	expect "n2" "$(status_of ctl ping n2 count 1)" -eq 0
}

held() {
	[[ $(ctl -j fault 2>/dev/null) =~ \"delayed\":([0-9]+) ]] &&
		test "${BASH_REMATCH[1]}" "$1" "$2"
}

# Frames of a device that goes while they are held go nowhere.
fault__device_and_namespace_go() {
	two_nodes
	ctl fault add n2 delay 9000 2>/dev/null
	ctl ping n2 count 3 interval 0.001 >/dev/null 2>&1 &
	wait_for "three are held" held -eq 3
	ip -n "$NODE-1" link del p0
	wait_for "they are dropped" counter_is 1 drop_fault -eq 3
	wait
	ctl fault del n2 2>/dev/null
	expect "pool_bytes" "$(counter 1 pool_bytes)" -eq 0
	ip -n "$NODE-1" link add p0 address "$(mac 1)" type veth \
		peer name p0 address "$(mac 2)" netns "$NODE-2"
	ip -n "$NODE-1" link set p0 up
	ip -n "$NODE-2" link set p0 up
	wait_for "n2 replies" replies
	ctl fault add n2 delay 9000 2>/dev/null
	ctl ping n2 count 3 interval 0.001 >/dev/null 2>&1 &
	wait_for "three are held" held -eq 3
	wait
	ip netns del "$NODE-1"
	ip netns del "$NODE-2"
	NODES=0
}

replies() {
	ctl ping n2 count 1 >/dev/null 2>&1
}

# Whatever shows figures says so, in words and in JSON.
fault__nobody_overlooks_it() {
	local words said

	two_nodes
	ctl fault add n2 loss 1
	for words in stats "stats -a" node "node show n2" sockets "explain n2" \
		"ping n2 count 1" hosts dev route memory; do
		said=$(ctl $words 2>&1 >/dev/null) || :
		[[ $said == "prpctl: warning: faults are injected here:"* ]] ||
			fail "prpctl $words says: $said"
		ctl -j $words 2>/dev/null | json '["warnings"][0]["text"] ==
			"faults are injected here: prpctl fault"'
	done
	said=$(nobody stats 2>&1 >/dev/null)
	[[ $said == *"faults are injected here"* ]] || fail "nobody is told"
	said=$(prpctl -n "$NODE-2" stats 2>&1 >/dev/null)
	expect "said where there are none" "$said" = ""
	kernel_log | grep -q "prp: faults are injected" ||
		fail "the kernel's log does not have it"
}

fault__show() {
	two_nodes
	ctl fault add 2 loss 1.5 delay 10 duplicate 100 corrupt 0.01 seed 9
	ctl -j fault 2>/dev/null | json '["faults"] == [{"number": 2,
		"name": "n2", "loss_ppm": 15000, "duplicate_ppm": 1000000,
		"corrupt_ppm": 100, "delay_ms": 10, "seed": 9, "frames": 0,
		"lost": 0, "duplicated": 0, "corrupted": 0, "delayed": 0,
		"overflowed": 0}]'
	expect "in words" "$(ctl fault show 2>/dev/null | sed -n 2p |
		tr -s ' ')" = "2 n2 1.50% 100.00% 0.01% 10 ms 9"
	[[ $(ctl fault 2>/dev/null) == *"of 0 frames: 0 lost, 0 duplicated, "* ]] ||
		fail "no word of what it did: $(ctl fault)"
	# A seed that nobody gave is told, so that it can be given.
	ctl fault add 2 loss 1 2>/dev/null
	ctl -j fault 2>/dev/null | json '["faults"][0]["seed"] >= 0'
}

fault__changes_are_notified() {
	local pid file

	two_nodes
	file=$(mktemp)
	prpctl -n "$NODE-1" monitor >"$file" &
	pid=$!
	wait_for "the monitor listens" told_of_a_fault "$file"
	ctl fault add n2 loss 1.5 delay 3 seed 4 2>/dev/null
	ctl fault del n2 2>/dev/null
	ctl fault add n2 corrupt 1 2>/dev/null
	ctl fault flush 2>/dev/null
	wait_for "the flush is told" grep -q "^fault: all removed" "$file"
	grep -q "^fault: node 2 (n2), loss 1.50%, delay 3 ms, seed 4$" "$file" ||
		fail "no word of it: $(cat "$file")"
	grep -q "^fault: node 2 (n2), removed$" "$file" ||
		fail "no word of its end: $(cat "$file")"
	kill $pid
	rm "$file"
}

told_of_a_fault() {
	ctl fault add n1 delay 1 2>/dev/null
	ctl fault del n1 2>/dev/null
	grep -q "node 1 (n1)" "$1"
}

fault__bad_words_are_refused() {
	local words

	two_nodes
	for words in add "add n2 loss" "add n2 loss 101" "add n2 loss -1" \
		"add n2 loss 100.01" "add n2 loss 0.001" "add n2 loss x" \
		"add n2 loss 1%" "add n2 loss nan" "add n2 loss 1e9" \
		"add n2 delay 10001" "add n2 delay 1.5" "add n2 delay -1" \
		"add n2 seed 4294967296" "add n2 seed x" "add n2 much 1" \
		"add nobody loss 1" del "del n2 n1" "del nobody" "flush n2" \
		"show n2" nothing; do
		expect "exit status of fault $words" \
			"$(status_of ctl fault $words)" -eq 1
	done
	refused "no fault" "no fault is asked for" ctl fault add n2
	refused "no fault" "no fault is asked for" ctl fault add n2 loss 0
	refused "a stranger" "has no such node" ctl fault add 77 loss 1
	refused "nothing there" "nothing is injected" ctl fault del n2
	refused "nobody" CAP_NET_ADMIN nobody fault add n2 loss 1
	refused "nobody" CAP_NET_ADMIN nobody fault del n2
	refused "nobody" CAP_NET_ADMIN nobody fault flush
	ctl fault flush
	ctl -j fault | json '["faults"] == []'
	# It stays when its node goes from the table, and can be removed.
	ctl fault add n2 loss 1
	ctl hosts del n2 >/dev/null 2>&1
	ctl -j fault 2>/dev/null | json '["faults"][0]["name"] is None'
	ctl fault del 2 2>/dev/null
	ctl -j fault | json '["faults"] == []'
}

run_cases
