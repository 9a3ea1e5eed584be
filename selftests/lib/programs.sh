# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests with unmodified programs share, on top of lib.sh: servers
# that are waited for, files that are compared, and the question what carried
# it all, put to the wire and to the module's counters.

# Python takes its time to start when it is emulated.
LIMIT_MS=$((60000 * SLOW))

DIR=/dev/shm/programs

# new_folder: for the case's files
new_folder() {
	rm -rf "$DIR"
	mkdir "$DIR"
}

# Nodes on a wire that counts, and a folder for the case's files
counted_nodes() {
	local nr

	new_folder
	chmod 777 "$DIR"
	wired_nodes "$1"
	for ((nr = 1; nr <= $1; nr++)); do
		bad_wire "$nr"
	done
}

# a_file NAME BYTES
a_file() {
	head -c "$2" /dev/urandom >"$DIR/$1"
}

# same FILE FILE
same() {
	local one two

	one=$(sha256sum <"$DIR/$1")
	two=$(sha256sum <"$DIR/$2")
	[ "$one" = "$two" ] ||
		fail "$2 is not $1: $(stat -c %s "$DIR/$2") bytes for" \
			"$(stat -c %s "$DIR/$1")"
}

# start NODE COMMAND...: in the background, its process in $STARTED, what it
# says in $DIR/said.NODE
start() {
	local nr=$1

	shift
	(exec nsenter --net="/run/netns/$NODE-$nr" "$@") \
		>"$DIR/said.$nr" 2>&1 </dev/null &
	STARTED=$!
}

# serve NODE PORT COMMAND...: likewise, and waits until it listens
serve() {
	local nr=$1 port=$2

	shift 2
	start "$nr" "$@"
	wait_for "$1 listens" listens "$nr" "$port"
}

listens() {
	[ -n "$(in_node "$1" ss -Hltn "sport = :$2")" ] && return
	kill -0 "$STARTED" || fail "ended: $(cat "$DIR/said.$1")"
	return 1
}

# stop PROCESS: ends it, whatever it says to it
stop() {
	kill "$1"
	wait "$1" || :
}

# ended WHAT PROCESS: it has ended by itself, and well
ended() {
	wait "$2" || fail "$1: exit status $?: $(cat "$DIR"/said.*)"
}

# quietly COMMAND...: what it says is told only if it fails
quietly() {
	local out

	out=$("$@" 2>&1) || fail "$* ($?): $out"
}

# --- what carried it -------------------------------------------------------

# carried NODE: what passed the wire from that node, in $PAYLOAD (user data
# in our frames), $OURS (our frames), $OTHERS and $OTHER_BYTES (other ones)
carried() {
	local OUT

	OUT=$(wire "$WIRE" "w$1" show) || fail "wire w$1 show"
	PAYLOAD=$(val payload)
	OURS=$(val frames)
	OTHERS=$(val other_frames)
	OTHER_BYTES=$(val other_bytes)
}

# over_prp BYTES: at least so much between node 1, the client, and node 2,
# and not a frame of another EtherType
over_prp() {
	local payload=0 others=0 nr

	for nr in 1 2; do
		carried "$nr"
		payload=$((payload + PAYLOAD))
		others=$((others + OTHERS))
	done
	expect "bytes in frames of PRP" "$payload" -ge "$1"
	expect "other frames" "$others" -eq 0
	expect "connections of PRP" "$(counter 1 ip_prp_out)" -gt 0
	expect "accepted at the other end" "$(counter 2 ip_prp_in)" -eq \
		"$(counter 1 ip_prp_out)"
}

# over_tcp NODE BYTES: at least so much from and to that node, and not a
# frame of ours
over_tcp() {
	carried "$1"
	expect "frames of PRP from node $1" "$OURS" -eq 0
	expect "frames of PRP at node $1" "$(counter "$1" frames_in)" -eq 0
	expect "bytes in other frames" "$(other_bytes)" -ge "$2"
}

# of all nodes
other_bytes() {
	local sum=0 nr

	for ((nr = 1; nr <= NODES; nr++)); do
		carried "$nr"
		sum=$((sum + OTHER_BYTES))
	done
	echo $sum
}

# --- nginx -----------------------------------------------------------------

# nginx_config WORKERS LISTEN...: what each "listen" says
nginx_config() {
	cat <<-EOF
	daemon off;
	worker_processes $1;
	user root;
	pid $DIR/nginx.pid;
	error_log stderr warn;
	events { }
	http {
		access_log off;
		client_body_temp_path $DIR/body;
		proxy_temp_path $DIR/proxy;
		fastcgi_temp_path $DIR/fastcgi;
		uwsgi_temp_path $DIR/uwsgi;
		scgi_temp_path $DIR/scgi;
		sendfile on;
		tcp_nopush on;
		server {
			$(printf 'listen %s; ' "${@:2}")
			root $DIR;
			dav_methods PUT;
			client_max_body_size 100m;
		}
	}
	EOF
}

# --- iperf3 ----------------------------------------------------------------

# iperf NODE ADDRESS ARGUMENT...: the client, under ${UNDER-prprun}; its
# JSON in $DIR/json
iperf() {
	local rc=0

	# shellcheck disable=SC2086
	in_node "$1" ${UNDER-prprun} iperf3 -J -c "${@:2}" \
		>"$DIR/json" 2>&1 || rc=$?
	[ $rc = 0 ] || fail "iperf3 $*: $(cat "$DIR/json")"
}

# reported SUM KEY: a figure of one of the sums that iperf3 ends with
reported() {
	sed -n "/\"$1\":/,/}/s/.*\"$2\":[[:space:]]*\([0-9.e+]*\).*/\1/p" \
		"$DIR/json"
}
