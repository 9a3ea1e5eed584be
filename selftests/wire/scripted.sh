#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Scripted frames: scripted.py plays node 1 against the PRP of node 2, by the
# scripts of a file for each group of rules. Each script is played a second
# time with an expectation that is wrong, and has to fail.
. "$(dirname "$0")/lib/lib.sh"

# played RAILS NAME [LINES]: the scripts of that file, right and wrong; with
# these lines in the host table, too. MTU   1500
played() {
	local rail macs=() nr

	ip -batch - <<-END
	netns add $NODE-1
	netns add $NODE-2
	END
	for ((rail = 0; rail < $1; rail++)); do
		ip -n "$NODE-1" link add p$rail address "$(mac 1 $rail)" \
			type veth peer name p$rail address "$(mac 2 $rail)" \
			netns "$NODE-2"
		for nr in 1 2; do
			ip -n "$NODE-$nr" link set p$rail addrgenmode none \
				gso_max_segs 1 up
			ip -n "$NODE-$nr" link set p$rail mtu ${MTU:-1500}
			macs[nr]+=,$(mac $nr $rail)
		done
	done
	# shellcheck disable=SC2034 # lib.sh reads it
	NODES=2
	ip -n "$NODE-2" link set lo up
	ip -n "$NODE-2" addr add 10.9.0.2/24 dev p0
	(set_hosts "1 n1 ${macs[1]#,} 10.9.0.1
2 n2 ${macs[2]#,} 10.9.0.2
${3-}" 2)
	scripted.py "$NODE-1" "$NODE-2" "$HERE/scripts/$2" ||
		fail "a script fails, or passes though it is wrong"
}

scripted__handshake() {
	played 1 handshake
}

scripted__numbers() {
	played 1 numbers
}

scripted__windows() {
	played 1 windows
}

scripted__long() {
	MTU=9000 played 1 long
}

scripted__longest() {
	MTU=65535 played 1 longest
}

scripted__narrow() {
	MTU=68 played 8 narrow
}

scripted__close() {
	played 1 close
}

scripted__resets() {
	played 1 resets
}

scripted__malformed() {
	played 1 malformed
}

scripted__messages() {
	played 1 messages
}

scripted__rails() {
	played 2 rails
}

scripted__searches() {
	played 2 searches
}

scripted__told() {
	played 1 told "3 n3 $(mac 3)
link 2 3 rail 0
link 3 1 rail 0"
}

scripted__inet() {
	played 1 inet
}

run_cases
