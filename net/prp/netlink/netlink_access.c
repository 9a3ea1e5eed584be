// SPDX-License-Identifier: GPL-2.0
/*
 * The access list through generic netlink; access.c judges by it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/prp.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/access.h"

static int access_put_hits(struct sk_buff *skb,
			   const struct prp_access_hits *hits)
{
	if (nla_put_u64_64bit(skb, PRP_A_ACCESS_PASSED,
			      atomic64_read(&hits->passed), PRP_A_ACCESS_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_ACCESS_REFUSED,
			      atomic64_read(&hits->refused), PRP_A_ACCESS_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_netlink_put_access() - write an entry
 * @skb: message
 * @entry: entry, or NULL for all of them
 * @removed: it is no longer there
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_access(struct sk_buff *skb,
			   const struct prp_access_entry *entry, bool removed)
{
	if (removed && nla_put_flag(skb, PRP_A_ACCESS_REMOVED))
		return -EMSGSIZE;
	if (!entry)
		return 0;
	if (nla_put_u16(skb, PRP_A_ACCESS_PORT, entry->low) ||
	    (entry->high != entry->low &&
	     nla_put_u16(skb, PRP_A_ACCESS_PORT_END, entry->high)) ||
	    nla_put_u16(skb, PRP_A_ACCESS_NODE, entry->node) ||
	    nla_put_u8(skb, PRP_A_ACCESS_DIRECTION, entry->direction))
		return -EMSGSIZE;
	return entry->hits ? access_put_hits(skb, entry->hits) : 0;
}

static int access_parse(struct prp_access_entry *entry, struct genl_info *info)
{
	if (GENL_REQ_ATTR_CHECK(info, PRP_A_ACCESS_PORT) ||
	    GENL_REQ_ATTR_CHECK(info, PRP_A_ACCESS_NODE)) {
		GENL_SET_ERR_MSG(info, "an entry needs a port and a node");
		return -EINVAL;
	}
	memset(entry, 0, sizeof(*entry));
	entry->low = nla_get_u16(info->attrs[PRP_A_ACCESS_PORT]);
	entry->high = entry->low;
	entry->node = nla_get_u16(info->attrs[PRP_A_ACCESS_NODE]);
	if (info->attrs[PRP_A_ACCESS_PORT_END])
		entry->high = nla_get_u16(info->attrs[PRP_A_ACCESS_PORT_END]);
	if (info->attrs[PRP_A_ACCESS_DIRECTION])
		entry->direction =
			nla_get_u8(info->attrs[PRP_A_ACCESS_DIRECTION]);
	if (entry->high < entry->low) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[PRP_A_ACCESS_PORT_END],
				    "the range ends before it begins");
		return -EINVAL;
	}
	if (entry->node > PRP_NODE_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[PRP_A_ACCESS_NODE],
				    "no node can have this number");
		return -EINVAL;
	}
	return 0;
}

/**
 * prp_nl_access_add_doit() - add an entry to the access list
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL for what is no entry; what prp_access_add() returns.
 */
int prp_nl_access_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_access_entry entry;

	return access_parse(&entry, info) ?:
		       prp_access_add(prp_net(genl_info_net(info)), &entry,
				      info->extack);
}

/**
 * prp_nl_access_del_doit() - remove an entry, or all of them
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL for what is no entry; what prp_access_del() returns.
 */
int prp_nl_access_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_access_entry entry;

	if (!info->attrs[PRP_A_ACCESS_PORT] &&
	    !info->attrs[PRP_A_ACCESS_PORT_END] &&
	    !info->attrs[PRP_A_ACCESS_NODE] &&
	    !info->attrs[PRP_A_ACCESS_DIRECTION]) {
		prp_access_flush(pn);
		return 0;
	}
	return access_parse(&entry, info) ?:
		       prp_access_del(pn, &entry, info->extack);
}

/**
 * prp_nl_access_get_dumpit() - get the access list
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the next entry
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_access_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	const struct prp_access *list;
	void *header;
	int err = 0;

	rcu_read_lock();
	list = rcu_dereference(pn->access);
	cb->seq = list ? list->generation : 0;
	for (; list && cb->args[0] < list->count; cb->args[0]++) {
		header = prp_netlink_dump_begin(skb, cb, PRP_CMD_ACCESS_GET);
		if (!header) {
			err = -EMSGSIZE;
			break;
		}
		err = prp_netlink_put_access(skb, &list->entry[cb->args[0]],
					     false);
		err = prp_netlink_dump_end(skb, header, err);
		if (err)
			break;
	}
	rcu_read_unlock();
	return skb->len ?: err;
}
