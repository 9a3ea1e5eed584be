// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "genl.h"

struct family {
	int number;
	const char *group;
	int id; /* of the group */
};

/* Begins a request in @room, to which attributes may be added. */
struct nlmsghdr *genl_put(void *room, int family, int cmd, int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = PRP_GENL_VERSION;
	return nlh;
}

/* A node with this address on rail 0 */
void genl_put_node(struct nlmsghdr *nlh, int number, const char *name,
		   const unsigned char *mac)
{
	struct nlattr *nest;

	mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
	mnl_attr_put_strz(nlh, PRP_A_NODE_NAME, name);
	nest = mnl_attr_nest_start(nlh, PRP_A_NODE_ADDRESS);
	mnl_attr_put_u8(nlh, PRP_A_ADDRESS_RAIL, 0);
	mnl_attr_put(nlh, PRP_A_ADDRESS_MAC, 6, mac);
	mnl_attr_nest_end(nlh, nest);
}

/* Asks, and gives each answer to @cb, up to the end or the acknowledgment.
 * Return: 0, or -1 and errno.
 */
int genl_talk(struct mnl_socket *nl, const struct nlmsghdr *nlh, mnl_cb_t cb,
	      void *data)
{
	char room[32768];
	int ret = mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);

	while (ret > 0) {
		ret = mnl_socket_recvfrom(nl, room, sizeof(room));
		if (ret > 0)
			ret = mnl_cb_run(room, ret, nlh->nlmsg_seq, 0, cb,
					 data);
	}
	return ret;
}

static void take_group(const struct nlattr *group, struct family *family)
{
	const struct nlattr *attr;
	bool meant = false;
	int id = 0;

	mnl_attr_for_each_nested(attr, group)
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			meant = !strcmp(mnl_attr_get_str(attr), family->group);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(attr);
	if (meant)
		family->id = id;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr, *group;
	struct family *family = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family->number = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS &&
		    family->group)
			mnl_attr_for_each_nested(group, attr)
				take_group(group, family);
	}
	return MNL_CB_OK;
}

/* Return: the number of PRP's family, with that of its group so named in @id,
 * if a name is given; 0 if there is no such family or group.
 */
int genl_family(struct mnl_socket *nl, const char *group, int *id)
{
	struct family family = { .group = group };
	struct nlmsghdr *nlh;
	char room[256];

	nlh = genl_put(room, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, PRP_GENL_NAME);
	if (genl_talk(nl, nlh, take_family, &family) < 0)
		return 0;
	if (!group)
		return family.number;
	*id = family.id;
	return family.id ? family.number : 0;
}
