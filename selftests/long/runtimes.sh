#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runtimes of languages that bring their own sockets' library, in the long form:
# under prprun each sends what a peer in the same language answers by its hash,
# several connections at once, and all of it is in our frames.
. "$(dirname "$0")/../lib/lib.sh"
. "$HERE/lib/programs.sh"

RUNTIMES=$BUILD/runtimes
SIZE=5000000
CLIENTS=8

# What Debian has put into a folder of its own names its files by where they
# would be.
at_home() {
	local path

	for path in "$@"; do
		[ -e "/$path" ] || [ ! -e "$RUNTIMES/$path" ] ||
			ln -s "$RUNTIMES/$path" "/$path"
	done
}

# answered FILE: each client has said the hash of what it has sent
answered() {
	local hash

	hash=$(sha256sum <"$DIR/sent")
	expect "hashes that are right" \
		"$(grep -c "^${hash%% *}$" "$DIR/$1")" -eq $CLIENTS
}

# --- Java: a selector's channels, and streams that block -------------------

java_source() {
	cat <<-'EOF'
	import java.io.*;
	import java.net.*;
	import java.nio.*;
	import java.nio.channels.*;
	import java.nio.file.*;
	import java.security.*;
	import java.util.*;
	import java.util.concurrent.*;

	public class Sums {
	    static byte[] text(MessageDigest sum) {
	        StringBuilder out = new StringBuilder();
	        for (byte b : sum.digest())
	            out.append(String.format("%02x", b));
	        return out.append("\n").toString().getBytes();
	    }

	    static void serve() throws Exception {
	        Selector selector = Selector.open();
	        ServerSocketChannel all = ServerSocketChannel.open();
	        ByteBuffer room = ByteBuffer.allocateDirect(1 << 16);

	        all.bind(new InetSocketAddress("10.9.0.2", 7000));
	        all.configureBlocking(false);
	        all.register(selector, SelectionKey.OP_ACCEPT);
	        while (true) {
	            selector.select();
	            for (SelectionKey key : selector.selectedKeys()) {
	                if (key.isAcceptable()) {
	                    SocketChannel one = all.accept();
	                    one.configureBlocking(false);
	                    one.register(selector, SelectionKey.OP_READ,
	                        MessageDigest.getInstance("SHA-256"));
	                    continue;
	                }
	                SocketChannel one = (SocketChannel) key.channel();
	                MessageDigest sum = (MessageDigest) key.attachment();
	                int got = one.read(room.clear());
	                if (got >= 0) {
	                    sum.update(room.flip());
	                    continue;
	                }
	                ByteBuffer said = ByteBuffer.wrap(text(sum));
	                while (said.hasRemaining())
	                    one.write(said);
	                one.close();
	            }
	            selector.selectedKeys().clear();
	        }
	    }

	    static String ask(byte[] data) throws Exception {
	        try (Socket one = new Socket("10.9.0.2", 7000)) {
	            one.setTcpNoDelay(true);
	            one.setSoTimeout(600000);
	            one.getOutputStream().write(data);
	            one.shutdownOutput();
	            return new String(one.getInputStream().readAllBytes());
	        }
	    }

	    public static void main(String[] arg) throws Exception {
	        if (arg.length == 0)
	            serve();
	        byte[] data = Files.readAllBytes(Path.of(arg[0]));
	        int clients = Integer.parseInt(arg[1]);
	        ExecutorService pool = Executors.newFixedThreadPool(clients);
	        List<Future<String>> said = new ArrayList<>();
	        for (int i = 0; i < clients; i++)
	            said.add(pool.submit(() -> ask(data)));
	        pool.shutdown();
	        for (Future<String> one : said)
	            System.out.print(one.get());
	    }
	}
	EOF
}

runtimes__java() {
	local java=()

	counted_nodes 2
	a_file sent $SIZE
	at_home etc/java-17-openjdk
	java=("$RUNTIMES"/usr/lib/jvm/java-17-openjdk-*/bin/java)
	[ -x "${java[0]}" ] || java=(java)
	java+=(-XX:TieredStopAtLevel=1)	# its other compiler saves nothing here
	java_source >"$DIR/Sums.java"
	serve 2 7000 prprun "${java[@]}" "$DIR/Sums.java"
	in_node 1 prprun "${java[@]}" "$DIR/Sums.java" "$DIR/sent" $CLIENTS \
		>"$DIR/said" 2>"$DIR/errors" || fail "$(cat "$DIR/errors")"
	answered said
	stop "$STARTED"
	over_prp $((CLIENTS * SIZE))
}

# --- node: libuv's epoll, streams, and HTTP --------------------------------

node_source() {
	cat <<-'EOF'
	const http = require('http'), fs = require('fs');
	const crypto = require('crypto');
	const [file, clients] = process.argv.slice(2);

	if (!file) {
	    http.createServer((asked, answer) => {
	        const sum = crypto.createHash('sha256');
	        asked.on('data', (part) => sum.update(part));
	        asked.on('end', () => answer.end(sum.digest('hex') + '\n'));
	    }).listen(7000, '10.9.0.2');
	} else {
	    const where = { host: '10.9.0.2', port: 7000, method: 'POST' };
	    for (let i = 0; i < clients; i++)
	        fs.createReadStream(file).pipe(http.request(where, (answer) =>
	            answer.pipe(process.stdout, { end: false })));
	}
	EOF
}

runtimes__node() {
	local node

	counted_nodes 2
	a_file sent $SIZE
	at_home usr/share/nodejs usr/share/node_modules
	node=$(command -v node || echo "$RUNTIMES/usr/bin/node")
	node_source >"$DIR/sums.js"
	LD_LIBRARY_PATH=$RUNTIMES/usr/lib/$(uname -m)-linux-gnu
	export LD_LIBRARY_PATH
	serve 2 7000 prprun "$node" "$DIR/sums.js"
	in_node 1 prprun "$node" "$DIR/sums.js" "$DIR/sent" $CLIENTS \
		>"$DIR/said" 2>"$DIR/errors" || fail "$(cat "$DIR/errors")"
	answered said
	stop "$STARTED"
	over_prp $((CLIENTS * SIZE))
}

run_cases
