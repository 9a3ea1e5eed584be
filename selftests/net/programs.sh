#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP programs as Debian has them, under prprun on both ends: what they send
# arrives as it was, all of it in our frames and none of it in others.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

SIZE=2000000
GOT=0

# --- iperf3 ----------------------------------------------------------------

# iperf_run ARGUMENT...: one test against a server for one test
iperf_run() {
	counted_nodes 2
	serve 2 5201 prprun iperf3 -s -1
	iperf 1 10.9.0.2 -n $SIZE "$@"
	ended "the server" "$STARTED"
}

# The end of a test outruns its data, of which most may be in the buffers and
# is read by nobody then: summed [_bidir_reverse], what one end sent and the
# other one got of it.
summed() {
	local got

	got=$(reported "sum_received${1:-}" bytes)
	expect "bytes sent" "$(reported "sum_sent${1:-}" bytes)" -ge "$got"
	expect "bytes received" "$got" -ge 1
	GOT=$((GOT + got))
}

# What was received, or what at least was on the wire for it
over_prp_as_summed() {
	over_prp $((GOT > SIZE / 4 ? GOT : SIZE / 4))
}

programs__iperf3() {
	iperf_run
	summed
	over_prp_as_summed
	grep -q '"local_host":.*"10.9.0.1"' "$DIR/json" || fail "its address"
	grep -q '"remote_host":.*"10.9.0.2"' "$DIR/json" || fail "the peer's"
}

# Four buffers hold 4 MiB of what is sent: there must be more of it
programs__iperf3_with_four_streams() {
	iperf_run -P 4 -n $((4 * SIZE))
	summed
	over_prp_as_summed
	expect "streams" "$(grep -c '"remote_host"' "$DIR/json")" -eq 4
}

programs__iperf3_in_reverse() {
	iperf_run -R
	summed
	over_prp_as_summed
	carried 2
	expect "bytes from the server" "$PAYLOAD" -ge "$GOT"
}

# More than the buffers of both ends hold: a server that is slow to begin, and
# sends first, would otherwise be told of the end before it has read anything.
programs__iperf3_both_ways_at_once() {
	iperf_run --bidir -n $((4 * SIZE))
	summed
	summed _bidir_reverse
	over_prp_as_summed
}

# Not compared: of a call that takes a part iperf3 3.12 leaves out the rest,
# over TCP, too.
programs__iperf3_sends_a_file() {
	counted_nodes 2
	a_file sent $SIZE
	serve 2 5201 prprun iperf3 -s -1 -F "$DIR/got"
	iperf 1 10.9.0.2 -F "$DIR/sent"
	ended "the server" "$STARTED"
	summed
	over_prp_as_summed
}

# --- socat, nc -------------------------------------------------------------

programs__socat_both_ways_at_once() {
	counted_nodes 2
	a_file there $SIZE
	a_file back $SIZE
	serve 2 4000 prprun socat -t 30 TCP-LISTEN:4000,reuseaddr \
		"OPEN:$DIR/back,rdonly!!CREATE:$DIR/got.there"
	quietly in_node 1 prprun socat -t 30 TCP-CONNECT:10.9.0.2:4000 \
		"OPEN:$DIR/there,rdonly!!CREATE:$DIR/got.back"
	ended "the server" "$STARTED"
	same there got.there
	same back got.back
	over_prp $((2 * SIZE))
}

programs__nc() {
	counted_nodes 2
	a_file sent $SIZE
	serve 2 4000 prprun sh -c "exec nc -l 4000 >$DIR/got"
	in_node 1 prprun nc -N 10.9.0.2 4000 <"$DIR/sent" || fail "nc ($?)"
	ended "the server" "$STARTED"
	same sent got
	over_prp $SIZE
}

# Servers often listen at :: and get IPv4 there too, as iperf3's above; here
# the addresses are IPv6. The kernel finds neighbours meanwhile.
programs__nc_over_ipv6() {
	local nr

	counted_nodes 2
	for nr in 1 2; do
		ip -n "$NODE-$nr" addr add "fd09::$nr/64" dev p0 nodad
		hosts 2 | sed 's/10.9.0.\(.\)/& fd09::\1/' |
			prpctl -n "$NODE-$nr" hosts setup -f - >/dev/null
	done
	a_file sent $SIZE
	serve 2 4000 prprun sh -c "exec nc -6 -l 4000 >$DIR/got"
	in_node 1 prprun nc -6 -N fd09::2 4000 <"$DIR/sent" || fail "nc ($?)"
	ended "the server" "$STARTED"
	same sent got
	carried 1
	expect "bytes in frames of PRP" "$PAYLOAD" -ge $SIZE
	expect "bytes in other frames" "$OTHER_BYTES" -lt 10000
}

# --- curl, and what it talks to --------------------------------------------

get() {
	quietly in_node 1 prprun curl -sS --max-time 60 -o "$DIR/got" \
		"http://10.9.0.2:$1/sent"
	same sent got
}

programs__curl_from_python() {
	counted_nodes 2
	a_file sent $SIZE
	serve 2 8000 prprun python3 -m http.server -d "$DIR" 8000
	get 8000
	stop "$STARTED"
	over_prp $SIZE
}

serve_nginx() {
	nginx_config 2 80 >"$DIR/nginx.conf"
	serve 2 80 prprun nginx -e stderr -p "$DIR" -c "$DIR/nginx.conf"
}

# Each of its processes has a listener of its own.
programs__nginx_with_reuseport() {
	local nr

	counted_nodes 2
	a_file sent 100000
	nginx_config 2 "80 reuseport" >"$DIR/nginx.conf"
	serve 2 80 prprun nginx -e stderr -p "$DIR" -c "$DIR/nginx.conf"
	expect "listeners" "$(in_node 2 ss -Hltn "sport = :80" | wc -l)" -eq 2
	for ((nr = 0; nr < 10; nr++)); do
		get 80
	done
	stop "$STARTED"
	over_prp $((10 * 100000))
}

programs__asyncio_with_reuse_port() {
	local nr

	counted_nodes 2
	a_file sent 100000
	serve 2 4000 prprun python3 -c "$ASYNCIO" "$DIR/sent"
	for ((nr = 0; nr < 10; nr++)); do
		in_node 1 prprun nc -d 10.9.0.2 4000 >"$DIR/got" ||
			fail "nc ($?)"
		same sent got
	done
	stop "$STARTED"
	over_prp $((10 * 100000))
}

ASYNCIO='
import asyncio, sys
async def send(reader, writer):
    writer.write(open(sys.argv[1], "rb").read())
    await writer.drain()
    writer.close()
async def main():
    servers = [await asyncio.start_server(send, "0.0.0.0", 4000,
                                          reuse_port=True)
               for nr in range(2)]
    await asyncio.gather(*[server.serve_forever() for server in servers])
asyncio.run(main())'

# One after the other, ten at once, and one to the server
programs__curl_and_nginx_with_sendfile() {
	local nr urls=()

	counted_nodes 2
	a_file sent $SIZE
	serve_nginx
	get 80
	get 80
	a_file small 100000
	for ((nr = 0; nr < 10; nr++)); do
		urls+=(-o "$DIR/got$nr" http://10.9.0.2/small)
	done
	quietly in_node 1 prprun curl -sS --max-time 60 -Z \
		--parallel-immediate "${urls[@]}"
	for ((nr = 0; nr < 10; nr++)); do
		same small "got$nr"
	done
	quietly in_node 1 prprun curl -sS --max-time 60 -T "$DIR/sent" \
		http://10.9.0.2/put
	stop "$STARTED"
	same sent put
	over_prp $((3 * SIZE + 1000000))
}

# A large file by sendfile(), and small ones by 200 clients at once
programs__nginx_with_many_clients() {
	local size=$((PRP_LONG ? 100000000 : 10000000)) nr urls=()

	counted_nodes 2
	a_file sent $size
	serve_nginx
	get 80
	a_file small 2000
	for ((nr = 0; nr < 200; nr++)); do
		urls+=(-o "$DIR/got$nr" http://10.9.0.2/small)
	done
	quietly in_node 1 prprun curl -sS --max-time 60 -Z \
		--parallel-immediate --parallel-max 200 "${urls[@]}"
	for ((nr = 0; nr < 200; nr++)); do
		cmp "$DIR/small" "$DIR/got$nr" || fail "client $nr"
	done
	stop "$STARTED"
	over_prp $((size + 400000))
}

# --- python ----------------------------------------------------------------

programs__python_asyncio() {
	counted_nodes 2
	cat >"$DIR/echo.py" <<-'EOF'
	import asyncio

	async def echo(reader, writer):
	    while data := await reader.read(65536):
	        writer.write(data)
	        await writer.drain()
	    writer.close()

	async def main():
	    async with await asyncio.start_server(echo, "10.9.0.2", 4000) as s:
	        await s.serve_forever()

	asyncio.run(main())
	EOF
	cat >"$DIR/client.py" <<-'EOF'
	import asyncio, hashlib, os

	async def one(nr):
	    sent = os.urandom(100000 + nr)
	    reader, writer = await asyncio.open_connection("10.9.0.2", 4000)
	    writer.write(sent)
	    writer.write_eof()
	    assert writer.get_extra_info("peername") == ("10.9.0.2", 4000)
	    got = await reader.read(-1)
	    assert hashlib.sha256(got).digest() == hashlib.sha256(sent).digest()
	    writer.close()
	    await writer.wait_closed()

	async def main():
	    await asyncio.gather(*(one(nr) for nr in range(8)))

	asyncio.run(main())
	EOF
	serve 2 4000 prprun python3 "$DIR/echo.py"
	quietly in_node 1 prprun python3 "$DIR/client.py"
	stop "$STARTED"
	over_prp 1600000
}

run_cases
