// SPDX-License-Identifier: GPL-2.0
/*
 * What a namespace receives PRP from, and in frames of which EtherType,
 * without the tool that is tested:
 *
 *	prp_rails NETNS			prints the devices that are rails
 *	prp_rails NETNS ETHERTYPE	sets the EtherType
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "genl.h"
#include "netns.h"

static int got_rail(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	(void)data;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == PRP_A_RAIL_IFNAME)
			puts(mnl_attr_get_str(attr));
	return MNL_CB_OK;
}

int main(int argc, char **argv)
{
	mnl_cb_t got = argc == 2 ? got_rail : NULL;
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	char room[64];
	int family;

	if (argc != 2 && argc != 3)
		errx(2, "usage: prp_rails NETNS [ETHERTYPE]");
	netns_enter(argv[1]);
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl)
		err(1, "netlink socket");
	family = genl_family(nl, NULL, NULL);
	if (argc == 2) {
		nlh = genl_put(room, family, PRP_CMD_RAIL_GET, NLM_F_DUMP);
	} else {
		nlh = genl_put(room, family, PRP_CMD_ETHERTYPE_SET, NLM_F_ACK);
		mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE,
				 strtoul(argv[2], NULL, 0));
	}
	if (genl_talk(nl, nlh, got, NULL) < 0)
		err(1, "netlink");
	return 0;
}
