// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the rooms come up and go down, and nothing else.
 *
 * There is no net-pf alias: the module is loaded by the administrator, not
 * by whoever opens a socket.
 */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <prp_release.h>

#include "inet/inet.h"
#include "net.h"
#include "network/access.h"
#include "network/discover.h"
#include "network/offload.h"
#include "network/way.h"
#include "see/diag.h"
#include "see/peer.h"
#include "see/proc.h"
#include "socket/port.h"
#include "socket/sock.h"
#include "transport/below.h"
#include "transport/changes.h"
#include "transport/conn.h"
#include "transport/fault.h"
#include "transport/lot.h"
#include "transport/lull.h"
#include "transport/output.h"
#include "transport/receive.h"
#include "transport/recovery.h"
#include "transport/timers.h"

unsigned int prp_net_id;

static int __net_init prp_net_init(struct net *net)
{
	struct prp_net *pn = prp_net(net);
	int err;

	pn->net = net;
	pn->ethertype = PRP_ETHERTYPE;
	err = prp_mib_net_init(pn);
	if (err)
		return err;
	prp_pool_net_init(pn);
	prp_port_net_init(pn);
	prp_sock_net_init(pn);
	prp_peer_net_init(pn);
	prp_way_net_init(pn);
	prp_inet_memo_net_init(pn);
	prp_access_net_init(pn);
	prp_fault_net_init(pn);
	prp_confirm_net_init(pn);
	prp_discover_net_init(pn);
	err = prp_query_net_init(pn);
	if (err)
		goto err_mib;
	err = prp_conn_net_init(pn);
	if (err)
		goto err_query;
	err = prp_table_net_init(pn);
	if (err)
		goto err_conn;
	err = prp_rail_net_init(pn);
	if (err)
		goto err_node;
	err = prp_netlink_net_init(pn);
	if (err)
		goto err_rail;
	err = prp_proc_net_init(pn);
	if (err)
		goto err_netlink;
	return 0;

err_netlink:
	prp_netlink_net_exit(pn);
err_rail:
	prp_rail_net_exit(pn);
err_node:
	prp_table_net_exit(pn);
err_conn:
	prp_conn_net_exit(pn);
	prp_peer_net_exit(pn);
	prp_way_net_exit(pn);
err_query:
	prp_query_net_exit(pn);
err_mib:
	prp_access_net_exit(pn);
	prp_mib_net_exit(pn);
	return err;
}

static void __net_exit prp_net_pre_exit(struct net *net)
{
	prp_changes_exit(prp_net(net));
}

static void __net_exit prp_net_exit(struct net *net)
{
	struct prp_net *pn = prp_net(net);

	prp_proc_net_exit(pn);
	prp_netlink_net_exit(pn);
	prp_discover_net_exit(pn);
	prp_rail_net_exit(pn);
	prp_fault_net_exit(pn);
	/* the thread of a processor that gets no time may keep some */
	while (!prp_conn_net_gone(pn))
		prp_lull_flush();
	prp_conn_net_exit(pn);
	prp_query_net_exit(pn);
	prp_peer_net_exit(pn);
	prp_way_net_exit(pn);
	prp_table_net_exit(pn);
	prp_access_net_exit(pn);
	prp_pool_net_exit(pn);
	prp_mib_net_exit(pn);
}

static struct pernet_operations prp_net_ops = {
	.init = prp_net_init,
	.pre_exit = prp_net_pre_exit,
	.exit = prp_net_exit,
	.id = &prp_net_id,
	.size = sizeof(struct prp_net),
};

/* A program that finds us may hold on to us, though the kernel frees us when we
 * fail. So what takes memory comes first: of the last ones, each may fail only
 * where another module has the name or the number.
 */
static int __init prp_init(void)
{
	int err;

	err = prp_timers_init(prp_recovery_timer);
	if (err)
		return err;
	err = prp_lull_init(prp_output_let_go);
	if (err)
		goto err_timers;
	prp_pool_init();
	prp_below_init(prp_output_kicked);
	prp_offload_init(prp_below_freed, prp_lot_freed);
	prp_fault_init(prp_receive_again);
	err = prp_conn_init();
	if (err)
		goto err_lull;
	err = prp_sock_init();
	if (err)
		goto err_conn;
	err = prp_inet_work_init();
	if (err)
		goto err_sock;
	err = register_pernet_subsys(&prp_net_ops);
	if (err)
		goto err_work;
	err = prp_rail_init();
	if (err)
		goto err_net;
	err = prp_discover_init();
	if (err)
		goto err_rail;
	err = prp_netlink_init();
	if (err)
		goto err_discover;
	err = prp_diag_init();
	if (err)
		goto err_netlink;
	err = prp_family_init();
	if (err)
		goto err_diag;
	err = prp_inet_init();
	if (err)
		goto err_family;
	return 0;

err_family:
	prp_family_exit();
err_diag:
	prp_diag_exit();
err_netlink:
	prp_netlink_exit();
err_discover:
	prp_discover_exit();
err_rail:
	prp_rail_exit();
err_net:
	unregister_pernet_subsys(&prp_net_ops);
err_work:
	prp_offload_exit();
	prp_inet_work_exit();
err_sock:
	prp_sock_exit();
err_conn:
	prp_conn_exit();
	prp_lot_exit();
err_lull:
	prp_lull_exit();
err_timers:
	prp_timers_exit();
	return err;
}

/* End what closed sockets have left. */
static void __exit end_all(void)
{
	struct net *net;

	down_read(&net_rwsem);
	for_each_net(net)
		prp_changes_exit(prp_net(net));
	up_read(&net_rwsem);
}

static void __exit prp_exit(void)
{
	prp_inet_exit();
	prp_family_exit();
	prp_diag_exit();
	prp_netlink_exit();
	prp_discover_exit();
	end_all(); /* while there are rails to tell peers by */
	prp_rail_exit();
	unregister_pernet_subsys(&prp_net_ops);
	prp_offload_exit();
	prp_inet_work_exit();
	prp_sock_exit();
	prp_lull_exit();
	prp_timers_exit();
	prp_below_exit();
	prp_conn_exit();
	prp_lot_exit();
}

module_init(prp_init);
module_exit(prp_exit);

MODULE_DESCRIPTION("PRP, the PaRma Protocol: cluster transport on Ethernet");
MODULE_AUTHOR("The PRP authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(PRP_RELEASE);
