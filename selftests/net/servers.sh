#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Servers as Debian has them, and their own clients, under prprun on both ends:
# what was asked for is what comes, and all of it in our frames.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

PROGRAMS=$BUILD/programs
LD_LIBRARY_PATH=$PROGRAMS/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH
SIZE=$((PRP_LONG ? 20000000 : 1000000))
TIMES=$((PRP_LONG ? 20 : 1))

# client COMMAND...: on node 1
client() {
	in_node 1 prprun "$@"
}

# --- redis -----------------------------------------------------------------

servers__redis() {
	counted_nodes 2
	a_file sent $SIZE
	serve 2 6379 prprun redis-server --port 6379 --protected-mode no \
		--dir "$DIR" --save ''
	quietly client redis-cli -h 10.9.0.2 -x set it <"$DIR/sent"
	# it ends what it prints with a new line
	client redis-cli -h 10.9.0.2 get it | head -c $SIZE >"$DIR/got"
	same sent got
	quietly client redis-benchmark -h 10.9.0.2 -q -c 20 -P 4 \
		-n $((1000 * TIMES)) -t set,get,lpush,mset
	quietly client redis-cli -h 10.9.0.2 shutdown nosave
	ended "redis" "$STARTED"
	over_prp $((2 * SIZE))
}

# --- memcached -------------------------------------------------------------

servers__memcached() {
	counted_nodes 2
	cat >"$DIR/client.py" <<-'EOF'
	import hashlib, os, socket, sys

	clients = [socket.create_connection(("10.9.0.2", 11211))
	           for _ in range(20)]
	values = []
	for nr, sock in enumerate(clients):
	    values.append(os.urandom(50000 + nr))
	    sock.sendall(b"set %d 0 0 %d\r\n%b\r\n" %
	                 (nr, len(values[nr]), values[nr]))
	for nr, sock in enumerate(clients):
	    assert sock.makefile("rb").readline() == b"STORED\r\n", nr
	for nr, sock in enumerate(reversed(clients)):
	    sock.sendall(b"get %d\r\n" % nr)
	    lines = sock.makefile("rb")
	    assert lines.readline().split()[3] == b"%d" % len(values[nr])
	    got = lines.read(len(values[nr]))
	    assert hashlib.sha256(got).digest() == \
	        hashlib.sha256(values[nr]).digest()
	EOF
	serve 2 11211 prprun memcached -u nobody -l 10.9.0.2 -m 32
	quietly client python3 "$DIR/client.py"
	stop "$STARTED"
	over_prp 2000000
}

# --- ssh and rsync ---------------------------------------------------------

# sshd serves node 2: its first step is to become its user
sshd_serves() {
	grep -q ^sshd: /etc/passwd ||
		echo 'sshd:x:990:65534::/run/sshd:/bin/false' >>/etc/passwd
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$DIR/key"
	cp "$DIR/key.pub" "$DIR/known"
	cat >"$DIR/sshd_config" <<-EOF
	Port 22
	HostKey $DIR/key
	AuthorizedKeysFile $DIR/known
	StrictModes no
	UsePAM no
	Subsystem sftp internal-sftp
	EOF
	# it executes itself by its full name
	serve 2 22 prprun "$(command -v sshd)" -D -e -f "$DIR/sshd_config"
	SSH="ssh -q -i $DIR/key -o StrictHostKeyChecking=no"
	SSH+=" -o UserKnownHostsFile=/dev/null"
}

servers__ssh() {
	local rc=0

	counted_nodes 2
	a_file sent $SIZE
	sshd_serves
	# shellcheck disable=SC2086
	quietly client $SSH root@10.9.0.2 "cat >$DIR/got" <"$DIR/sent"
	same sent got
	# shellcheck disable=SC2086
	client $SSH root@10.9.0.2 "cat $DIR/sent; exit 7" >"$DIR/got" || rc=$?
	expect "exit status" "$rc" -eq 7
	same sent got
	quietly client rsync -e "$SSH" "$DIR/sent" "root@10.9.0.2:$DIR/copied"
	same sent copied
	stop "$STARTED"
	over_prp $((3 * SIZE))
}

servers__rsync() {
	local nr

	counted_nodes 2
	mkdir "$DIR/from" "$DIR/to"
	for ((nr = 0; nr < 50; nr++)); do
		a_file "from/$nr" $((SIZE / 50 + nr))
	done
	cat >"$DIR/rsyncd.conf" <<-EOF
	use chroot = no
	uid = root
	[m]
	path = $DIR/from
	EOF
	serve 2 873 prprun rsync --daemon --no-detach \
		--config="$DIR/rsyncd.conf"
	quietly client rsync -a rsync://10.9.0.2/m/ "$DIR/to/"
	quietly diff -r "$DIR/from" "$DIR/to"
	stop "$STARTED"
	over_prp $SIZE
}

# --- PostgreSQL ------------------------------------------------------------

# No server of this kind runs for root; and nobody else may see all folders.
NOBODY=(unshare --user --map-user=1000 --map-group=1000)

# Clients that add to the same rows; and a table that comes as it is there
servers__postgresql_and_pgbench() {
	local bin clients=4 times=$((10 * TIMES)) id sum

	counted_nodes 2
	bin=$(echo "$PROGRAMS"/usr/lib/postgresql/*/bin)
	[ -x "$bin/postgres" ] || bin=$(echo /usr/lib/postgresql/*/bin)
	quietly "${NOBODY[@]}" "$bin/initdb" -D "$DIR/data" -U bench -A trust -N
	echo 'host all all 10.9.0.0/24 trust' >>"$DIR/data/pg_hba.conf"
	serve 2 5432 "${NOBODY[@]}" prprun "$bin/postgres" -D "$DIR/data" \
		-k "$DIR" -h 10.9.0.2 -F
	cat >"$DIR/add.sql" <<-'EOF'
	\set id random(1, 10)
	BEGIN;
	UPDATE t SET n = n + 1 WHERE id = :id;
	SELECT n FROM t WHERE id = :id;
	COMMIT;
	EOF
	export PGHOST=10.9.0.2 PGUSER=bench PGDATABASE=postgres
	quietly client "$bin/psql" -v ON_ERROR_STOP=1 -c \
		"CREATE TABLE t AS SELECT id, 0 AS n, repeat(md5(id::text),
			$((SIZE / 32000))) AS text
			FROM generate_series(1, 1000) AS id"
	client "$bin/psql" -At -c "SELECT text FROM t ORDER BY id" >"$DIR/got"
	mkdir "$DIR/id"
	for id in {1..1000}; do
		printf '%s' "$id" >"$DIR/id/$id"
	done
	md5sum "$DIR"/id/{1..1000} | awk -v times=$((SIZE / 32000)) '{
		for (i = 0; i < times; i++)
			printf "%s", $1
		print "" }' >"$DIR/sent"
	same sent got
	quietly client "$bin/pgbench" -n -c $clients -j 2 -t $times \
		-f "$DIR/add.sql"
	sum=$(client "$bin/psql" -At -c "SELECT sum(n) FROM t")
	expect "what all have added" "$sum" -eq $((clients * times))
	kill -INT "$STARTED"
	wait "$STARTED" || :
	over_prp $SIZE
}

# --- haproxy ---------------------------------------------------------------

# Node 1 asks haproxy on node 2, which asks at one of two ports of node 3
servers__haproxy() {
	local nr server urls=()

	counted_nodes 3
	a_file sent $((SIZE / 10))
	nginx_config 1 8001 8002 >"$DIR/nginx.conf"
	serve 3 8002 prprun nginx -e stderr -p "$DIR" -c "$DIR/nginx.conf"
	server=$STARTED
	cat >"$DIR/haproxy.cfg" <<-EOF
	defaults
		mode http
		timeout connect 10s
		timeout client 60s
		timeout server 60s
	frontend f
		bind 10.9.0.2:80
		default_backend b
	backend b
		balance roundrobin
		server one 10.9.0.3:8001
		server two 10.9.0.3:8002
	EOF
	serve 2 80 prprun haproxy -db -f "$DIR/haproxy.cfg"
	for ((nr = 0; nr < 10; nr++)); do
		urls+=(-o "$DIR/got$nr" http://10.9.0.2/sent)
	done
	quietly client curl -sS --max-time 60 -Z --parallel-immediate \
		"${urls[@]}"
	for ((nr = 0; nr < 10; nr++)); do
		same sent "got$nr"
	done
	stop "$STARTED"
	stop "$server"
	over_prp $SIZE
	expect "connections of PRP to node 3" "$(counter 3 ip_prp_in)" -ge 2
	expect "of TCP to node 3" "$(counter 3 ip_tcp_in)" -eq 0
}

run_cases
