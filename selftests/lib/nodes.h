/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two nodes for tests of the socket interface: two network namespaces
 * without a name, which live as long as the test's process.
 *
 *   +-----------+              +-----------+
 *   |  node 1   |     veth     |  node 2   |
 *   |       p0 -+--------------+- p0       |
 *   +-----------+              +-----------+
 *
 * Both know a node 3, whose hardware address nobody has: it is silent.
 * No node 9 is known. nodes_add_ips() gives node n the IP addresses 10.80.0.n
 * and fd80::n, which the host table has, and 10.81.0.n and fd81::n, which it
 * has not; 10.80.0.3, the silent node's, is node 2's.
 */
#ifndef _SELFTESTS_NODES_H
#define _SELFTESTS_NODES_H

#include <sys/socket.h>
#include <linux/socket.h>
#include <linux/prp.h>
#include <stdbool.h>

#define NODE_SILENT 3
#define NODE_UNKNOWN 9
#define PORT 4000
#define PATIENCE_MS 10000 /* of connect(), and less than that of others */

struct nodes {
	int ns[3]; /* by node number; 0 is not used */
	int type; /* of sockets; 0 is SOCK_STREAM */
};

int nodes_make(struct nodes *nodes);
int nodes_hosts(const struct nodes *nodes, int nr, const char *text);
int nodes_access(const struct nodes *nodes, int nr, const char *port,
		 const char *node);
int nodes_memory(const struct nodes *nodes, int nr, const char *limit);
int nodes_sysctl(const struct nodes *nodes, int nr, const char *name,
		 const char *value);
int nodes_add_ips(const struct nodes *nodes);
void nodes_enter(const struct nodes *nodes, int nr);
int nodes_mtu(const struct nodes *nodes, int mtu);
int nodes_delay(const struct nodes *nodes, int ms);
int nodes_cut(const struct nodes *nodes);
int nodes_mend(const struct nodes *nodes);
int nodes_socket(const struct nodes *nodes, int nr, int flags);
int ip_mode_socket(int family, int type_flags);
int nodes_listen(const struct nodes *nodes, int nr, int port, int backlog);
int nodes_connect(const struct nodes *nodes, int from, int to, int port);
int nodes_pair(const struct nodes *nodes, int *client, int *server);
long nodes_counter(const struct nodes *nodes, int nr, const char *name);
bool nodes_wait_counter(const struct nodes *nodes, int nr, const char *name,
			long at_least);
bool nodes_wait_freed(const struct nodes *nodes);

struct sockaddr_prp prp_at(int node, int port);
short wait_events(int fd, short events);
short events_now(int fd);
bool wait_unread(int fd, int bytes);
bool wait_acked(int fd);
int sock_error(int fd);
bool send_all(int fd, const void *data, size_t len);
bool recv_all(int fd, void *data, size_t len);
bool wait_sleeps(pid_t pid);
long now_ms(void);

#endif
