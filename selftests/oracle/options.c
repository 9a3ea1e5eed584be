// SPDX-License-Identifier: GPL-2.0
/* Options of SOL_SOCKET: what is read back, and what has an effect. */
#include "oracle.h"

#include <linux/filter.h>

static long set(int fd, int name, int value)
{
	return setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value));
}

/* Unset, set, set to something odd, unset; before and after a connection */
static void toggle(int name)
{
	struct pair p;
	int fd = sock(1, 0);

	saw_option(fd, SOL_SOCKET, name);
	saw(set(fd, name, 1));
	saw_option(fd, SOL_SOCKET, name);
	saw(set(fd, name, 7));
	saw_option(fd, SOL_SOCKET, name);
	saw(set(fd, name, -1));
	saw_option(fd, SOL_SOCKET, name);
	saw(set(fd, name, 0));
	saw_option(fd, SOL_SOCKET, name);
	p = pair();
	saw(set(p.c, name, 1));
	saw_option(p.c, SOL_SOCKET, name);
}

#define OPTION(topic, option) \
	CASE(options__##topic) \
	{ \
		toggle(option); \
	}

OPTION(keepalive, SO_KEEPALIVE)
OPTION(reuseaddr, SO_REUSEADDR)
OPTION(reuseport, SO_REUSEPORT)
OPTION(broadcast, SO_BROADCAST)
OPTION(dontroute, SO_DONTROUTE)
OPTION(oobinline, SO_OOBINLINE)
OPTION(priority, SO_PRIORITY)
OPTION(mark, SO_MARK)
OPTION(rcvlowat, SO_RCVLOWAT)
OPTION(sndlowat, SO_SNDLOWAT)
OPTION(timestamp, SO_TIMESTAMP)
OPTION(timestampns, SO_TIMESTAMPNS)
OPTION(timestamping, SO_TIMESTAMPING)
OPTION(peek_off, SO_PEEK_OFF)
OPTION(zerocopy, SO_ZEROCOPY)
OPTION(busy_poll, SO_BUSY_POLL)
OPTION(prefer_busy_poll, SO_PREFER_BUSY_POLL)
OPTION(incoming_cpu, SO_INCOMING_CPU)
OPTION(max_pacing_rate, SO_MAX_PACING_RATE)
OPTION(passcred, SO_PASSCRED)
OPTION(passsec, SO_PASSSEC)
OPTION(no_check, SO_NO_CHECK)
OPTION(debug, SO_DEBUG)
OPTION(lock_filter, SO_LOCK_FILTER)
OPTION(select_err_queue, SO_SELECT_ERR_QUEUE)
OPTION(rxq_ovfl, SO_RXQ_OVFL)
OPTION(wifi_status, SO_WIFI_STATUS)
OPTION(nofcs, SO_NOFCS)
OPTION(buf_lock, SO_BUF_LOCK)
OPTION(txrehash, SO_TXREHASH)
OPTION(unknown, 1234)

CASE(options__type_and_acceptconn)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	saw_option(sock(1, 0), SOL_SOCKET, SO_TYPE);
	saw_option(sock(1, 0), SOL_SOCKET, SO_ACCEPTCONN);
	saw_option(p.s, SOL_SOCKET, SO_TYPE);
	saw_option(listening, SOL_SOCKET, SO_ACCEPTCONN);
	saw_option(p.s, SOL_SOCKET, SO_ACCEPTCONN);
	saw(shutdown(listening, SHUT_RD));
	saw_option(listening, SOL_SOCKET, SO_ACCEPTCONN);
	saw(set(p.s, SO_TYPE, 1));
	saw(set(p.s, SO_ACCEPTCONN, 1));
	saw(set(p.s, SO_ERROR, 1));
}

CASE(options__domain_and_protocol)
{
	int fd = sock(1, 0);

	saw_option(fd, SOL_SOCKET, SO_DOMAIN);
	saw_option(fd, SOL_SOCKET, SO_PROTOCOL);
}

CASE(options__buffers)
{
	int fd = sock(1, 0);

	saw(set(fd, SO_SNDBUF, 30000));
	saw_option(fd, SOL_SOCKET, SO_SNDBUF);
	saw(set(fd, SO_RCVBUF, 30000));
	saw_option(fd, SOL_SOCKET, SO_RCVBUF);
	saw(set(fd, SO_SNDBUF, 1));
	saw_option(fd, SOL_SOCKET, SO_SNDBUF);
	saw(set(fd, SO_RCVBUF, 0));
	saw_option(fd, SOL_SOCKET, SO_RCVBUF);
	saw(set(fd, SO_SNDBUF, -1));
	saw(set(fd, SO_RCVBUF, -1));
	saw(set(fd, SO_SNDBUFFORCE, 3000000));
	saw_option(fd, SOL_SOCKET, SO_SNDBUF);
	saw(set(fd, SO_RCVBUFFORCE, 3000000));
	saw_option(fd, SOL_SOCKET, SO_RCVBUF);
}

/* A smaller buffer loses nothing of what is in it. */
CASE(options__smaller_buffers_with_data)
{
	static char out[40000];
	struct pair p = pair();

	saw(send(p.c, out, sizeof(out), 0));
	wait_arrived(p.s, sizeof(out));
	saw(set(p.s, SO_RCVBUF, 1));
	saw(set(p.c, SO_SNDBUF, 1));
	saw(drain(p.s, sizeof(out)));
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
}

CASE(options__linger)
{
	struct linger linger = { .l_onoff = 5, .l_linger = 7 };
	socklen_t len = sizeof(linger);
	int fd = sock(1, 0);

	saw(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, len));
	saw(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	note("%d %d", linger.l_onoff, linger.l_linger);
	saw(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, 4));
	linger.l_linger = -1;
	saw(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, len));
	len = 4;
	saw(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	note("%d", (int)len);
}

CASE(options__timeouts)
{
	struct timeval tv = { 1, 500000 };
	socklen_t len = sizeof(tv);
	int fd = sock(1, 0);

	saw(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, len));
	memset(&tv, 0, len);
	saw(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len));
	note("%ld.%06ld", (long)tv.tv_sec, (long)tv.tv_usec);
	tv.tv_usec = 1000000;
	saw(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, len));
	tv.tv_usec = -1;
	saw(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, len));
	saw(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, 8));
	tv = (struct timeval){ .tv_sec = -1 };
	saw(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, len));
	saw(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len));
	note("%ld", (long)tv.tv_sec);
}

CASE(options__set_lengths)
{
	static const int lengths[] = { 0, 1, 3, 4, 5, 8, 4096, -1 };
	char value[4096] = { 1 };
	int fd = sock(1, 0);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		saw(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, value,
			       lengths[i]));
	saw(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, NULL, 4));
	saw(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, (void *)16, 4));
}

CASE(options__get_lengths)
{
	static const int lengths[] = { 0, 1, 3, 4, 5, 8, 4096, -1 };
	int fd = sock(1, 0);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		socklen_t len = lengths[i];
		char value[4096];

		saw(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, value, &len));
		note("%d", (int)len);
	}
	saw(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, scratch, NULL));
	saw(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, NULL, &(socklen_t){ 4 }));
}

CASE(options__levels_of_others)
{
	static const int levels[] = {
		-1, 0x7fffffff, IPPROTO_UDP, 132, 270, 280
	};
	int fd = sock(1, 0), value = 1;
	socklen_t len = 4;

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		saw(setsockopt(fd, levels[i], 1, &value, sizeof(value)));
		saw(getsockopt(fd, levels[i], 1, &value, &len));
	}
}

CASE(options__peercred)
{
	struct ucred cred = {};
	socklen_t len = sizeof(cred);
	struct pair p = pair();

	saw(getsockopt(p.c, SOL_SOCKET, SO_PEERCRED, &cred, &len));
	note("%d %d %d", (int)cred.pid, (int)cred.uid, (int)cred.gid);
}

CASE(options__peername)
{
	struct at name = { .len = sizeof(name.to) };
	struct pair p = pair();

	saw(getsockopt(p.c, SOL_SOCKET, SO_PEERNAME, &name.to, &name.len));
	saw_address(&name.to, name.len);
	name.len = 4;
	saw(getsockopt(p.c, SOL_SOCKET, SO_PEERNAME, &name.to, &name.len));
}

CASE(options__cookie)
{
	uint64_t one = 0, two = 0;
	socklen_t len = 8;
	struct pair p = pair();

	saw(getsockopt(p.c, SOL_SOCKET, SO_COOKIE, &one, &len));
	saw(getsockopt(p.s, SOL_SOCKET, SO_COOKIE, &two, &len));
	note("%s", one && two && one != two ? "differ" : "equal");
	len = 4;
	saw(getsockopt(p.c, SOL_SOCKET, SO_COOKIE, &one, &len));
	saw(getsockopt(p.c, SOL_SOCKET, SO_NETNS_COOKIE, &one, &len));
}

CASE(options__meminfo)
{
	uint32_t info[32] = {};
	socklen_t len = sizeof(info);
	struct pair p = pair();

	saw(getsockopt(p.c, SOL_SOCKET, SO_MEMINFO, info, &len));
	note("%d", (int)len);
}

CASE(options__bindtodevice)
{
	char name[16] = "";
	socklen_t len = sizeof(name);
	int fd = sock(1, 0);

	saw(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "none", 4));
	saw(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "p0", 2));
	saw(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &len));
	note("%s %d", name, (int)len);
	saw(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "", 0));
	len = sizeof(name);
	saw(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &len));
	note("%d", (int)len);
}

CASE(options__filter)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, -1);
	struct sock_fprog program = { 1, &all };
	struct pair p = pair();
	int fd = sock(1, 0);

	saw(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		       sizeof(program)));
	saw(set(fd, SO_DETACH_FILTER, 0));
	saw(set(fd, SO_DETACH_FILTER, 0));
	saw(setsockopt(p.c, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		       sizeof(program)));
	saw(setsockopt(p.c, SOL_SOCKET, SO_ATTACH_FILTER, &program, 1));
}

/* ---- those with an effect on what is received ---- */

/* The types of the control messages that come with data, and the flags */
static void saw_control(int fd)
{
	char in[64], control[256];
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	saw(recvmsg(fd, &msg, 0));
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
		note("%d:%d:%d", cmsg->cmsg_level, cmsg->cmsg_type,
		     (int)cmsg->cmsg_len);
	note("flags %x", msg.msg_flags);
}

static void receive_with(int name, int value)
{
	struct pair p = pair();

	saw(set(p.s, name, value));
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	saw_control(p.s);
	saw(set(p.s, name, 0));
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	saw_control(p.s);
}

CASE(receive__timestamp)
{
	receive_with(SO_TIMESTAMP, 1);
}

CASE(receive__timestampns)
{
	receive_with(SO_TIMESTAMPNS, 1);
}

CASE(receive__timestamping)
{
	receive_with(SO_TIMESTAMPING, 1 << 3 | 1 << 4);
}

CASE(receive__timestamp_without_room)
{
	char in[8];
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct pair p = pair();

	saw(set(p.s, SO_TIMESTAMP, 1));
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	saw(recvmsg(p.s, &msg, 0));
	note("flags %x", msg.msg_flags);
}

CASE(receive__end_of_record)
{
	struct pair p = pair();

	saw(send(p.c, "ab", 2, MSG_EOR));
	saw(send(p.c, "cd", 2, MSG_EOR));
	wait_arrived(p.s, 4);
	saw_control(p.s);
}

CASE(receive__peek_off)
{
	struct pair p = pair();
	char in[8];

	saw(set(p.s, SO_PEEK_OFF, 2));
	saw_option(p.s, SOL_SOCKET, SO_PEEK_OFF);
	send(p.c, "abcdef", 6, 0);
	wait_arrived(p.s, 6);
	saw(recv(p.s, in, 2, MSG_PEEK));
	saw_bytes(in, 2);
	saw(recv(p.s, in, 2, MSG_PEEK));
	saw_bytes(in, 2);
	saw_option(p.s, SOL_SOCKET, SO_PEEK_OFF);
	saw(recv(p.s, in, 2, 0));
	saw_option(p.s, SOL_SOCKET, SO_PEEK_OFF);
}

CASE(receive__error_queue_of_timestamps)
{
	struct pair p = pair();

	saw(set(p.c, SO_TIMESTAMPING, 1 << 1 | 1 << 4));
	send(p.c, "x", 1, 0);
	wait_acked(p.c);
	saw_events(p.c);
	saw_error(p.c);
}

CASE(receive__lowat_larger_than_the_buffer)
{
	struct pair p = pair();

	saw(set(p.s, SO_RCVBUF, 8192));
	saw(set(p.s, SO_RCVLOWAT, 1 << 30));
	saw_option(p.s, SOL_SOCKET, SO_RCVBUF);
	saw_events(p.s);
}

CASE(receive__keepalive_leaves_it_alone)
{
	struct pair p = pair();

	saw(set(p.c, SO_KEEPALIVE, 1));
	saw(set(p.s, SO_KEEPALIVE, 1));
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
	saw_option(p.c, SOL_SOCKET, SO_KEEPALIVE);
}
