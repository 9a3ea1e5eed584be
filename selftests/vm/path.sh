#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What took how long, from the lines that vm/check.sh writes, LANE BEGIN END
# SPENT NAME with times in seconds: parts of a lane run one after the other,
# lanes side by side, and what is in lane "both" before them. Parts of the lane
# that ended last, and of both, are the critical path: to be done sooner, one of
# these has to be shorter; or, where the processors have no time left, any part
# that has spent more of it, which no load beside it changes.
exec awk '
{
	lane[NR] = $1
	begin[NR] = $2
	end[NR] = $3
	spent[NR] = $4
	name[NR] = $5
	all += $4
	if (last == "" || $1 != "both" && $3 > latest) {
		last = $1
		latest = $3
	}
}

END {
	for (nr = 1; nr <= NR; nr++) {
		took = end[nr] - begin[nr]
		on = lane[nr] == last || lane[nr] == "both"
		printf "%s %5d s from %5d s, %5d s of processors  %s\n",
			on ? "*" : " ", took, begin[nr], spent[nr], name[nr]
		if (on && took)
			path = path (path ? " + " : "") name[nr] " " took
	}
	if (NR)
		printf "Critical path, *: %s = %d s, %d s of processors\n",
			path, latest, all
}' "$1"
