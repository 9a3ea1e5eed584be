// SPDX-License-Identifier: GPL-2.0
/* readv(), writev(), sendmsg() and the calls for several messages. */
#include "oracle.h"

#include <limits.h>

#define MANY (IOV_MAX + 1)

CASE(vectors__of_nothing_between)
{
	struct iovec out[] = { { NULL, 0 },	  { "ab", 2 }, { "", 0 },
			       { (void *)16, 0 }, { "cd", 2 }, { "", 0 } };
	char one[2], two[2];
	struct iovec in[] = { { NULL, 0 }, { one, 2 }, { "", 0 }, { two, 2 } };
	struct pair p = pair();

	saw(writev(p.c, out, 6));
	wait_arrived(p.s, 4);
	saw(readv(p.s, in, 4));
	saw_bytes(one, 2);
	saw_bytes(two, 2);
}

CASE(vectors__empty)
{
	struct iovec iov[] = { { "", 0 }, { "", 0 } };
	struct pair p = pair();

	saw(writev(p.c, iov, 0));
	saw(writev(p.c, NULL, 0));
	saw(writev(p.c, iov, 2));
	saw(readv(p.s, iov, 0));
	saw(send(p.c, "x", 1, 0));
	wait_arrived(p.s, 1);
	saw(readv(p.s, iov, 2));
	saw(recv_one(p.s));
}

/* Constants would be warned of. */
static volatile int no_count = -1;
static struct iovec *volatile nowhere = (void *)16;

CASE(vectors__bad)
{
	struct iovec iov[] = { { "ab", 2 }, { "ab", -1 } };
	struct pair p = pair();

	saw(writev(p.c, iov, 2));
	saw(writev(p.c, iov, no_count));
	saw(writev(p.c, nowhere, 1));
	saw(readv(p.s, nowhere, 1));
	saw(queued(p.s, SIOCINQ));
}

CASE(vectors__too_many)
{
	static struct iovec iov[MANY];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = MANY };
	struct pair p = pair();

	for (int i = 0; i < MANY; i++)
		iov[i] = (struct iovec){ "x", 1 };
	saw(writev(p.c, iov, MANY));
	saw(sendmsg(p.c, &msg, 0));
	saw(writev(p.c, iov, IOV_MAX));
	saw(drain(p.s, IOV_MAX));
	saw(recvmsg(p.s, &msg, MSG_DONTWAIT));
}

CASE(vectors__no_iov_in_message)
{
	struct msghdr msg = {};
	struct pair p = pair();

	saw(sendmsg(p.c, &msg, 0));
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	saw(recvmsg(p.s, &msg, 0));
	saw(recv_one(p.s));
}

CASE(vectors__sendmmsg)
{
	struct iovec iov[] = { { "a", 1 }, { "bc", 2 }, { "def", 3 } };
	struct mmsghdr msgs[3] = {};
	struct pair p = pair();
	char in[6];

	for (int i = 0; i < 3; i++) {
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	saw(sendmmsg(p.c, msgs, 3, 0));
	note("%d %d %d", msgs[0].msg_len, msgs[1].msg_len, msgs[2].msg_len);
	saw(recv(p.s, in, 6, MSG_WAITALL));
	saw_bytes(in, 6);
	saw(sendmmsg(p.c, msgs, 0, 0));
}

CASE(vectors__sendmmsg_fails_later)
{
	struct iovec iov[] = { { "a", 1 }, { (void *)16, 2 }, { "c", 1 } };
	struct mmsghdr msgs[3] = {};
	struct pair p = pair();

	for (int i = 0; i < 3; i++) {
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	saw(sendmmsg(p.c, msgs, 3, 0));
	saw(sendmmsg(p.c, msgs + 1, 2, 0));
	saw(recv(p.s, scratch, 8, 0));
	shutdown(p.c, SHUT_WR);
	saw(sendmmsg(p.c, msgs, 1, 0));
	saw(sendmmsg(p.c, msgs, 1, MSG_NOSIGNAL));
}

CASE(vectors__recvmmsg)
{
	char in[3][2];
	struct iovec iov[] = { { in[0], 2 }, { in[1], 2 }, { in[2], 2 } };
	struct mmsghdr msgs[3] = {};
	struct pair p = pair();

	for (int i = 0; i < 3; i++) {
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	saw(recvmmsg(p.s, msgs, 3, MSG_DONTWAIT, NULL));
	send(p.c, "abc", 3, 0);
	wait_arrived(p.s, 3);
	saw(recvmmsg(p.s, msgs, 3, MSG_WAITFORONE, NULL));
	note("%d %d", msgs[0].msg_len, msgs[1].msg_len);
	shutdown(p.c, SHUT_WR);
	saw(recvmmsg(p.s, msgs, 3, 0, NULL));
	note("%d %d", msgs[0].msg_len, msgs[1].msg_len);
}

CASE(vectors__recvmmsg_timeout)
{
	struct timespec soon = { .tv_nsec = 1000000 };
	char in[2];
	struct iovec iov = { in, 1 };
	struct mmsghdr msgs[2] = {};
	struct pair p = pair();

	for (int i = 0; i < 2; i++) {
		msgs[i].msg_hdr.msg_iov = &iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	send(p.c, "a", 1, 0);
	wait_arrived(p.s, 1);
	saw(recvmmsg(p.s, msgs, 1, 0, &soon));
	soon.tv_nsec = -1;
	saw(recvmmsg(p.s, msgs, 2, 0, &soon));
}

CASE(vectors__recvmmsg_keeps_the_error)
{
	char in[2];
	struct iovec iov[] = { { in, 2 }, { in, 2 } };
	struct mmsghdr msgs[2] = {};
	struct pair p = pair();

	for (int i = 0; i < 2; i++) {
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	reset(p.c);
	wait_until(p.s, POLLRDHUP);
	saw(recvmmsg(p.s, msgs, 2, 0, NULL));
	saw(recvmmsg(p.s, msgs, 2, 0, NULL));
}

/* A stream keeps the order and all bytes, whatever the pieces. */
CASE(vectors__many_pieces)
{
	static char out[20000], in[20000];
	struct iovec iov[100];
	struct pair p = pair();
	int at = 0, pieces = 0;

	for (int i = 0; i < sizeof(out); i++)
		out[i] = i * 31 >> 3;
	while (at < sizeof(out) && pieces < 99) {
		int len = pieces * 7 % 400;

		if (len > sizeof(out) - at)
			len = sizeof(out) - at;
		iov[pieces++] = (struct iovec){ out + at, len };
		at += len;
	}
	iov[pieces++] = (struct iovec){ out + at, sizeof(out) - at };
	saw(writev(p.c, iov, pieces));
	saw(recv(p.s, in, sizeof(in), MSG_WAITALL));
	note("%s", memcmp(in, out, sizeof(in)) ? "differs" : "equal");
}
