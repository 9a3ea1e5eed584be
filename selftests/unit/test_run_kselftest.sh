#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# That the installed run_kselftest.sh has the exit status of its tests, and
# still the options of kselftest's own; and that what a test says is seen line
# by line, while it runs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$top/build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# test_file NAME STATUS
test_file() {
	printf '#!/bin/sh\nexit %s\n' "$2" >"$dir/fake/$1"
	chmod +x "$dir/fake/$1"
	echo "fake:$1" >>"$dir/kselftest-list.txt"
}

# case_is NAME STATUS PATTERN OPTION...: what is printed matches the pattern
nr=0 failed=0
case_is() {
	local out rc

	nr=$((nr + 1))
	out=$(cd / && "$dir/run_kselftest.sh" "${@:4}" 2>&1)
	rc=$?
	if [ $rc = "$2" ] && [[ $out == $3 ]]; then
		echo "ok $nr $1"
	else
		echo "# status $rc, expected $2"
		sed 's/^/# /' <<<"$out"
		echo "not ok $nr $1"
		failed=1
	fi
}

upstream=$BUILD/linux/tools/testing/selftests
make -s --no-print-directory -C "$top/selftests" BUILD="$BUILD" \
	"$upstream/lib.mk"
mkdir "$dir/fake" "$dir/kselftest"
cp "$upstream"/kselftest/* "$dir/kselftest/"
cp "$upstream/run_kselftest.sh" "$dir/run_upstream.sh"
cp "$here/../run_kselftest.sh" "$dir/"
cp "$here/../prefix.sh" "$dir/kselftest/prefix.pl"
test_file good 0
test_file bad 1
test_file skip 4

echo "TAP version 13"
echo "1..8"
case_is run__all 1 '*ok 1 *not ok 2 *ok 3 *'
case_is run__collection 1 '*ok 1 *not ok 2 *ok 3 *' -c fake
case_is run__one_passes 0 '*ok 1 selftests: fake: good' -t fake:good
case_is run__one_fails 1 '*not ok 1 selftests: fake: bad*' -t fake:bad
case_is run__skip_is_no_failure 0 '*# SKIP' -t fake:good -t fake:skip
case_is run__no_such_test 2 "No such test 'fake:none'" -t fake:none
case_is run__list 0 $'fake:good\nfake:bad\nfake:skip' -l

# A test that goes on when somebody has seen its first line
test_file talks 0
cat >"$dir/fake/talks" <<END
#!/bin/sh
echo first
until [ -e $dir/seen ]; do sleep 0.05; done
printf last
END
mv "$dir/run_kselftest.sh" "$dir/run_all.sh"
cat >"$dir/run_kselftest.sh" <<'END'
#!/bin/bash
"${0%/*}/run_all.sh" "$@" | while read -r line; do
	echo "$line"
	[ "$line" != "# first" ] || : >"${0%/*}/seen"
done
END
chmod +x "$dir/run_kselftest.sh"
case_is run__lines_are_seen_at_once 0 '*# first'$'\n''# last*' -t fake:talks
exit $failed
