// SPDX-License-Identifier: GPL-2.0
/* Several threads at one socket, and signals instead of threads. */
#include "oracle.h"

static long recv_two(int fd)
{
	return recv(fd, scratch, 2, MSG_WAITALL);
}

CASE(threads__two_readers)
{
	struct pair p = pair();
	struct doing one, two;

	go_to_sleep(&one, recv_one, p.s, SYS_recvfrom);
	go_to_sleep(&two, recv_one, p.s, SYS_recvfrom);
	send(p.c, "a", 1, 0);
	send(p.c, "b", 1, 0);
	saw(done(&one));
	saw(done(&two));
	saw(queued(p.s, SIOCINQ));
}

CASE(threads__two_readers_at_the_end)
{
	struct pair p = pair();
	struct doing one, two;

	go_to_sleep(&one, recv_one, p.s, SYS_recvfrom);
	go_to_sleep(&two, recv_one, p.s, SYS_recvfrom);
	shutdown(p.c, SHUT_WR);
	saw(done(&one));
	saw(done(&two));
}

CASE(threads__two_readers_shut)
{
	struct pair p = pair();
	struct doing one, two;

	go_to_sleep(&one, recv_one, p.s, SYS_recvfrom);
	go_to_sleep(&two, recv_two, p.s, SYS_recvfrom);
	saw(shutdown(p.s, SHUT_RDWR));
	saw(done(&one));
	saw(done(&two));
}

static long peek_one(int fd)
{
	return recv(fd, scratch, 1, MSG_PEEK);
}

CASE(threads__reader_and_peeker)
{
	struct pair p = pair();
	struct doing one, two;

	go_to_sleep(&one, peek_one, p.s, SYS_recvfrom);
	go_to_sleep(&two, peek_one, p.s, SYS_recvfrom);
	send(p.c, "a", 1, 0);
	saw(done(&one));
	saw(done(&two));
	saw(recv_one(p.s));
}

static long send_word(int fd)
{
	return send(fd, "word", 4, 0);
}

CASE(threads__two_writers)
{
	struct pair p = small_pair();
	struct doing one, two;
	long sum = fill(p.c);
	char in[8];

	go_to_sleep(&one, send_word, p.c, SYS_sendto);
	go_to_sleep(&two, send_word, p.c, SYS_sendto);
	drain(p.s, sum);
	saw(done(&one));
	saw(done(&two));
	saw(recv(p.s, in, 8, MSG_WAITALL));
	saw_bytes(in, 8);
}

CASE(threads__two_writers_of_much)
{
	struct pair p = pair();
	struct doing one, two;

	go(&one, send_much, p.c);
	go(&two, send_much, p.c);
	saw(drain(p.s, 2 << 20));
	saw(done(&one));
	saw(done(&two));
}

CASE(threads__reader_and_writer)
{
	struct pair p = pair();
	struct doing one, two;

	go(&one, send_much, p.c);
	go(&two, send_much, p.s);
	saw(drain(p.s, 1 << 20));
	saw(drain(p.c, 1 << 20));
	saw(done(&one));
	saw(done(&two));
}

CASE(threads__two_writers_shut)
{
	struct pair p = small_pair();
	struct doing one, two;

	fill(p.c);
	go_to_sleep(&one, send_word, p.c, SYS_sendto);
	go_to_sleep(&two, send_word, p.c, SYS_sendto);
	saw(shutdown(p.c, SHUT_WR));
	saw(done(&one));
	saw(done(&two));
}

/* Either may be told first. */
CASE(threads__two_connect)
{
	struct doing one, two;
	int fd = sock(1, 0);
	bool turned;

	go_to_sleep(&one, connect_silent, fd, SYS_connect);
	go_to_sleep(&two, connect_silent, fd, SYS_connect);
	saw(shutdown(fd, SHUT_RDWR));
	done(&one);
	done(&two);
	need(one.ret < 0 && two.ret < 0, "both fail");
	turned = one.error > two.error;
	errno = turned ? two.error : one.error;
	saw(-1);
	errno = turned ? one.error : two.error;
	saw(-1);
}

CASE(threads__send_waits_for_connect)
{
	struct doing doing;
	int fd = sock(1, SOCK_NONBLOCK);

	saw(connect_silent(fd));
	fcntl(fd, F_SETFL, 0);
	go_to_sleep(&doing, send_word, fd, SYS_sendto);
	saw(shutdown(fd, SHUT_RDWR));
	saw(done(&doing));
}

CASE(threads__recv_waits_for_connect)
{
	struct doing doing;
	int fd = sock(1, SOCK_NONBLOCK);

	saw(connect_silent(fd));
	fcntl(fd, F_SETFL, 0);
	go_to_sleep(&doing, recv_one, fd, SYS_recvfrom);
	saw(shutdown(fd, SHUT_RDWR));
	saw(done(&doing));
}

/* ---- SIGIO ---- */

/* Has SIGIO sent to us; by fcntl(), as FIOASYNC does, too. */
static void ask_for_signals(int fd)
{
	on_signal(SIGIO, SA_RESTART);
	need(!fcntl(fd, F_SETOWN, getpid()), "F_SETOWN");
	need(!fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC), "O_ASYNC");
	signals = 0;
}

static void saw_signal(void)
{
	long end = now_ms() + 500 * slow();

	while (!signals && now_ms() < end)
		poll(NULL, 0, 1);
	note("%s", signals ? "signal" : "no signal");
	signals = 0;
}

CASE(sigio__data)
{
	struct pair p = pair();

	ask_for_signals(p.s);
	send(p.c, "x", 1, 0);
	saw_signal();
	send(p.c, "x", 1, 0);
	saw_signal();
}

CASE(sigio__end)
{
	struct pair p = pair();

	ask_for_signals(p.s);
	shutdown(p.c, SHUT_WR);
	saw_signal();
}

CASE(sigio__reset)
{
	struct pair p = pair();

	ask_for_signals(p.s);
	reset(p.c);
	saw_signal();
}

CASE(sigio__room)
{
	struct pair p = small_pair();
	long sum = fill(p.c);

	ask_for_signals(p.c);
	saw(send(p.c, "x", 1, MSG_DONTWAIT));
	drain(p.s, sum);
	saw_signal();
}

CASE(sigio__listener)
{
	int fd = listener(0, 5);

	ask_for_signals(fd);
	connected(0);
	saw_signal();
}

CASE(sigio__connect)
{
	int fd = slow_client();

	listener(0, 5);
	ask_for_signals(fd);
	saw(connect_to(fd, 2, 0));
	saw_signal();
}

CASE(sigio__refused)
{
	int fd = slow_client();

	ask_for_signals(fd);
	saw(connect_to(fd, 2, 0));
	saw_signal();
	wait_until(fd, 0);
	saw_error(fd);
}

static volatile int band, code;

static void note_band(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	code = info->si_code;
	band = info->si_band;
	signals++;
}

CASE(sigio__tells_why)
{
	struct sigaction action = {
		.sa_sigaction = note_band,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct pair p = pair();

	sigaction(SIGRTMIN, &action, NULL);
	need(!fcntl(p.s, F_SETOWN, getpid()), "F_SETOWN");
	need(!fcntl(p.s, F_SETSIG, SIGRTMIN), "F_SETSIG");
	need(!fcntl(p.s, F_SETFL, O_ASYNC), "O_ASYNC");
	send(p.c, "x", 1, 0);
	saw_signal();
	note("code%d band%x", code, band);
}

CASE(sigio__owner)
{
	int fd = sock(1, 0), owner = 0, on = 1;

	saw(fcntl(fd, F_GETOWN));
	saw(fcntl(fd, F_SETOWN, getpid()));
	note("%s", fcntl(fd, F_GETOWN) == getpid() ? "we" : "other");
	saw(ioctl(fd, SIOCGPGRP, &owner));
	note("%s", owner == getpid() ? "we" : "other");
	owner = -getpgrp();
	saw(ioctl(fd, SIOCSPGRP, &owner));
	saw(ioctl(fd, FIOASYNC, &on));
	saw(!!(fcntl(fd, F_GETFL) & O_ASYNC));
	on = 0;
	saw(ioctl(fd, FIOASYNC, &on));
	saw(!!(fcntl(fd, F_GETFL) & O_ASYNC));
}
