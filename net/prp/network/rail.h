/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails: the Ethernet devices of this namespace that carry PRP. A device is
 * rail r if it, or a port of it, has the address that the host table gives this
 * node on rail r; the loopback device carries what a node sends to itself.
 */
#ifndef _PRP_RAIL_H
#define _PRP_RAIL_H

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/types.h>

#include "network/table.h"
#include "see/mib.h"

struct prp_net;

#define PRP_RAIL_ANY 0xff /* no number of a rail */

static_assert(sizeof_field(struct prp_mib_cpu, rail) ==
	      (PRP_RAILS + 1) * sizeof(struct prp_mib_rail));

/**
 * struct prp_rail - a rail of this namespace
 * @dev: its device, or NULL [RTNL to write, RCU to read]
 * @tracker: of the reference to @dev [RTNL]
 * @ptype: receives frames of our EtherType from @dev [RTNL]; func is
 *	prp_receive_frame()
 * @pn: namespace; NULL before init and after exit, when devices are none of
 *	our business [RTNL]; const while the rail has a device
 * @number: 0 to PRP_RAILS - 1, or PRP_RAILS for loopback [const after init]
 * @addr: what the table gives this node on it, which a bridge need not have;
 *	zero for loopback [RTNL to write; const while the rail has a device]
 * @mib: its counters [const after init]
 */
struct prp_rail {
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct packet_type ptype;
	struct prp_net *pn;
	u8 number;
	u8 addr[ETH_ALEN] __aligned(2); /* as ether_addr_copy() has it */
	struct prp_mib_rail __percpu *mib;
};

u16 prp_rail_find_self(struct prp_net *pn, const struct prp_table *table,
		       u16 prefer);
void prp_rail_attach(struct prp_net *pn);
int prp_rail_set_ethertype(struct prp_net *pn, u16 ethertype);
int prp_rail_net_init(struct prp_net *pn);
void prp_rail_net_exit(struct prp_net *pn);
int prp_rail_init(void);
void prp_rail_exit(void);

/**
 * prp_rail_works() - is what is sent on a device likely to leave it
 * @dev: the device
 *
 * Return: whether it is up and has a link.
 */
static __always_inline bool prp_rail_works(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

#endif /* _PRP_RAIL_H */
