# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What runs write into Documentation/results/, for scripts that source this file
# with $top set: a table of comma-separated values, a row a run, of which the
# last two are the commit and the day.

# what_is_tested: leaves it in $commit, with a + if files differ from it
what_is_tested() {
	commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null) || {
		commit=-
		return
	}
	[ -z "$(git -C "$top" status --porcelain net include tools \
		selftests)" ] || commit+=+
}

# sources: a sum of all files that git has or would have, but for the tables and
# what is built; nothing where git does not say
sources() {
	local look but=(':!Documentation/results/*.csv')

	git -C "$top" ls-files >/dev/null 2>&1 || return 0
	[[ ${BUILD:-} != "$top"/* ]] || but+=(":!${BUILD#"$top"/}")
	for look in "stat -c %A:%n" sha256sum; do
		git -C "$top" ls-files -zco --exclude-standard -- . \
			"${but[@]}" |
			(cd "$top" && xargs -0 $look)
	done 2>&1 | sha256sum
}

# write_row TABLE NAME VALUE...: into the table, in the place of the row that
# begins so
write_row() {
	local table=$top/Documentation/results/$1 row=$2 value

	for value in "${@:3}" "$commit" "$(date -u +%Y-%m-%d)"; do
		row+=", $value"
	done
	sed -i "s|^${2//./\\.}, .*|$row|" "$table"
	grep -qxF "$row" "$table" || {
		echo "No row of $2 in $table" >&2
		return 1
	}
}

# counts_of SUMMARY: passed/failed/skipped, of summary.sh's last line
counts_of() {
	tail -n 1 "$1" | tr -dc '0-9,' | tr , /
}

# ends_in_a_row NAME KERNEL TAP SECONDS: prints the summary, and writes it into
# the table of runs; what the summary returns
ends_in_a_row() {
	local rc

	"$top/selftests/vm/summary.sh" "$3" | tee "$3.summary"
	rc=${PIPESTATUS[0]}
	write_row runs.csv "$1" "$2" "$(counts_of "$3.summary")" \
		$((($4 + 59) / 60)) || rc=1
	return "$rc"
}
