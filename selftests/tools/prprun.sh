#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prprun itself: what it runs, with what, and how it ends.
. "$(dirname "$0")/lib/lib.sh"
. "$HERE/lib/programs.sh"

# Exit status of a command, whatever it prints
status_of() {
	local rc=0

	"$@" >/dev/null 2>&1 || rc=$?
	echo $rc
}

prprun__ends_as_its_command_does() {
	expect "true" "$(status_of prprun true)" -eq 0
	expect "exit 42" "$(status_of prprun sh -c 'exit 42')" -eq 42
	expect "SIGTERM" "$(status_of prprun sh -c 'kill -TERM $$')" -eq 143
	expect "SIGKILL" "$(status_of prprun sh -c 'kill -KILL $$')" -eq 137
}

prprun__says_what_it_cannot_run() {
	expect "not there" "$(status_of prprun no-such-command)" -eq 127
	refused "not there" "no-such-command: No such file" \
		prprun no-such-command
	expect "a folder" "$(status_of prprun /etc)" -eq 126
	refused "not executable" "/etc/passwd: Permission denied" \
		prprun /etc/passwd
}

prprun__refuses_wrong_arguments() {
	expect "no command" "$(status_of prprun)" -eq 125
	expect "no such option" "$(status_of prprun -x true)" -eq 125
	refused "no command" "a command is missing" prprun -v
	refused "no command" "a command is missing" prprun --
	[[ $(prprun --help) == *"prprun [-qrv] [--] COMMAND"* ]] || fail "-h"
	[[ $(prprun -V) == "prprun "[0-9]* ]] || fail "-V"
}

# Options behind the command are the command's.
prprun__leaves_the_commands_options_alone() {
	[ "$(prprun echo -v -h)" = "-v -h" ] || fail "echo -v -h"
	[ "$(prprun -- echo -v)" = "-v" ] || fail "-- echo -v"
}

prprun__is_loaded_before_others() {
	local maps folder

	folder=$(dirname "$(command -v prprun)")
	[ "$(prprun printenv LD_PRELOAD)" = "$folder/libprprun.so" ] ||
		fail "LD_PRELOAD: $(prprun printenv LD_PRELOAD)"
	[ "$(LD_PRELOAD=libm.so.6 prprun printenv LD_PRELOAD)" = \
		"$folder/libprprun.so:libm.so.6" ] || fail "libm.so.6 is gone"
	maps=$(LD_PRELOAD=libm.so.6 prprun cat /proc/self/maps)
	[[ $maps == */libprprun.so*  && $maps == */libm.so.6* ]] ||
		fail "not both are loaded: $maps"
}

# As `make install` puts it
prprun__finds_its_library_when_installed() {
	local from

	from=$(dirname "$(command -v prprun)")
	rm -rf "$DIR"
	mkdir -p "$DIR/bin" "$DIR/lib/prprun"
	cp "$from/prprun" "$DIR/bin"
	expect "without it" "$(status_of "$DIR/bin/prprun" true)" -eq 125
	cp "$from"/libprprun*.so "$DIR/lib/prprun"
	[ "$("$DIR/bin/prprun" printenv LD_PRELOAD)" = \
		"$DIR/lib/prprun/libprprun.so" ] || fail "another library"
	mv "$DIR/lib" "$DIR/l b"
	ln -s "$DIR/l b" "$DIR/lib"
	refused "a space in its name" "a colon or a space" \
		"$DIR/bin/prprun" true
}

prprun__warns_of_a_static_executable() {
	local said

	rm -rf "$DIR"
	mkdir "$DIR"
	printf '#!/bin/busybox sh\n' >"$DIR/script"
	chmod +x "$DIR/script"
	said=$(prprun /bin/busybox true 2>&1) || fail "busybox ($?)"
	[[ $said == *"/bin/busybox: static"* ]] || fail "said: $said"
	said=$(PATH=$DIR:$PATH prprun script 2>&1) || fail "script ($?)"
	[[ $said == *"$DIR/script: static"* ]] || fail "said: $said"
	said=$(prprun sh -c : 2>&1)
	[ -z "$said" ] || fail "said of sh: $said"
	said=$(prprun -q /bin/busybox true 2>&1) || fail "quiet ($?)"
	[ -z "$said" ] || fail "said, although quiet: $said"
	expect "required" "$(status_of prprun -r /bin/busybox true)" -eq 125
	refused "required" "busybox: static" prprun -r /bin/busybox true
	# -q keeps warnings back, and this is an error.
	refused "required, quiet" "busybox: static" \
		prprun -q -r /bin/busybox true
}

# The dynamic linker loads nothing into what runs with others' rights. That is
# so as long as these change something: not for who has them, nor without a
# change of privileges.
prprun__warns_of_what_changes_its_privileges() {
	local as=(setpriv --reuid 65534 --regid 65534 --clear-groups) how said

	rm -rf "$DIR"
	mkdir "$DIR"
	chmod 755 "$DIR"
	for how in u+s g+s caps; do
		cp "$(type -P true)" "$DIR/other"
		chown 1:1 "$DIR/other"
		case $how in
		caps)	file_capability "$DIR/other" ;;
		*)	chmod $how "$DIR/other" ;;
		esac
		refused "$how" "other: it changes its privileges" \
			"${as[@]}" prprun -r "$DIR/other"
		expect "$how" "$(status_of "${as[@]}" prprun -r \
			"$DIR/other")" -eq 125
		said=$("${as[@]}" prprun "$DIR/other" 2>&1) || fail "$how ($?)"
		[[ $said == *"runs without PRP" ]] || fail "$how: said: $said"
		said=$("${as[@]}" --no-new-privs prprun -r "$DIR/other" 2>&1) ||
			fail "$how, no new privileges ($?): $said"
	done
	chown 65534:65534 "$DIR/other"
	chmod u+s "$DIR/other"
	said=$("${as[@]}" prprun -r "$DIR/other" 2>&1) ||
		fail "his own ($?): $said"
}

# file_capability FILE: one that binds privileged ports, as setcap(8) writes it
file_capability() {
	python3 - "$1" <<-'EOF'
	import os, struct, sys
	os.setxattr(sys.argv[1], "security.capability",
	            struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))
	EOF
}

# As far as it is looked at; this kernel need not run it.
prprun__warns_of_another_word_size() {
	rm -rf "$DIR"
	mkdir "$DIR"
	printf '\177ELF\001\001\001' >"$DIR/narrow"
	chmod +x "$DIR/narrow"
	refused "required" "narrow: not of as many bits as prprun's library" \
		prprun -r "$DIR/narrow"
	expect "required" "$(status_of prprun -r "$DIR/narrow")" -eq 125
	refused "not required" "runs without PRP" prprun "$DIR/narrow"
}

# In a shell that prprun runs, what asks has PRP under its sockets already.
prprun__within_prprun() {
	local said

	for words in "" -r -v; do
		# shellcheck disable=SC2086
		said=$(prprun prprun $words true 2>&1) ||
			fail "prprun $words ($?): $said"
		[ -z "$said" ] || fail "prprun $words said: $said"
	done
	said=$(prprun -r prprun -r python3 -c \
		'import socket; socket.socket()' 2>&1) || fail "required: $said"
	# by another one, as one of a package and one of make install
	mkdir -p "$DIR/other"
	cp "$(dirname "$(command -v prprun)")"/{prprun,libprprun*.so} \
		"$DIR/other"
	said=$(prprun "$DIR/other/prprun" -r python3 -c \
		'import socket; socket.socket()' 2>&1) || fail "another: $said"
}

# without_families FAMILIES COMMAND...: as RestrictAddressFamilies= has it
without_families() {
	python3 - "$@" <<-'EOF'
	import ctypes, errno, os, struct, sys

	LOAD, IS, RETURN = 0x20, 0x15, 0x06
	ALLOW, ERRNO = 0x7fff0000, 0x00050000
	PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
	SOCKET = {"x86_64": 41}.get(os.uname().machine, 198)
	families = [int(word) for word in sys.argv[1].split()]
	code = [(LOAD, 0, 0, 0), (IS, 0, len(families) + 1, SOCKET),
	        (LOAD, 0, 0, 16)]
	for i, family in enumerate(families):
	    code.append((IS, len(families) - i, 0, family))
	code += [(RETURN, 0, 0, ALLOW),
	         (RETURN, 0, 0, ERRNO | errno.EAFNOSUPPORT)]
	text = ctypes.create_string_buffer(
	    b"".join(struct.pack("HBBI", *one) for one in code))
	program = struct.pack("HP", len(code), ctypes.addressof(text))
	prctl = ctypes.CDLL(None, use_errno=True).prctl
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or
	        prctl(PR_SET_SECCOMP, 2, program)):
	    sys.exit(os.strerror(ctypes.get_errno()))
	os.execvp(sys.argv[2], sys.argv[2:])
	EOF
}

prprun__asks_with_the_family_that_is_allowed() {
	local inet=2 inet6=10 family said

	for family in $inet $inet6; do
		said=$(without_families $family prprun -r true 2>&1) ||
			fail "without $family ($?): $said"
		[ -z "$said" ] || fail "without $family, said: $said"
	done
	refused "without both" "socket of TCP: Address family not supported" \
		without_families "$inet $inet6" prprun -r true
	expect "without both" "$(status_of without_families "$inet $inet6" \
		prprun -r true)" -eq 125
	said=$(without_families "$inet $inet6" prprun -q true 2>&1) ||
		fail "without both, quiet ($?): $said"
	[ -z "$said" ] || fail "without both, quiet, said: $said"
}

# A daemon may begin without the environment that it was given.
prprun__requires_prp_without_its_environment() {
	local said

	said=$(prprun -r python3 - <<-'EOF'
	import os
	import socket

	SOL_PRP, PRP_REQUIRE = 290, 7
	for _ in "with it", "without":
	    with socket.socket() as sock:
	        print(sock.getsockopt(SOL_PRP, PRP_REQUIRE))
	    os.environ.clear()
	EOF
	) || fail "python3 ($?)"
	[ "$said" = $'1\n1' ] || fail "said: $said"
}

# It is no way past PRP, whatever this kernel has of it.
prprun__takes_multipath_tcp_for_tcp() {
	local option said

	for option in -q -r; do
		said=$(prprun $option python3 - <<-'EOF'
		import socket

		MPTCP, SOL_PRP, PRP_REQUIRE = 262, 290, 7
		for family in socket.AF_INET, socket.AF_INET6:
		    with socket.socket(family, proto=MPTCP) as sock:
		        print(sock.getsockopt(SOL_PRP, PRP_REQUIRE), end="")
		EOF
		) || fail "$option: python3 ($?)"
		[ "$said" = "$([ $option = -r ] && echo 11 || echo 00)" ] ||
			fail "$option: said: $said"
	done
}

# Nobody reads what -v tells, or there is no room for it.
prprun__goes_on_where_nobody_reads() {
	local how

	ip link set lo up
	for how in closed full; do
		python3 - $how <<-'EOF' || fail "$how ($?)"
		import os
		import subprocess
		import sys

		CONNECT = """
		import signal, socket, sys
		signal.signal(signal.SIGPIPE, signal.SIG_DFL)
		sys.stdin.read()
		with socket.create_server(("127.0.0.1", 0)) as server:
		    socket.create_connection(server.getsockname()).close()
		"""
		reader, writer = os.pipe()
		child = subprocess.Popen(
		    ["prprun", "-v", "python3", "-c", CONNECT],
		    stdin=subprocess.PIPE, stderr=writer)
		if sys.argv[1] == "closed":
		    os.close(reader)
		else:
		    os.set_blocking(writer, False)
		    try:
		        while True:
		            os.write(writer, bytes(4096))
		    except BlockingIOError:
		        os.set_blocking(writer, True)
		child.stdin.close()
		try:
		    sys.exit(child.wait(60))
		finally:
		    child.kill()
		EOF
	done
}

# A connect() that was given up has left a number, which another one gets.
prprun__tells_of_accepted_ones_as_such() {
	local said

	ip link set lo up
	said=$(prprun -v python3 - 2>&1 <<-'EOF'
	import select
	import socket

	with socket.create_server(("127.0.0.1", 0)) as server:
	    client = socket.socket()
	    client.setblocking(False)
	    client.connect_ex(server.getsockname())
	    select.select([], [client], [])
	    number = client.fileno()
	    client.close()
	    with server.accept()[0] as conn:
	        assert conn.fileno() == number
	        conn.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
	EOF
	) || fail "python3 ($?): $said"
	[[ $said == *"accepted from 127.0.0.1:"*": TCP" &&
	   $said != *"connected to"* ]] || fail "said: $said"
}

# What Go's linker leaves in each program, in one that is dynamic
prprun__warns_of_a_go_program() {
	local said mark

	rm -rf "$DIR"
	mkdir "$DIR"
	for mark in .go.buildinfo .note.go.buildid; do
		with_section "$HERE/prp_closes" $mark
		expect "usage" "$(status_of "$DIR/go")" -eq \
			"$(status_of "$HERE/prp_closes")"
		said=$(prprun "$DIR/go" 2>&1) || :
		[[ $said == *"$DIR/go: a Go program"*" runs without PRP"* ]] ||
			fail "said of $mark: $said"
		refused "required" "would run without PRP" prprun -r "$DIR/go"
		expect "required" "$(status_of prprun -r "$DIR/go")" -eq 125
	done
	with_section "$HERE/prp_closes" .go.other
	said=$(prprun "$DIR/go" 2>&1) || :
	[[ $said != *"a Go program"* ]] || fail "said of .go.other: $said"
}

# with_section PROGRAM NAME: the program as $DIR/go with a section more
with_section() {
	python3 - "$1" "$DIR/go" "$2" <<-'EOF'
	import struct, sys
	elf = bytearray(open(sys.argv[1], "rb").read())
	shoff, = struct.unpack_from("<Q", elf, 40)
	size, count, names = struct.unpack_from("<HHH", elf, 58)
	table = elf[shoff:shoff + size * count]
	at, length = struct.unpack_from("<QQ", table, names * size + 24)
	text = elf[at:at + length]
	name = len(text)
	text += sys.argv[3].encode() + b"\0"
	struct.pack_into("<QQ", table, names * size + 24, len(elf), len(text))
	table += struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, 0, 0, 0, 0, 1, 0)
	struct.pack_into("<Q", elf, 40, len(elf) + len(text))
	struct.pack_into("<H", elf, 60, count + 1)
	open(sys.argv[2], "wb").write(elf + text + table)
	EOF
	chmod +x "$DIR/go"
}

run_cases
