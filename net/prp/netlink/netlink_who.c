// SPDX-License-Identifier: GPL-2.0
/*
 * Where this machine says who it is, through generic netlink; discover.c says
 * it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/discover.h"

/**
 * prp_nl_discover_on_doit() - say on a device who this machine is
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without device or text; as prp_discover_on().
 */
int prp_nl_discover_on_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_DISCOVER_IFINDEX) ||
	    GENL_REQ_ATTR_CHECK(info, PRP_A_DISCOVER_TEXT)) {
		GENL_SET_ERR_MSG(info, "a device and a text are needed");
		return -EINVAL;
	}
	rtnl_lock();
	err = prp_discover_on(pn,
			      nla_get_u32(info->attrs[PRP_A_DISCOVER_IFINDEX]),
			      nla_data(info->attrs[PRP_A_DISCOVER_TEXT]),
			      info->extack);
	rtnl_unlock();
	return err;
}

/**
 * prp_nl_discover_off_doit() - say nothing any more on a device, or on any
 * @skb: request
 * @info: its attributes
 *
 * Return: as prp_discover_off().
 */
int prp_nl_discover_off_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *ifindex = info->attrs[PRP_A_DISCOVER_IFINDEX];
	int err;

	rtnl_lock();
	err = prp_discover_off(prp_net(genl_info_net(info)),
			       ifindex ? nla_get_u32(ifindex) : 0,
			       info->extack);
	rtnl_unlock();
	return err;
}

static int discover_put(struct sk_buff *skb, struct netlink_callback *cb,
			const struct prp_discover *discover)
{
	void *header;
	int err = 0;

	header = prp_netlink_dump_begin(skb, cb, PRP_CMD_DISCOVER_GET);
	if (!header)
		return -EMSGSIZE;
	if (nla_put_u32(skb, PRP_A_DISCOVER_IFINDEX, discover->dev->ifindex) ||
	    nla_put_string(skb, PRP_A_DISCOVER_IFNAME, discover->dev->name) ||
	    nla_put_string(skb, PRP_A_DISCOVER_TEXT, discover->text))
		err = -EMSGSIZE;
	return prp_netlink_dump_end(skb, header, err);
}

/**
 * prp_nl_discover_get_dumpit() - get what is said, and where
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the next device
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_discover_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	const struct prp_discover *discover;
	long at = 0;
	int err = 0;

	rtnl_lock();
	cb->seq = pn->discovers_seq;
	list_for_each_entry(discover, &pn->discovers, list) {
		if (at++ < cb->args[0])
			continue;
		err = discover_put(skb, cb, discover);
		if (err)
			break;
		cb->args[0] = at;
	}
	rtnl_unlock();
	return skb->len ?: err;
}
