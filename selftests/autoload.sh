#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Nobody but an administrator makes the kernel load the module. The kernel's
# own way of loading modules is led to a folder that has this module as
# modules_install would put it, and notes what it is asked for.
. "$(dirname "$0")/lib/lib.sh"

# Leaves in $FOLDER a root of modules with prp in it, and has the kernel look
# for modules there.
lead_modprobe() {
	FOLDER=$(mktemp -d)
	mkdir -p "$FOLDER/lib/modules/$(uname -r)"
	cp "${PRP_MODULE:-$(modinfo -n prp)}" "$FOLDER/lib/modules/$(uname -r)"
	depmod -b "$FOLDER" 2>/dev/null
	cat >"$FOLDER/modprobe" <<-EOF
	#!/bin/sh
	echo "\$*" >>$FOLDER/asked
	exec $(command -v modprobe) -d $FOLDER "\$@"
	EOF
	chmod +x "$FOLDER/modprobe"
	chmod 755 "$FOLDER"
	read -r MODPROBE </proc/sys/kernel/modprobe
	echo "$FOLDER/modprobe" >/proc/sys/kernel/modprobe
}

restore_modprobe() {
	echo "$MODPROBE" >/proc/sys/kernel/modprobe
	[ -d /sys/module/prp ] || load_module
	rm -r "$FOLDER"
}

# All that an ordinary user can ask of the kernel under a name of ours
try_everything='
import socket, struct
for protocol in (0, 4):
    try:
        socket.socket(19, socket.SOCK_STREAM, protocol)
        raise SystemExit("a socket was made")
    except OSError:
        pass
nl = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
name = struct.pack("HH4s", 8, 2, b"prp\0")
nl.send(struct.pack("IHHIIBBH", 28, 16, 5, 1, 0, 3, 1, 0) + name)
nl.recv(4096)
nl = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
nl.send(struct.pack("IHHIIBBHII", 28, 20, 0x301, 1, 0, 19, 0, 0, 0xffff, 0))
nl.recv(4096)
'

# without_the_module: it is gone until the case is over, and who asks for it is
# noted
without_the_module() {
	LEAVES_CONNECTIONS=yes
	wait_for "no socket is left" module_unused
	lead_modprobe
	AT_END=restore_modprobe
	rmmod prp
}

autoload__no_user_loads_the_module() {
	local asked

	without_the_module
	setpriv --reuid 65534 --clear-groups python3 -c "$try_everything"
	[ ! -d /sys/module/prp ] || fail "the module was loaded"
	# The kernel has asked: it is the module that has no such name. For a
	# dump it asks only where the family is there.
	asked=$(cat "$FOLDER/asked")
	for name in net-pf-19 net-pf-16-proto-16-family-prp; do
		[[ $asked == *"$name"* ]] || fail "no word of $name in: $asked"
	done
	modprobe -d "$FOLDER" prp
	[ -d /sys/module/prp ] || fail "modprobe prp did not load it"
}

autoload__module_has_no_alias() {
	local alias

	LEAVES_CONNECTIONS=yes
	alias=$(modinfo -F alias "${PRP_MODULE:-$(modinfo -n prp)}")
	[ -z "$alias" ] || fail "alias: $alias"
}

# Each time that it was asked for, a program with privileges had the kernel run
# modprobe.
autoload__prprun_asks_once_without_the_module() {
	local asked

	without_the_module
	prprun -q python3 - "$FOLDER" <<-'EOF' || fail "python3 ($?)"
	import socket
	import subprocess
	import sys

	SOL_PRP, PRP_REQUIRE = 290, 7
	for _ in range(5):
	    with socket.socket() as sock:
	        try:
	            sock.getsockopt(SOL_PRP, PRP_REQUIRE)
	            sys.exit("PRP is under it")
	        except OSError:
	            pass
	subprocess.run(["modprobe", "-d", sys.argv[1], "prp"],
	               check=True)
	with socket.socket() as sock:
	    sock.getsockopt(SOL_PRP, PRP_REQUIRE)
	EOF
	asked=$(grep -c tcp-ulp-prp "$FOLDER/asked") || :
	expect "by prprun and by the program" "$asked" -eq 2
}

run_cases
