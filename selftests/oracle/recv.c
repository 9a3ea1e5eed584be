// SPDX-License-Identifier: GPL-2.0
/* recv() and its flags: how much, how long, and into what. */
#include "oracle.h"

/* A pair whose server's end has these bytes */
static struct pair pair_with(const char *bytes)
{
	struct pair p = pair();

	need(send(p.c, bytes, strlen(bytes), 0) == strlen(bytes), "sent");
	wait_arrived(p.s, strlen(bytes));
	return p;
}

static long recv_all_of_four(int fd)
{
	char in[4];

	return recv(fd, in, 4, MSG_WAITALL);
}

static long peek_all_of_four(int fd)
{
	char in[4];

	return recv(fd, in, 4, MSG_WAITALL | MSG_PEEK);
}

CASE(recv__unconnected)
{
	int fd = sock(1, 0);
	char in;

	saw(recv(fd, &in, 1, 0));
	saw(recv(fd, &in, 1, MSG_PEEK));
	saw(recv(fd, &in, 1, MSG_DONTWAIT));
	saw(recv(fd, &in, 0, 0));
	saw(read(fd, &in, 1));
}

CASE(recv__no_bytes)
{
	struct pair p = pair_with("abc");
	char in[4];

	saw(recv(p.s, in, 0, 0));
	saw(recv(p.s, NULL, 0, 0));
	saw(recv(p.s, in, 4, 0));
	saw(read(p.s, in, 0));
}

CASE(recv__no_bytes_of_nothing)
{
	struct pair p = pair();
	char in;

	saw(recv(p.s, &in, 0, MSG_DONTWAIT));
	saw(recv(p.s, &in, 0, MSG_DONTWAIT | MSG_PEEK));
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLIN);
	saw(recv(p.s, &in, 0, 0));
}

CASE(recv__nothing_there)
{
	struct pair p = pair();

	saw(recv(p.s, NULL, 1, MSG_DONTWAIT));
	no_block(p.s);
	saw(recv_one(p.s));
	saw(recv(p.s, NULL, 4, MSG_WAITALL));
	saw(recv(p.s, NULL, 4, MSG_PEEK));
}

CASE(recv__rcvtimeo)
{
	struct pair p = pair();

	set_timeout(p.s, SO_RCVTIMEO, 50);
	saw(recv_one(p.s));
	saw(recv_all_of_four(p.s));
	saw(peek_all_of_four(p.s));
}

CASE(recv__rcvtimeo_of_a_part)
{
	struct pair p = pair_with("ab");

	set_timeout(p.s, SO_RCVTIMEO, 50);
	saw(recv_all_of_four(p.s));
	saw(recv_all_of_four(p.s));
}

CASE(recv__peek)
{
	struct pair p = pair_with("abcdef");
	char in[8];

	saw(recv(p.s, in, 2, MSG_PEEK));
	saw_bytes(in, 2);
	saw(recv(p.s, in, 8, MSG_PEEK));
	saw_bytes(in, 6);
	saw(recv(p.s, in, 4, 0));
	saw_bytes(in, 4);
	saw(recv(p.s, in, 8, MSG_PEEK));
	saw(recv(p.s, in, 8, 0));
	saw_bytes(in, 2);
}

CASE(recv__peek_at_the_end)
{
	struct pair p = pair_with("ab");
	char in[4];

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw(recv(p.s, in, 4, MSG_PEEK | MSG_WAITALL));
	saw(recv(p.s, in, 2, 0));
	saw(recv(p.s, in, 4, MSG_PEEK));
	saw(recv(p.s, in, 4, MSG_PEEK | MSG_WAITALL));
}

CASE(recv__peek_waits_for_all)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	go_to_sleep(&doing, peek_all_of_four, p.s, SYS_recvfrom);
	saw(send(p.c, "cd", 2, 0));
	saw(done(&doing));
	saw(recv_all_of_four(p.s));
}

CASE(recv__peek_signal)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, peek_all_of_four, p.s, SYS_recvfrom);
	interrupt(&doing);
	saw(done(&doing));
	saw(recv(p.s, scratch, 4, 0));
}

CASE(recv__peek_before_a_reset)
{
	struct pair p = pair_with("ab");
	char in[4];

	reset(p.c);
	wait_until(p.s, POLLRDHUP);
	saw(recv(p.s, in, 4, MSG_PEEK));
	saw(recv(p.s, in, 4, MSG_PEEK));
	saw(recv(p.s, in, 4, 0));
	saw(recv(p.s, in, 4, MSG_PEEK));
	saw(recv(p.s, in, 4, MSG_PEEK));
}

CASE(recv__trunc_drops)
{
	struct pair p = pair_with("abcdef");
	char in[8] = "--------";

	saw(recv(p.s, in, 2, MSG_TRUNC));
	saw_bytes(in, 2);
	saw(recv(p.s, NULL, 2, MSG_TRUNC));
	saw(recv(p.s, in, 8, 0));
	saw_bytes(in, 2);
}

CASE(recv__trunc_and_peek)
{
	struct pair p = pair_with("abcdef");
	char in[8] = "--------";

	saw(recv(p.s, in, 2, MSG_TRUNC | MSG_PEEK));
	saw_bytes(in, 2);
	saw(recv(p.s, NULL, 100, MSG_TRUNC | MSG_PEEK));
	saw(recv(p.s, in, 8, 0));
}

CASE(recv__waitall)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	go_to_sleep(&doing, recv_all_of_four, p.s, SYS_recvfrom);
	saw(send(p.c, "c", 1, 0));
	wait_acked(p.c);
	note("%s", sleeps(&doing, SYS_recvfrom) ? "waits" : "has ended");
	saw(send(p.c, "def", 3, 0));
	saw(done(&doing));
	saw(recv(p.s, scratch, 4, 0));
}

CASE(recv__waitall_until_the_end)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	go_to_sleep(&doing, recv_all_of_four, p.s, SYS_recvfrom);
	shutdown(p.c, SHUT_WR);
	saw(done(&doing));
	saw(recv_all_of_four(p.s));
}

CASE(recv__waitall_until_a_reset)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	go_to_sleep(&doing, recv_all_of_four, p.s, SYS_recvfrom);
	reset(p.c);
	saw(done(&doing));
	saw(recv_all_of_four(p.s));
	saw(recv_all_of_four(p.s));
}

CASE(recv__waitall_until_a_signal)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, recv_all_of_four, p.s, SYS_recvfrom);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(recv__waitall_without_waiting)
{
	struct pair p = pair_with("ab");
	char in[4];

	saw(recv(p.s, in, 4, MSG_WAITALL | MSG_DONTWAIT));
	saw(recv(p.s, in, 4, MSG_WAITALL | MSG_DONTWAIT));
}

CASE(recv__signal)
{
	struct pair p = pair();
	struct doing doing;

	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(recv__signal_restarts)
{
	struct pair p = pair();
	struct doing doing;

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	interrupt(&doing);
	if (sleeps(&doing, SYS_recvfrom))
		send(p.c, "x", 1, 0);
	saw(done(&doing));
}

CASE(recv__signal_with_rcvtimeo)
{
	struct pair p = pair();
	struct doing doing;

	on_signal(SIGUSR1, SA_RESTART);
	set_timeout(p.s, SO_RCVTIMEO, 60000);
	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(recv__oob)
{
	struct pair p = pair();
	char in;

	saw(recv(p.s, &in, 1, MSG_OOB));
	saw(recv(p.s, &in, 1, MSG_OOB | MSG_DONTWAIT | MSG_PEEK));
	saw(queued(p.s, SIOCATMARK));
	saw(recv(sock(1, 0), &in, 1, MSG_OOB));
}

CASE(recv__errqueue)
{
	struct pair p = pair();
	char in;

	saw(recv(p.s, &in, 1, MSG_ERRQUEUE));
	saw(recv(sock(1, 0), &in, 1, MSG_ERRQUEUE));
	reset(p.c);
	wait_until(p.s, POLLRDHUP);
	saw(recv(p.s, &in, 1, MSG_ERRQUEUE));
	saw_error(p.s);
}

CASE(recv__flags_nobody_knows)
{
	struct pair p = pair_with("abcdef");
	char in;

	saw(recv(p.s, &in, 1, MSG_MORE));
	saw(recv(p.s, &in, 1, MSG_CONFIRM));
	saw(recv(p.s, &in, 1, MSG_DONTROUTE));
	saw(recv(p.s, &in, 1, MSG_EOR));
	saw(recv(p.s, &in, 1, 0x00400000));
}

/* A fault loses nothing. */
CASE(recv__bad_pointer)
{
	struct pair p = pair_with("abc");
	char in[4];

	saw(recv(p.s, NULL, 3, 0));
	saw(recv(p.s, (void *)16, 3, MSG_PEEK));
	saw(recv(p.s, in, 4, 0));
	saw_bytes(in, 3);
}

/* A page that may be written, and one behind it that may not */
static char *edge(void)
{
	char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(pages != MAP_FAILED && !mprotect(pages + 4096, 4096, PROT_NONE),
	     "pages");
	return pages + 4096;
}

CASE(recv__bad_pointer_in_the_middle)
{
	struct pair p = pair_with("abcdef");
	char in[8];

	saw(recv(p.s, edge() - 3, 6, 0));
	saw(recv(p.s, in, 8, 0));
	saw_bytes(in, 6);
}

CASE(recv__bad_pointer_in_the_second_of_two)
{
	struct pair p = pair();
	char *end = edge();
	struct iovec iov[2] = { { end - 4, 4 }, { end, 4 } };
	char in[8];

	send(p.c, "abcdefgh", 8, 0);
	wait_arrived(p.s, 8);
	saw(readv(p.s, iov, 2));
	saw(recv(p.s, in, 8, 0));
}

/* A constant would be warned of. */
static volatile size_t huge = -1;

CASE(recv__lengths_that_are_too_large)
{
	struct pair p = pair_with("abc");
	char in[8];

	/* some kernels look no further than at where it begins */
	fcntl(p.s, F_SETFL, O_NONBLOCK);
	saw(recv(p.s, in, huge, 0));
	saw(recv(p.s, in, 1UL << 40, 0));
	saw(read(p.s, in, huge));
}

CASE(recv__address_is_not_given)
{
	struct sockaddr_storage from;
	struct pair p = pair_with("a");
	socklen_t len = sizeof(from);

	memset(&from, 0xee, sizeof(from));
	saw(recvfrom(p.s, scratch, 1, 0, (void *)&from, &len));
	note("%d %x", (int)len, from.ss_family);
}

CASE(recv__address_of_negative_length)
{
	struct sockaddr_storage from;
	struct pair p = pair_with("ab");
	socklen_t len = -1;

	saw(recvfrom(p.s, scratch, 1, 0, (void *)&from, &len));
	saw(recv(p.s, scratch, 2, 0));
}

CASE(recv__message_fields)
{
	struct sockaddr_storage from;
	char in[4], control[64];
	struct iovec iov = { in, 4 };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
		.msg_flags = -1,
	};
	struct pair p = pair_with("abcdef");

	for (int i = 0; i < 2; i++) {
		saw(recvmsg(p.s, &msg, i ? MSG_CMSG_CLOEXEC : 0));
		note("%d %d %x", msg.msg_namelen, (int)msg.msg_controllen,
		     msg.msg_flags);
		msg.msg_controllen = sizeof(control);
	}
	shutdown(p.c, SHUT_WR);
	saw(recvmsg(p.s, &msg, 0));
	note("%d %d %x", msg.msg_namelen, (int)msg.msg_controllen,
	     msg.msg_flags);
}

CASE(recv__lowat)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	set_int(p.s, SO_RCVLOWAT, 4);
	saw(recv(p.s, scratch, 8, MSG_DONTWAIT));
	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	go_to_sleep(&doing, recv_all_of_four, p.s, SYS_recvfrom);
	send(p.c, "cdefgh", 6, 0);
	saw(done(&doing));
}

CASE(recv__lowat_of_a_short_read)
{
	struct pair p = pair_with("ab");

	set_int(p.s, SO_RCVLOWAT, 4);
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

static long recv_eight(int fd)
{
	return recv(fd, scratch, 8, 0);
}

CASE(recv__lowat_waits)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	set_int(p.s, SO_RCVLOWAT, 4);
	go_to_sleep(&doing, recv_eight, p.s, SYS_recvfrom);
	send(p.c, "cdefgh", 6, 0);
	saw(done(&doing));
}

CASE(recv__lowat_at_the_end)
{
	struct pair p = pair_with("ab");
	struct doing doing;

	set_int(p.s, SO_RCVLOWAT, 4);
	go_to_sleep(&doing, recv_eight, p.s, SYS_recvfrom);
	shutdown(p.c, SHUT_WR);
	saw(done(&doing));
	saw(recv_eight(p.s));
}
