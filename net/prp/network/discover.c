// SPDX-License-Identifier: GPL-2.0
/*
 * Discovery: answers who asks on a device which machines are there. An answer
 * is never longer than its question, and is one of those that strangers have
 * together, or that all have who ask everybody.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "net.h"
#include "network/discover.h"
#include "network/limit.h"

#define VERSION 1
#define KIND_QUESTION 1
#define KIND_ANSWER 2

/* Is it a question that an answer of so many bytes would not outdo? Leaves the
 * cookie.
 */
static bool discover_is_question(struct sk_buff *skb, u16 len, __be32 *cookie)
{
	const struct prp_discover_hdr *hdr;

	if (skb->pkt_type != PACKET_HOST && skb->pkt_type != PACKET_BROADCAST)
		return false;
	if (!is_valid_ether_addr(eth_hdr(skb)->h_source) ||
	    !pskb_may_pull(skb, sizeof(*hdr)))
		return false;
	hdr = (const void *)skb->data;
	*cookie = hdr->cookie;
	return hdr->version == VERSION && hdr->kind == KIND_QUESTION &&
	       be16_to_cpu(hdr->len) >= len &&
	       sizeof(*hdr) + be16_to_cpu(hdr->len) <= skb->len;
}

static void discover_answer(const struct prp_discover *discover, const u8 *to,
			    __be32 cookie)
{
	struct prp_discover_hdr hdr = {
		.version = VERSION,
		.kind = KIND_ANSWER,
		.len = cpu_to_be16(discover->len),
		.cookie = cookie,
	};
	struct net_device *dev = discover->dev;
	unsigned int room = LL_RESERVED_SPACE(dev);
	struct sk_buff *skb;

	skb = alloc_skb(room + sizeof(hdr) + discover->len +
				dev->needed_tailroom,
			GFP_ATOMIC);
	if (!skb)
		return;
	skb_reserve(skb, room);
	skb_reset_network_header(skb);
	skb_put_data(skb, &hdr, sizeof(hdr));
	skb_put_data(skb, discover->text, discover->len);
	skb->dev = dev;
	skb->protocol = htons(PRP_DISCOVER_ETHERTYPE);
	if (dev_hard_header(skb, dev, PRP_DISCOVER_ETHERTYPE, to, NULL,
			    skb->len) < 0)
		kfree_skb(skb);
	else
		dev_queue_xmit(skb); /* it frees what it drops */
}

static bool discover_fits(const struct prp_discover *discover)
{
	return sizeof(struct prp_discover_hdr) + discover->len <=
	       READ_ONCE(discover->dev->mtu);
}

/* What goes to everybody has as many answers as there are machines, all of
 * them to whom it gives as its source.
 */
static bool discover_may_answer(struct prp_net *pn, const struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_BROADCAST ?
		       prp_limit_may_answer_all(pn) :
		       prp_limit_may_answer(pn, 0);
}

/* A frame of the EtherType, in a softirq and an RCU read section */
static int discover_receive(struct sk_buff *skb, struct net_device *dev,
			    struct packet_type *ptype,
			    struct net_device *orig_dev)
{
	const struct prp_discover *discover =
		container_of(ptype, struct prp_discover, ptype);
	__be32 cookie;

	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (dev == discover->dev && discover_fits(discover) &&
	    discover_is_question(skb, discover->len, &cookie) &&
	    discover_may_answer(discover->pn, skb))
		discover_answer(discover, eth_hdr(skb)->h_source, cookie);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

/* Nothing is received for it any more when this returns. */
static void discover_remove(struct prp_discover *discover)
{
	ASSERT_RTNL();

	discover->pn->discovers_seq++;
	list_del(&discover->list);
	dev_remove_pack(&discover->ptype);
	netdev_put(discover->dev, &discover->tracker);
	kfree(discover);
}

static struct prp_discover *discover_find(struct prp_net *pn,
					  const struct net_device *dev)
{
	struct prp_discover *discover;

	ASSERT_RTNL();
	list_for_each_entry(discover, &pn->discovers, list)
		if (discover->dev == dev)
			return discover;
	return NULL;
}

/**
 * prp_discover_on() - say on a device who this machine is
 * @pn: namespace; the caller holds RTNL
 * @ifindex: the device
 * @text: what is said, in place of what was before
 * @extack: told why not
 *
 * Return: 0; -ENODEV without such a device; -EINVAL if it is no Ethernet, or
 * the text is longer than PRP_DISCOVER_TEXT or than the device carries;
 * -ENOMEM.
 */
int prp_discover_on(struct prp_net *pn, int ifindex, const char *text,
		    struct netlink_ext_ack *extack)
{
	struct net_device *dev = __dev_get_by_index(pn->net, ifindex);
	size_t len = strnlen(text, PRP_DISCOVER_TEXT);
	struct prp_discover *discover, *old;

	ASSERT_RTNL();
	if (!dev) {
		NL_SET_ERR_MSG(extack, "there is no such device");
		return -ENODEV;
	}
	if (dev->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG(extack, "the device is no Ethernet");
		return -EINVAL;
	}
	if (!len || len == PRP_DISCOVER_TEXT ||
	    sizeof(struct prp_discover_hdr) + len > dev->mtu) {
		NL_SET_ERR_MSG(extack, "nothing, or too much, is to be said");
		return -EINVAL;
	}
	discover = kzalloc(struct_size(discover, text, len + 1),
			   GFP_KERNEL_ACCOUNT);
	if (!discover)
		return -ENOMEM;
	old = discover_find(pn, dev);
	if (old)
		discover_remove(old);
	memcpy(discover->text, text, len);
	discover->len = len;
	discover->pn = pn;
	discover->dev = dev;
	netdev_hold(dev, &discover->tracker, GFP_KERNEL);
	discover->ptype.type = htons(PRP_DISCOVER_ETHERTYPE);
	discover->ptype.dev = dev;
	discover->ptype.func = discover_receive;
	pn->discovers_seq++;
	list_add_tail(&discover->list, &pn->discovers);
	dev_add_pack(&discover->ptype);
	return 0;
}

/**
 * prp_discover_off() - say nothing any more
 * @pn: namespace; the caller holds RTNL
 * @ifindex: on this device; 0: on any
 * @extack: told why not
 *
 * Return: 0, or -ENOENT if nothing was said there.
 */
int prp_discover_off(struct prp_net *pn, int ifindex,
		     struct netlink_ext_ack *extack)
{
	struct prp_discover *discover, *next;
	int err = ifindex ? -ENOENT : 0;

	ASSERT_RTNL();
	list_for_each_entry_safe(discover, next, &pn->discovers, list) {
		if (ifindex && discover->dev->ifindex != ifindex)
			continue;
		discover_remove(discover);
		err = 0;
	}
	if (err)
		NL_SET_ERR_MSG(extack, "nothing is said on this device");
	return err;
}

/* A device that moves to another namespace leaves the old one thus, too. One
 * above others may become that of another kind of network with the first one
 * of these.
 */
static int discover_event(struct notifier_block *nb, unsigned long event,
			  void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct prp_discover *discover;

	if (event != NETDEV_UNREGISTER &&
	    (event != NETDEV_POST_TYPE_CHANGE || dev->type == ARPHRD_ETHER))
		return NOTIFY_DONE;
	discover = discover_find(prp_net(dev_net(dev)), dev);
	if (discover)
		discover_remove(discover);
	return NOTIFY_DONE;
}

static struct notifier_block discover_notifier = {
	.notifier_call = discover_event,
};

/**
 * prp_discover_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_discover_net_init(struct prp_net *pn)
{
	INIT_LIST_HEAD(&pn->discovers);
	pn->discovers_seq = 1;
}

/**
 * prp_discover_net_exit() - counterpart of prp_discover_net_init()
 * @pn: namespace
 */
void prp_discover_net_exit(struct prp_net *pn)
{
	rtnl_lock();
	prp_discover_off(pn, 0, NULL);
	rtnl_unlock();
}

/**
 * prp_discover_init() - follow devices that go
 *
 * Context: After register_pernet_subsys().
 * Return: 0 or a negative error.
 */
int prp_discover_init(void)
{
	return register_netdevice_notifier(&discover_notifier);
}

/**
 * prp_discover_exit() - counterpart of prp_discover_init()
 *
 * Comes before unregister_pernet_subsys().
 */
void prp_discover_exit(void)
{
	unregister_netdevice_notifier(&discover_notifier);
}
