# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Several virtual machines, each with a stock kernel, the module, one
# Ethernet device or two, and a shell that does what it is told. Tests source
# this file; their cases are run as those of lib.sh are.
#
#   wired NUMBER DEVICE...
#
#      machine 1           machine 2           machine 3
#     +-----------+       +-----------+       +-----------+
#     |   eth0    |       |   eth0    |       |   eth0    |
#     | DEVICE 1  |       | DEVICE 2  |       | DEVICE 3  |
#     +-----+-----+       +-----+-----+       +-----+-----+
#           |                   |                   |
#           +-------------------+-------------------+
#
#     RAILS=2 gives each of them an eth1 of the same kind on a second wire.
#
#     COUNTED=yes: two machines whose clocks go one nanosecond an instruction
#     while they do something, and as ours does while they do nothing. Their
#     wire loses nothing: who sends waits. What comes is handed to a device four
#     times a millisecond, as by cards that are busy, so that it does not depend
#     on who is faster here how many frames find a machine awake.
#
#     DEVICE is what QEMU calls it: virtio-net-pci or e1000. The wire is a
#     multicast group of its own on the loopback device. As on a wire, nobody
#     is kept from sending by who does not listen: when a machine is slow, or
#     gone, frames are lost.
#
# Machines have an initramfs of busybox and what of vm/initrd.sh is theirs. To
# boot takes longer than most cases: machines of a case that has passed are left
# to the next one of the file, as they have come up but for the module, which it
# loads anew. So cases that want the same stand side by side.

: "${BUILD:?run this by make check}" "${KVER:?}" "${TOP:?}" "${PRP_MODULE:?}"
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/kernel.sh"
. "$(dirname "${BASH_SOURCE[0]}")/initrd.sh"

LOGS=${LOGS:-$BUILD/logs/machines}
LIMIT_MS=$((30000 * SLOW))
BOOT_MS=$((90000 * SLOW))	# many times what it takes, for a busy machine
MTU=1500
declare -A PID TO FROM MONITOR DEVICE BOOTS CONSOLE
declare -A IMAGE INITRD	# of machines with another kernel or module

# --- what a machine is made of ---------------------------------------------

# machine: what QEMU calls it, and the memory it gets; see vm/run.sh
machine() {
	if is_debug_kernel; then
		echo "-M q35 -m 768M"
	elif [ "$MACHINE" = q35 ]; then
		echo "-M pc -m 256M"
	else
		echo "-M $MACHINE -m 256M"
	fi
}

# put_programs ROOT FILE...: with the libraries that they need
put_programs() {
	local root=$1 library

	shift
	cp "$@" "$root/bin/"
	ldd "$@" | awk '$2 == "=>" { print $3 } $1 ~ "^/.*ld-" { print $1 }' |
		sort -u |
	while read -r library; do
		mkdir -p "$root${library%/*}"
		cp -L "$library" "$root$library"
	done
}

# hosts_on_rails COUNT: hosts of lib.sh, each with an address on each rail
hosts_on_rails() {
	local nr rail

	for ((nr = 1; nr <= $1; nr++)); do
		printf '%d n%d %s' $nr $nr "$(mac $nr)"
		for ((rail = 1; rail < RAILS; rail++)); do
			printf ',%s' "$(mac $nr $rail)"
		done
		printf ' 10.9.0.%d\n' $nr
	done
}

# make_initrd FILE [MODULE PRPCTL]: with others than those that are tested
make_initrd() {
	local root=$DIR/root module=${2:-$PRP_MODULE}

	new_root "$root" "$HERE/machines/init" virtio_pci virtio_console \
		virtio_net e1000 bridge veth \
		$(modinfo -F depends "$module" | tr , ' ')
	put_module "$root" "$module"
	put_programs "$root" "${3:-$TOP/tools/prpctl/prpctl}" "$HERE/prp_xfer" \
		"$HERE/prp_pingpong" "$HERE/prp_hold" "$(command -v socat)" \
		"$(command -v ethtool)"
	pack "$root" "$1"
}

# --- machines --------------------------------------------------------------

# Starts machines, for them to outlive cases. They end with it, and it ends with
# this shell.
start_keeper() {
	coproc exec setpriv --pdeathsig KILL bash -c \
		'while read -r command; do eval "$command &"; disown; echo $!; done'
	exec {KEEPER}>&"${COPROC[1]}" {STARTED}<&"${COPROC[0]}"
}

# kind NR: what has to be the same for a machine to be another case's
kind() {
	echo "$CPUS $COUNTED $RAILS ${DEVICE[$1]} ${IMAGE[$1]:-} ${INITRD[$1]:-}"
}

# attach NR: opens the pipes to a machine
attach() {
	exec {TO[$1]}<>"$SHARED/command-$1.in" \
		{FROM[$1]}<>"$SHARED/command-$1.out" \
		{MONITOR[$1]}<>"$SHARED/monitor-$1.in"
}

# wire_of NR RAIL: what QEMU calls that end of it
wire_of() {
	local path=$SHARED/wire-$2

	if [ -z "$COUNTED" ]; then
		echo "socket,mcast=${GROUP[$2]},localaddr=127.0.0.1"
		return
	fi
	rm -f "$path-$1"
	echo "dgram,local.type=unix,local.path=$path-$1,$(
		)remote.type=unix,remote.path=$path-$((3 - $1))"
}

# boot NR: wait for it with booted()
boot() {
	local nr=$1 pipe rail command console accel=$ACCEL words=$KERNEL_WORDS

	BOOTS[$nr]=$((${BOOTS[$nr]:-0} + 1))
	for pipe in command monitor; do
		rm -f "$SHARED/$pipe-$nr".{in,out}
		mkfifo "$SHARED/$pipe-$nr".{in,out}
	done
	if [ -n "$COUNTED" ]; then
		accel="-accel tcg -cpu $EMULATED_CPU -icount shift=0,sleep=on"
		words+=" nokaslr mitigations=auto init_on_alloc=1"
	fi
	console=$LOGS/$CASE/machine-$nr-boot-${BOOTS[$nr]}
	read -ra command <<<"setpriv --pdeathsig KILL $QEMU $(
		)$(machine) $accel -smp $CPUS -nodefaults -nographic -no-reboot"
	command+=(-serial "file:$console"
		-chardev "pipe,id=command,path=$SHARED/command-$nr"
		-device virtio-serial-pci
		-device "virtserialport,chardev=command"
		-chardev "pipe,id=monitor,path=$SHARED/monitor-$nr"
		-mon "chardev=monitor,mode=readline"
		-kernel "${IMAGE[$nr]:-$VMLINUX}"
		-initrd "${INITRD[$nr]:-$SHARED/initrd}"
		-append "console=$CONSOLE_TTY panic=-1 $words")
	for ((rail = 0; rail < RAILS; rail++)); do
		command+=(-netdev "$(wire_of "$nr" $rail),id=wire$rail"
			-device "${DEVICE[$nr]},netdev=wire$rail,id=eth$rail,$(
			)romfile=,mac=$(mac "$nr" $rail)")
		[ -n "$COUNTED" ] || continue
		command+=(-object "filter-buffer,id=moderate$rail,$(
			)netdev=wire$rail,queue=tx,interval=250")
	done
	echo "${command[*]@Q} </dev/null >${console@Q}.qemu 2>&1" >&"$KEEPER"
	read -r "PID[$nr]" <&"$STARTED"
	CONSOLE[$nr]=$console
	attach "$nr"
}

# keep NR: leaves the machine to the next case
keep() {
	printf '%s\n' "${PID[$1]}" "${CONSOLE[$1]}" "$(kind "$1")" \
		>"$SHARED/kept-$1"
}

# take_over NR: the machine that another case has left, if it is of the kind
# wanted; one that is not, ends
take_over() {
	local nr=$1 kept rail

	[ -e "$SHARED/kept-$nr" ] || return 1
	mapfile -t kept <"$SHARED/kept-$nr"
	rm "$SHARED/kept-$nr"
	if [ "${kept[2]}" != "$(kind "$nr")" ]; then
		end "${kept[0]}"
		return 1
	fi
	PID[$nr]=${kept[0]}
	CONSOLE[$nr]=${kept[1]}
	attach "$nr"
	for ((rail = 0; rail < RAILS; rail++)); do
		monitor "$nr" set_link eth$rail on
	done
}

# answer NR: all up to the end mark is left in $OUT, the status in $RC
answer() {
	local nr=$1 line="" part end

	OUT=
	now_ms
	end=$((NOW + LIMIT_MS))
	while :; do
		part=
		if IFS= read -r -t 0.5 -u "${FROM[$nr]}" part; then
			line+=$part
			[[ ! $line =~ ^@([0-9]+)$ ]] || break
			OUT+=$line$'\n'
			line=
			continue
		fi
		line+=$part
		kill -0 "${PID[$nr]}" 2>/dev/null ||
			fail "machine $nr is gone"
		now_ms
		[ "$NOW" -lt "$end" ] ||
			fail "machine $nr: no end after $LIMIT_MS ms: $OUT$line"
	done
	RC=${BASH_REMATCH[1]}
	OUT=${OUT%$'\n'}
}

# speaks NR: its kernel has said something
speaks() {
	grep -q '\[ *[0-9.]*\] ' "${CONSOLE[$1]}"
}

# An emulator is sometimes seen to hang before that, as in vm/run.sh.
boots_again() {
	local limit

	now_ms
	limit=$((NOW + BOOT_MS / 3))
	until speaks "$1"; do
		read -r -t 0.5 -u "$NEVER" || :
		now_ms
		[ "$NOW" -ge "$limit" ] || continue
		say "machine $1 says nothing: booting a second time"
		end "${PID[$1]}"
		boot "$1"
		return
	done
}

booted() {
	local nr

	for nr in "$@"; do
		boots_again "$nr"
		LIMIT_MS=$BOOT_MS answer "$nr"
		[ "$RC" = 0 ] || fail "machine $nr did not come up: $OUT"
	done
}

# try NR COMMAND...: leaves $OUT and $RC
try() {
	echo "${*:2}" >&"${TO[$1]}"
	answer "$1"
}

# on NR COMMAND...: it must succeed
on() {
	try "$@"
	[ "$RC" = 0 ] || fail "machine $1: ${*:2}: ${OUT:-$RC}"
}

succeeds() {
	try "$@"
	[ "$RC" = 0 ]
}

# until_on NR COMMAND...: again and again, until it succeeds
until_on() {
	wait_for "machine $1: ${*:2}" succeeds "$@"
}

# ended NR NAME: wait for the end of what was started there; leaves $OUT, $RC
ended() {
	until_on "$1" "! runs $2"
	try "$1" result "$2"
}

# ended_well NR NAME: it must have succeeded
ended_well() {
	ended "$@"
	[ "$RC" = 0 ] || fail "machine $1: $2: ${OUT:-$RC}"
}

# ready NR NAME: wait until what was started there says so
ready() {
	until_on "$1" says "$2" ready
	on "$1" runs "$2"
}

# monitor NR COMMAND...: tells the machine's QEMU
monitor() {
	echo "${*:2}" >&"${MONITOR[$1]}"
}

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

# end PID: of a machine
end() {
	kill -KILL "$1"
	wait_for "the end of a machine" is_gone "$1"
}

# crash NR: as when the power fails
crash() {
	end "${PID[$1]}"
	kernel_complained "${CONSOLE[$1]}" && fail "machine $1 had complained"
	unset "PID[$1]"
}

# TABLE=COUNT: only the first ones are in the host table and set up
wired() {
	local nr new=()

	MACHINES=$1
	shift
	TABLE=${TABLE:-$MACHINES}
	[ -e "$SHARED/initrd" ] || make_initrd "$SHARED/initrd"
	for ((nr = 1; nr <= MACHINES; nr++)); do
		DEVICE[$nr]=$1
		shift
		take_over "$nr" || {
			boot "$nr"
			new[nr]=yes
		}
	done
	for ((nr = 1; nr <= MACHINES; nr++)); do
		if [ -n "${new[nr]:-}" ]; then
			booted "$nr"
		else
			on "$nr" load
		fi
		put_hosts "$nr"
		[ "$nr" -gt "$TABLE" ] || join "$nr"
	done
}

# put_hosts NR: the file that it sets up
put_hosts() {
	local hosts

	mapfile -t hosts < <(hosts_on_rails "$TABLE")
	on "$1" "printf '%s\\n' ${hosts[*]@Q} >/hosts"
}

# join NR: it finds out by its hardware address which node it is
join() {
	on "$1" up "$MTU"
	until_on "$1" carrier_is 1
	on "$1" setup
	say "machine $1, ${DEVICE[$1]}: $OUT"
	[[ $OUT == *"this is node $1 "* ]] || fail "it is not node $1"
}

# --- transfers -------------------------------------------------------------

# shellcheck disable=SC2034
RETRY=retry=1200,interval=0.05	# of socat's, until the other end listens

# socat's form of struct sockaddr_prp: port, node number, zeroes
prp_address() {
	printf '19:0:x%04x%04x%020d' "$1" "$2" 0
}

# hashed WHAT: $OUT is prp_xfer's, and what came is what was sent
hashed() {
	[ "$(val hash)" = ok ] || fail "$1: $OUT"
	say "$1: $(val bytes) bytes in $(val seconds) s, the hash is right"
}

# serve NR NAME OPTION...: one end of prp_xfer, ready
serve() {
	on "$1" "start $2 prp_xfer -o server ${*:3}"
	ready "$1" "$2"
}

# xfer FROM TO OPTION...
xfer() {
	local from=$1 to=$2

	shift 2
	serve "$to" xfer "$@"
	on "$from" "prp_xfer -o client -a $to $*"
	CLIENT=$OUT
	ended_well "$to" xfer
	hashed "from $from to $to"
}

# counter NR NAME
counter() {
	try "$1" counter "$2"
	echo "$OUT"
}

# understood NR...: no frame was dropped there for what it is; what a wire
# that loses some makes the two do may have been
understood() {
	local nr reasons='short|version|extension|flags|not_us|net|source'

	reasons+='|seg_size|ack|no_memory|no_route'
	for nr in "$@"; do
		on "$nr" "prpctl stats show | grep -E '^drop_($reasons) ' || :"
		[ -z "$OUT" ] || fail "machine $nr dropped: $OUT"
	done
	say "all frames were understood"
}

# --- cases -----------------------------------------------------------------

# consoles: of all machines that the case has had, whoever has booted them
consoles() {
	find "$LOGS/$CASE" "${CONSOLE[@]}" -type f | sort -u
}

show_machines() {
	local nr console

	LIMIT_MS=2000
	for nr in "${!PID[@]}"; do
		say "counters of machine $nr that moved:"
		(try "$nr" 'prpctl stats show; lsmod | grep prp; ps | grep prp_'
		 sed 's/^/#  /' <<<"$OUT")
	done
	consoles | while read -r console; do
		[ ! -s "$console" ] || say "$console:"
		tail -n 20 "$console" | sed 's/^/#  /'
	done
}

take_down() {
	local rc=$? nr console

	trap - EXIT
	set +eE
	if [ $rc != 0 ]; then
		say "last to fail: ${LAST:-nothing}"
		show_machines
	fi
	while read -r console; do
		! kernel_complained "$console" || rc=1
	done < <(consoles)
	for nr in "${!PID[@]}"; do
		[ $rc = 0 ] && keep "$nr" || kill -KILL "${PID[$nr]}"
	done 2>/dev/null
	rm -rf "$DIR"
	exit $rc
}

one_case() {
	local nr

	CASE=$1
	CPUS=1
	COUNTED=
	DIR=$(mktemp -d)
	RAILS=1
	mkdir -p "$LOGS/$CASE"
	trap take_down EXIT
	trap 'exit 1' TERM
	trap 'LAST="${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR
	set -eE
	"$1"
	for nr in "${!PID[@]}"; do
		until_on "$nr" all_freed
		on "$nr" no_leak
		until_on "$nr" rmmod prp
		on "$nr" tidy
	done
}

# In the background, for a signal to be heard while the case runs
run_case() {
	one_case "$1" &
	RUNNING=$!
	wait $RUNNING
}
trap 'kill $RUNNING; wait $RUNNING; exit 1' TERM INT HUP

# What all cases of the file have in common
SHARED=$(mktemp -d)
trap 'rm -rf "$SHARED"' EXIT
for _ in 0 1; do
	GROUP+=("239.$((SRANDOM % 256)).$((SRANDOM % 256)).1:$(
		)$((20000 + SRANDOM % 10000))")
done
start_keeper

# The machines bring their own module, and have their own kernels.
kernel_waits() {
	echo 0
}

all_is_there() {
	VMLINUX=$(vmlinux)
	ACCEL=$(accelerated)
}
