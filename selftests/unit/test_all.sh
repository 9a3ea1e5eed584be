#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which parts vm/all.sh runs, in a repository made here, whose parts only note
# that they ran, and fail if there is a file "fail-PART".
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset MAKEFLAGS MAKELEVEL TESTS CASES MODULE RELEASE KDIR PRP_LONG
export BUILD=$tree/build KVER=6.1
ran=$BUILD/ran
ALL="check:long bars:long lines check-fresh check-installed check-uml check-kasan check-kcsan matrix"

# git takes no notice of who runs this
git() {
	command git -C "$tree" -c user.name=test -c user.email=test@example.org \
		"$@"
}

commit() {
	git add -A
	git commit -qm test
}

mkdir -p "$tree/selftests/vm" "$tree/Documentation/results" "$BUILD"
cp "$here"/../vm/{all,results}.sh "$tree/selftests/vm/"
printf '#!/bin/sh\n' >"$tree/selftests/vm/deps.sh"
chmod +x "$tree/selftests/vm/deps.sh"
echo /build >"$tree/.gitignore"
echo row >"$tree/Documentation/results/kernels.csv"
echo one >"$tree/source"
cat >"$tree/Makefile" <<'END'
check-run bars-run lines-run check-fresh check-installed check-uml-run \
		check-kasan-run check-kcsan-run matrix-run:
	@echo $(@:-run=)$(PRP_LONG:1=:long) >>$(BUILD)/ran
	@[ $@ != matrix-run ] || \
		echo row >>Documentation/results/kernels.csv
	@[ ! -e $(BUILD)/edit-$(@:-run=) ] || echo more >>source
	@[ ! -e $(BUILD)/fail-$(@:-run=) ]
.PHONY: check-fresh check-installed
END
git init -q
commit

# runs NAME STATUS PATTERN [PART...]: these parts, and says that
nr=0 failed=0
runs() {
	local out rc

	nr=$((nr + 1))
	: >"$ran"
	out=$("$tree/selftests/vm/all.sh" 2>&1)
	rc=$?
	if [ $rc = "$2" ] && [[ $out == $3 ]] &&
	   [ "$(tr '\n' ' ' <"$ran")" = "${*:4}${4:+ }" ]; then
		echo "ok $nr $1"
	else
		echo "# status $rc, expected $2; ran: $(tr '\n' ' ' <"$ran")"
		sed 's/^/# /' <<<"$out"
		echo "not ok $nr $1"
		failed=1
	fi
}

echo "TAP version 13"
echo "1..10"

touch "$BUILD/fail-bars"
runs all__goes_on_after_a_failure 1 '*bars * s  FAILED*matrix * passed*' $ALL
runs all__repeats_what_failed 1 '*check * passed before*bars *FAILED*' \
	bars:long
rm "$BUILD/fail-bars"
runs all__repeats_it_until_it_passes 0 '*bars * passed*' bars:long
runs all__repeats_nothing_that_passed 0 '*matrix * passed before'
RELEASE=6.12 runs all__repeats_the_matrix_for_a_release 0 '*' matrix
KDIR=/headers runs all__repeats_all_for_other_headers 0 '*' $ALL
runs all__repeats_all_for_these_headers 0 '*' $ALL
commit
runs all__clones_a_new_commit 0 '*check-fresh * passed*' check-fresh
echo two >"$tree/source"
touch "$BUILD/edit-check-uml"
runs all__sees_an_edit_meanwhile 1 '*check-uml * changed meanwhile*' $ALL
rm "$BUILD/edit-check-uml"
runs all__repeats_what_was_before_the_edit 0 '*' check:long bars:long \
	lines check-fresh check-installed check-uml

exit $failed
