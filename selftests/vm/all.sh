#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `make check-all` runs: all parts, whatever fails on the way; a table at
# the end says what became of each. A part that passed is not run again while
# the sources are what they were: so the same command, after a failure or an
# end by hand, does what is left. `make clean` makes it forget.
#
# What is remembered is in $BUILD/logs/parts, a file for each part: its seconds,
# and what it had passed for. The tables of runs are left out of that: they are
# written by the parts.
#
# `check` and `bars` are the long variants, PRP_LONG=1.
#
# KDIR, TESTS, CASES, MODULE   as in `make check`
# RELEASE   as in `make matrix`
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
parts=$BUILD/logs/parts
. "$top/selftests/vm/results.sh"
cd "$top" || exit
mkdir -p "$parts"
trap 'exit 130' INT TERM

# state PART: of all that its result depends on. check-fresh clones the last
# commit; all others take the files as they are.
state() {
	{
		printf '%s\n' "$KVER" "${KDIR:-}" "${TESTS:-}" "${CASES:-}" \
			"${MODULE:-}"
		[ "$1" != matrix ] || echo "${RELEASE:-}"
		[ "$1" != check-fresh ] || git rev-parse 'HEAD^{tree}'
		[ -z "${MODULE:-}" ] || sha256sum "$MODULE"
		sources
	} | sha256sum
}

git rev-parse -q --verify HEAD >/dev/null || {
	echo "check-all asks git what has changed: run it in a clone" >&2
	exit 1
}
PRP_LONG=1 "$top/selftests/vm/deps.sh" || exit

failed=0 table=
for part in check bars lines check-fresh check-installed check-uml \
	check-kasan check-kcsan matrix; do
	before=$(state $part)
	if [ "$(sed 1d "$parts/$part" 2>/dev/null)" = "$before" ]; then
		result="passed before"
		took=$(head -n 1 "$parts/$part")
	else
		rm -f "$parts/$part"
		echo "=== make $part"
		begun=$SECONDS
		case $part in
		check | bars)	do=("PRP_LONG=1" "$part-run") ;;
		check-fresh | check-installed)	do=("$part") ;;
		*)		do=("$part-run") ;;
		esac
		if make --no-print-directory "${do[@]}"; then
			result=passed
		else
			result=FAILED failed=1
		fi
		took=$((SECONDS - begun))
		if [ $result = passed ] && [ "$(state $part)" = "$before" ]
		then
			printf '%s\n' $took "$before" >"$parts/$part.new"
			mv "$parts/$part.new" "$parts/$part"
		elif [ $result = passed ]; then
			result="passed, but the sources changed meanwhile"
			failed=1
		fi
	fi
	table+=$(printf '%-16s %7d s  %s' "$part" "$took" "$result")$'\n'
done
printf '\n%-16s %9s  %s\n%s' part time result "$table"
[ $failed = 0 ] || echo "make check-all again repeats what has not passed"
exit $failed
