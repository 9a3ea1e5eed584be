#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The completion of prpctl for bash, driven the way bash drives it.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/prpctl.sh"
. "$(dirname "$0")/completion_prpctl"

# It has no effect but where bash completes itself, and fails elsewhere.
compopt() {
	:
}

# completed WORD...: what the last word can become
completed() {
	COMP_WORDS=(prpctl "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_prpctl
	OUT=" ${COMPREPLY[*]} "
}

# offers WORD... -- WANTED...: each is offered
offers() {
	local words=()

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	completed "${words[@]}"
	for word in "$@"; do
		[[ $OUT == *" $word "* ]] ||
			fail "prpctl ${words[*]}: no $word in '$OUT'"
	done
}

# is WORD... -- ONLY...: these are offered and no others
is() {
	offers "$@"
	while [ "$1" != -- ]; do
		shift
	done
	shift
	expect "words offered" ${#COMPREPLY[@]} -eq $#
}

completion__objects_and_verbs() {
	offers "" -- hosts node dev route forward access discover sockets \
		stats top memory fault explain ping monitor --json
	is ho -- hosts
	is hosts "" -- setup show diff check discover add del link flush help
	is hosts setup --f -- --file --force
	is hosts se -- setup
	is hosts setup --d -- --dry-run
	is hosts link "" -- add del
	is dev "" -- show ethertype steer help
	is dev steer "" -- show connection reader off
	is dev steer o -- off
	is dev steer reader "" -- cpus dev
	is dev steer reader cpus 0-3 "" -- dev
	is dev steer off "" -- dev
	is route a -- add
	is forward "" -- show on off auto help
	is forward o -- on off
	is access "" -- setup show add del flush help
	is memory "" -- show machine namespace help
	is fault "" -- show add del flush help
	is fault add 2 "" -- loss delay duplicate corrupt seed
	is fault add 2 loss 1 d -- delay duplicate
	is memory namespace "" -- none
	is top - -- -1 --once
	is sockets show state es -- established
	is sockets state es -- established
	is --br -- --brief
	offers sockets - -- -l -a -p -i -N
	is monitor - -- -t
	is monitor -t c -- connection
	is monitor host ro -- route
	is -j -p nod -- node
	completed nothing ""
	expect "words offered" ${#COMPREPLY[@]} -eq 0
}

completion__namespaces() {
	two_nodes
	is -n "$NODE-" -- "$NODE-1" "$NODE-2"
	is -j --netns "$NODE-" -- "$NODE-1" "$NODE-2"
	is hosts show -n "$NODE-1" n -- n1 n2
}

completion__hosts() {
	two_nodes
	is -n "$NODE-1" explain n -- n1 n2
	is -n "$NODE-1" hosts del "" -- 1 n1 2 n2
	offers -n "$NODE-1" hosts show "" -- n1 n2
	is -n "$NODE-1" route add n2 v -- via
	is -n "$NODE-1" access add 80 n -- n1 n2
	is -n "$NODE-1" access del 80-90 n2 -- n2
	is -n "$NODE-1" fault del n -- n1 n2
	is access add 80 n2 "" -- in out
	is -n "$NODE-1" route add n2 via n -- n1 n2
	is -n "$NODE-1" hosts link add 1 n2 r -- rail
	is -n "$NODE-1" hosts link add n -- n1 n2
	is -j -n "$NODE-1" node show n2 -- n2
}

completion__files() {
	local dir

	dir=$(mktemp -d)
	touch "$dir/prphosts.new"
	is hosts setup -f "$dir/pr" -- "$dir/prphosts.new"
	is -b "$dir/pr" -- "$dir/prphosts.new"
	is hosts check "$dir/pr" -- "$dir/prphosts.new"
	is hosts check - -- --ssh --lines
	rm -r "$dir"
}

# typed_as LINE: what words an interactive shell makes of it, in a folder with
# odd names
typed_as() {
	python3 - "$1" "$(realpath "$(dirname "$0")")/completion_prpctl" <<-'EOF'
	import os, pty, select, shutil, sys, tempfile
	folder = tempfile.mkdtemp()
	os.makedirs(folder + "/deep folder")
	open(folder + "/my hosts", "w").close()
	pid, fd = pty.fork()
	if not pid:
	    os.chdir(folder)
	    os.environ["PS1"] = os.environ["PROMPT_COMMAND"] = ""
	    os.environ["INPUTRC"] = "/dev/null"
	    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
	said = b""
	def said_so(what):
	    global said
	    while what not in said:
	        if not select.select([fd], [], [], 20)[0]:
	            sys.exit("no %r in %r" % (what, said))
	        said += os.read(fd, 65536)
	os.write(fd, b". '%s'; prpctl() { printf '<%%s>' \"$@\" end; };"
	         b" echo rea''dy\n" % sys.argv[2].encode())
	said_so(b"ready\r\n")
	said = b""
	os.write(fd, sys.argv[1].encode() + b"\n")
	said_so(b"<end>")
	os.close(fd)
	os.waitpid(pid, 0)
	shutil.rmtree(folder)
	print(said.decode().split("\n")[-1])
	EOF
}

completion__files_are_quoted() {
	local line

	for line in "-b" "hosts check" "hosts setup -f"; do
		OUT=$(typed_as "prpctl $line my"$'\t')
		[[ $OUT == *"<my hosts><end>"* ]] || fail "$line: $OUT"
		OUT=$(typed_as "prpctl $line de"$'\t')
		[[ $OUT == *"<deep folder/><end>"* ]] || fail "$line: $OUT"
	done
}

# What a name says is not done.
completion__names_are_not_run() {
	local name

	# shellcheck disable=SC2016
	for name in '$(>ran)' '`>ran`' 'a b'; do
		mkdir -p /run/netns
		: >"/run/netns/$name"
	done
	cd /tmp || exit
	completed -n ""
	completed discover on ""
	rm -f /run/netns/*ran* "/run/netns/a b"
	[ ! -e ran ] || { rm ran; fail "it was run"; }
	[[ $OUT != *" a "* ]] || fail "half a name is offered"
}

# Every word that is offered is one that prpctl knows.
completion__offers_what_there_is() {
	local object verb objects

	two_nodes
	completed ""
	objects=${OUT//-*/}
	for object in $objects; do
		completed "$object" ""
		expect "$object help" "$(status_of ctl "$object" help)" -eq 0
		for verb in $OUT; do
			[[ $object == explain || $object == help ||
			   $object == top || $object == monitor ||
			   $verb == -* || $verb == help ||
			   $verb == state ]] ||
				expect "$object $verb help" \
					"$(status_of ctl "$object" "$verb" help)" \
					-eq 0
		done
	done
}

run_cases
