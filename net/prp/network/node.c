// SPDX-License-Identifier: GPL-2.0
/*
 * A node of the host table by itself: which numbers, names and addresses are
 * possible at all, and what it shares with another one.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/crc32.h>
#include <linux/ctype.h>
#include <linux/etherdevice.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <uapi/linux/prp.h>

#include "network/node.h"

static int prp_node_check_name(const struct prp_node *node,
			       struct netlink_ext_ack *extack)
{
	bool number = true;
	unsigned int i;

	if (!node->name[0]) {
		NL_SET_ERR_MSG(extack, "a node must have a name");
		return -EINVAL;
	}
	for (i = 0; i < PRP_NODE_NAME_LEN && node->name[i]; i++) {
		char c = node->name[i];

		if (!isascii(c) || !(isalnum(c) || strchr("._-", c))) {
			NL_SET_ERR_MSG(extack,
				       "a name has letters, digits and . - _");
			return -EINVAL;
		}
		number = number && isdigit(c);
	}
	if (i == PRP_NODE_NAME_LEN) {
		NL_SET_ERR_MSG(extack, "name too long");
		return -EINVAL;
	}
	if (number) {
		NL_SET_ERR_MSG(extack, "a name must not be a number");
		return -EINVAL;
	}
	return 0;
}

static int prp_node_check_addrs(const struct prp_node *node,
				struct netlink_ext_ack *extack)
{
	unsigned int i;

	if (!node->rails) {
		NL_SET_ERR_MSG(extack, "a node must have a hardware address");
		return -EINVAL;
	}
	for (i = 0; i < PRP_RAILS; i++) {
		if (!(node->rails & BIT(i)))
			continue;
		if (is_multicast_ether_addr(node->addr[i])) {
			NL_SET_ERR_MSG(extack,
				       "hardware address is a multicast one");
			return -EINVAL;
		}
		if (is_zero_ether_addr(node->addr[i])) {
			NL_SET_ERR_MSG(extack, "hardware address is zero");
			return -EINVAL;
		}
	}
	return 0;
}

/* An IP address that means one machine to all the others */
static bool prp_node_ip_ok(const struct in6_addr *ip)
{
	if (ipv6_addr_v4mapped(ip)) {
		__be32 v4 = ip->s6_addr32[3];

		return !ipv4_is_zeronet(v4) && !ipv4_is_loopback(v4) &&
		       !ipv4_is_multicast(v4) && !ipv4_is_lbcast(v4);
	}
	return !ipv6_addr_any(ip) && !ipv6_addr_loopback(ip) &&
	       !ipv6_addr_is_multicast(ip);
}

/**
 * prp_node_check() - may a table have such a node at all?
 * @node: the node
 * @extack: told why not
 *
 * Return: 0; -ERANGE for an impossible number; -EINVAL for an impossible name
 * or address; -E2BIG for too many IP addresses.
 */
int prp_node_check(const struct prp_node *node, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int err;

	if (!node->number || node->number > PRP_NODE_MAX) {
		NL_SET_ERR_MSG(extack, "a node's number is 1 to 65534");
		return -ERANGE;
	}
	err = prp_node_check_name(node, extack);
	if (err)
		return err;
	err = prp_node_check_addrs(node, extack);
	if (err)
		return err;
	if (node->ip_count > PRP_NODE_IPS) {
		NL_SET_ERR_MSG(extack, "too many IP addresses");
		return -E2BIG;
	}
	for (i = 0; i < node->ip_count; i++) {
		if (!prp_node_ip_ok(&node->ip[i])) {
			NL_SET_ERR_MSG(extack,
				       "IP address is not one machine's");
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * prp_node_dup() - copy a node, with all cleared that is not in use
 * @node: the node, checked
 *
 * Return: the copy, or NULL without memory.
 */
struct prp_node *prp_node_dup(const struct prp_node *node)
{
	struct prp_node *copy;
	unsigned int i;

	BUILD_BUG_ON(sizeof(*node) != 4 + sizeof(node->addr) +
					      sizeof(node->name) +
					      sizeof(node->ip));

	copy = kzalloc(sizeof(*copy), GFP_KERNEL_ACCOUNT);
	if (!copy)
		return NULL;
	copy->number = node->number;
	copy->rails = node->rails;
	copy->ip_count = node->ip_count;
	strscpy(copy->name, node->name, sizeof(copy->name));
	for (i = 0; i < PRP_RAILS; i++)
		if (node->rails & BIT(i))
			ether_addr_copy(copy->addr[i], node->addr[i]);
	for (i = 0; i < node->ip_count; i++)
		copy->ip[i] = node->ip[i];
	return copy;
}

/**
 * prp_node_shares_addr() - do two nodes have a hardware address in common?
 * @a: one node
 * @b: the other
 *
 * Return: whether they do, on whichever rails.
 */
bool prp_node_shares_addr(const struct prp_node *a, const struct prp_node *b)
{
	unsigned int i, j;

	for (i = 0; i < PRP_RAILS; i++)
		for (j = 0; j < PRP_RAILS; j++)
			if (a->rails & BIT(i) && b->rails & BIT(j) &&
			    ether_addr_equal(a->addr[i], b->addr[j]))
				return true;
	return false;
}

/**
 * prp_node_shares_rail() - do two nodes have a hardware address in common?
 * @a: one node
 * @b: the other
 *
 * Return: whether they do, on the same rail.
 */
bool prp_node_shares_rail(const struct prp_node *a, const struct prp_node *b)
{
	unsigned int rail;

	for (rail = 0; rail < PRP_RAILS; rail++)
		if (a->rails & b->rails & BIT(rail) &&
		    ether_addr_equal(a->addr[rail], b->addr[rail]))
			return true;
	return false;
}

/**
 * prp_node_hash() - hash a node
 * @node: the node, with all cleared that is not in use
 * @crc: CRC-32 so far, not inverted
 *
 * Return: CRC-32 of that and of the node, its number in network byte order.
 */
u32 prp_node_hash(const struct prp_node *node, u32 crc)
{
	const size_t rest = offsetof(struct prp_node, rails);
	__be16 number = htons(node->number);

	crc = crc32_le(crc, (const u8 *)&number, sizeof(number));
	return crc32_le(crc, (const u8 *)node + rest, sizeof(*node) - rest);
}
