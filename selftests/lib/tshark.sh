# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests of the dissector, which source this file.

# tshark_with LUA CAPTURE ARGUMENT...: tshark with that script. From 4.4 on it
# runs none that is named to it as root: so it is nobody, who gets a copy. And
# it says True and False then where it said 1 and 0.
tshark_with() {
	local nobody=() copy rc

	[ "$(id -u)" != 0 ] ||
		nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups
			env HOME=/nonexistent)
	copy=$(mktemp --suffix=.lua)
	install -m 644 "$1" "$copy"
	"${nobody[@]}" tshark -X "lua_script:$copy" -r - "${@:3}" <"$2" |
		sed -E ':a; s/(^|[|])True($|[|])/\11\2/; ta; :b
			s/(^|[|])False($|[|])/\10\2/; tb'
	rc=${PIPESTATUS[0]}
	rm "$copy"
	return $rc
}
