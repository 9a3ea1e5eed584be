// SPDX-License-Identifier: GPL-2.0
/*
 * What a namespace receives PRP from, and in frames of which EtherType,
 * without the tool that is tested:
 *
 *	prp_rails NETNS			prints the devices that are rails
 *	prp_rails NETNS ETHERTYPE	sets the EtherType
 */
#define _GNU_SOURCE
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>
#include <stdlib.h>

#include "netns.h"

static struct mnl_socket *nl;
static char buf[32768];

static struct nlmsghdr *request(int family, int flags, int command)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

/* Gives each answer to @cb, up to the acknowledgment. */
static void ask(const struct nlmsghdr *nlh, mnl_cb_t cb, void *data)
{
	int ret = mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);

	while (ret > 0) {
		ret = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (ret > 0)
			ret = mnl_cb_run(buf, ret, 0, 0, cb, data);
	}
	if (ret < 0)
		err(1, "netlink");
}

/* One attribute of an answer */
struct wanted {
	int type;
	const struct nlattr *attr;
};

static int find(const struct nlattr *attr, void *data)
{
	struct wanted *wanted = data;

	if (mnl_attr_get_type(attr) == wanted->type)
		wanted->attr = attr;
	return MNL_CB_OK;
}

static const struct nlattr *get(const struct nlmsghdr *nlh, int type)
{
	struct wanted wanted = { .type = type };

	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), find, &wanted);
	return wanted.attr;
}

static int got_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *id = get(nlh, CTRL_ATTR_FAMILY_ID);

	if (id)
		*(int *)data = mnl_attr_get_u16(id);
	return MNL_CB_OK;
}

static int got_rail(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *name = get(nlh, PRP_A_RAIL_IFNAME);

	(void)data;
	if (name)
		puts(mnl_attr_get_str(name));
	return MNL_CB_OK;
}

int main(int argc, char **argv)
{
	struct nlmsghdr *nlh;
	int family = 0;

	if (argc != 2 && argc != 3)
		errx(2, "usage: prp_rails NETNS [ETHERTYPE]");
	netns_enter(argv[1]);
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl)
		err(1, "netlink socket");
	nlh = request(GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, PRP_GENL_NAME);
	ask(nlh, got_family, &family);
	if (argc == 2) {
		ask(request(family, NLM_F_DUMP, PRP_CMD_RAIL_GET), got_rail,
		    NULL);
		return 0;
	}
	nlh = request(family, 0, PRP_CMD_ETHERTYPE_SET);
	mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE, strtoul(argv[2], NULL, 0));
	ask(nlh, NULL, NULL);
	return 0;
}
