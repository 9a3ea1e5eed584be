// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration through generic netlink, as Documentation/netlink/specs/
 * prp.yaml has it: how it comes up and goes down, for a namespace and for all.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/netlink.h>
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/table.h"

/* A socket that is closed takes its transaction with it. */
static int prp_netlink_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	struct netlink_notify *notify = ptr;
	struct prp_table *table = NULL;
	struct prp_net *pn;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	pn = prp_net(notify->net);
	mutex_lock(&pn->nl.lock);
	if (pn->nl.table && pn->nl.portid == notify->portid)
		table = prp_netlink_take(pn);
	mutex_unlock(&pn->nl.lock);
	prp_table_free(pn, table);
	return NOTIFY_DONE;
}

static struct notifier_block prp_netlink_notifier = {
	.notifier_call = prp_netlink_event,
};

/**
 * prp_netlink_net_init() - a new namespace has no transaction
 * @pn: namespace
 *
 * Return: 0.
 */
int prp_netlink_net_init(struct prp_net *pn)
{
	mutex_init(&pn->nl.lock);
	prp_netlink_notify_net_init(pn);
	return 0;
}

/**
 * prp_netlink_net_exit() - forget a namespace's transaction
 * @pn: namespace; a socket would keep it, so only the unloading of the
 *	module finds a transaction here
 */
void prp_netlink_net_exit(struct prp_net *pn)
{
	prp_netlink_notify_net_exit(pn);
	prp_table_free(pn, pn->nl.table);
	pn->nl.table = NULL;
	mutex_destroy(&pn->nl.lock);
}

/**
 * prp_netlink_init() - let administrators in, when all else is ready
 *
 * Return: 0 or a negative error.
 */
int __init prp_netlink_init(void)
{
	int err;

	err = netlink_register_notifier(&prp_netlink_notifier);
	if (err)
		return err;
	prp_compat_genl_set_ops(&prp_netlink_family, prp_nl_ops,
				ARRAY_SIZE(prp_nl_ops));
	err = genl_register_family(&prp_netlink_family);
	if (err)
		netlink_unregister_notifier(&prp_netlink_notifier);
	else
		prp_netlink_notify_start();
	return err;
}

/**
 * prp_netlink_exit() - lock administrators out
 */
void prp_netlink_exit(void)
{
	prp_netlink_notify_stop();
	genl_unregister_family(&prp_netlink_family);
	netlink_unregister_notifier(&prp_netlink_notifier);
}
