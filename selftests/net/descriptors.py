#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a program may do with the descriptor of a connection to an echo server.

descriptors.py CASE ADDRESS PORT: prints what it sees, which is to be the same
whatever carries the connection.
"""

import fcntl
import os
import select
import socket
import subprocess
import sys


def say(*words):
    print(*words, flush=True)


def echo(fd, text):
    """Send a text, and get it back."""
    os.write(fd, text)
    return get(fd, len(text))


def get(fd, length):
    got = b""
    while len(got) < length:
        part = os.read(fd, length - len(got))
        if not part:
            break
        got += part
    return got


def ended(sock):
    """The other end ends when we do: what is left to read?"""
    sock.shutdown(socket.SHUT_WR)
    say("the end:", sock.recv(100))


def joined(pid):
    say("child:", os.waitpid(pid, 0)[1])


def passed(sock):
    """Over a UNIX socket, and used by who has it after we have closed it."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        peer = sock.getpeername()
        sock.close()
        fd = socket.recv_fds(theirs, 10, 1)[1][0]
        with socket.socket(fileno=fd) as again:
            say(again.getpeername() == peer, again.family.name)
            say(echo(fd, b"passed"))
            ended(again)
        os._exit(0)
    socket.send_fds(ours, [b"x"], [sock.fileno()])
    sock.close()
    joined(pid)


def forked(sock):
    """By both, one after the other; the end of one is not the connection's."""
    pid = os.fork()
    if not pid:
        say(echo(sock.fileno(), b"by the child"))
        os._exit(0)
    joined(pid)
    say(echo(sock.fileno(), b"by the parent"))
    pid = os.fork()
    if not pid:
        os.write(sock.fileno(), b"asked by the child")
        os._exit(0)
    joined(pid)
    say(get(sock.fileno(), len(b"asked by the child")))
    ended(sock)


def duplicated(sock):
    """In three ways; one after the other is closed, and the rest goes on."""
    copies = [sock.dup(),
              socket.socket(fileno=os.dup2(sock.fileno(), 50)),
              socket.socket(fileno=fcntl.fcntl(sock, fcntl.F_DUPFD, 60))]
    say(echo(sock.fileno(), b"first"))
    sock.close()
    for copy in copies[:-1]:
        say(echo(copy.fileno(), b"copy"), copy.family.name)
        copy.close()
    copies[-1].setblocking(False)
    say(echo_later(copies[-1]))
    copies[-1].setblocking(True)
    ended(copies[-1])


def echo_later(sock):
    sock.send(b"later")
    select.select([sock], [], [])
    return sock.recv(1)


def two_epolls(sock):
    """Both hear of what comes, and neither of what was read."""
    sets = [select.epoll(), select.epoll()]
    for events in sets:
        events.register(sock, select.EPOLLIN)
        say("before:", events.poll(0))
    sock.send(b"x")
    for events in sets:
        say("then:", [event for fd, event in events.poll()])
    say(sock.recv(1))
    for events in sets:
        say("after:", events.poll(0))
    sets[0].close()
    sock.send(b"y")
    say("one:", [event for fd, event in sets[1].poll()], sock.recv(1))


def nested_epoll(sock):
    """A set in a set"""
    inner, outer = select.epoll(), select.epoll()
    inner.register(sock, select.EPOLLIN | select.EPOLLET)
    outer.register(inner, select.EPOLLIN)
    say("before:", outer.poll(0))
    for text in b"x", b"y":
        sock.send(text)
        found = outer.poll()
        say("outer:", [(fd == inner.fileno(), event) for fd, event in found])
        say("inner:", [event for fd, event in inner.poll(0)])
        say("edge:", inner.poll(0), outer.poll(0))
        say(sock.recv(1))
    sock.shutdown(socket.SHUT_WR)
    say("end:", len(outer.poll()), sock.recv(1))


def inherited(sock):
    """By a program that is executed, and then by ourselves anew"""
    fd = sock.fileno()
    say(subprocess.check_output(
        ["bash", "-c", "echo word >&%d; read -r -u %d x; echo $x" % (fd, fd)],
        pass_fds=[fd]))
    os.set_inheritable(fd, True)
    os.execv(sys.executable, [sys.executable, __file__, "executed", str(fd)])


def executed(fd):
    with socket.socket(fileno=fd) as sock:
        say(sock.getpeername()[1] == 4000, sock.family.name)
        say(echo(fd, b"executed"))
        ended(sock)


if sys.argv[1] == "executed":
    executed(int(sys.argv[2]))
else:
    with socket.create_connection((sys.argv[2], int(sys.argv[3]))) as conn:
        globals()[sys.argv[1]](conn)
