# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests in shell share: topologies, waiting, expectations, and the
# run of a file's cases. A test sources this file, defines functions named
# topic__case and calls run_cases. Each case runs in a shell and in network
# namespaces of its own.
#
#   two_nodes [MTU]
#
#      $NODE-1                    $NODE-2
#     +-----------+              +-----------+
#     |  node 1   |     veth     |  node 2   |
#     |       p0 -+--------------+- p0       |
#     +-----------+              +-----------+
#
#   wired_nodes COUNT [NETEM ARGUMENT]...
#
#      $NODE-1             $WIRE                         $NODE-2
#     +-----------+       +---------------------+       +-----------+
#     |  node 1   | veth  |     +--------+      | veth  |  node 2   |
#     |       p0 -+-------+- w1-| bridge |-w2  -+-------+- p0       |
#     +-----------+       |     +--------+      |       +-----------+
#                         |         |           |
#                         |         w3 ...      |
#                         +---------+-----------+
#                                   | veth
#                              +----+------+
#                              |    p0     |
#                              |  node 3   |
#                              +-----------+
#
#     netem sits on the egress of w1, w2, ...: loss that a node's own queue
#     made would be seen by the node, as no loss on a wire is.
#     bad_wire NODE KEY=VALUE... puts wire/wire.bpf.c on the ingress of that
#     node's port: it drops what the node sends, by seed, list or kind.

#   linked_nodes COUNT A-B-RAIL[-MTU]...
#
#      $NODE-1          $NODE-2          $NODE-3
#     +--------+       +--------+       +--------+
#     | node 1 | veth  | node 2 | veth  | node 3 |	a wire between nodes A
#     |    p0 -+-------+- p0    |       |        |	and B, on rail RAIL of
#     |        |       |    p1 -+-------+- p1    |	both, and a line in the
#     +--------+       +--------+       +--------+	host table that says so
#
#     bad_link NODE RAIL KEY=VALUE... drops what the node receives there.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=$HERE:$PATH
export LC_ALL=C

SKIP=4
SLOW=${PRP_SLOW:-1}		# how many times longer a debug kernel may take
LIMIT_MS=${LIMIT_MS:-$((15000 * SLOW))}	# nothing waited for takes longer
WAITS="unregister_netdevice: waiting"	# the kernel must never say so

# --- time ------------------------------------------------------------------

exec {NEVER}<> <(:)		# a descriptor on which nothing ever arrives

# Starting a process is what costs time in an emulated machine; so what can
# be had without one is left in a variable: now_ms in $NOW.
now_ms() {
	NOW=${EPOCHREALTIME/./}
	NOW=${NOW%???}
}

# wait_for WHAT COMMAND...: until the command succeeds. To ask takes a processor
# what it waits for may need: so it asks the less often the longer it takes.
wait_for() {
	local what=$1 begun pause

	shift
	now_ms
	begun=$NOW
	until "$@"; do
		now_ms
		[ $((NOW - begun)) -lt "$LIMIT_MS" ] ||
			fail "$what: not so after $LIMIT_MS ms"
		pause=$((20 + (NOW - begun) / 20))
		printf -v pause 0.%03d $((pause < 500 ? pause : 500))
		read -r -t "$pause" -u "$NEVER" || :
	done
}

# --- topologies ------------------------------------------------------------

MAC=02:50:52:50:00:

# mac NODE [RAIL]
mac() {
	printf '%s%02x:%02x' "${MAC%00:}" "${2:-0}" "$1"
}

node() {
	echo "$NODE-$1"
}

in_node() {
	local nr=$1

	shift
	nsenter --net="/run/netns/$NODE-$nr" "$@"
}

in_wire() {
	nsenter --net="/run/netns/$WIRE" "$@"
}

hosts() {
	local nr

	for ((nr = 1; nr <= $1; nr++)); do
		printf '%d n%d %s%02x 10.9.0.%d\n' $nr $nr "$MAC" $nr $nr
	done
}

# on_each COUNT COMMAND...: the command for each node, all at once, each in a
# shell of its own, which may become what it runs; its arguments and then the
# node
on_each() {
	local nr pid pids=()

	for ((nr = 1; nr <= $1; nr++)); do
		"${@:2}" $nr &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
}

set_hosts() {
	exec prpctl -n "$NODE-$2" hosts setup -f - <<<"$1" >/dev/null
}

set_device() {
	exec ip -n "$NODE-$2" -batch - <<-EOF
	link set lo up
	link set p0 mtu $1 addrgenmode none gso_max_segs 1
	addr add 10.9.0.$2/24 dev p0
	link set p0 up
	EOF
}

# finish_nodes COUNT MTU: what both topologies have in common
finish_nodes() {
	NODES=$1
	on_each "$1" set_device "$2"
	on_each "$1" set_hosts "$(hosts "$1")"
}

two_nodes() {
	ip -batch - <<-EOF
	netns add $NODE-1
	netns add $NODE-2
	link add p0 netns $NODE-1 address ${MAC}01 type veth \
		peer name p0 netns $NODE-2 address ${MAC}02
	EOF
	finish_nodes 2 "${1:-1500}"
}

# long_frames NODE...: their devices take them as they do as shipped, where
# otherwise each segment is a frame here
long_frames() {
	local nr

	for nr in "$@"; do
		ip -n "$NODE-$nr" link set p0 gso_max_segs 65535
	done
}

wired_nodes() {
	local count=$1 mtu=${MTU:-1500} nr mac spaces links

	shift
	spaces="netns add $WIRE"
	links="link add name br0 type bridge mcast_snooping 0"
	links+=$'\n'"link set br0 addrgenmode none"
	for ((nr = 1; nr <= count; nr++)); do
		printf -v mac '%s%02x' "$MAC" $nr
		spaces+=$'\n'"netns add $NODE-$nr"
		links+=$'\n'"link add w$nr type veth peer name p0 address $mac"
		links+=" netns $NODE-$nr"
		links+=$'\n'"link set w$nr mtu $mtu addrgenmode none"
		links+=$'\n'"link set w$nr master br0"
		links+=$'\n'"link set w$nr up"
	done
	ip -batch - <<<"$spaces"
	ip -n "$WIRE" -batch - <<<"$links"$'\n'"link set br0 up"
	[ $# = 0 ] || netem "$count" "$@"
	finish_nodes "$count" "$mtu"
}

# two_bridges [NETEM...]: wired_nodes 2, but with a wire between two bridges
two_bridges() {
	wired_nodes 2 "$@"
	ip -n "$WIRE" -batch - <<-EOF
	link add name br1 type bridge mcast_snooping 0
	link set br1 addrgenmode none
	link set w2 master br1
	link add m0 type veth peer name m1
	link set m0 mtu ${MTU:-1500} addrgenmode none master br0 up
	link set m1 mtu ${MTU:-1500} addrgenmode none master br1 up
	link set br1 up
	EOF
}

# narrow MTU: the wire in the middle lets nothing longer pass
narrow() {
	ip -n "$WIRE" link set m0 mtu "$1"
	ip -n "$WIRE" link set m1 mtu "$1"
}

# linked_hosts COUNT A-B-RAIL[-MTU]...: the host table of linked_nodes
linked_hosts() {
	local count=$1 nr link a b rail macs r one
	local -A has

	shift
	for link in "$@"; do
		IFS=- read -r a b rail _ <<<"$link"
		has[$a:$rail]=yes
		has[$b:$rail]=yes
	done
	for ((nr = 1; nr <= count; nr++)); do
		macs=
		for r in {0..7}; do
			one=-
			[ -z "${has[$nr:$r]-}" ] ||
				printf -v one '%s%02x:%02x' "${MAC%00:}" $r $nr
			macs+=,$one
		done
		echo "$nr n$nr ${macs#,} 10.9.0.$nr"
	done
	for link in "$@"; do
		IFS=- read -r a b rail _ <<<"$link"
		echo "link $a $b rail $rail"
	done
}

linked_nodes() {
	local count=$1 nr link a b rail mtu end all=
	local -A up

	shift
	for ((nr = 1; nr <= count; nr++)); do
		all+="netns add $NODE-$nr"$'\n'
	done
	for link in "$@"; do
		IFS=- read -r a b rail mtu <<<"$link"
		printf -v end 'p%d netns %s address %s%02x:%02x' \
			$rail "$NODE-$a" "${MAC%00:}" $rail $a
		all+="link add $end type veth "
		printf -v end 'p%d netns %s address %s%02x:%02x' \
			$rail "$NODE-$b" "${MAC%00:}" $rail $b
		all+="peer name $end"$'\n'
		for nr in $a $b; do
			up[$nr]+=$'\n'"link set p$rail mtu ${mtu:-1500}"
			up[$nr]+=" addrgenmode none up"
		done
	done
	ip -batch - <<<"$all"
	NODES=$count
	for ((nr = 1; nr <= count; nr++)); do
		ip -n "$NODE-$nr" -batch - <<<"link set lo up${up[$nr]}"
	done
	HOSTS=$(linked_hosts "$count" "$@")
	on_each "$count" set_hosts "$HOSTS"
}

bad_link() {
	wire "$NODE-$1" "p$2" load "${@:3}"
}

# netem COUNT ARGUMENT...: the same on every port; always with a rate or
# none at all, for tc keeps what is not named
netem() {
	local count=$1 nr all=

	shift
	for ((nr = 1; nr <= count; nr++)); do
		all+="qdisc replace dev w$nr root netem limit 10000 $*"$'\n'
	done
	tc -n "$WIRE" -batch - <<<"$all"
}

bad_wire() {
	wire "$WIRE" "w$1" load "${@:2}"
}

# --- looking ---------------------------------------------------------------

# run TOOL ARGUMENT...: leaves the output in $OUT for `val`
run() {
	OUT=$("$@" 2>&1) || fail "$*: ${OUT:-failed}"
}

# xfer_between A B ARGUMENT...: prp_xfer from node A to node B
xfer_between() {
	run prp_xfer -c "$NODE-$1" -s "$NODE-$2" -a "$2" "${@:3}"
	[[ " $OUT " =~ [[:space:]]hash=ok[[:space:]] ]] ||
		fail "prp_xfer $*: $OUT"
}

# xfer ARGUMENT...: the same from node 1 to node 2
xfer() {
	xfer_between 1 2 "$@"
}

# stopped_server ARGUMENT...: the end of a prp_xfer that listens on node 2 and
# then reads nothing until it is told to go on; leaves its process in $SERVER
# and in the file $SERVER_SAYS what it says
stopped_server() {
	SERVER_SAYS=$(mktemp)
	prp_xfer -o server -s "$NODE-2" "$@" >"$SERVER_SAYS" 2>&1 &
	SERVER=$!
	wait_for "somebody listens" grep -q ready "$SERVER_SAYS"
	kill -STOP $SERVER
}

# paused_server ARGUMENT...: the same, but it has accepted all connections; the
# clients come meanwhile
paused_server() {
	SERVER_SAYS=$(mktemp)
	prp_xfer -o server -P -s "$NODE-2" "$@" >"$SERVER_SAYS" 2>&1 &
	SERVER=$!
	wait_for "somebody listens" grep -q ready "$SERVER_SAYS"
}

server_pauses() {
	grep -q '^State:.T' "/proc/$SERVER/status"
}

pingpong() {
	run prp_pingpong -c "$NODE-1" -s "$NODE-2" -a 2 "$@"
}

# hold NAME NODE: a prp_hold on the node, told by `tell NAME COMMAND...`
declare -A HOLD_IN HOLD_OUT HOLD_PID

hold() {
	local in out to from

	exec {in}<> <(:) {out}<> <(:)		# pipes, opened for both ends
	prp_hold "$NODE-$2" <"/dev/fd/$in" >"/dev/fd/$out" {in}>&- {out}>&- &
	HOLD_PID[$1]=$!
	exec {to}>"/dev/fd/$in" {from}<"/dev/fd/$out" {in}>&- {out}>&-
	HOLD_IN[$1]=$to
	HOLD_OUT[$1]=$from
}

# tell NAME COMMAND...: leaves the answer in $ANSWER
tell() {
	echo "${@:2}" >&"${HOLD_IN[$1]}"
	read -r -t 60 ANSWER <&"${HOLD_OUT[$1]}" ||
		fail "$*: no answer"
}

# told_ok NAME COMMAND...: the answer must be ok
told_ok() {
	tell "$@"
	[[ $ANSWER == ok* ]] || fail "$*: $ANSWER"
}

# told_error ERROR NAME COMMAND...: the answer must be the error; leaves in
# $TOOK how long it took to come
told_error() {
	local start

	now_ms
	start=$NOW
	tell "${@:2}"
	now_ms
	TOOK=$((NOW - start))
	[ "$ANSWER" = "$1" ] || fail "${*:2}: $ANSWER, expected $1"
}

# connected_pair PORT: a connection between a client on node 1 and a server on
# node 2, which listens there
connected_pair() {
	hold server 2
	hold client 1
	told_ok server listen "$1" 8
	told_ok client connect 2 "$1"
	told_ok server accept
}

# release NAME: it closes everything and ends
release() {
	tell "$1" quit
}

# val KEY: of KEY=VALUE in $OUT
val() {
	[[ " $OUT" =~ [[:space:]]"$1"=([^[:space:]]*) ]] ||
		fail "no $1 in: $OUT"
	echo "${BASH_REMATCH[1]}"
}

# wire_val NODE KEY: what bad_wire counted of what the node sent
wire_val() {
	local OUT

	OUT=$(wire "$WIRE" "w$1" show) || fail "wire w$1 show"
	val "$2"
}

# counters NODE NAME...: leaves their values in $COUNTERS, "-" for what is not
# told; one program answers all that the cases of a file ask
counters() {
	local asked

	exec {asked}<>"/dev/tcp/127.0.0.1/$COUNTERS_PORT"
	echo "$NODE-$*" >&"$asked"
	read -r -t 60 COUNTERS <&"$asked" || fail "nobody tells counters"
	exec {asked}>&-
}

# counter NODE NAME
counter() {
	local COUNTERS

	counters "$@"
	[ "$COUNTERS" != - ] || fail "no counter $2"
	echo "$COUNTERS"
}

# counter_is NODE NAME OPERATOR VALUE, for wait_for
counter_is() {
	local COUNTERS

	counters "$1" "$2"
	[ "$COUNTERS" != - ] && test "$COUNTERS" "$3" "$4"
}

# --- expecting -------------------------------------------------------------

say() {
	echo "# $*"
}

fail() {
	say "FAIL: $*"
	exit 1
}

skip() {
	say "SKIP: $*"
	exit $SKIP
}

# expect WHAT GOT OPERATOR VALUE, with the operators of test(1)
expect() {
	if test "$2" "$3" "$4"; then
		say "$1: $2 ($3 $4)"
	else
		fail "$1: got $2, expected $3 $4"
	fi
}

# expect_float WHAT GOT OPERATOR VALUE, with awk's operators
expect_float() {
	awk "BEGIN { exit !($2 $3 $4) }" ||
		fail "$1: got $2, expected $3 $4"
	say "$1: $2 ($3 $4)"
}

# ratio A B: with three decimals
ratio() {
	awk "BEGIN { printf \"%.3f\", $1 / $2 }"
}

# refused WHAT TEXT COMMAND...: it fails and says TEXT
refused() {
	local what=$1 text=$2 out

	shift 2
	out=$("$@" 2>&1) && fail "$what: not refused: $out"
	[[ $out == *"$text"* ]] || fail "$what: expected '$text', got: $out"
}

# --- the module ------------------------------------------------------------

module_unused() {
	[ "$(cat /sys/module/prp/refcnt)" = 0 ]
}

load_module() {
	local enable

	insmod "${PRP_MODULE:-$(modinfo -n prp)}"
	# What vm/hold.sh holds on went with the module.
	for enable in /sys/kernel/tracing/instances/hold*/events/prp/enable; do
		[ ! -e "$enable" ] || echo 1 >"$enable"
	done
}

reload() {
	rmmod prp
	load_module
}

# --- cases -----------------------------------------------------------------

all_freed() {
	local nr opened closed

	for ((nr = 1; nr <= NODES; nr++)); do
		counters $nr conns_opened conns_closed
		read -r opened closed <<<"$COUNTERS"
		[ "$opened" != - ] && [ "$opened" = "$closed" ] || return 1
	done
}

# for_the_case FILE VALUE: a number of the whole machine, which is as it was
# once the case is over
for_the_case() {
	LENT=$1
	read -r LENT_HAD <"$1"
	AT_END=give_back
	echo "$2" >"$1"
}

give_back() {
	echo "$LENT_HAD" >"$LENT"
}

# What a person wants to see who asks why a case failed
show_state() {
	local nr

	for ((nr = 1; nr <= NODES; nr++)); do
		say "counters of node $nr that moved:" \
			"$(prpctl -j -n "$NODE-$nr" stats show |
			   tr ',{}' '\n\n\n' | grep -v ': *0 *$' | tr -d '\n')"
		[ -e "/run/netns/$WIRE" ] &&
			wire "$WIRE" "w$nr" show 2>/dev/null |
				sed "s/^/# wire from node $nr: /"
	done
	say "kernel log:"
	kernel_log | tail -n 20 | sed 's/^/#  /'
}

# kernel_log: what it has said since the case began; all that there is where
# that has left the ring already
kernel_log() {
	local log

	log=$(dmesg)
	[[ $log != *"$BEGINS"* ]] || log=$(sed "1,/$BEGINS/d" <<<"$log")
	echo "$log"
}

# What a case has to undo, whatever it comes to, it leaves in $AT_END: a command
# that is run before all is cleaned up.
clean_up() {
	local rc=$? pids ns spaces='' tainted

	trap - EXIT
	set +e
	$AT_END
	pids=$(jobs -p)
	[ -z "$pids" ] || kill $pids 2>/dev/null
	[ -z "$pids" ] || kill -CONT $pids 2>/dev/null
	wait
	if [ $rc != 0 ] && [ $rc != $SKIP ]; then
		say "last to fail: ${LAST:-nothing}"
		show_state
	fi
	for ns in /run/netns/"$NODE"-*; do
		[ ! -e "$ns" ] || spaces+="netns del ${ns##*/}"$'\n'
	done
	[ -z "$spaces" ] || ip -batch - <<<"$spaces"
	read -r tainted </proc/sys/kernel/tainted
	if [ "$tainted" != "$TAINTED" ] && [ $rc = 0 ]; then
		say "FAIL: the kernel has complained"
		show_state
		rc=1
	fi
	exit $rc
}

run_case() (
	NODE=prp$BASHPID
	WIRE=prp$BASHPID-w
	NODES=0
	AT_END=
	read -r TAINTED </proc/sys/kernel/tainted
	# with the time, for a number of a process comes again in a long run
	BEGINS="prp-selftest: $NODE begins at $EPOCHREALTIME"
	echo "$BEGINS: $1" >/dev/kmsg
	trap clean_up EXIT
	trap 'exit 1' TERM
	trap 'LAST="${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR
	set -eE
	"$1"
	# Created equals destroyed, but for a case that says otherwise.
	[ -n "${LEAVES_CONNECTIONS:-}" ] ||
		wait_for "all connections are freed" all_freed
)

# kernel_waits: how often it has said so. To read its log takes longer than many
# a case: that is done once a file.
kernel_waits() {
	dmesg | grep -c "$WAITS" || :
}

start_counters() {
	local said

	exec {said}< <(exec prp_counters)
	read -r COUNTERS_PORT <&"$said"
	exec {said}<&-
}

# What all cases need; if it is not there they are skipped.
all_is_there() {
	[ -d /sys/module/prp ] || {
		say "prp is not loaded"
		return 1
	}
	[ -n "${COUNTERS_PORT:-}" ] || start_counters
}

# run_cases [CASE...]: all functions topic__case of the file, or these, in its
# order, that match $CASES; a file of which none does is skipped as a whole, see
# vm/summary.sh
run_cases() {
	local name names=() nr=0 failed=0 rc start waits

	while read -r name; do
		[[ $# = 0 || " $* " == *" $name "* ]] || continue
		[[ $name != ${CASES:-*} ]] || names+=("$name")
	done < <(sed -n 's/^\([a-z0-9_]*__[a-z0-9_]*\)() *[{(].*/\1/p' "$0")
	echo "TAP version 13"
	if [ ${#names[@]} = 0 ]; then
		echo "1..0 # SKIP no case matches"
		exit $SKIP
	fi
	echo "1..${#names[@]}"
	waits=$(kernel_waits)
	for name in "${names[@]}"; do
		nr=$((nr + 1))
		now_ms
		start=$NOW
		if ! all_is_there; then
			rc=$SKIP
		else
			run_case "$name"
			rc=$?
		fi
		now_ms
		say "$name took $((NOW - start)) ms"
		case $rc in
		0)
			echo "ok $nr $name" ;;
		"$SKIP")
			echo "ok $nr $name # SKIP" ;;
		*)
			echo "not ok $nr $name"
			failed=1 ;;
		esac
	done
	if [ "$(kernel_waits)" -gt "$waits" ]; then
		say "FAIL: the kernel has waited:"
		dmesg | grep -B 40 "$WAITS" | sed 's/^/#  /'
		failed=1
	fi
	exit $failed
}
