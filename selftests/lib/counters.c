// SPDX-License-Identifier: GPL-2.0
/*
 * The module's counters without a program, prpctl, which would take longer than
 * many a case.
 */
#include <err.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>
#include <string.h>

#include "counters.h"

struct asked {
	const char *const *names;
	long *values;
	int count;
};

static int take_counters(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *counter, *attr;
	struct asked *asked = data;

	mnl_attr_for_each(counter, nlh, sizeof(struct genlmsghdr)) {
		const char *name = "";
		long value = -1;

		if (mnl_attr_get_type(counter) != PRP_A_STATS_COUNTER)
			continue;
		mnl_attr_for_each_nested(attr, counter)
			if (mnl_attr_get_type(attr) == PRP_A_COUNTER_NAME)
				name = mnl_attr_get_str(attr);
			else if (mnl_attr_get_type(attr) == PRP_A_COUNTER_VALUE)
				value = mnl_attr_get_u64(attr);
		for (int i = 0; i < asked->count; i++)
			if (!strcmp(asked->names[i], name))
				asked->values[i] = value;
	}
	return MNL_CB_OK;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static struct nlmsghdr *put_genl(char *buf, int family, int command, int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = PRP_GENL_VERSION;
	return nlh;
}

/* Asks, and takes all answers. */
static void talk(struct mnl_socket *nl, const struct nlmsghdr *nlh, mnl_cb_t cb,
		 void *data)
{
	static char buf[65536];
	int ret = mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);

	while (ret > 0) {
		ret = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		ret = mnl_cb_run(buf, ret, 0, 0, cb, data);
	}
}

/* Those so named of the network namespace that this is in; -1 for one of which
 * nothing is said.
 */
void counters_ask(const char *const *names, long *values, int count)
{
	struct asked asked = { names, values, count };
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	uint16_t family = 0;
	char buf[256];

	for (int i = 0; i < count; i++)
		values[i] = -1;
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl)
		err(1, "netlink");
	nlh = put_genl(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, PRP_GENL_NAME);
	talk(nl, nlh, take_family, &family);
	if (family) {
		nlh = put_genl(buf, family, PRP_CMD_STATS_GET, NLM_F_DUMP);
		talk(nl, nlh, take_counters, &asked);
	}
	mnl_socket_close(nl);
}
