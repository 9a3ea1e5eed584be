// SPDX-License-Identifier: GPL-2.0
/* The EtherType that a namespace speaks, as a request of generic netlink. */
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink.h"
#include "netlink/netlink_gen.h"
#include "network/discover.h"
#include "network/offload.h"
#include "network/rail.h"

/* EtherTypes that somebody else listens to */
static const u16 prp_netlink_ethertypes_taken[] = {
	ETH_P_IP,      ETH_P_ARP,      ETH_P_RARP,    ETH_P_IPV6,
	ETH_P_8021Q,   ETH_P_8021AD,   ETH_P_QINQ1,   ETH_P_QINQ2,
	ETH_P_QINQ3,   ETH_P_ERSPAN,   ETH_P_ERSPAN2, ETH_P_MPLS_UC,
	ETH_P_MPLS_MC, ETH_P_PPP_DISC, ETH_P_PPP_SES, ETH_P_SLOW,
	ETH_P_PAUSE,   ETH_P_PAE,      ETH_P_LLDP,    ETH_P_MACSEC,
	ETH_P_PREAUTH, ETH_P_TIPC,     ETH_P_1588,    ETH_P_MRP,
	ETH_P_CFM,     ETH_P_MAP,      ETH_P_FCOE,    ETH_P_FIP,
	ETH_P_IBOE,    ETH_P_AOE,      ETH_P_TDLS,    ETH_P_NCSI,
	ETH_P_PRP,     ETH_P_HSR,      ETH_P_TSN,     ETH_P_MVRP,
	ETH_P_BATMAN,  ETH_P_LOOPBACK, ETH_P_NSH,     ETH_P_TEB,
	ETH_P_IPX,     ETH_P_ATALK,    ETH_P_AARP,
};

static int prp_netlink_check_ethertype(u16 ethertype,
				       struct netlink_ext_ack *extack)
{
	unsigned int i;

	if (ethertype < ETH_P_802_3_MIN) {
		NL_SET_ERR_MSG(extack,
			       "below 0x0600 it is a length, not an EtherType");
		return -EINVAL;
	}
	if (ethertype == PRP_DISCOVER_ETHERTYPE) {
		NL_SET_ERR_MSG(extack, "the EtherType is discovery's");
		return -EADDRINUSE;
	}
	for (i = 0; i < ARRAY_SIZE(prp_netlink_ethertypes_taken); i++) {
		if (ethertype == prp_netlink_ethertypes_taken[i]) {
			NL_SET_ERR_MSG(extack,
				       "the EtherType is another protocol's");
			return -EADDRINUSE;
		}
	}
	return 0;
}

/**
 * prp_nl_ethertype_set_doit() - speak another EtherType
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without an EtherType or for a length; -EADDRINUSE for
 * one that another protocol has; what prp_rail_set_ethertype() returns.
 */
int prp_nl_ethertype_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u16 ethertype;
	int err, before;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_TABLE_ETHERTYPE)) {
		GENL_SET_ERR_MSG(info, "the EtherType is missing");
		return -EINVAL;
	}
	ethertype = nla_get_u16(info->attrs[PRP_A_TABLE_ETHERTYPE]);
	err = prp_netlink_check_ethertype(ethertype, info->extack);
	if (err)
		return err;
	rtnl_lock();
	mutex_lock(&pn->table_mutex);
	before = prp_rail_set_ethertype(pn, ethertype);
	if (before > 0)
		prp_netlink_notify_table(pn);
	mutex_unlock(&pn->table_mutex);
	rtnl_unlock();
	if (before > 0)
		prp_offload_put(before, pn->pool.user);
	else if (before == -ENOSPC)
		GENL_SET_ERR_MSG(info,
				 "users speak too many EtherTypes already");
	return min(before, 0);
}
