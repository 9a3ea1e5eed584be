// SPDX-License-Identifier: GPL-2.0
/* Options of IPPROTO_TCP and IPPROTO_IP, which the IP mode has. */
#include "oracle.h"

#include <linux/net_tstamp.h>

static long set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* What is read of an option after each value, before and in a connection */
static void values(int level, int name, int one, int two)
{
	const int all[] = { one, two, 0, -1, 1 << 30 };
	struct pair p;
	int fd = sock(1, 0);

	for (int i = 0; i < 5; i++) {
		saw(set(fd, level, name, all[i]));
		saw_option(fd, level, name);
	}
	p = pair();
	note("connected:");
	saw(set(p.c, level, name, one));
	saw_option(p.c, level, name);
	saw(set(p.c, level, name, two));
	saw_option(p.c, level, name);
}

#define TCP_OPTION(topic, option, one, two) \
	CASE_OF_IP(tcp__##topic) \
	{ \
		values(IPPROTO_TCP, option, one, two); \
	}

#define IP_OPTION(topic, option, one, two) \
	CASE_OF_IP(ip__##topic) \
	{ \
		values(IPPROTO_IP, option, one, two); \
	}

TCP_OPTION(nodelay, TCP_NODELAY, 1, 2)
TCP_OPTION(cork, TCP_CORK, 1, 2)
TCP_OPTION(quickack, TCP_QUICKACK, 1, 1)
TCP_OPTION(user_timeout, TCP_USER_TIMEOUT, 5000, 50)
TCP_OPTION(keepidle, TCP_KEEPIDLE, 60, 40000)
TCP_OPTION(keepintvl, TCP_KEEPINTVL, 60, 40000)
TCP_OPTION(keepcnt, TCP_KEEPCNT, 5, 200)
TCP_OPTION(syncnt, TCP_SYNCNT, 3, 200)
TCP_OPTION(linger2, TCP_LINGER2, 10, 200)
TCP_OPTION(defer_accept, TCP_DEFER_ACCEPT, 3, 5)
TCP_OPTION(window_clamp, TCP_WINDOW_CLAMP, 30000, 10)
TCP_OPTION(notsent_lowat, TCP_NOTSENT_LOWAT, 10000, 1)
TCP_OPTION(fastopen, TCP_FASTOPEN, 5, 1)
TCP_OPTION(thin_linear, TCP_THIN_LINEAR_TIMEOUTS, 1, 2)
TCP_OPTION(save_syn, TCP_SAVE_SYN, 1, 3)
TCP_OPTION(tx_delay, TCP_TX_DELAY, 0, 0)
TCP_OPTION(unknown, 999, 1, 2)

IP_OPTION(tos, IP_TOS, 0x10, 0xb8)
IP_OPTION(ttl, IP_TTL, 64, 1)
IP_OPTION(mtu_discover, IP_MTU_DISCOVER, 0, 2)
IP_OPTION(recvtos, IP_RECVTOS, 1, 0)
IP_OPTION(freebind, IP_FREEBIND, 1, 0)
IP_OPTION(transparent, IP_TRANSPARENT, 1, 0)
IP_OPTION(bind_address_no_port, IP_BIND_ADDRESS_NO_PORT, 1, 0)
IP_OPTION(recverr, IP_RECVERR, 1, 0)
IP_OPTION(minttl, IP_MINTTL, 5, 0)

CASE_OF_IP(tcp__maxseg_before)
{
	int fd = sock(1, 0);

	saw_option(fd, IPPROTO_TCP, TCP_MAXSEG);
	saw(set(fd, IPPROTO_TCP, TCP_MAXSEG, 1000));
	saw_option(fd, IPPROTO_TCP, TCP_MAXSEG);
	saw(set(fd, IPPROTO_TCP, TCP_MAXSEG, 1));
}

CASE_OF_IP(tcp__maxseg_connected)
{
	struct pair p = pair();
	int value = 0;
	socklen_t len = sizeof(value);

	saw(getsockopt(p.c, IPPROTO_TCP, TCP_MAXSEG, &value, &len));
	note("%s", value > 1300 && value < 1500 ? "of the MTU" : "other");
}

CASE_OF_IP(tcp__congestion)
{
	char name[16] = "";
	socklen_t len = sizeof(name);
	struct pair p = pair();

	saw(setsockopt(p.c, IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_CONGESTION, name, &len));
	note("%s %d", name, (int)len);
	saw(setsockopt(p.c, IPPROTO_TCP, TCP_CONGESTION, "none such", 9));
	len = 3;
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_CONGESTION, name, &len));
	note("%d", (int)len);
}

/* What a server sets on its listener, its children have. */
CASE_OF_IP(tcp__options_are_inherited)
{
	static const int names[] = {
		TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL,
		TCP_KEEPCNT, TCP_LINGER2,  TCP_USER_TIMEOUT,
		TCP_SYNCNT,  TCP_QUICKACK, TCP_NOTSENT_LOWAT,
	};
	int listening = listener(0, 5);
	struct pair p;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		saw(set(listening, IPPROTO_TCP, names[i], 1));
	p = pair_of(listening, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		saw_option(p.s, IPPROTO_TCP, names[i]);
}

CASE_OF_IP(tcp__congestion_is_inherited)
{
	char name[16] = "";
	socklen_t len = sizeof(name);
	int listening = listener(0, 5);
	struct pair p;

	saw(setsockopt(listening, IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
	p = pair_of(listening, 0);
	saw(getsockopt(p.s, IPPROTO_TCP, TCP_CONGESTION, name, &len));
	note("%s", name);
}

CASE_OF_IP(ip__options_are_inherited)
{
	int listening = listener(0, 5);
	struct pair p;

	saw(set(listening, IPPROTO_IP, IP_TOS, 0x10));
	saw(set(listening, IPPROTO_IP, IP_TTL, 33));
	p = pair_of(listening, 0);
	saw_option(p.s, IPPROTO_IP, IP_TOS);
	saw_option(p.s, IPPROTO_IP, IP_TTL);
}

/* The last value that was taken, in as many bytes as it was given in; what a
 * child sets is its own.
 */
CASE_OF_IP(ip__last_option_is_inherited)
{
	char name[16] = "";
	socklen_t len = sizeof(name);
	int listening = listener(0, 5);
	unsigned char tos = 0x08;
	struct pair p, other;

	saw(set(listening, IPPROTO_IP, IP_TTL, 33));
	saw(set(listening, IPPROTO_IP, IP_TTL, 300));
	saw(set(listening, IPPROTO_IP, IP_TOS, 0x10));
	saw(setsockopt(listening, IPPROTO_IP, IP_TOS, &tos, 1));
	saw(set(listening, IPPROTO_TCP, TCP_SYNCNT, 3));
	saw(set(listening, IPPROTO_TCP, TCP_SYNCNT, 127));
	saw(set(listening, IPPROTO_TCP, TCP_SYNCNT, 128));
	saw(setsockopt(listening, IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
	saw(setsockopt(listening, IPPROTO_TCP, TCP_CONGESTION, "none", 4));
	p = pair_of(listening, 0);
	saw(set(p.s, IPPROTO_IP, IP_TTL, 44));
	saw_option(p.s, IPPROTO_IP, IP_TTL);
	other = pair_of(listening, 0);
	saw_option(other.s, IPPROTO_IP, IP_TTL);
	saw_option(other.s, IPPROTO_IP, IP_TOS);
	saw_option(other.s, IPPROTO_TCP, TCP_SYNCNT);
	saw(getsockopt(other.s, IPPROTO_TCP, TCP_CONGESTION, name, &len));
	note("%s", name);
}

/* IP_TOS sets the priority, unless it is as before; nothing else does. */
static void priority_of_tos(int fd)
{
	saw(set(fd, IPPROTO_IP, IP_TOS, 0x10));
	saw_option(fd, SOL_SOCKET, SO_PRIORITY);
	saw(set(fd, SOL_SOCKET, SO_PRIORITY, 3));
	saw(set(fd, IPPROTO_IP, IP_TOS, 0x10));
	saw(set(fd, IPPROTO_IP, IP_TTL, 33));
	saw_option(fd, SOL_SOCKET, SO_PRIORITY);
	saw(set(fd, IPPROTO_IP, IP_TOS, 0x300));
	saw_option(fd, SOL_SOCKET, SO_PRIORITY);
	saw(set(fd, IPPROTO_IP, IP_TOS, 0));
	saw_option(fd, SOL_SOCKET, SO_PRIORITY);
}

CASE_OF_IP(ip__tos_sets_the_priority)
{
	struct pair p = pair();

	priority_of_tos(p.c);
	priority_of_tos(p.s);
}

/* Options that were set before are there when it is connected. */
CASE_OF_IP(tcp__options_survive_connect)
{
	static const int names[] = {
		TCP_NODELAY, TCP_KEEPIDLE,     TCP_KEEPCNT,
		TCP_LINGER2, TCP_USER_TIMEOUT, TCP_SYNCNT,
	};
	int fd = sock(1, 0);

	listener(0, 5);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		saw(set(fd, IPPROTO_TCP, names[i], 1));
	saw(set(fd, IPPROTO_IP, IP_TOS, 0x10));
	saw(connect_to(fd, 2, 0));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		saw_option(fd, IPPROTO_TCP, names[i]);
	saw_option(fd, IPPROTO_IP, IP_TOS);
}

CASE_OF_IP(tcp__set_lengths)
{
	static const int lengths[] = { 0, 1, 3, 4, 5, 8, 4096, -1 };
	char value[4096] = { 1 };
	struct pair p = pair();

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		saw(setsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, value,
			       lengths[i]));
	saw(setsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, NULL, 4));
	saw(setsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, (void *)16, 4));
	saw(setsockopt(p.c, IPPROTO_IP, IP_TOS, value, 1));
	saw(setsockopt(p.c, IPPROTO_IP, IP_TOS, value, 0));
}

CASE_OF_IP(tcp__get_lengths)
{
	static const int lengths[] = { 0, 1, 3, 4, 5, 8, 4096, -1 };
	struct pair p = pair();

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		socklen_t len = lengths[i];
		char value[4096];

		saw(getsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, value, &len));
		note("%d", (int)len);
	}
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, NULL, &(socklen_t){ 4 }));
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, scratch, NULL));
}

static void saw_state(int fd)
{
	struct tcp_info info = { .tcpi_state = 99 };
	socklen_t len = sizeof(info);

	saw(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len));
	note("state%d", info.tcpi_state);
}

CASE_OF_IP(tcp__info_states)
{
	struct pair p;

	saw_state(sock(1, 0));
	saw_state(listener(1, 5));
	p = pair();
	saw_state(p.c);
	saw_state(p.s);
	reset(p.c);
	wait_until(p.s, 0);
	saw_state(p.s);
}

CASE_OF_IP(tcp__info_states_of_the_end)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_state(p.s);
	shutdown(p.s, SHUT_WR);
	wait_until(p.c, 0);
	wait_until(p.s, 0);
	saw_state(p.s);
}

CASE_OF_IP(tcp__info_of_a_connection_that_waits)
{
	int fd = connecting();

	saw_state(fd);
}

CASE_OF_IP(tcp__info_counts_bytes)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);
	struct pair p = pair();

	send(p.c, "abcde", 5, 0);
	wait_acked(p.c);
	wait_arrived(p.s, 5);
	saw(getsockopt(p.s, IPPROTO_TCP, TCP_INFO, &info, &len));
	note("%d", (int)info.tcpi_bytes_received);
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_INFO, &info, &len));
	note("%d", (int)info.tcpi_bytes_sent);
	note("%d", (int)info.tcpi_notsent_bytes);
}

CASE_OF_IP(tcp__info_lengths)
{
	struct tcp_info info;
	struct pair p = pair();
	socklen_t len = 1;

	saw(getsockopt(p.c, IPPROTO_TCP, TCP_INFO, &info, &len));
	note("%d", (int)len);
	len = 0;
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_INFO, &info, &len));
	note("%d", (int)len);
	len = sizeof(info);
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_INFO, (void *)16, &len));
}

/* TCP_INQ: how much there is comes with the data. */
CASE_OF_IP(tcp__inq)
{
	char in[2], control[64];
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct pair p = pair();
	struct cmsghdr *cmsg;

	saw(set(p.s, IPPROTO_TCP, TCP_INQ, 1));
	saw_option(p.s, IPPROTO_TCP, TCP_INQ);
	send(p.c, "abcdef", 6, 0);
	wait_arrived(p.s, 6);
	saw(recvmsg(p.s, &msg, 0));
	cmsg = CMSG_FIRSTHDR(&msg);
	note("%d", cmsg ? *(int *)CMSG_DATA(cmsg) : -1);
}

CASE_OF_IP(tcp__inq_is_inherited)
{
	int listening = listener(0, 5), fd;

	saw(set(listening, IPPROTO_TCP, TCP_INQ, 1));
	connected(0);
	fd = accept(listening, NULL, NULL);
	saw_option(fd, IPPROTO_TCP, TCP_INQ);
	saw(set(fd, IPPROTO_TCP, TCP_INQ, 2));
	saw(set(fd, IPPROTO_TCP, TCP_INQ, -1));
	saw_option(fd, IPPROTO_TCP, TCP_INQ);
}

CASE_OF_IP(tcp__cork_holds_back)
{
	struct pair p = pair();
	char in[4];

	saw(set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	saw(send(p.c, "ab", 2, 0));
	saw(send(p.c, "cd", 2, 0));
	saw(set(p.c, IPPROTO_TCP, TCP_CORK, 0));
	saw(recv(p.s, in, 4, MSG_WAITALL));
	saw_bytes(in, 4);
}

CASE_OF_IP(tcp__cork_and_the_end)
{
	struct pair p = pair();

	saw(set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	saw(send(p.c, "ab", 2, 0));
	saw(shutdown(p.c, SHUT_WR));
	saw(recv(p.s, scratch, 4, MSG_WAITALL));
}

CASE_OF_IP(tcp__notsent_lowat_bounds_poll)
{
	struct pair p = small_pair();

	saw(set(p.c, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 1));
	fill(p.c);
	saw_events(p.c);
	saw_option(p.c, IPPROTO_TCP, TCP_NOTSENT_LOWAT);
}

/* Notes of what is sent are TCP's. */
CASE_OF_IP(tcp__timestamping_with_ids)
{
	const int ids = SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_RX_SOFTWARE;
	struct pair p = pair();

	saw(set(p.c, SOL_SOCKET, SO_TIMESTAMPING, ids));
	saw(set(p.s, SOL_SOCKET, SO_TIMESTAMPING, ids));
}

CASE_OF_IP(tcp__ulp)
{
	struct pair p = pair();

	saw(setsockopt(p.c, IPPROTO_TCP, TCP_ULP, "none", 4));
	saw(getsockopt(p.c, IPPROTO_TCP, TCP_ULP, scratch, &(socklen_t){ 16 }));
}

/* What was refused must have no effect. */
CASE_OF_IP(tcp__refused_options_change_nothing)
{
	int fd = sock(1, 0);

	listener(0, 5);
	saw(setsockopt(fd, IPPROTO_TCP, TCP_ULP, "none", 4));
	saw(setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, "", 1));
	saw(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "", 1));
	saw(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, "", 1));
	saw(connect_to(fd, 2, 0));
	note("%s", as_asked(fd) ? "as asked" : "by another");
}

CASE_OF_IP(tcp__defer_accept_waits_for_data)
{
	int fd = listener(0, 5), client;

	saw(set(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1));
	client = connected(0);
	saw(send(client, "x", 1, 0));
	saw_these(wait_until(fd, POLLIN));
	saw(accept_one(fd));
}

CASE_OF_IP(ip__mtu)
{
	struct pair p = pair();

	saw_option(sock(1, 0), IPPROTO_IP, IP_MTU);
	saw_option(p.c, IPPROTO_IP, IP_MTU);
}

CASE_OF_IP(ip__local_port_range)
{
	saw_option(sock(1, 0), IPPROTO_IP, 51);
}
