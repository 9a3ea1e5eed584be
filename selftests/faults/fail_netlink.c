// SPDX-License-Identifier: GPL-2.0
/* Failing allocations in all that netlink asks for: genetlink, sock_diag */
#include "fail_fixture.h"
#include "genl.h"

#include <linux/prp_diag.h>
#include <linux/sock_diag.h>
#include <stdio.h>

static int family, group;

static unsigned int generation;

static int take(const struct nlmsghdr *nlh, void *unused)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	(void)unused;
	if (nlh->nlmsg_type != family)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, nlh, sizeof(*genl))
		if (genl->cmd == PRP_CMD_TABLE_GET &&
		    mnl_attr_get_type(attr) == PRP_A_TABLE_GENERATION)
			generation = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static char request[4096];

static bool find_family(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);

	if (!nl)
		return false;
	family = genl_family(nl, PRP_MCGRP_EVENTS, &group);
	mnl_socket_close(nl);
	return family;
}

static struct mnl_socket *channel;

static bool prepare_channel(struct sweep *sweep)
{
	if (channel)
		mnl_socket_close(channel);
	nodes_enter(sweep->nodes, 1);
	channel = mnl_socket_open(NETLINK_GENERIC);
	return channel && (family || find_family());
}

/*
 * The answer may be what failed: a dump says so and can be asked for again,
 * other requests have been done or not. A channel that missed something has
 * no more to say, may be in the middle of a dump, and a transaction ends with
 * it: the next request opens another.
 */
static long ask(struct nlmsghdr *nlh)
{
	static char room[65536];
	struct pollfd pfd = { .events = POLLIN };
	int error;
	long ret;

	if (!channel)
		channel = mnl_socket_open(NETLINK_GENERIC);
	if (!channel)
		return -1;
	pfd.fd = mnl_socket_get_fd(channel);
	ret = mnl_socket_sendto(channel, nlh, nlh->nlmsg_len);
	while (ret > 0) {
		if (poll(&pfd, 1, 2000) <= 0) {
			errno = ENOBUFS;
			ret = -1;
			break;
		}
		ret = mnl_socket_recvfrom(channel, room, sizeof(room));
		if (ret > 0)
			ret = mnl_cb_run(room, ret, 0, 0, take, NULL);
	}
	if (ret) {
		error = errno;
		mnl_socket_close(channel);
		channel = NULL;
		errno = error;
	}
	return ret;
}

static int asked, asked_flags;

static long call_get(struct sweep *sweep)
{
	struct nlmsghdr *nlh = genl_put(request, family, asked, asked_flags);
	const __u16 number = 2;

	(void)sweep;
	if (asked_flags & NLM_F_DUMP)
		return ask(nlh);
	switch (asked) {
	case PRP_CMD_NODE_GET:
		mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
		break;
	case PRP_CMD_RAIL_GET:
		mnl_attr_put_u8(nlh, PRP_A_RAIL_NUMBER, 0);
		break;
	case PRP_CMD_ROUTE_GET:
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, number);
		break;
	case PRP_CMD_PEER_GET:
		mnl_attr_put_u16(nlh, PRP_A_PEER_NUMBER, number);
		break;
	}
	return ask(nlh);
}

TEST_F(fail, fail_netlink__gets_and_dumps)
{
	static const struct {
		int cmd;
		int flags;
	} gets[] = {
		{ PRP_CMD_TABLE_GET, NLM_F_ACK },
		{ PRP_CMD_NODE_GET, NLM_F_ACK },
		{ PRP_CMD_NODE_GET, NLM_F_DUMP },
		{ PRP_CMD_RAIL_GET, NLM_F_DUMP },
		{ PRP_CMD_STATS_GET, NLM_F_DUMP },
		{ PRP_CMD_LINK_GET, NLM_F_DUMP },
		{ PRP_CMD_ROUTE_GET, NLM_F_ACK },
		{ PRP_CMD_ROUTE_GET, NLM_F_DUMP },
		{ PRP_CMD_PEER_GET, NLM_F_ACK },
		{ PRP_CMD_PEER_GET, NLM_F_DUMP },
		{ PRP_CMD_ACCESS_GET, NLM_F_DUMP },
		{ PRP_CMD_FAULT_GET, NLM_F_DUMP },
	};
	int client, server;

	/* a peer that is known */
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	close(client);
	close(server);
	for (size_t i = 0; i < sizeof(gets) / sizeof(*gets); i++) {
		asked = gets[i].cmd;
		asked_flags = gets[i].flags;
		TH_LOG("command %d, flags %#x", asked, asked_flags);
		SWEEP(.prepare = prepare_channel, .call = call_get);
	}
}

static long give(int cmd, struct nlmsghdr *(*fill)(struct nlmsghdr *, int),
		 int argument)
{
	struct nlmsghdr *nlh = genl_put(request, family, cmd, NLM_F_ACK);

	return ask(fill ? fill(nlh, argument) : nlh);
}

static struct nlmsghdr *fill_begin(struct nlmsghdr *nlh, int unused)
{
	(void)unused;
	mnl_attr_put_u32(nlh, PRP_A_TABLE_GENERATION, generation);
	mnl_attr_put(nlh, PRP_A_TABLE_EMPTY, 0, NULL);
	return nlh;
}

static struct nlmsghdr *fill_node(struct nlmsghdr *nlh, int number)
{
	const __u8 mac[] = { 2, 0x50, 0x52, 0x50, 0, number };
	char name[16];

	snprintf(name, sizeof(name), "n%d", number);
	genl_put_node(nlh, number, name, mac);
	mnl_attr_put_u32(nlh, PRP_A_NODE_IP, htonl(0x0a500000 + number));
	return nlh;
}

static struct nlmsghdr *fill_link(struct nlmsghdr *nlh, int peer)
{
	mnl_attr_put_u16(nlh, PRP_A_LINK_NODE, 2);
	mnl_attr_put_u16(nlh, PRP_A_LINK_PEER, peer);
	return nlh;
}

static struct nlmsghdr *fill_number(struct nlmsghdr *nlh, int number)
{
	mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
	return nlh;
}

/*
 * A host table of three nodes and two links instead of the one in force, and
 * a fourth node that comes and goes again.
 */
static long call_change_table(struct sweep *sweep)
{
	static int more;

	(void)sweep;
	more ^= 1;
	if (give(PRP_CMD_TABLE_GET, NULL, 0) ||
	    give(PRP_CMD_TABLE_BEGIN, fill_begin, 0) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 1) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 2) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 3) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 4) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 300 + more) ||
	    give(PRP_CMD_LINK_ADD, fill_link, 1) ||
	    give(PRP_CMD_LINK_ADD, fill_link, 3) ||
	    give(PRP_CMD_TABLE_DEL, fill_number, 4))
		return -1;
	return give(PRP_CMD_TABLE_COMMIT, NULL, 0);
}

TEST_F(fail, fail_netlink__host_table)
{
	int client, server;

	SWEEP(.prepare = prepare_channel, .call = call_change_table);
	/* what is in force is whole */
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 "1 n1 02:50:52:50:00:01\n"
				 "2 n2 02:50:52:50:00:02\n"));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	close(client);
	close(server);
}

static struct nlmsghdr *fill_route(struct nlmsghdr *nlh, int via)
{
	mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, 3);
	if (via)
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_VIA, via);
	return nlh;
}

static struct nlmsghdr *fill_ethertype(struct nlmsghdr *nlh, int type)
{
	mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE, type);
	return nlh;
}

static long call_route_set(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_ROUTE_SET, fill_route, 2);
}

static bool prepare_route(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_route_set(sweep);
}

/* It may have been done although the answer failed. */
static long call_route_del(struct sweep *sweep)
{
	long ret = give(PRP_CMD_ROUTE_DEL, fill_route, 0);

	(void)sweep;
	return ret && errno == ENOENT ? 0 : ret;
}

static bool prepare_no_route(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_route_del(sweep);
}

static long call_ethertype(struct sweep *sweep)
{
	static int type = 0x88b5;

	(void)sweep;
	type ^= 2; /* 0x88b7 and back */
	return give(PRP_CMD_ETHERTYPE_SET, fill_ethertype, type);
}

static struct nlmsghdr *fill_forward(struct nlmsghdr *nlh, int forward)
{
	mnl_attr_put_u8(nlh, PRP_A_TABLE_FORWARD, forward);
	return nlh;
}

static long call_forward(struct sweep *sweep)
{
	static int forward = PRP_FORWARD_ON;

	(void)sweep;
	forward ^= PRP_FORWARD_ON ^ PRP_FORWARD_OFF;
	return give(PRP_CMD_FORWARD_SET, fill_forward, forward);
}

static struct nlmsghdr *fill_memory(struct nlmsghdr *nlh, int limit)
{
	mnl_attr_put_u64(nlh, PRP_A_MEMORY_LIMIT, limit);
	return nlh;
}

static long call_memory(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_MEMORY_SET, fill_memory, 1 << 20);
}

TEST_F(fail, fail_netlink__routes_and_ethertype)
{
	SWEEP(.prepare = prepare_no_route, .call = call_route_set);
	SWEEP(.prepare = prepare_route, .call = call_route_del);
	SWEEP(.prepare = prepare_channel, .call = call_ethertype);
	SWEEP(.prepare = prepare_channel, .call = call_forward);
	SWEEP(.prepare = prepare_channel, .call = call_memory);
}

static struct nlmsghdr *fill_access(struct nlmsghdr *nlh, int port)
{
	mnl_attr_put_u16(nlh, PRP_A_ACCESS_PORT, port);
	mnl_attr_put_u16(nlh, PRP_A_ACCESS_NODE, 2);
	return nlh;
}

static long call_access_add(struct sweep *sweep)
{
	long ret = give(PRP_CMD_ACCESS_ADD, fill_access, PORT);

	(void)sweep;
	return ret && errno == EEXIST ? 0 : ret;
}

static long call_access_del(struct sweep *sweep)
{
	long ret = give(PRP_CMD_ACCESS_DEL, fill_access, PORT);

	(void)sweep;
	return ret && errno == ENOENT ? 0 : ret;
}

static long call_access_flush(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_ACCESS_DEL, NULL, 0);
}

/* Two entries: when one goes, the list is made anew. */
static bool prepare_access(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_access_add(sweep) &&
	       (!give(PRP_CMD_ACCESS_ADD, fill_access, PORT + 1) ||
		errno == EEXIST);
}

static bool prepare_no_access(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_access_flush(sweep);
}

TEST_F(fail, fail_netlink__access)
{
	SWEEP(.prepare = prepare_no_access, .call = call_access_add);
	SWEEP(.prepare = prepare_access, .call = call_access_del);
	SWEEP(.prepare = prepare_access, .call = call_access_flush);
}

static struct nlmsghdr *fill_fault(struct nlmsghdr *nlh, int delay)
{
	mnl_attr_put_u16(nlh, PRP_A_FAULT_NUMBER, 2);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_DELAY, delay);
	return nlh;
}

static long call_fault_set(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_FAULT_SET, fill_fault, 1);
}

static bool prepare_fault(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_fault_set(sweep);
}

static long call_fault_flush(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_FAULT_DEL, NULL, 0);
}

static bool prepare_no_fault(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_fault_flush(sweep);
}

TEST_F(fail, fail_netlink__faults)
{
	SWEEP(.prepare = prepare_no_fault, .call = call_fault_set);
	SWEEP(.prepare = prepare_fault, .call = call_fault_set);
	SWEEP(.prepare = prepare_fault, .call = call_fault_flush);
}

static long call_monitor(struct sweep *sweep)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	int ret = -1;

	(void)sweep;
	if (!nl)
		return -1;
	ret = mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group,
				    sizeof(group));
	mnl_socket_close(nl);
	return ret;
}

TEST_F(fail, fail_netlink__monitor)
{
	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(find_family());
	SWEEP(.call = call_monitor);
}

/* fd and other are connected, made listens. */
static bool prepare_dump(struct sweep *sweep)
{
	return !nodes_pair(sweep->nodes, &sweep->fd, &sweep->other) &&
	       (sweep->made = nodes_listen(sweep->nodes, 1, PORT + 1, 1)) >= 0;
}

static long call_dump(struct sweep *sweep)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct prp_diag_req req = {
		.sdiag_family = AF_PRP,
		.states = -1,
		.show = PRP_DIAG_SHOW_INFO,
	};
	long ret;

	(void)sweep;
	if (!nl)
		return -1;
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(req)), &req, sizeof(req));
	ret = genl_talk(nl, nlh, NULL, NULL);
	req.sdiag_family = errno;
	mnl_socket_close(nl);
	errno = req.sdiag_family;
	return ret;
}

TEST_F(fail, fail_netlink__sock_diag)
{
	SWEEP(.prepare = prepare_dump, .call = call_dump);
}

TEST_HARNESS_MAIN
