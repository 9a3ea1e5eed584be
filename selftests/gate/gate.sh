#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The gate, `make lint`: what the sources must pass without a finding. A
# finding is mended in the source. Where a check is wrong, or cannot know
# better, the file `exceptions` says so and why; one that is not needed any
# more is a finding itself. Only what has changed is looked at again: what
# was found is kept in $BUILD/gate.
#
#	gate.sh [module]
#
# With "module" that is built, and nothing else done: fails, and says so, if the
# compiler or sparse has anything to say.
set -u
shopt -s lastpipe

gate=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$gate/../.." && pwd)
BUILD=${BUILD:-$top/build}
KVER=${KVER:-$(make -s --no-print-directory -C "$top" kver)}
KDIR=${KDIR:-/lib/modules/$KVER/build}
scripts=$BUILD/linux/scripts
cache=$BUILD/gate
jobs=$(nproc)
cd "$top" || exit
mkdir -p "$cache"

# --- what is looked at -----------------------------------------------------

# files PATTERN...: in the tree, new ones included
files() {
	git ls-files -co --exclude-standard "$@" |
		while read -r file; do
			[ ! -e "$file" ] || echo "$file"
		done
}

# What ynl_gen_c.py makes of the specification has the look it gives it.
sources() {
	files '*.c' '*.h' | grep -v -e netlink_gen -e linux/prp_netlink.h
}

shell_scripts() {
	files '*.sh' .ci/run selftests/{machines/init,vm/init,vm/load} \
		selftests/vm/installed/{seen,gone} \
		tools/{prpctl/completion/prpctl,prpperf/completion/prpperf} \
		mpipr/run/mpipr-run \
		packaging/version packaging/debian/prp-tools.{postinst,prerm}
}

[ -n "$(sources)" ] || {
	echo "No sources: the gate asks git for their names" >&2
	exit 1
}

# What a look at a file depends on beside itself
followed=()

# cached NAME COMMAND...: gives COMMAND the files whose names come in, but
# for those that it has seen as they are, and prints what it says of all:
# FILE:LINE: CLASS: TEXT. What is found depends on what looks, too. What is
# ended before it has looked at all, as by a signal, has looked at none.
cached() {
	local dir=$cache/$1 new=$cache/$1.new all=() stale=() file newest

	shift
	newest=$(ls -t "$gate"/*.sh .clang-format .editorconfig \
		"$scripts"/{checkpatch.pl,kernel-doc} "${followed[@]}" |
		head -n 1)
	mapfile -t all
	for file in "${all[@]}"; do
		[ "$dir/$file" -nt "$file" ] &&
			[ "$dir/$file" -nt "$newest" ] || stale+=("$file")
	done
	rm -rf "$new"
	for file in "${stale[@]}"; do
		mkdir -p "$dir/${file%/*}" "$new/${file%/*}"
		: >"$new/$file"
	done
	printf '%s\n' "${stale[@]}" |
		xargs -r -P "$jobs" -n 32 "$@" >"$new.said" 2>&1
	# That some files are not as they should be is 123.
	if [ $? -gt 123 ]; then
		echo "${stale[0]}:0: ENDED: $1: $(<"$new.said")"
		return
	fi
	while read -r line; do
		file=${line%%:*}
		[ -f "$new/$file" ] || file=${stale[0]}
		echo "$line" >>"$new/$file"
	done <"$new.said"
	for file in "${stale[@]}"; do
		mv "$new/$file" "$dir/$file"
	done
	(cd "$dir" && cat "${all[@]}")
}

# --- the checks ------------------------------------------------------------

# The module is built as `make modules` does it, in its place, for all to be
# compiled once. Of what is not compiled the compiler says nothing: objects that
# are not of this build, and all if the last one said anything, are made anew.
build_module() {
	local heard=$cache/heard newer=() rc

	[ ! -e "$heard" ] || newer=(-newer "$heard")
	find net/prp -name '*.o' "${newer[@]}" -delete
	rm -f "$heard"
	make -s -j"$jobs" -C "$KDIR" M="$top/net/prp" W=1 C=1 \
		CHECK="$gate/sparse.sh" CF=-D__CHECK_ENDIAN__ \
		modules >"$cache/build" 2>&1
	rc=$?
	grep -v '^Skipping BTF' "$cache/build" |
		sed "s|$top/||g" >"$cache/build.said"
	[ $rc != 0 ] || [ -s "$cache/build.said" ] || : >"$heard"
	return $rc
}

gate__module_builds_without_warnings() {
	build_module || echo "net/prp:0: BUILD: failed"
	grep -v "^sparse: " "$cache/build.said" |
		sed -E "s/^([^:]*:[0-9]*):[0-9]*: /\1: GCC: /"
}

gate__sparse() {
	sed -n -E 's/^sparse: ([^:]*:[0-9]*):[0-9]*: /\1: SPARSE: /p' \
		"$cache/build.said"
}

gate__checkpatch() {
	sources | cached checkpatch "$scripts/checkpatch.pl" --no-tree \
		--strict --terse --show-types -q --no-summary \
		--ignore FILE_PATH_CHANGES -f |
		sed -E -e '/^total: /d' -e 's/: (ERROR|WARNING|CHECK):([A-Z_]*):/: \2:/'
}

gate__clang_format() {
	sources | cached clang_format "$gate/format.sh"
}

gate__kernel_doc() {
	sources | cached kernel_doc "$scripts/kernel-doc" -none -v |
		sed -E -e '/: info: Scanning/d' -e '/^([0-9]* warnings)?$/d' \
			-e 's/^([^:]*:[0-9]*): (warning|error):/\1: KERNEL_DOC:/'
	sources | grep -v ^selftests | xargs "$gate/documented.py"
}

gate__comments_name_what_there_is() {
	local headers=${KDIR%/build}/source all

	mapfile -t all < <(sources)
	"$gate/comments.py" "$headers"/{include,arch/x86/include} \
		/usr/include -- "${all[@]}"
}

gate__lines() {
	files | grep -v -e ^COPYING -e ^selftests/fuzz/corpus |
		grep -v -e netlink_gen -e prp_netlink.h -e '[.]svg$' -e '[.]csv$' |
		xargs awk -f "$gate/lines.awk"
}

# It follows what a script reads from "$top/...".
gate__shellcheck() {
	local followed

	mapfile -t followed < <(shell_scripts |
		xargs sed -n 's|^[[:space:]]*[.] "$top/\(.*\)"$|\1|p' | sort -u)
	shell_scripts | cached shellcheck shellcheck -x -S warning -f gcc |
		sed -E 's/^([^:]*:[0-9]*):[0-9]*: \w*: (.*) \[(SC[0-9]*)\]$/\1: \3: \2/'
}

# A look that is ended by a signal, and then some that are not
gate__looks_are_whole() {
	local look=planted/look file=selftests/Makefile said

	rm -rf "${cache:?}/$look"
	said=$(echo $file | cached $look sh -c 'kill $PPID' 2>/dev/null)
	[[ $said == "$file:0: ENDED: sh"* ]] ||
		echo "selftests/gate/gate.sh:0: PLANTED: not seen: $said"
	said=$(echo $file | cached $look echo found)
	[ "$said" = "found $file" ] ||
		echo "selftests/gate/gate.sh:0: PLANTED: no look: $said"
	said=$(echo $file | cached $look echo again)
	[ "$said" = "found $file" ] ||
		echo "selftests/gate/gate.sh:0: PLANTED: not kept: $said"
}

gate__internals() {
	"$gate/internals.py"
}

gate__pages_are_what_make_docs_writes() {
	Documentation/generate.py --check
}

gate__floors() {
	"$gate/floors.py" net/prp selftests/gate/floors
}

# A house of two files, in which each is wrong in its own way
gate__floors_finds_what_is_planted() {
	local house=$cache/planted file said text

	mkdir -p "$house"/{network,transport}
	for file in network/low transport/high; do
		cp "$gate/planted/$file.c" "$house/$file.c"
		gcc -c -O1 -I"$gate/planted" -MMD -MF "$house/$file.d" \
			-o "$house/$file.o" "$house/$file.c" || return
		sed "s|$gate/planted|$house|g" "$house/$file.d" \
			>"$house/${file%/*}/.${file#*/}.o.cmd"
	done
	said=$("$gate/floors.py" "$house" selftests/gate/planted/floors)
	for text in "prp_high_do() is called, up" "high.h is included" \
		"hidden, a table" "planted_name is not the room's" \
		"nobody needs up network: prp_high_other"; do
		[[ $said == *"$text"* ]] ||
			echo "selftests/gate/floors.py:0: PLANTED: not found:" \
				"$text"
	done
}

# objects FOLDER BUILD: what was built of its sources that are there now
objects() {
	local file

	for file in "$1"/*.c; do
		echo "$2/$(basename "$file" .c).o"
	done
}

gate__circles() {
	local folder

	make -s -C mpipr >/dev/null && make -s -C tools/prpctl >/dev/null ||
		return
	objects mpipr/provider "$BUILD/mpipr" |
		xargs "$gate/circles.py" mpipr/provider 2 30
	for folder in tools/prpctl{,/hosts,/kernel,/show}; do
		objects $folder $folder
	done | xargs "$gate/circles.py" tools/prpctl 1 40
}

# A circle of three, and too few objects
gate__circles_finds_what_is_planted() {
	local house=$cache/planted/circle file said text

	mkdir -p "$house"
	for file in one two three; do
		gcc -c -O1 -o "$house/$file.o" \
			"$gate/planted/circle/$file.c" || return
	done
	said=$("$gate/circles.py" planted 2 4 "$house"/*.o)
	for text in "only 3 objects" "3 files call each other: one three two"; do
		[[ $said == *"$text"* ]] ||
			echo "selftests/gate/circles.py:0: PLANTED: not found:" \
				"$text"
	done
	said=$("$gate/circles.py" planted 3 3 "$house"/*.o)
	[ -z "$said" ] ||
		echo "selftests/gate/circles.py:0: PLANTED: found: $said"
}

gate__models_name_what_there_is() {
	selftests/model/model.py names
}

# A rule of nobody, and one of a function that there is not
gate__models_name_finds_what_is_planted() {
	local house=$cache/planted/model said text

	rm -rf "$house"
	mkdir -p "$house/selftests"
	cp -r selftests/model "$house/selftests/"
	ln -s "$top/net" "$house/net"
	sed -i -e 's/prp_rcv_saw()/prp_rcv_seen()/' \
		-e '/^\/\* __prp_xmit_ack(), prp_ack_left() \*\//d' \
		"$house/selftests/model/move.pml"
	said=$("$house/selftests/model/model.py" names)
	for text in "no prp_rcv_seen() in net/prp" \
		"send_ack is nobody's rule"; do
		[[ $said == *"$text"* ]] ||
			echo "selftests/model/model.py:0: PLANTED: not found:" \
				"$text"
	done
}

gate__guards_have_plants() {
	selftests/vm/slowed.sh names
}

gate__bug_classes() {
	"$gate/bug_classes.py"
}

# --- exceptions ------------------------------------------------------------

class=() pattern=() used=()
grep '^[A-Z]' "$gate/exceptions" | while read -r c p; do
	class+=("$c")
	pattern+=("$p")
	used+=(0)
done

# Prints the findings that no exception covers.
unexcused() {
	local line file kind i

	while read -r line; do
		file=${line%%:*}
		kind=${line#*: }
		kind=${kind%%:*}
		for i in "${!class[@]}"; do
			if [[ $kind == "${class[i]}" && $file == ${pattern[i]} ]]
			then
				used[i]=1
				continue 2
			fi
		done
		echo "$line"
	done
}

gate__exceptions_are_needed() {
	local i

	for i in "${!class[@]}"; do
		[ "${used[i]}" = 1 ] ||
			echo "selftests/gate/exceptions:0: UNUSED:" \
				"${class[i]} ${pattern[i]}"
	done
}

# --- results ---------------------------------------------------------------

if [ "${1:-}" = module ]; then
	build_module && [ ! -s "$cache/build.said" ] && exit
	cat "$cache/build.said"
	exit 1
fi
mapfile -t checks < <(sed -n 's/^\(gate__[a-z_]*\)() {$/\1/p' \
	"$gate/gate.sh")
[ ${#checks[@]} -gt 0 ] || exit
echo "TAP version 13"
echo "1..${#checks[@]}"
failed=0
LOOKED_AT='^# [0-9]* files, [0-9]* exported names$'
for i in "${!checks[@]}"; do
	begun=${EPOCHREALTIME/./}
	"${checks[i]}" >"$cache/found" 2>&1
	grep "$LOOKED_AT" "$cache/found"
	grep -v "$LOOKED_AT" "$cache/found" | unexcused >"$cache/findings"
	sed 's/^/# /' "$cache/findings"
	echo "# ${checks[i]} took $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	if [ -s "$cache/findings" ]; then
		printf 'not '
		failed=1
	fi
	echo "ok $((i + 1)) ${checks[i]}"
done
exit $failed
