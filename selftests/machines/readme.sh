#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the README has under "Two machines", typed on two of them. The lines are
# read out of it, and typed as they are, but for the one that installs: these
# machines have what it would build, the module where depmod found it. Into the
# host table go the addresses that the commands named in the text print.
. "$(dirname "$0")/cluster.sh"

README=$TOP/README.md
FOLLOW=machines__what_the_readme_says

# section: of the README
section() {
	awk '/^## / { here = /^## Two machines$/ } here' "$README"
}

# block NUMBER: of its commands
block() {
	section | awk -v wanted="$1" '
	/^```sh/	{ block++; inside = 1; next }
	/^```/		{ inside = 0 }
	inside && block == wanted'
}

# installed_initrd FILE: as after `make install`
installed_initrd() {
	local root=$DIR/root release updates

	read -r release _ < <(modinfo -F vermagic "$PRP_MODULE")
	updates=lib/modules/$release/updates
	new_root "$root" "$HERE/machines/init" virtio_pci virtio_console \
		virtio_net $(modinfo -F depends "$PRP_MODULE" | tr , ' ')
	mkdir -p "$root/$updates" "$root"/{etc,tmp}
	cp "$PRP_MODULE" "$root/$updates/"
	depmod -b "$root" "$release" 2>/dev/null
	put_programs "$root" "$TOP"/tools/prpctl/prpctl \
		"$TOP"/tools/prprun/{prprun,*.so} \
		"$(command -v bash)" "$(command -v ip)" \
		"$(command -v socat)" "$(command -v iperf3)"
	cp -L /etc/os-release "$root/etc/"
	pack "$root" "$1"
}

# two_as_they_are: on a switch, with IP addresses, and without PRP
two_as_they_are() {
	local nr

	installed_initrd "$DIR/initrd"
	for nr in 1 2; do
		DEVICE[$nr]=virtio-net-pci
		INITRD[$nr]=$DIR/initrd
		boot $nr
	done
	for nr in 1 2; do
		booted $nr
		on $nr "ip address add 10.9.0.$nr/24 dev eth0"
		on $nr up "$MTU"
		until_on $nr carrier_is 1
	done
}

# typed LINE: for a machine, by a shell that does not have its own `ip`
typed() {
	echo "bash -c $(printf %q "$1")"
}

# own_addresses NR: what `ip` prints of the machine, as the text says, in the
# order of a line of the host table, in $OWN
own_addresses() {
	local command commands

	mapfile -t commands < <(section | tr '\n' ' ' |
		grep -o '`ip -brief [a-z]*`' | tr -d '`')
	[ ${#commands[@]} = 2 ] || fail "the text does not name two commands"
	OWN=
	for command in "${commands[@]}"; do
		on "$1" "$(typed "$command")"
		OWN+=" $(awk '$1 == "eth0" { sub("/.*", "", $3); print $3 }' \
			<<<"$OUT")"
	done
}

# put_in: lines that come in, with the machines' own addresses
put_in() {
	sed -e "s/ 52:54:00:00:00:01 10\.0\.0\.1'/$ALPHA'/" \
		-e "s/ 52:54:00:00:00:02 10\.0\.0\.2'/$BETA'/" \
		-e "s/10\.0\.0\.2/${BETA##* }/"
}

listens() {
	succeeds 2 'netstat -ltn | grep -q LISTEN'
}

nobody_listens() {
	! listens
}

listens_or_ended() {
	listens || ! succeeds 2 runs line
}

# on_beta LINE: what is typed there serves; who served before has ended
on_beta() {
	wait_for "machine 2: nobody listens" nobody_listens
	on 2 "start line $(typed "$1")"
	wait_for "machine 2 listens: $1" listens_or_ended
	on 2 runs line
}

# on_alpha LINE: what is typed there ends, and well
on_alpha() {
	on 1 "start line $(typed "$1")"
	ended_well 1 line
	[[ $1 != *"prprun -v "* ]] || [[ $OUT == *": PRP"* ]] ||
		fail "not over PRP: $1: $OUT"
}

machines__what_the_readme_says() {
	local line nr sum lines=0

	two_as_they_are
	own_addresses 1
	ALPHA=$OWN
	own_addresses 2
	BETA=$OWN
	while read -r line; do
		[[ $line != *"apt-get install "*" && make "*" install" ]] ||
			continue
		say "both: $line"
		for nr in 1 2; do
			on $nr "$(typed "$line")"
		done
		lines=$((lines + 1))
	done < <(block 1 | put_in)
	expect "lines for both" "$lines" -eq 3
	while read -r line; do
		say "$line"
		case $line in
		*"# on beta"*)	on_beta "$line" ;;
		*"# on alpha"*)	on_alpha "$line" ;;
		*)	fail "on which machine? $line" ;;
		esac
		lines=$((lines + 1))
	done < <(block 2 | put_in)
	expect "lines in all" "$lines" -gt 3
	on 1 'sha256sum </etc/os-release'
	sum=$OUT
	on 2 'sha256sum <got'
	expect "sha256 of what arrived" "$OUT" = "$sum"
	expect "connections over PRP" "$(counter 1 ip_prp_out)" -eq 3
	expect "and over TCP" "$(counter 2 ip_tcp_in)" -eq 2
	on 2 killall iperf3
}

# What a page may have wrong: a command, a port, who says `prprun`
machines__a_fault_in_the_readme_is_noticed() {
	local fault says said planted=$DIR/README

	while IFS='|' read -r fault says; do
		sed "$fault" "$TOP/README.md" >"$planted"
		! cmp -s "$planted" "$TOP/README.md" ||
			fail "nothing to plant: $fault"
		README=$planted one_case $FOLLOW >"$DIR/said" 2>&1 &
		! wait $! || fail "not noticed: $fault"
		said=$(grep -m 1 "^# FAIL: " "$DIR/said") || fail "no word of it"
		[[ $said == *"$says"* ]] || fail "$fault: $said"
		say "$fault: ${said#*: }"
	done <<-'END'
	s/^prpctl hosts setup/prpctl hosts set/|machine 1: bash -c prpctl
	s/^prprun socat -u TCP-L/socat -u TCP-L/|not over PRP: prprun -v socat
	s/TCP:10.0.0.2:4000/TCP:10.0.0.2:4001/|machine 1: line
	s/^iperf3 -c/prprun iperf3 -c/|connections over PRP
	END
}

# shellcheck disable=SC2086
run_cases $FOLLOW ${PRP_LONG:+machines__a_fault_in_the_readme_is_noticed}
