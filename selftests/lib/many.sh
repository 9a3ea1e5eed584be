# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Many connections at once between two nodes, and what they take.

# at_hand FRACTION: the part of the memory of which a processor may keep pages
# that are free but not told as such; 0 for as many as usual
at_hand() {
	sysctl -qw vm.percpu_pagelist_high_fraction="$1"
}

# many COUNT BYTES [-t]: open them; then what they take is asked for by an_end
many() {
	exec {TO}<> <(:) {FROM}<> <(:)
	# shellcheck disable=SC2086
	prp_many ${3:-} "$NODE-1" "$NODE-2" "${ADDRESS:-2}" "${PORT:-4000}" \
		"$1" "$2" \
		<"/dev/fd/$TO" >"/dev/fd/$FROM" &
	MANY=$!
	read -r -t 300 OUT <&"$FROM" || fail "they were not opened"
}

# an_end slab|all COUNT: bytes of it that each of the connections takes at each
# end
an_end() {
	echo >&"$TO"
	read -r -t 60 OUT <&"$FROM"
	echo $(($(val "$1") * 512 / $2))
}

done_with_many() {
	exec {TO}>&- {FROM}>&-
	kill $MANY
	wait $MANY || :
}
