// SPDX-License-Identifier: GPL-2.0
/* send() and its flags. */
#include "oracle.h"

#include <limits.h>

#define MUCH 100000

/* How many of the bytes a call has taken, without the number, which has its
 * reason in segments and pages
 */
static long saw_part(long ret, long of)
{
	int error = errno;

	if (ret <= 0)
		note("%s", ret ? strerrorname_np(error) : "0");
	else
		note("%s", ret == of ? "all" : "a part");
	return ret;
}

CASE(send__unconnected)
{
	int fd = sock(1, 0);

	saw(send(fd, "x", 1, 0));
	saw(send(fd, "x", 1, MSG_NOSIGNAL));
	saw(send(fd, "x", 1, MSG_DONTWAIT));
	saw(write(fd, "x", 1));
	saw(send(fd, "x", 0, 0));
	saw(bind_to(fd, 0, 1));
	saw(send(fd, "x", 1, 0));
}

CASE(send__no_bytes)
{
	struct pair p = pair();

	saw(send(p.c, NULL, 0, 0));
	saw(write(p.c, "", 0));
	saw(queued(p.c, SIOCOUTQ));
	saw(send(p.c, "x", 1, 0));
	saw(recv(p.s, scratch, 4, 0));
}

CASE(send__no_bytes_after_the_end)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	saw(send(p.c, NULL, 0, 0));
	saw(write(p.c, "", 0));
	reset(p.s);
	wait_until(p.c, 0);
	saw(send(p.c, NULL, 0, 0));
	saw(send(p.c, NULL, 0, 0));
}

CASE(send__with_an_address)
{
	struct at where = at(2, 5);
	struct pair p = pair();

	saw(sendto(p.c, "x", 1, 0, (void *)&where.to, where.len));
	saw(recv_one(p.s));
	saw(sendto(p.c, "x", 1, 0, (void *)&where.to, 1));
	saw(sendto(sock(1, 0), "x", 1, 0, (void *)&where.to, where.len));
	saw(sendto(p.c, "x", 1, 0, (void *)16, where.len));
}

CASE(send__more)
{
	struct pair p = pair();
	char in[8];

	saw(send(p.c, "ab", 2, MSG_MORE));
	saw(send(p.c, "cd", 2, MSG_MORE));
	saw(send(p.c, "ef", 2, 0));
	saw(recv(p.s, in, 6, MSG_WAITALL));
	saw_bytes(in, 6);
}

CASE(send__more_before_the_end)
{
	struct pair p = pair();

	saw(send(p.c, "ab", 2, MSG_MORE));
	shutdown(p.c, SHUT_WR);
	saw(recv(p.s, scratch, 8, MSG_WAITALL));
	saw(recv_one(p.s));
}

CASE(send__flags_of_others)
{
	struct pair p = pair();

	saw(send(p.c, "x", 1, MSG_EOR));
	saw(send(p.c, "x", 1, MSG_CONFIRM));
	saw(send(p.c, "x", 1, MSG_DONTROUTE));
	saw(send(p.c, "x", 1, MSG_PROXY));
	saw(send(p.c, "x", 1, MSG_TRUNC));
	saw(send(p.c, "x", 1, MSG_PEEK));
	saw(send(p.c, "x", 1, MSG_WAITALL));
	saw(send(p.c, "x", 1, MSG_ERRQUEUE));
	saw(send(p.c, "x", 1, MSG_ZEROCOPY));
	wait_acked(p.c);
	saw(queued(p.s, SIOCINQ));
}

CASE(send__oob)
{
	struct pair p = pair();
	char in;

	saw(send(p.c, "x", 1, MSG_OOB));
	saw(recv(p.s, &in, 1, MSG_OOB | MSG_DONTWAIT));
}

CASE_OF_IP(send__fast_open_when_connected)
{
	struct at where = at(2, 0);
	struct pair p = pair();

	saw(sendto(p.c, "x", 1, MSG_FASTOPEN, (void *)&where.to, where.len));
}

CASE_OF_IP(send__fast_open)
{
	struct at where = at(2, 0);
	int listening = listener(0, 5), fd = sock(1, 0);

	saw(sendto(fd, "x", 1, MSG_FASTOPEN, (void *)&where.to, where.len));
	saw(recv_one(accept(listening, NULL, NULL)));
}

CASE(send__full)
{
	struct pair p = small_pair();

	note("%s", fill(p.c) > 0 ? "full" : "empty");
	saw_events(p.c);
	saw(send(p.c, "x", 1, MSG_DONTWAIT));
	no_block(p.c);
	saw(send(p.c, "x", 1, 0));
	saw(send(p.c, "", 0, 0));
}

CASE(send__full_sndtimeo)
{
	struct pair p = small_pair();

	fill(p.c);
	set_timeout(p.c, SO_SNDTIMEO, 50);
	saw(send(p.c, "x", 1, 0));
}

CASE(send__sndtimeo_of_a_part)
{
	struct pair p = small_pair();

	set_timeout(p.c, SO_SNDTIMEO, 50);
	saw_part(send_much(p.c), 1 << 20);
}

CASE(send__part_without_waiting)
{
	struct pair p = small_pair();

	no_block(p.c);
	saw_part(send_much(p.c), 1 << 20);
	fill(p.c);
	saw_part(send_much(p.c), 1 << 20);
}

CASE(send__signal_after_a_part)
{
	struct pair p = small_pair();
	struct doing doing;

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, send_much, p.c, SYS_sendto);
	interrupt(&doing);
	saw_part(done(&doing), 1 << 20);
}

static long send_one(int fd)
{
	return send(fd, "x", 1, 0);
}

CASE(send__signal)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(send__signal_restarts)
{
	struct pair p = small_pair();
	struct doing doing;
	long sum = fill(p.c);

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	interrupt(&doing);
	note("%s", sleeps(&doing, SYS_sendto) ? "sleeps on" : "has ended");
	drain(p.s, sum);
	saw(done(&doing));
}

CASE(send__signal_with_sndtimeo)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	on_signal(SIGUSR1, SA_RESTART);
	set_timeout(p.c, SO_SNDTIMEO, 60000);
	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(send__room_wakes)
{
	struct pair p = small_pair();
	struct doing doing;
	long sum = fill(p.c);

	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	saw(drain(p.s, sum) == sum);
	saw(done(&doing));
	saw(recv_one(p.s));
}

CASE(send__bad_pointer)
{
	struct pair p = pair();

	saw(send(p.c, NULL, 3, 0));
	saw(send(p.c, (void *)16, 3, 0));
	saw(send(p.c, "abc", 3, 0));
	saw(recv(p.s, scratch, 8, 0));
}

/* The first bytes may be read, those behind them may not. */
static char *edge(long good)
{
	long pages = (good + 4095) / 4096 * 4096;
	char *all = mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(all != MAP_FAILED && !mprotect(all + pages, 4096, PROT_NONE),
	     "pages");
	memset(all, 'g', pages);
	return all + pages - good;
}

/* What was taken is what arrives, and nothing of what could not be read. */
CASE(send__bad_pointer_at_the_end)
{
	struct pair p = pair();
	long put = saw_part(send(p.c, edge(MUCH), MUCH + 10, 0), MUCH + 10);
	char in[4096];
	long got, sum = 0;

	shutdown(p.c, SHUT_WR);
	while ((got = recv(p.s, in, sizeof(in), 0)) > 0)
		for (sum += got; got--;)
			need(in[got] == 'g', "good byte");
	saw(got);
	note("%s", sum == put ? "as taken" : "not as taken");
}

CASE(send__bad_pointer_in_the_middle)
{
	struct pair p = pair();

	saw(send(p.c, edge(3), 6, 0));
	saw(send(p.c, "abc", 3, 0));
	saw(recv(p.s, scratch, 8, 0));
}

CASE(send__bad_pointer_in_the_second_of_two)
{
	char *good = edge(4);
	struct iovec iov[2] = { { good, 4 }, { good + 4, 4 } };
	struct pair p = pair();

	saw(writev(p.c, iov, 2));
	shutdown(p.c, SHUT_WR);
	saw(recv(p.s, scratch, 8, MSG_WAITALL));
}

/* A constant would be warned of. */
static volatile size_t huge = -1;

CASE(send__lengths_that_are_too_large)
{
	struct pair p = pair();

	saw(send(p.c, NULL, huge, 0));
	saw(send(p.c, NULL, 1UL << 40, 0));
	saw(write(p.c, NULL, huge));
	saw(queued(p.s, SIOCINQ));
}

static long control(int fd, int level, int type, int len)
{
	char buffer[CMSG_SPACE(64)] = {};
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = buffer,
		.msg_controllen = sizeof(buffer),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = len;
	msg.msg_controllen = len > 16 ? CMSG_ALIGN(len) : 16;
	return sendmsg(fd, &msg, 0);
}

CASE(send__control_messages)
{
	struct pair p = pair();

	saw(control(p.c, SOL_SOCKET, SCM_RIGHTS, CMSG_LEN(4)));
	saw(control(p.c, SOL_SOCKET, SO_MARK, CMSG_LEN(4)));
	saw(control(p.c, SOL_SOCKET, 12345, CMSG_LEN(4)));
	saw(control(p.c, SOL_SOCKET, SO_MARK, CMSG_LEN(1)));
	saw(control(p.c, SOL_SOCKET, SO_MARK, 3));
	saw(control(p.c, 12345, 1, CMSG_LEN(4)));
	wait_acked(p.c);
	saw(queued(p.s, SIOCINQ));
}

CASE(send__names_of_message_are_looked_at)
{
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct pair p = pair();

	msg.msg_name = (void *)16;
	msg.msg_namelen = 16;
	saw(sendmsg(p.c, &msg, 0));
	msg.msg_name = NULL;
	saw(sendmsg(p.c, &msg, 0));
	msg.msg_namelen = -1;
	saw(sendmsg(p.c, &msg, 0));
	msg.msg_namelen = 0;
	msg.msg_control = (void *)16;
	msg.msg_controllen = 32;
	saw(sendmsg(p.c, &msg, 0));
	msg.msg_controllen = 1;
	saw(sendmsg(p.c, &msg, 0));
	saw(sendmsg(p.c, (void *)16, 0));
}

/* TCP's probes of a shut window are under way now and then, and add nothing. */
CASE(send__queue_lengths)
{
	struct pair p = small_pair();
	bool adds_up, unsent;
	long sum = fill(p.c);
	int tries = 100;

	for (;;) {
		int out = queued(p.c, SIOCOUTQ);

		adds_up = queued(p.s, SIOCINQ) + out == sum;
		unsent = queued(p.c, SIOCOUTQNSD) == out;
		if ((adds_up && unsent) || !--tries)
			break;
		poll(NULL, 0, 10);
	}
	note("%s", adds_up ? "adds up" : "does not add up");
	note("%s", unsent ? "unsent" : "in flight");
	drain(p.s, sum);
	wait_acked(p.c);
	saw(queued(p.c, SIOCOUTQ));
	saw(queued(p.c, SIOCOUTQNSD));
	saw(queued(p.s, SIOCINQ));
}
