/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two ends that prp_xfer and prp_pingpong are made of: one process in
 * each of two network namespaces, or one on each of two machines, over PRP or
 * TCP.
 */
#ifndef _SELFTESTS_ENDS_H
#define _SELFTESTS_ENDS_H

#include <netinet/in.h>
#include <linux/socket.h>
#include <linux/prp.h>
#include <stdbool.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Which ends this program makes */
enum ends_here { ENDS_BOTH, ENDS_CLIENT, ENDS_SERVER };

/**
 * struct ends - who talks to whom over what
 * @here: the ends that are made here, the other one is on another machine
 * @client_ns: name of the namespace that connects, - is this one
 * @server_ns: the other
 * @address: of the server: node number or IPv4 address
 * @port: of the server
 * @from: port that the client binds, 0 for any
 * @tcp: TCP instead of PRP
 * @sndbuf: SO_SNDBUF of all sockets, 0 leaves it
 * @rcvbuf: SO_RCVBUF of all sockets, 0 leaves it
 * @max_rate: SO_MAX_PACING_RATE in bytes a second, 0 leaves it
 * @busy_us: SO_BUSY_POLL, 0 leaves it
 * @user_timeout: PRP_USER_TIMEOUT in ms, 0 leaves it
 * @checksum: PRP_CHECKSUM
 * @nodelay: PRP_NODELAY
 * @gathers: TCP without TCP_NODELAY, which it has else
 * @messages: SOCK_SEQPACKET instead of SOCK_STREAM
 */
struct ends {
	enum ends_here here;
	const char *client_ns;
	const char *server_ns;
	const char *address;
	int port;
	int from;
	bool tcp;
	int sndbuf;
	int rcvbuf;
	int max_rate;
	int busy_us;
	unsigned int user_timeout;
	bool checksum;
	bool nodelay;
	bool gathers;
	bool messages;
};

/* What getopt() gives to ends_option() */
#define ENDS_OPTIONS "o:c:s:a:p:b:tgDB:R:M:Y:T:KQ"
#define ENDS_USAGE \
	"[-o client|server, only this end] [-c NETNS] [-s NETNS]\n" \
	"\t-a ADDRESS [-p PORT] [-b CLIENT'S PORT] [-t [-g]] [-D] [-B SNDBUF]\n" \
	"\t[-R RCVBUF] [-M MAX_PACING_RATE] [-Y BUSY_POLL_US]\n" \
	"\t[-T USER_TIMEOUT_MS] [-K checksum]\n" \
	"\t[-Q messages]"
#define ENDS_READY "ready\n"

bool ends_option(struct ends *ends, int option, char *arg);
bool ends_complete(const struct ends *ends);
int ends_listen(const struct ends *ends, int backlog);
int ends_connect(const struct ends *ends);
int ends_accept(const struct ends *ends, int listener);
int ends_port(int fd, bool peer);
void ends_ready(int fd);
void ends_wait_ready(int fd);
void ends_info(const struct ends *ends, int fd, struct prp_info *info);
void ends_info_add(struct prp_info *sum, const struct prp_info *one);
void ends_info_print(const char *who, const struct prp_info *info);
uint64_t now_ns(void);
void read_all(int fd, void *to, size_t len);
void write_all(int fd, const void *from, size_t len);

#endif
