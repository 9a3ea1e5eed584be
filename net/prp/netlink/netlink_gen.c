// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/prp.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/prp_netlink.h>

/* Common nested types */
const struct nla_policy prp_address_nl_policy[PRP_A_ADDRESS_MAC + 1] = {
	[PRP_A_ADDRESS_RAIL] = NLA_POLICY_MAX(NLA_U8, 7),
	[PRP_A_ADDRESS_MAC] = NLA_POLICY_EXACT_LEN(6),
};

/* PRP_CMD_TABLE_BEGIN - do */
static const struct nla_policy prp_table_begin_nl_policy[PRP_A_TABLE_EMPTY + 1] = {
	[PRP_A_TABLE_GENERATION] = { .type = NLA_U32, },
	[PRP_A_TABLE_EMPTY] = { .type = NLA_FLAG, },
};

/* PRP_CMD_TABLE_ADD - do */
static const struct nla_policy prp_table_add_nl_policy[PRP_A_NODE_IP + 1] = {
	[PRP_A_NODE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_NODE_NAME] = { .type = NLA_NUL_STRING, .len = 63, },
	[PRP_A_NODE_ADDRESS] = NLA_POLICY_NESTED(prp_address_nl_policy),
	[PRP_A_NODE_IP] = NLA_POLICY_MAX_LEN(16),
};

/* PRP_CMD_TABLE_DEL - do */
static const struct nla_policy prp_table_del_nl_policy[PRP_A_NODE_NUMBER + 1] = {
	[PRP_A_NODE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_NODE_GET - do */
static const struct nla_policy prp_node_get_nl_policy[PRP_A_NODE_NUMBER + 1] = {
	[PRP_A_NODE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_RAIL_GET - do */
static const struct nla_policy prp_rail_get_nl_policy[PRP_A_RAIL_NUMBER + 1] = {
	[PRP_A_RAIL_NUMBER] = { .type = NLA_U8, },
};

/* PRP_CMD_ETHERTYPE_SET - do */
static const struct nla_policy prp_ethertype_set_nl_policy[PRP_A_TABLE_ETHERTYPE + 1] = {
	[PRP_A_TABLE_ETHERTYPE] = { .type = NLA_U16, },
};

/* PRP_CMD_LINK_ADD - do */
static const struct nla_policy prp_link_add_nl_policy[PRP_A_LINK_RAIL + 1] = {
	[PRP_A_LINK_NODE] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_LINK_PEER] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_LINK_RAIL] = NLA_POLICY_MAX(NLA_U8, 7),
};

/* PRP_CMD_ROUTE_GET - do */
static const struct nla_policy prp_route_get_nl_policy[PRP_A_ROUTE_NUMBER + 1] = {
	[PRP_A_ROUTE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_ROUTE_SET - do */
static const struct nla_policy prp_route_set_nl_policy[PRP_A_ROUTE_VIA + 1] = {
	[PRP_A_ROUTE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ROUTE_VIA] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_ROUTE_DEL - do */
static const struct nla_policy prp_route_del_nl_policy[PRP_A_ROUTE_NUMBER + 1] = {
	[PRP_A_ROUTE_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_PEER_GET - do */
static const struct nla_policy prp_peer_get_nl_policy[PRP_A_PEER_NUMBER + 1] = {
	[PRP_A_PEER_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* PRP_CMD_ACCESS_ADD - do */
static const struct nla_policy prp_access_add_nl_policy[PRP_A_ACCESS_DIRECTION + 1] = {
	[PRP_A_ACCESS_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_PORT_END] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_NODE] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_DIRECTION] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* PRP_CMD_ACCESS_DEL - do */
static const struct nla_policy prp_access_del_nl_policy[PRP_A_ACCESS_DIRECTION + 1] = {
	[PRP_A_ACCESS_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_PORT_END] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_NODE] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_ACCESS_DIRECTION] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* PRP_CMD_FORWARD_SET - do */
static const struct nla_policy prp_forward_set_nl_policy[PRP_A_TABLE_FORWARD + 1] = {
	[PRP_A_TABLE_FORWARD] = NLA_POLICY_MAX(NLA_U8, 2),
};

/* PRP_CMD_MEMORY_SET - do */
static const struct nla_policy prp_memory_set_nl_policy[PRP_A_MEMORY_LIMIT + 1] = {
	[PRP_A_MEMORY_MACHINE_LIMIT] = { .type = NLA_U64, },
	[PRP_A_MEMORY_LIMIT] = { .type = NLA_U64, },
};

/* PRP_CMD_QUERY - do */
static const struct nla_policy prp_query_nl_policy[PRP_A_QUERY_DEST + 1] = {
	[PRP_A_QUERY_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_QUERY_RAIL] = NLA_POLICY_MAX(NLA_U8, 7),
	[PRP_A_QUERY_SIZE] = NLA_POLICY_MAX(NLA_U16, 16384),
	[PRP_A_QUERY_BACK] = { .type = NLA_U16, },
	[PRP_A_QUERY_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_QUERY_SEQPACKET] = { .type = NLA_FLAG, },
	[PRP_A_QUERY_LOW] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_QUERY_HIGH] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_QUERY_SOURCE] = NLA_POLICY_MAX_LEN(16),
	[PRP_A_QUERY_DEST] = NLA_POLICY_MAX_LEN(16),
};

/* PRP_CMD_DISCOVER_ON - do */
static const struct nla_policy prp_discover_on_nl_policy[PRP_A_DISCOVER_TEXT + 1] = {
	[PRP_A_DISCOVER_IFINDEX] = { .type = NLA_U32, },
	[PRP_A_DISCOVER_TEXT] = { .type = NLA_NUL_STRING, .len = 511, },
};

/* PRP_CMD_DISCOVER_OFF - do */
static const struct nla_policy prp_discover_off_nl_policy[PRP_A_DISCOVER_IFINDEX + 1] = {
	[PRP_A_DISCOVER_IFINDEX] = { .type = NLA_U32, },
};

/* PRP_CMD_FAULT_SET - do */
static const struct nla_policy prp_fault_set_nl_policy[PRP_A_FAULT_SEED + 1] = {
	[PRP_A_FAULT_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
	[PRP_A_FAULT_LOSS] = NLA_POLICY_MAX(NLA_U16, 10000),
	[PRP_A_FAULT_DUPLICATE] = NLA_POLICY_MAX(NLA_U16, 10000),
	[PRP_A_FAULT_CORRUPT] = NLA_POLICY_MAX(NLA_U16, 10000),
	[PRP_A_FAULT_DELAY] = NLA_POLICY_MAX(NLA_U16, 10000),
	[PRP_A_FAULT_SEED] = { .type = NLA_U32, },
};

/* PRP_CMD_FAULT_DEL - do */
static const struct nla_policy prp_fault_del_nl_policy[PRP_A_FAULT_NUMBER + 1] = {
	[PRP_A_FAULT_NUMBER] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* Ops table for prp */
const struct genl_split_ops prp_nl_ops[34] = {
	{
		.cmd	= PRP_CMD_TABLE_GET,
		.doit	= prp_nl_table_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_TABLE_BEGIN,
		.doit		= prp_nl_table_begin_doit,
		.policy		= prp_table_begin_nl_policy,
		.maxattr	= PRP_A_TABLE_EMPTY,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_TABLE_ADD,
		.doit		= prp_nl_table_add_doit,
		.policy		= prp_table_add_nl_policy,
		.maxattr	= PRP_A_NODE_IP,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_TABLE_DEL,
		.doit		= prp_nl_table_del_doit,
		.policy		= prp_table_del_nl_policy,
		.maxattr	= PRP_A_NODE_NUMBER,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_TABLE_COMMIT,
		.doit	= prp_nl_table_commit_doit,
		.flags	= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_TABLE_ABORT,
		.doit	= prp_nl_table_abort_doit,
		.flags	= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_NODE_GET,
		.doit		= prp_nl_node_get_doit,
		.policy		= prp_node_get_nl_policy,
		.maxattr	= PRP_A_NODE_NUMBER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_NODE_GET,
		.dumpit	= prp_nl_node_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_RAIL_GET,
		.doit		= prp_nl_rail_get_doit,
		.policy		= prp_rail_get_nl_policy,
		.maxattr	= PRP_A_RAIL_NUMBER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_RAIL_GET,
		.dumpit	= prp_nl_rail_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_ETHERTYPE_SET,
		.doit		= prp_nl_ethertype_set_doit,
		.policy		= prp_ethertype_set_nl_policy,
		.maxattr	= PRP_A_TABLE_ETHERTYPE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_STATS_GET,
		.dumpit	= prp_nl_stats_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_LINK_ADD,
		.doit		= prp_nl_link_add_doit,
		.policy		= prp_link_add_nl_policy,
		.maxattr	= PRP_A_LINK_RAIL,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_LINK_GET,
		.dumpit	= prp_nl_link_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= PRP_CMD_LINK_FLUSH,
		.doit	= prp_nl_link_flush_doit,
		.flags	= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_ROUTE_GET,
		.doit		= prp_nl_route_get_doit,
		.policy		= prp_route_get_nl_policy,
		.maxattr	= PRP_A_ROUTE_NUMBER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_ROUTE_GET,
		.dumpit	= prp_nl_route_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_ROUTE_SET,
		.doit		= prp_nl_route_set_doit,
		.policy		= prp_route_set_nl_policy,
		.maxattr	= PRP_A_ROUTE_VIA,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_ROUTE_DEL,
		.doit		= prp_nl_route_del_doit,
		.policy		= prp_route_del_nl_policy,
		.maxattr	= PRP_A_ROUTE_NUMBER,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_PEER_GET,
		.doit		= prp_nl_peer_get_doit,
		.policy		= prp_peer_get_nl_policy,
		.maxattr	= PRP_A_PEER_NUMBER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_PEER_GET,
		.dumpit	= prp_nl_peer_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_ACCESS_ADD,
		.doit		= prp_nl_access_add_doit,
		.policy		= prp_access_add_nl_policy,
		.maxattr	= PRP_A_ACCESS_DIRECTION,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_ACCESS_DEL,
		.doit		= prp_nl_access_del_doit,
		.policy		= prp_access_del_nl_policy,
		.maxattr	= PRP_A_ACCESS_DIRECTION,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_ACCESS_GET,
		.dumpit	= prp_nl_access_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_FORWARD_SET,
		.doit		= prp_nl_forward_set_doit,
		.policy		= prp_forward_set_nl_policy,
		.maxattr	= PRP_A_TABLE_FORWARD,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_MEMORY_GET,
		.doit	= prp_nl_memory_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_MEMORY_SET,
		.doit		= prp_nl_memory_set_doit,
		.policy		= prp_memory_set_nl_policy,
		.maxattr	= PRP_A_MEMORY_LIMIT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_QUERY,
		.doit		= prp_nl_query_doit,
		.policy		= prp_query_nl_policy,
		.maxattr	= PRP_A_QUERY_DEST,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_DISCOVER_ON,
		.doit		= prp_nl_discover_on_doit,
		.policy		= prp_discover_on_nl_policy,
		.maxattr	= PRP_A_DISCOVER_TEXT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_DISCOVER_OFF,
		.doit		= prp_nl_discover_off_doit,
		.policy		= prp_discover_off_nl_policy,
		.maxattr	= PRP_A_DISCOVER_IFINDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_DISCOVER_GET,
		.dumpit	= prp_nl_discover_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PRP_CMD_FAULT_SET,
		.doit		= prp_nl_fault_set_doit,
		.policy		= prp_fault_set_nl_policy,
		.maxattr	= PRP_A_FAULT_SEED,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PRP_CMD_FAULT_DEL,
		.doit		= prp_nl_fault_del_doit,
		.policy		= prp_fault_del_nl_policy,
		.maxattr	= PRP_A_FAULT_NUMBER,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= PRP_CMD_FAULT_GET,
		.dumpit	= prp_nl_fault_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group prp_nl_mcgrps[] = {
	[PRP_NLGRP_EVENTS] = { "events", },
	[PRP_NLGRP_CONNECTIONS] = { "connections", },
};
