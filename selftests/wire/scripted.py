#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Plays node 1 against the PRP of node 2, by scripts: frames that are sent,
# frames that are to come, calls of node 2's program. Only PRP's side is the
# kernel's; there is none on node 1.
#
#	scripted.py NETNS1 NETNS2 FILE...
#
# A file has scripts, "== name", of one event a line:
#
#	> KIND [WORD]...	node 1 sends a frame
#	< KIND [WORD]...	node 2 sends one like that next; what its timers
#				send or repeat besides is passed over
#	- KIND [WORD]...	node 2 has sent none like that: it answers a
#				query, and there was none before
#	$ CALL [WORD]... [-> RESULT]	node 2's program, or administrator
#	+ COUNTER [N]		moves by N, 1 if not given, in this script
#
# KIND is req, ans, con, ack, probe, seg, rst, error, query, reply or notice.
# A WORD is FIELD=VALUE, or a flag: end, eom, acknow, overrun; -FLAG: not.
# Numbers of segments are counted from their sender's first, so that the first
# is 0; node 1's is two before numbers wrap. What a frame does not say is what
# a well-behaved node 1 would. What a script says of what has arrived is said
# again to each probe that comes while another frame is waited for. A segment
# with texts=N,... has messages of so many bytes, of which the last one but the
# first says that it has off=N more; with by=N it is sent in such fragments.
#
# Each script is played a second time with the last thing that it expects made
# wrong; it must fail.
import ctypes
import errno
import hashlib
import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import time

LIMIT_S = 15 * int(os.environ.get("PRP_SLOW") or 1)
WRONG_S = 0.3 * int(os.environ.get("PRP_SLOW") or 1)
ETHERTYPE = 0x88B5
AF_PRP, SOL_PRP = 19, 290
HEADER = struct.Struct(">BBHHHHHIIHHIHBBI")
FIELDS = ("version hops vnet dnode snode sport dport seq ack len flags txno "
          "window ext marks tag").split()
FLAGS = {"seg": 1, "req": 2, "ans": 4, "acknow": 8, "error": 0x10,
         "eom": 0x20, "end": 0x40, "rst": 0x80, "overrun": 0x100,
         "con": 0x200, "query": 0x400}
KINDS = "req ans con rst error query seg".split()
WIRE_TYPE = {socket.SOCK_STREAM: 1, socket.SOCK_SEQPACKET: 2}
MASK = 0xFFFFFFFF
FIRST = 0xFFFFFFFE
TAG = 0x11112222
COOKIE = 0x7777
libc = ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    """A script did not see what it expects."""


PATTERNS = {}


def pattern(nr, length):
    known = PATTERNS.get(nr, b"")
    if len(known) < length:
        known += bytes((nr * 31 + i * 7 + i // 256) & 255
                       for i in range(len(known), length))
        PATTERNS[nr] = known
    return known[:length]


def crc32c(data):
    crc = MASK
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ MASK


def enter(name):
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
    if libc.setns(fd, 0):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


class Node1:
    """Its wires: one packet socket a rail."""

    def __init__(self, netns1, netns2):
        self.rails = []
        self.macs = []
        enter(netns2)
        for rail in range(8):
            try:
                with open(f"/sys/class/net/p{rail}/address") as file:
                    self.macs.append(file.read())
            except OSError:
                pass
        enter(netns1)
        for rail in range(8):
            try:
                wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                     socket.htons(ETHERTYPE))
                wire.bind((f"p{rail}", ETHERTYPE))
            except OSError:
                break
            wire.setblocking(False)
            self.rails.append(wire)
        enter(netns2)
        self.netns2 = netns2

    @staticmethod
    def mac(node, rail):
        return bytes.fromhex(f"02505250{rail:02x}{node:02x}")

    def send(self, frame, rail, src=None, dst=None):
        eth = (dst or self.mac(2, rail)) + (src or self.mac(1, rail)) + \
            struct.pack(">H", ETHERTYPE)
        self.rails[rail].send(eth + frame)

    def receive(self, until):
        """The next frame and its rail, or None if there is none by then."""
        left = max(0, until - time.monotonic())
        ready, _, _ = select.select(self.rails, [], [], left)
        if not ready:
            return None
        data, at = ready[0].recvfrom(65536)
        if at[2] == socket.PACKET_OUTGOING:
            return self.receive(until)
        return data[14:], self.rails.index(ready[0])

    def counters(self):
        out = subprocess.run(["prpctl", "-j", "-n", self.netns2, "stats",
                              "show"], stdout=subprocess.PIPE, check=True)
        found = {}
        for key, value in re.findall(r'"(\w+)":\s*(\d+)', out.stdout.decode()):
            found.setdefault(key, int(value))
        json.loads(out.stdout)
        return found


class Script:
    """One script while it runs, and what both ends know."""

    def __init__(self, node, name, nr, limit, counts):
        self.node = node
        self.name = name
        self.limit = limit
        self.nr = nr
        self.a = 20000 + nr	# node 1's port
        self.b = 4000 + nr	# node 2's
        self.tag = TAG
        self.first = FIRST
        self.next = 0		# next new segment of node 1's
        self.sent = {}		# bytes of each
        self.read = 0		# of these, by node 2's program
        self.peer_tag = 0
        self.peer_first = 0
        self.peer_next = 0
        self.offset = {0: 0}	# where each segment of node 2's begins
        self.written = 0	# by node 2's program
        self.txno = [0] * 8
        self.heard = [0] * 8	# last transmission number by rail
        self.told = None	# what was said last of what has arrived
        self.cookie = bytes(16)
        self.came = []		# frames that no event has taken
        self.seen = set()	# (kind, seq) of those that one has
        self.type = socket.SOCK_STREAM
        self.sockets = []
        self.listener = self.conn = None
        self.before = node.counters() if counts else None

    # --- frames out ---------------------------------------------------------

    def open_ext(self, kind, words):
        get = words.pop
        return struct.pack(
            ">BBBBHHIHHII", 2 if kind == "ans" else 1, 3,
            int(get("sock", WIRE_TYPE[self.type])), 0,
            int(get("seg_size", 1464)), 0,
            int(get("open_tag", self.tag)), int(get("can", "1"), 0),
            int(get("must", "0"), 0), 0,
            self.first + int(get("open_first", 0)) & MASK)

    def sack_ext(self, told, ack, words):
        rails = int(words.pop("rails", 1))
        newest = words.pop("newest", "last")
        newest = self.heard[rails.bit_length() - 1] if newest == "last" else \
            int(newest)
        offset = int(words.pop("offset", 0))
        bits = 0
        for part in filter(None, told.split(",")):
            low, _, high = part.partition("-")
            for seq in range(int(low), int(high or low) + 1):
                bits |= 1 << (seq - ack - 1 - offset)
        count = (bits.bit_length() + 63) // 64
        body = struct.pack(">HH", offset, 0)
        body += struct.pack(">I", newest & MASK) * bin(rails).count("1")
        body += bytes(-(len(body) + 4) % 8)
        for word in range(count):
            body += struct.pack(">Q", bits >> 64 * word & (1 << 64) - 1)
        return struct.pack(">BBBB", 3, (len(body) + 4) // 8, rails,
                           count) + body

    def ip_ext(self, pair):
        ips = [bytes(10) + b"\xff\xff" + socket.inet_aton(ip)
               for ip in pair.split(",")]
        return struct.pack(">BBHI", 8, 5, 0, 0) + ips[0] + ips[1]

    def extensions(self, kind, words, ack):
        ext = b""
        if kind in ("req", "ans", "con"):
            ext += self.open_ext(kind, words)
        if kind == "con" or words.pop("place", None):
            cookie = self.cookie if kind == "con" else bytes(16)
            if words.pop("bad_cookie", None):
                cookie = cookie[:15] + bytes([cookie[15] ^ 1])
            ext += b"\x0a\x02" + cookie[2:]
        if "ips" in words:
            ext += self.ip_ext(words.pop("ips"))
        if kind == "rst":
            ext += struct.pack(">BBBBIIHH", 4, 2, int(words.pop("code", 0)), 0,
                               self.value("tag", words.pop("quote", "peer")),
                               0, int(words.pop("features", 0)), 0)
        if kind == "error":
            ext += struct.pack(">BBBBHHII", 5, 2, int(words.pop("code", 1)), 0,
                               int(words.pop("for", 1)),
                               int(words.pop("mtu", 0)),
                               self.value("tag", words.pop("quote", "mine")),
                               self.value("peer", words.pop("of", "0")))
        if kind == "query":
            ext += struct.pack(">BBBBIHHH18x", 13, 4,
                               int(words.pop("sock", 0)), 0, COOKIE,
                               int(words.pop("back", 0)),
                               int(words.pop("low", 0)),
                               int(words.pop("high", 0)))
        if "sack" in words:
            ext += self.sack_ext(words.pop("sack"), ack, words)
        if "frag" in words:
            at, total = map(int, words.pop("frag").split("/"))
            ext += struct.pack(">BBHHH", 6, 1, at, total, 0)
        if "first_end" in words:
            ext += struct.pack(">BBHI", 9, 1, int(words.pop("first_end")), 0)
        if "left" in words:
            ext += struct.pack(">BBB5x", 12, 1, int(words.pop("left")))
        return ext + bytes.fromhex(words.pop("hex", ""))

    def value(self, field, text):
        """What stands in a frame for what a script says."""
        named = {"mine": self.tag, "peer": self.peer_tag}
        if field == "tag" and text in named:
            return named[text]
        number = int(str(text), 0)
        if field == "seq":
            return self.first + number & MASK
        if field in ("ack", "peer"):
            return self.peer_first + number & MASK
        return number

    def send_texts(self, kind, words, bare):
        sizes = list(map(int, words.pop("texts").split(",")))
        off = int(words.pop("off", 0))
        seq = int(words.pop("seq", self.next))
        text = self.sent[seq] = pattern(seq, sum(sizes))
        data = text[:sizes[0]]
        at = sizes[0]
        for nr, size in enumerate(sizes[1:], 2):
            data += struct.pack(">H", size + (nr == len(sizes)) * off)
            data += text[at:at + size]
            at += size
        if len(sizes) > 1:
            words.setdefault("first_end", sizes[0])
        by = int(words.pop("by", len(data)))
        for at in range(0, len(data), by):
            part = dict(words, seq=seq, bytes=data[at:at + by])
            if by < len(data):
                part["frag"] = f"{at}/{len(data)}"
            self.send(kind, part, bare)

    def payload(self, words, seq):
        if "bytes" in words:
            return words.pop("bytes")
        length = int(words.pop("len", 0))
        body = words.pop("body", None)
        begin = 0
        total = length
        if "frag" in words:
            begin, total = map(int, words["frag"].split("/"))
        data = pattern(seq if body is None else int(body), total)
        if body is None and seq not in self.sent:
            self.sent[seq] = data
        return data[begin:begin + length]

    def send(self, kind, words, bare):
        if "texts" in words:
            self.send_texts(kind, words, bare)
            return
        self.told = dict(words) if kind == "ack" and "sack" in words and \
            "newest" not in words else None
        rail = int(words.pop("on", 0))
        seq = int(words.pop("seq", 0 if kind in ("req", "ans", "con") else
                            self.next))
        ack = int(words.pop("ack", self.peer_next))
        flags = FLAGS.get(kind, 0) | (8 if kind == "probe" else 0)
        for word in bare:
            flags |= FLAGS[word]
        data = self.payload(words, seq) if kind == "seg" else \
            bytes(int(words.pop("len", 0)))
        if seq in self.sent and seq == self.next:
            self.next += 1
        crc = words.pop("crc", None)
        ext = self.extensions(kind, words, ack)
        if crc:
            ext = struct.pack(">BBHI", 7, 1, 0, 0) + ext
        lost = kind in ("req", "query", "error")
        alone = kind in ("query", "error", "rst")
        if not alone:
            self.txno[rail] += 1
        head = {
            "version": 2, "hops": 64, "vnet": 0, "dnode": 2, "snode": 1,
            "sport": 0 if kind == "query" else self.a, "dport": self.b,
            "seq": self.value("seq", seq),
            "ack": 0 if kind == "req" else self.value("ack", ack),
            "len": len(data), "flags": flags | rail << 13,
            "txno": 0 if alone else self.txno[rail], "window": 64,
            "ext": len(ext) // 8, "marks": 0,
            "tag": 0 if lost else self.peer_tag}
        cut = words.pop("cut", None)
        pad = int(words.pop("pad", 0))
        src = words.pop("src", None)
        dst = words.pop("dst", None)
        for field, text in words.items():
            if field == "say_len":
                head["len"] = int(text)
            elif field == "say_ext":
                head["ext"] = int(text)
            elif field in head:
                head[field] = self.value(field, text)
            else:
                raise Failed(f"{field}: no such field")
        frame = HEADER.pack(*(head[f] for f in FIELDS)) + ext + data
        if crc:
            one = frame[:1] + b"\0" + frame[2:]
            right = crc32c(one) ^ (crc == "bad")
            frame = frame[:40] + struct.pack("<I", right) + frame[44:]
        frame += b"\xee" * pad
        self.node.send(frame[:int(cut)] if cut else frame, rail,
                       src and bytes.fromhex(src.replace(":", "")),
                       dst and bytes.fromhex(dst.replace(":", "")))

    # --- frames in ----------------------------------------------------------

    def parse_ext(self, ext, found):
        while ext:
            kind, size = ext[0], ext[1] * 8
            one, ext = ext[:size], ext[size:]
            if kind in (1, 2):
                (found["sock"], found["seg_size"], tag, found["can"],
                 found["must"], first) = struct.unpack(">xxBxHxxIHHxxxxI", one)
                found["open"] = (tag, first)
            elif kind == 3:
                self.parse_sack(one, found)
            elif kind == 4:
                found["code"], tag, seq, found["features"] = \
                    struct.unpack(">xxBxIIHxx", one)
                found["quote"] = self.tag_name(tag)
                found["of"] = seq - self.first & MASK
            elif kind == 5:
                found["code"], found["for"], found["mtu"] = \
                    struct.unpack(">xxBxHH", one[:8])
            elif kind == 6:
                found["frag"] = "%d/%d" % struct.unpack(">xxHHxx", one)
                found["at"] = int(found["frag"].split("/")[0])
            elif kind == 7:
                found["crc"] = "ok"
            elif kind == 10:
                found["cookie"] = "yes"
                found["cookie_bytes"] = one
            elif kind == 12:
                found["left"] = one[2]
            elif kind == 14:
                found["port"], found["knows"], found["cookie_of"], \
                    found["node"] = struct.unpack(">xxBBIH", one[:10])

    def parse_sack(self, one, found):
        rails, words, offset = struct.unpack(">xxBBH", one[:6])
        found["rails"] = rails
        at = 8
        for rail in range(8):
            if rails & 1 << rail:
                found[f"newest{rail}"] = struct.unpack(">I", one[at:at + 4])[0]
                at += 4
        at += -at % 8
        told = []
        for word in range(words):
            bits = struct.unpack(">Q", one[at:at + 8])[0]
            at += 8
            told += [found["ack"] + 1 + offset + 64 * word + i
                     for i in range(64) if bits >> i & 1]
        found["sack"] = ",".join(map(str, told)) or "none"

    def tag_name(self, tag):
        return {self.tag: "mine", self.peer_tag: "peer", 0: "0"}.get(
            tag, f"{tag:#x}")

    def parse(self, data, rail):
        found = {"on": rail}
        if data[0] == 0:
            found.update(kind="notice", low=data[1], high=data[2], got=data[3],
                         flags=0, seq=0)
            return found
        found.update(zip(FIELDS, HEADER.unpack(data[:36])))
        flags = found["flags"]
        found["skipped"] = found["txno"] - self.heard[rail] - 1 & MASK
        self.heard[rail] = found["txno"]
        found["kind"] = next((k for k in KINDS if flags & FLAGS[k]),
                             "probe" if flags & 8 else "ack")
        if found["kind"] in ("query",) and found["sport"]:
            found["kind"] = "reply"
        relative = found["ack"] - self.first & MASK
        found["ack"] = relative - (1 << 32) if relative >> 31 else relative
        self.parse_ext(data[36:36 + 8 * found["ext"]], found)
        if "open" in found and found["kind"] in ("req", "ans") and (
                not self.peer_tag or found["kind"] == "ans"):
            self.learn(found)
        found["seq"] = found["seq"] - self.peer_first & MASK
        found["tag"] = self.tag_name(found["tag"])
        self.check_bytes(found, data[36 + 8 * found["ext"]:][:found["len"]])
        return found

    def learn(self, found):
        if found["kind"] == "ans" and found["tag"] != self.tag:
            return
        if self.peer_tag and "cookie" not in found and self.seen & {
                ("ans", 0)}:
            return
        self.peer_tag, self.peer_first = found["open"]
        self.cookie = found.pop("cookie_bytes", bytes(16))
        self.b = found["sport"]

    def check_bytes(self, found, data):
        """What node 2's program wrote is what comes, wherever it is cut."""
        if found["kind"] != "seg":
            return
        seq = found["seq"]
        if seq in self.offset and "frag" not in found:
            self.offset[seq + 1] = self.offset[seq] + found["len"]
        if seq in self.offset:
            begin = self.offset[seq] + found.get("at", 0)
            if data != pattern(99, self.written)[begin:begin + len(data)]:
                raise Failed(f"segment {seq} has other bytes than were sent")

    def fits(self, found, kind, words, bare):
        if found["kind"] != kind:
            return False
        for field, text in words.items():
            got = found.get(field, "none")
            if str(got) != text and not (text[:2] == "0x" and
                                         got == int(text, 16)):
                return False
        return all(bool(found["flags"] & FLAGS[w.lstrip("-")]) !=
                   w.startswith("-") for w in bare)

    def is_of_another(self, data):
        """A connection of the script before may still end."""
        if not data[0]:
            return False
        theirs, mine = HEADER.unpack(data[:36])[5:7]
        return 20000 < mine < 21000 and mine != 20000 + self.nr or \
            4000 < theirs < 5000 and theirs != 4000 + self.nr

    def take(self, until):
        got = self.node.receive(until)
        if not got:
            return False
        if self.is_of_another(got[0]):
            return True
        found = self.parse(*got)
        if found["kind"] != "reply" or found["cookie_of"] != COOKIE + 1:
            self.came.append(found)
        else:
            self.fence = True
        return True

    def expect(self, kind, words, bare):
        until = time.monotonic() + self.limit
        passed = []
        while True:
            while self.came:
                found = self.came.pop(0)
                key = (found["kind"], found["seq"])
                if self.fits(found, kind, words, bare):
                    self.seen.add(key)
                    if found["kind"] == "seg" and \
                            found["seq"] == self.peer_next:
                        self.peer_next += 1
                    return
                passed.append(found)
                if found["kind"] == "probe" and self.told:
                    self.send("ack", self.told, [])
                if found["kind"] not in ("ack", "probe") and \
                        key not in self.seen:
                    raise Failed(f"came instead: {found}")
            if not self.take(until):
                raise Failed("it does not come; " +
                             (f"last of {len(passed)}: {passed[-1]}" if passed
                              else "nothing does"))

    def expect_none(self, kind, words, bare):
        """A query is answered behind everything that was sent before."""
        self.fence = False
        until = time.monotonic() + self.limit
        ext = struct.pack(">BBBBIHHH18x", 13, 4, 0, 0, COOKIE + 1, 0, 0, 0)
        query = HEADER.pack(2, 64, 0, 2, 1, 0, self.b, 0, 0, 0, 0x400, 0, 0, 4,
                            0, 0)
        self.node.send(query + ext, 0)
        while not self.fence:
            if not self.take(until):
                raise Failed("a query is not answered")
        for found in self.came:
            if self.fits(found, kind, words, bare):
                raise Failed(f"came: {found}")

    # --- node 2's program ---------------------------------------------------

    def make(self):
        sock = socket.socket(AF_PRP, self.type)
        sock.setblocking(False)
        self.sockets.append(sock)
        return sock

    def address(self, sock, call, node, port):
        at = struct.pack("=H", AF_PRP) + struct.pack(">HHH8x", port, node, 0)
        if call(sock.fileno(), at, len(at)):
            raise OSError(ctypes.get_errno(), "")

    def wait(self, sock, events):
        poll = select.poll()
        poll.register(sock, events)
        if not poll.poll(1000 * self.limit):
            raise Failed("the call does not return")

    def call(self, name, words):
        return getattr(self, f"call_{name}")(*words)

    def call_messages(self):
        self.type = socket.SOCK_SEQPACKET

    def call_listen(self, backlog=8):
        self.listener = self.make()
        for option, value in getattr(self, "options", []):
            self.listener.setsockopt(*option, value)
        self.address(self.listener, libc.bind, 0, self.b)
        self.listener.listen(int(backlog))

    def call_ip_listen(self):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.sockets.append(sock)
        sock.setsockopt(socket.IPPROTO_TCP, 31, b"prp")	# TCP_ULP
        sock.setblocking(False)
        sock.bind(("10.9.0.2", self.b))
        sock.listen(8)
        self.listener = sock

    def call_option(self, name, value):
        options = {"rcvbuf": (socket.SOL_SOCKET, socket.SO_RCVBUF),
                   "sndbuf": (socket.SOL_SOCKET, socket.SO_SNDBUF),
                   "timeout": (SOL_PRP, 2), "checksum": (SOL_PRP, 4)}
        self.options = getattr(self, "options", [])
        self.options.append((options[name], int(value)))
        if self.conn:
            self.conn.setsockopt(*options[name], int(value))

    def call_accept(self):
        self.wait(self.listener, select.POLLIN)
        # Python's knows no addresses of this family
        fd = libc.accept(self.listener.fileno(), None, None)
        if fd < 0:
            raise OSError(ctypes.get_errno(), "")
        self.conn = socket.socket(AF_PRP, self.type, fileno=fd)
        self.conn.setblocking(False)
        self.sockets.append(self.conn)

    def call_connect(self):
        self.conn = self.make()
        for option, value in getattr(self, "options", []):
            self.conn.setsockopt(*option, value)
        self.address(self.conn, libc.connect, 1, self.a)

    def call_connected(self):
        self.wait(self.conn, select.POLLOUT)
        code = self.call_error()
        if code:
            raise OSError(code, "")

    def call_error(self):
        return self.conn.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)

    def call_send(self, length):
        data = pattern(99, self.written + int(length))[self.written:]
        self.written += len(data)
        done = self.conn.send(data, socket.MSG_NOSIGNAL)
        self.written -= len(data) - done
        return done

    def call_recv(self, most):
        want = int(most)
        got = b""
        while len(got) < want:
            self.wait(self.conn, select.POLLIN)
            part = self.conn.recv(want - len(got))
            if not part:
                break
            got += part
            if self.type == socket.SOCK_SEQPACKET:
                break
        stream = b"".join(self.sent[i] for i in sorted(self.sent) if i >= 0)
        right = stream[self.read:self.read + len(got)]
        self.read += len(got)
        if hashlib.sha256(got).digest() != hashlib.sha256(right).digest():
            raise Failed("the program reads other bytes than were sent")
        return len(got)

    def call_timed(self):
        """Does it know a round trip that tells how fast it may send?"""
        info = self.conn.getsockopt(SOL_PRP, 1, 256)
        return int(struct.unpack_from("=I", info, 120)[0] > 0)

    def call_shutdown(self, how="wr"):
        self.conn.shutdown({"rd": 0, "wr": 1, "rdwr": 2}[how])

    def call_look(self, most):
        """What is there without waiting"""
        return len(self.conn.recv(int(most), socket.MSG_PEEK))

    def call_close(self):
        self.conn.close()
        self.conn = None

    def call_unlisten(self):
        self.listener.close()

    # --- node 2's administrator ----------------------------------------------

    def run(self, *command):
        subprocess.run(command, check=True)

    def call_memory(self, limit):
        self.run("prpctl", "-n", self.node.netns2, "memory", "namespace", limit)

    def call_queue(self, limit):
        """Its device's has room for so many frames. It is there before the
        first one: those that come while one is put in are lost."""
        self.drops = self.node.counters()["local_drops"]
        self.run("tc", "-n", self.node.netns2, "qdisc", "replace", "dev", "p0",
                 "root", "pfifo", "limit", limit)

    def call_refused(self, least):
        """It has refused so many since."""
        until = time.monotonic() + self.limit
        while self.node.counters()["local_drops"] - self.drops < int(least):
            if time.monotonic() > until:
                raise Failed("nothing is refused")

    # --- events -------------------------------------------------------------

    def count(self, name, by):
        until = time.monotonic() + self.limit
        while True:
            moved = self.node.counters()[name] - self.before[name]
            if moved == by:
                return
            if time.monotonic() > until or moved > by:
                raise Failed(f"{name} has moved by {moved}")
            time.sleep(0.01)

    def event(self, line):
        what, _, rest = line.partition(" ")
        words = rest.split()
        if what == "$":
            rest, _, want = rest.partition("->")
            name, *words = rest.split()
            try:
                got = self.call(name, words)
            except OSError as error:
                got = errno.errorcode[error.errno]
            if want.strip() or isinstance(got, str):
                if str(got) != want.strip():
                    raise Failed(f"it returns {got}")
            return
        if what == "+":
            self.count(words[0], int(words[1]) if len(words) > 1 else 1)
            return
        fields = dict(w.split("=", 1) for w in words[1:] if "=" in w)
        bare = [w for w in words[1:] if "=" not in w]
        {">": self.send, "<": self.expect, "-": self.expect_none}[what](
            words[0], fields, bare)

    def end(self):
        """Nothing is left but what was closed before."""
        for sock in self.sockets:
            sock.close()
        if self.peer_tag:
            self.send("rst", {"txno": "0"}, [])
        while self.node.receive(time.monotonic()):
            pass


def scripts(path):
    name = None
    found = {}
    with open(path) as file:
        for nr, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if line.startswith("== "):
                name = line[3:]
                if name in found:
                    raise SystemExit(f"{path}:{nr}: {name} is there already")
                found[name] = []
            elif line:
                found[name].append((f"{os.path.basename(path)}:{nr}", line))
    return found


def wrong(line):
    """The same line, but that it expects something else; or None."""
    if line[0] == "<":
        kind = line.split()[1]
        other = "rst" if kind != "rst" else "ans"
        return line.replace(f"< {kind}", f"< {other}", 1)
    if line[0] == "$" and "->" in line:
        return line.partition("->")[0] + "-> EBADF"
    if line[0] == "+":
        words = line.split()
        return f"+ {words[1]} {int((words + ['1'])[2]) + 1}"
    return None


def spoil(events):
    for i in reversed(range(len(events))):
        where, line = events[i]
        if wrong(line):
            return events[:i] + [(where, wrong(line))]
    raise SystemExit(f"{events[0][0]}: a script that expects nothing")


def play(node, name, nr, events, limit):
    counts = any(line[0] == "+" for _, line in events)
    script = Script(node, name, nr, limit, counts)
    at = ("", "")
    try:
        for at in events:
            script.event(at[1])
    except Failed as why:
        return f"{at[0]}: {at[1]}: {why}"
    except OSError as why:
        return f"{at[0]}: {at[1]}: {why!r}"
    finally:
        script.end()
    return None


def main():
    node = Node1(*sys.argv[1:3])
    os.sched_setaffinity(0, {0})
    told = list(enumerate((script for path in sys.argv[3:]
                           for script in scripts(path).items()), 1))
    failed = False
    for spoilt in False, True:
        for nr, (name, events) in told:
            if spoilt:
                why = play(node, name, nr + 500, spoil(events), WRONG_S)
                why = None if why else "passes though it is wrong"
            else:
                why = play(node, name, nr, events, LIMIT_S)
            print(f"{'FAIL' if why else 'ok'}: {name}" +
                  (f": {why}" if why else ""), flush=True)
            failed |= bool(why)
    print(f"scripts: {len(told)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
