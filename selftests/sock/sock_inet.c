// SPDX-License-Identifier: GPL-2.0
/*
 * The IP mode: who carries a connection, and that programs see what they see
 * with TCP.
 */
#include "inet.h"
#include "bpf.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define LONG_WAY_MS 60 /* one way: TCP begins before PRP is answered */

TEST_F(inet, inet__known_peer_is_reached_over_prp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int server;

	ASSERT_LE(0, client);
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_EQ(PRP_PATH_PRP, path_of(server));
	ASSERT_TRUE(talk(client, server));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_prp_out"));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "ip_prp_in"));
}

static struct tcp_info listener_info(int fd)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	return info;
}

/* How many wait for accept(), and how many may, as TCP tells it */
TEST_F(inet, inet__queue_of_a_listener_is_told)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	static const char *const to[] = { KNOWN, KNOWN, UNKNOWN };
	struct tcp_info info;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ASSERT_LE(0, ip_client(&self->nodes, to[i], PORT));
		while (listener_info(listener).tcpi_unacked != i + 1)
			usleep(1000);
	}
	info = listener_info(listener);
	ASSERT_EQ(10, info.tcpi_state); /* TCP_LISTEN */
	ASSERT_EQ(5, info.tcpi_sacked);
	ASSERT_LE(0, accept(listener, NULL, NULL));
	ASSERT_EQ(2, listener_info(listener).tcpi_unacked);
}

/* Where its last segment was received */
TEST_F(inet, inet__processor_is_told)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int server = accept(listener, NULL, NULL);
	int count = sysconf(_SC_NPROCESSORS_CONF);

	ASSERT_EQ(PRP_PATH_PRP, path_of(server));
	ASSERT_LE(0, get_int(server, SOL_SOCKET, SO_INCOMING_CPU));
	ASSERT_GT(count, get_int(server, SOL_SOCKET, SO_INCOMING_CPU));
	ASSERT_TRUE(talk(client, server));
	ASSERT_LE(0, get_int(client, SOL_SOCKET, SO_INCOMING_CPU));
	ASSERT_GT(count, get_int(client, SOL_SOCKET, SO_INCOMING_CPU));
}

TEST_F(inet, inet__unknown_peer_is_reached_over_tcp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, UNKNOWN, PORT);
	int server;

	ASSERT_LE(0, client);
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_EQ(PRP_PATH_TCP, path_of(server));
	ASSERT_TRUE(talk(client, server));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "requests_out"));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_tcp_unknown"));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "ip_tcp_in"));
}

TEST_F(inet, inet__loopback_is_tcps)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, ip_connect(client, "127.0.0.1", PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__own_address_goes_over_prp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_EQ(0, ip_connect(client, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__server_of_tcp_is_reached_over_tcp)
{
	int listener = ip_listen_on(tcp_socket(&self->nodes, 2, KNOWN),
				    "0.0.0.0", PORT, 5);
	int client = ip_client(&self->nodes, KNOWN, PORT);

	ASSERT_LE(0, client);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_tcp_refused"));
}

/* The firewall says who may come that way. */
/* Clients come until PRP carries one: for a moment it is remembered that TCP
 * had to. Return: false if one cannot connect at all.
 */
static bool served_by_prp_again(const struct nodes *nodes, int listener)
{
	int client;

	do {
		client = ip_client(nodes, KNOWN, PORT);
		if (client < 0)
			return false;
		close(accept(listener, NULL, NULL));
	} while (path_of(client) != PRP_PATH_PRP);
	return true;
}

TEST_F(inet, inet__refused_by_the_accept_list_is_reached_over_tcp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client;

	ASSERT_EQ(0, nodes_access(&self->nodes, 2, "4000", "3"));
	client = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_LE(0, client);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "drop_denied"));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_tcp_denied"));
	ASSERT_EQ(0, nodes_access(&self->nodes, 2, "4000", "1"));
	ASSERT_TRUE(served_by_prp_again(&self->nodes, listener));
}

TEST_F(inet, inet__client_of_tcp_is_served)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = tcp_socket(&self->nodes, 1, KNOWN);

	ASSERT_EQ(0, ip_connect(client, KNOWN, PORT));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
}

/* PRP asks a silent node again so often in 515 ms. It would do so for a second
 * if TCP did not try, too. A busy machine may be as late, but not each time.
 */
#define REPEATS_ALONE 7

TEST_F(inet, inet__silent_node_costs_little)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	const char *again = "requests_retransmitted";
	long repeats, asked;
	int client;

	do {
		repeats = nodes_counter(&self->nodes, 1, again);
		client = ip_client(&self->nodes, SILENT, PORT);
		ASSERT_LE(0, client);
		ASSERT_EQ(PRP_PATH_TCP, path_of(client));
		ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
		ASSERT_LE(1, nodes_counter(&self->nodes, 1, "ip_tcp_silent"));
		ASSERT_EQ(PRP_WHY_SILENT, why_of(client).prpw_reason);
		repeats = nodes_counter(&self->nodes, 1, again) - repeats;
	} while (why_of(client).prpw_remembered || repeats >= REPEATS_ALONE);
	/* PRP has asked more than once by then, and nobody else does soon */
	ASSERT_LE(3, repeats);
	do {
		asked = nodes_counter(&self->nodes, 1, "requests_out");
		client = ip_client(&self->nodes, SILENT, PORT);
		ASSERT_EQ(PRP_WHY_SILENT, why_of(client).prpw_reason);
		close(accept(listener, NULL, NULL));
	} while (!why_of(client).prpw_remembered);
	ASSERT_EQ(asked, nodes_counter(&self->nodes, 1, "requests_out"));
	ASSERT_LE(1, nodes_counter(&self->nodes, 1, "ip_tcp_remembered"));
}

/* TCP says it: PRP's patience does not matter. */
TEST_F(inet, inet__nobody_listens_on_a_silent_node)
{
	const char *again = "requests_retransmitted";
	long repeats, asked;

	do {
		int fd = ip_socket(&self->nodes, 1, SILENT, 0);

		asked = nodes_counter(&self->nodes, 1, "requests_out");
		repeats = nodes_counter(&self->nodes, 1, again);
		ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, SILENT, PORT));
		ASSERT_EQ(0, sock_error(fd));
		close(fd);
		repeats = nodes_counter(&self->nodes, 1, again) - repeats;
	} while (nodes_counter(&self->nodes, 1, "requests_out") == asked ||
		 repeats >= REPEATS_ALONE);
}

TEST_F(inet, inet__silent_node_is_asked_again)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd;

	ASSERT_LE(0, listener);
	ASSERT_LE(0, ip_client(&self->nodes, SILENT, PORT));
	do {
		fd = ip_client(&self->nodes, SILENT, PORT);
		ASSERT_LE(0, fd);
		close(fd);
		close(accept(listener, NULL, NULL));
	} while (nodes_counter(&self->nodes, 1, "requests_out") < 2 ||
		 nodes_counter(&self->nodes, 1, "ip_tcp_remembered") < 2);
}

/* A node that speaks is asked at once. */
TEST_F(inet, inet__silence_is_forgotten)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int there = nodes_listen(&self->nodes, 1, PORT, 5);
	int client;

	ASSERT_LE(0, listener);
	ASSERT_LE(0, there);
	/* node 2 does not know node 1 yet */
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 2,
				 "2 n2 02:50:52:50:00:02 10.80.0.2\n"));
	client = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_EQ(PRP_WHY_SILENT, why_of(client).prpw_reason);
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 2,
				 "1 n1 02:50:52:50:00:01 10.80.0.1\n"
				 "2 n2 02:50:52:50:00:02 10.80.0.2\n"));
	ASSERT_LE(0, nodes_connect(&self->nodes, 2, 1, PORT));
	client = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
}

/* Who was refused by PRP and served by TCP does without PRP for a moment; then
 * it is asked again.
 */
TEST_F(inet, inet__refusal_is_remembered_for_a_moment)
{
	int tcp = ip_listen_on(tcp_socket(&self->nodes, 2, KNOWN), "0.0.0.0",
			       PORT, 5);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int listener;
	long asked;

	ASSERT_EQ(PRP_WHY_REFUSED, why_of(client).prpw_reason);
	ASSERT_EQ(0, why_of(client).prpw_remembered);
	/* a moment is longer each time, and no machine too slow for all */
	do {
		asked = nodes_counter(&self->nodes, 1, "requests_out");
		close(client);
		close(accept(tcp, NULL, NULL));
		client = ip_client(&self->nodes, KNOWN, PORT);
		ASSERT_EQ(PRP_WHY_REFUSED, why_of(client).prpw_reason);
	} while (!why_of(client).prpw_remembered);
	ASSERT_EQ(asked, nodes_counter(&self->nodes, 1, "requests_out"));
	close(tcp);
	listener = ip_listen(&self->nodes, "0.0.0.0", PORT + 1);
	/* that is of the port alone */
	ASSERT_EQ(PRP_PATH_PRP,
		  path_of(ip_client(&self->nodes, KNOWN, PORT + 1)));
	close(listener);
	listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	ASSERT_LE(0, listener);
	ASSERT_TRUE(served_by_prp_again(&self->nodes, listener));
}

TEST_F(inet, inet__nobody_listens)
{
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0);
	int listener;

	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(0, sock_error(fd));
	listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__bound_to_an_unknown_address_is_tcps)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, ip_bind(fd, "10.81.0.1", 0));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	/* at once, not because the other node did not believe it */
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "requests_out"));
}

TEST_F(inet, inet__native_listener_captures_nobody)
{
	int native = nodes_listen(&self->nodes, 2, PORT, 5);
	int tcp = ip_listen_on(tcp_socket(&self->nodes, 2, KNOWN), "0.0.0.0",
			       PORT, 5);
	int client = ip_client(&self->nodes, KNOWN, PORT);

	ASSERT_LE(0, client);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(tcp, NULL, NULL)));
	ASSERT_EQ(0, events_now(native));
}

TEST_F(inet, inet__ports_are_not_shared_with_native_sockets)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int inet = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int native = nodes_socket(&self->nodes, 2, 0), one = 1;
	int late = ip_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_LE(0, inet);
	ASSERT_EQ(0, setsockopt(native, SOL_SOCKET, SO_REUSEADDR, &one,
				sizeof(one)));
	ASSERT_ERRNO(EADDRINUSE, bind(native, SA(at), sizeof(at)));
	at = prp_at(0, PORT + 1);
	ASSERT_EQ(0, bind(native, SA(at), sizeof(at)));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(late, "0.0.0.0", PORT + 1));
	/* and nothing is left of that */
	ASSERT_STREQ("0.0.0.0 0", local_of(late));
	ASSERT_EQ(0, ip_bind(late, KNOWN, PORT + 2));
	ASSERT_STREQ("10.80.0.2 4002", local_of(late));
}

/* A server starts anew in the other mode while a connection stands. */
TEST_F(inet, inet__ports_change_their_mode_with_reuseaddr)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 5);
	int old = nodes_connect(&self->nodes, 1, 2, PORT), server, client, fd;
	struct sockaddr_prp at = prp_at(0, PORT);

	server = accept(listener, NULL, NULL);
	ASSERT_TRUE(talk(old, server));
	fd = ip_socket(&self->nodes, 2, KNOWN, 0);
	ASSERT_EQ(0, set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(fd, "0.0.0.0", PORT));
	ASSERT_EQ(0, close(listener));
	ASSERT_EQ(0, set_int(fd, SOL_SOCKET, SO_REUSEADDR, 0));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(fd, "0.0.0.0", PORT));
	ASSERT_EQ(0, set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(fd, ip_listen_on(fd, "0.0.0.0", PORT, 5));
	client = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, accept(fd, NULL, NULL)));
	ASSERT_TRUE(talk(old, server));
	ASSERT_EQ(0, close(fd));
	/* and back */
	fd = nodes_socket(&self->nodes, 2, 0);
	ASSERT_ERRNO(EADDRINUSE, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, listen(fd, 1));
	client = nodes_connect(&self->nodes, 1, 2, PORT);
	ASSERT_TRUE(talk(client, accept(fd, NULL, NULL)));
}

TEST_F(inet, inet__native_client_is_served)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = nodes_connect(&self->nodes, 1, 2, PORT);
	int server = accept(listener, NULL, NULL);

	ASSERT_LE(0, client);
	ASSERT_LE(0, server);
	ASSERT_TRUE(talk(client, server));
	ASSERT_STREQ("10.80.0.2 4000", local_of(server));
	ASSERT_EQ(0, strncmp("10.80.0.1 ", peer_of(server), 10));
}

TEST_F(inet, inet__source_must_be_the_nodes)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client;

	/* node 1 believes that it has an address that is node 3's, and does */
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 "1 n1 02:50:52:50:00:01 10.80.0.3\n"
				 "2 n2 02:50:52:50:00:02 10.80.0.2\n"));
	nodes_enter(&self->nodes, 1);
	ASSERT_EQ(0, system("ip addr add 10.80.0.3/32 dev p0"));
	client = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_LE(0, client);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "drop_source"));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 2, "ip_prp_in"));
}

TEST_F(inet, inet__names_are_those_of_tcp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_socket(&self->nodes, 1, KNOWN, 0);
	struct sockaddr_in6 from = {};
	socklen_t len = sizeof(from);
	char mine[80];
	int server;

	ASSERT_STREQ("0.0.0.0 0", local_of(client));
	ASSERT_STREQ("", peer_of(client));
	ASSERT_STREQ("0.0.0.0 4000", local_of(listener));
	ASSERT_EQ(0, ip_connect(client, KNOWN, PORT));
	server = accept(listener, SA(from), &len);
	ASSERT_LE(0, server);
	ASSERT_EQ(sizeof(struct sockaddr_in), len);
	strcpy(mine, local_of(client));
	ASSERT_EQ(0, strncmp("10.80.0.1 ", mine, 10));
	ASSERT_STREQ(mine, ip_text(&from));
	ASSERT_STREQ(mine, peer_of(server));
	ASSERT_STREQ("10.80.0.2 4000", peer_of(client));
	ASSERT_STREQ("10.80.0.2 4000", local_of(server));
}

TEST_F(inet, inet__ipv6)
{
	int listener = ip_listen(&self->nodes, "::", PORT);
	int client = ip_client(&self->nodes, KNOWN6, PORT);
	int server = accept(listener, NULL, NULL);

	ASSERT_LE(0, client);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, server));
	ASSERT_STREQ("fd80::2 4000", local_of(server));
	ASSERT_EQ(0, strncmp("fd80::1 ", local_of(client), 8));
	client = ip_client(&self->nodes, UNKNOWN6, PORT);
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__ipv4_at_a_socket_of_ipv6)
{
	int listener = ip_listen(&self->nodes, "::", PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int server = accept(listener, NULL, NULL);

	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, server));
	ASSERT_STREQ("::ffff:10.80.0.2 4000", local_of(server));
	ASSERT_EQ(0, strncmp("::ffff:10.80.0.1 ", peer_of(server), 17));

	client = ip_client(&self->nodes, "::ffff:" KNOWN, PORT);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_STREQ("::ffff:10.80.0.2 4000", peer_of(client));
	ASSERT_TRUE(talk(client, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__ipv6_only)
{
	int listener = ip_socket(&self->nodes, 2, "::", 0), one = 1;
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_EQ(0, setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &one,
				sizeof(one)));
	ASSERT_EQ(listener, ip_listen_on(listener, "::", PORT, 1));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
	ASSERT_LE(0, ip_client(&self->nodes, KNOWN6, PORT));
}

/* TCP tells connections apart by addresses, PRP by nodes: what is a name of
 * its own to TCP is not refused, and TCP carries it.
 */
TEST_F(inet, inet__one_port_for_two_families)
{
	int listener = ip_listen(&self->nodes, "::", PORT);
	int one = ip_socket(&self->nodes, 1, KNOWN, 0);
	int two = ip_socket(&self->nodes, 1, KNOWN6, 0);
	int three = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_EQ(0, set_int(two, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	ASSERT_EQ(0, set_int(one, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(0, set_int(three, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(0, ip_bind(one, "0.0.0.0", PORT + 1));
	ASSERT_EQ(0, ip_bind(two, "::", PORT + 1));
	ASSERT_EQ(0, ip_bind(three, "0.0.0.0", PORT + 1));
	ASSERT_EQ(0, ip_connect(one, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(one));
	ASSERT_TRUE(talk(one, accept(listener, NULL, NULL)));
	ASSERT_ERRNO(EADDRNOTAVAIL, ip_connect(three, KNOWN, PORT));
	ASSERT_EQ(0, ip_connect(two, KNOWN6, PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(two));
	ASSERT_TRUE(talk(two, accept(listener, NULL, NULL)));
}

TEST_F(inet, inet__listeners_of_other_addresses)
{
	int known = ip_listen(&self->nodes, KNOWN, PORT);
	int unknown = ip_listen(&self->nodes, UNKNOWN, PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);

	ASSERT_LE(0, unknown);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, accept(known, NULL, NULL)));
	ASSERT_EQ(0, events_now(unknown));
	close(known);
	ASSERT_EQ(-1, ip_client(&self->nodes, KNOWN, PORT));
	ASSERT_EQ(ECONNREFUSED, errno);
	client = ip_client(&self->nodes, UNKNOWN, PORT);
	ASSERT_TRUE(talk(client, accept(unknown, NULL, NULL)));
}

TEST_F(inet, inet__bind_conflicts_are_tcps)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), one = 1;
	int fd = ip_socket(&self->nodes, 2, KNOWN, 0);
	int tcp = tcp_socket(&self->nodes, 2, KNOWN);

	ASSERT_LE(0, listener);
	ASSERT_ERRNO(EADDRINUSE, ip_bind(fd, "0.0.0.0", PORT));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(tcp, KNOWN, PORT));
	ASSERT_ERRNO(EADDRNOTAVAIL, ip_bind(fd, "10.99.0.1", PORT));
	ASSERT_ERRNO(EINVAL, ip_bind(listener, "0.0.0.0", PORT + 1));
	ASSERT_EQ(0,
		  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(fd, "0.0.0.0", PORT));
	ASSERT_EQ(0, ip_bind(fd, "0.0.0.0", PORT + 1));
}

/* A client of a listener with an option that only TCP honours is TCP's. */
static bool served_by_tcp(const struct nodes *nodes, int listener)
{
	int client = ip_client(nodes, KNOWN, PORT);
	bool served = path_of(client) == PRP_PATH_TCP &&
		      talk(client, accept(listener, NULL, NULL));

	close(client);
	return served;
}

TEST_F(inet, inet__listener_of_a_device_is_tcps)
{
	int listener = ip_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_EQ(0,
		  setsockopt(listener, SOL_SOCKET, SO_BINDTODEVICE, "p0", 3));
	ASSERT_EQ(listener, ip_listen_on(listener, "0.0.0.0", PORT, 5));
	ASSERT_TRUE(served_by_tcp(&self->nodes, listener));
}

/* What is set when the request comes counts. */
TEST_F(inet, inet__listener_with_a_filter_is_tcps)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, -1);
	struct sock_fprog program = { 1, &all };
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);

	ASSERT_EQ(0, setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER,
				&program, sizeof(program)));
	ASSERT_TRUE(served_by_tcp(&self->nodes, listener));
	ASSERT_EQ(0, set_int(listener, SOL_SOCKET, SO_DETACH_FILTER, 0));
	ASSERT_TRUE(served_by_prp_again(&self->nodes, listener));
}

TEST_F(inet, inet__listener_with_a_signature_is_tcps)
{
	struct tcp_md5sig md5 = { .tcpm_keylen = 1, .tcpm_key = "k" };
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	struct sockaddr_in6 other = ip_at("10.99.0.1", 0);

	memcpy(&md5.tcpm_addr, &other, sizeof(struct sockaddr_in));
	ASSERT_EQ(0, setsockopt(listener, IPPROTO_TCP, TCP_MD5SIG, &md5,
				sizeof(md5)));
	ASSERT_TRUE(served_by_tcp(&self->nodes, listener));
}

/* What this is for, PRP would carry past it, in clear text. */
static bool set_policy(const char *words)
{
	char command[160];

	snprintf(command, sizeof(command), "ip xfrm policy update %s", words);
	return !system(command);
}

TEST_F(inet, inet__policies_of_ipsec_are_obeyed)
{
	static const char *const to[] = { KNOWN, KNOWN6 };
	char words[128];
	int fd, i;

	ASSERT_LE(0, ip_listen(&self->nodes, "::", PORT));
	for (i = 0; i < 2; i++) {
		nodes_enter(&self->nodes, 1);
		snprintf(words, sizeof(words),
			 "dst %s proto tcp dport %d dir out action block",
			 to[i], PORT);
		ASSERT_TRUE(set_policy(words));
		fd = ip_socket(&self->nodes, 1, to[i], 0);
		ASSERT_EQ(-1, ip_connect(fd, to[i], PORT));
		ASSERT_EQ(PRP_WHY_IPSEC, why_of(fd).prpw_reason);
		close(fd);
		fd = ip_socket(&self->nodes, 1, to[i], 0);
		ASSERT_EQ(0, set_int(fd, SOL_PRP, PRP_REQUIRE, 1));
		ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd, to[i], PORT));
		ASSERT_EQ(i, nodes_counter(&self->nodes, 1, "requests_out"));
		snprintf(words, sizeof(words),
			 "dst %s proto tcp dport %d dir out action allow",
			 to[i], PORT);
		ASSERT_TRUE(set_policy(words));
		snprintf(words, sizeof(words),
			 "dst %s proto tcp dport %d dir out action block",
			 to[i], PORT + 1);
		ASSERT_TRUE(set_policy(words));
		ASSERT_EQ(PRP_PATH_PRP,
			  path_of(ip_client(&self->nodes, to[i], PORT)));
	}
}

/* Policies that are for what goes by a device of their own */
TEST_F(inet, inet__policies_of_ipsec_with_a_device)
{
	int fd;

	ASSERT_LE(0, ip_listen(&self->nodes, "::", PORT));
	nodes_enter(&self->nodes, 1);
	ASSERT_EQ(0, system("ip link add ipsec0 type xfrm dev p0 if_id 7"));
	ASSERT_EQ(0, system("ip link set ipsec0 up"));
	ASSERT_EQ(0, system("ip route add " KNOWN " dev ipsec0"));
	ASSERT_TRUE(set_policy("dst " KNOWN " dir out if_id 7 action block"));
	fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	ASSERT_EQ(-1, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_WHY_IPSEC, why_of(fd).prpw_reason);
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN6, PORT)));
	ASSERT_EQ(0, system("ip link del ipsec0"));
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN, PORT)));
}

/* A route that refuses keeps from going in clear text what has no policy while
 * its tunnel is down.
 */
TEST_F(inet, inet__policies_of_ipsec_without_a_route)
{
	int fd;

	ASSERT_LE(0, ip_listen(&self->nodes, "::", PORT));
	nodes_enter(&self->nodes, 1);
	ASSERT_EQ(0, system("ip route add unreachable " KNOWN));
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN, PORT)));
	ASSERT_TRUE(set_policy("dst 10.99.0.1 dir out action block"));
	fd = ip_socket(&self->nodes, 1, KNOWN, 0);
	ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_WHY_IPSEC, why_of(fd).prpw_reason);
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN6, PORT)));
}

/* Return: true once it is known why TCP carries a connection to be: that. */
static bool turns_to_tcp(int fd, int why)
{
	long end = now_ms() + LIMIT_MS;

	while (why_of(fd).prpw_reason == PRP_WHY_NONE && now_ms() < end)
		usleep(1000);
	return why_of(fd).prpw_reason == why;
}

/* A service has moved, with its address: whoever listens on all addresses is
 * not to have its clients, who ask IP's way.
 */
TEST_F(inet, inet__an_address_that_has_gone)
{
	int fd;

	ASSERT_LE(0, ip_listen(&self->nodes, "::", PORT));
	nodes_enter(&self->nodes, 2);
	ASSERT_EQ(0, system("ip addr del " KNOWN "/24 dev p0"));
	fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	ASSERT_TRUE(turns_to_tcp(fd, PRP_WHY_REFUSED));
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN6, PORT)));
}

/* Nor does a client come from one. */
TEST_F(inet, inet__an_address_of_a_client_that_has_gone)
{
	int fd;

	ASSERT_LE(0, ip_listen(&self->nodes, "::", PORT));
	nodes_enter(&self->nodes, 1);
	ASSERT_EQ(0, system("ip addr del 10.80.0.1/24 dev p0"));
	fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	ip_connect(fd, KNOWN, PORT);
	ASSERT_EQ(PRP_WHY_SOURCE, why_of(fd).prpw_reason);
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN6, PORT)));
}

/* What IPv4 was to have is not forgotten with a number that PRP has not. */
TEST_F(inet, inet__a_bind_that_fails_leaves_ipv4)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int only = 1, fd;
	socklen_t len = sizeof(only);

	fd = nodes_socket(&self->nodes, 2, 0);
	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	fd = ip_socket(&self->nodes, 2, KNOWN6, 0);
	ASSERT_ERRNO(EADDRINUSE, ip_bind(fd, KNOWN6, PORT));
	ASSERT_EQ(0, getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &len));
	ASSERT_EQ(0, only);
}

/* The number that a socket is bound to */
static int number_of(int fd)
{
	struct sockaddr_in6 at = {};
	socklen_t len = sizeof(at);

	return getsockname(fd, SA(at), &len) ? 0 : ntohs(at.sin6_port);
}

TEST_F(inet, inet__automatic_port)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", 0);
	int port = number_of(listener), unbound;

	ASSERT_NE(0, port);
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN, port)));

	unbound = ip_socket(&self->nodes, 2, KNOWN, 0);
	ASSERT_EQ(0, listen(unbound, 1));
	port = number_of(unbound);
	ASSERT_NE(0, port);
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN, port)));
}

/* TCP gives up a number that bind() left to it, with the connection: whoever
 * has it next has all of its clients, and who had it is as new.
 */
TEST_F(inet, inet__automatic_port_goes_with_tcps)
{
	int fd = ip_socket(&self->nodes, 2, KNOWN, 0), next, port, client;

	ASSERT_EQ(0, ip_bind(fd, KNOWN, 0));
	port = number_of(fd);
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, "127.0.0.1", PORT));
	next = ip_listen(&self->nodes, "0.0.0.0", port);
	ASSERT_LE(0, next);
	ASSERT_EQ(0, listen(fd, 1));
	client = ip_client(&self->nodes, KNOWN, port);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, accept(next, NULL, NULL)));

	port = number_of(fd);
	client = ip_client(&self->nodes, KNOWN, port);
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_TRUE(talk(client, accept(fd, NULL, NULL)));
}

TEST_F(inet, inet__automatic_port_is_bound_anew)
{
	int fd = ip_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_EQ(0, ip_bind(fd, "127.0.0.1", 0));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, "127.0.0.1", PORT));
	ASSERT_EQ(0, ip_bind(fd, "127.0.0.1", 0));
	ASSERT_NE(0, number_of(fd));
}

/* On a long way TCP tries, too, and is stopped when PRP's answer comes. */
TEST_F(inet, inet__automatic_port_is_kept_where_tcp_is_stopped)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), port;
	int client = ip_socket(&self->nodes, 1, KNOWN, 0);
	int other = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, ip_bind(client, "0.0.0.0", 0));
	port = number_of(client);
	ASSERT_EQ(0, nodes_delay(&self->nodes, LONG_WAY_MS));
	ASSERT_EQ(0, ip_connect(client, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(client));
	ASSERT_EQ(port, number_of(client));
	ASSERT_ERRNO(EADDRINUSE, ip_bind(other, "0.0.0.0", port));
}

#define CGROUPS "/tmp/cgroups-XXXXXX"

/* Mounts cgroups at a folder that it names; the root of them, or -1 */
static int cgroups_begin(char *folder)
{
	if (!mkdtemp(folder) || mount("none", folder, "cgroup2", 0, NULL))
		return -1;
	return open(folder, O_RDONLY | O_DIRECTORY);
}

static bool cgroups_end(const char *folder, int root)
{
	return !close(root) && !umount2(folder, MNT_DETACH) && !rmdir(folder);
}

/* A cgroup of ours that has a program, which lets everything pass */
struct watched {
	char folder[sizeof(CGROUPS)];
	int root;
	int group;
	int program;
};

static bool watch_begin(struct watched *watched, enum bpf_prog_type type,
			enum bpf_attach_type attach)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = attach);

	strcpy(watched->folder, CGROUPS);
	watched->root = cgroups_begin(watched->folder);
	if (mkdirat(watched->root, "watched", 0755))
		return false;
	watched->group = openat(watched->root, "watched", O_RDONLY);
	watched->program = bpf_prog_load(type, NULL, "GPL", pass, 2, &options);
	return watched->program >= 0 &&
	       !bpf_prog_attach(watched->program, watched->group, attach, 0);
}

/* Sockets that this process makes from now on are of that cgroup. */
static bool moved_to(int group)
{
	int fd = openat(group, "cgroup.procs", O_WRONLY);
	bool done = write(fd, "0", 1) == 1;

	close(fd);
	return done;
}

static bool watch_end(struct watched *watched)
{
	close(watched->program);
	close(watched->group);
	return moved_to(watched->root) &&
	       !unlinkat(watched->root, "watched", AT_REMOVEDIR) &&
	       cgroups_end(watched->folder, watched->root);
}

/* What they are to see has to be TCP's, which they see: of who connects, and of
 * who listens.
 */
static void see_tcp(struct __test_metadata *_metadata,
		    FIXTURE_DATA(inet) * self, enum bpf_prog_type type,
		    enum bpf_attach_type attach, const char *ip, bool connects,
		    bool listens)
{
	static int port = PORT; /* what was at one before is in TIME_WAIT */
	struct watched watched;
	int outside, inside, listener;

	port++;
	outside = ip_socket(&self->nodes, 1, ip, 0);
	ASSERT_TRUE(watch_begin(&watched, type, attach));
	ASSERT_TRUE(moved_to(watched.group));
	listener = ip_listen(&self->nodes, "::", port);
	ASSERT_LE(0, listener);
	inside = ip_client(&self->nodes, ip, port);
	ASSERT_EQ(connects ? PRP_PATH_TCP : PRP_PATH_PRP, path_of(inside));
	ASSERT_EQ(connects ? PRP_WHY_CGROUP : PRP_WHY_NONE,
		  why_of(inside).prpw_reason);
	ASSERT_TRUE(talk(inside, accept(listener, NULL, NULL)));
	ASSERT_EQ(0, ip_connect(outside, ip, port));
	ASSERT_EQ(listens ? PRP_PATH_TCP : PRP_PATH_PRP, path_of(outside));
	ASSERT_TRUE(talk(outside, accept(listener, NULL, NULL)));
	close(inside);
	close(outside);
	close(listener);
	ASSERT_TRUE(watch_end(&watched));
}

TEST_F(inet, inet__programs_of_its_cgroup_see_tcp)
{
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SKB,
		BPF_CGROUP_INET_INGRESS, KNOWN, true, true);
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SKB,
		BPF_CGROUP_INET_EGRESS, KNOWN6, true, true);
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		BPF_CGROUP_INET4_CONNECT, KNOWN, true, false);
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		BPF_CGROUP_INET6_CONNECT, KNOWN6, true, false);
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		BPF_CGROUP_INET4_CONNECT, KNOWN6, false, false);
	/* this one is asked by TCP's bind() */
	see_tcp(_metadata, self, BPF_PROG_TYPE_CGROUP_SOCK,
		BPF_CGROUP_INET4_POST_BIND, KNOWN, false, false);
}

/* A program of BPF sets options in the middle of TCP, where nobody may sleep,
 * and when close() has taken the IP mode off the socket.
 */
TEST_F(inet, inet__lowat_is_set_by_a_program_of_bpf)
{
	char folder[] = CGROUPS;
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), client, fd;
	struct bpf_object *object = bpf_beside("lowat.bpf.o");
	struct bpf_link *link;

	ASSERT_NE(NULL, object);
	fd = cgroups_begin(folder);
	ASSERT_LE(0, fd);
	link = bpf_program__attach_cgroup(bpf_object__next_program(object,
								   NULL),
					  fd);
	EXPECT_NE(NULL, link);
	client = ip_client(&self->nodes, UNKNOWN, PORT);
	EXPECT_EQ(PRP_PATH_TCP, path_of(client));
	EXPECT_TRUE(talk(client, accept(listener, NULL, NULL)));
	EXPECT_EQ(0, close(client));
	bpf_link__destroy(link);
	bpf_object__close(object);
	EXPECT_TRUE(cgroups_end(folder, fd));
}

TEST_HARNESS_MAIN
