// SPDX-License-Identifier: GPL-2.0
/*
 * The open transaction of a namespace: a table that is being built, and whose
 * it is.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/genetlink.h>

#include "net.h"
#include "netlink/netlink_priv.h"

/**
 * prp_netlink_own() - has the sender of a request a transaction open?
 * @pn: namespace, its nl.lock held
 * @info: request
 *
 * Return: 0; -ENOENT if there is no transaction; -EBUSY if it is another
 * socket's.
 */
int prp_netlink_own(struct prp_net *pn, const struct genl_info *info)
{
	lockdep_assert_held(&pn->nl.lock);

	if (!pn->nl.table) {
		GENL_SET_ERR_MSG(info, "no transaction is open");
		return -ENOENT;
	}
	if (pn->nl.portid != info->snd_portid) {
		GENL_SET_ERR_MSG(info, "the transaction is another program's");
		return -EBUSY;
	}
	return 0;
}

/**
 * prp_netlink_take() - take the table out of the transaction
 * @pn: namespace, its nl.lock held
 *
 * The transaction ends with it.
 *
 * Return: the table, or NULL if none was open.
 */
struct prp_table *prp_netlink_take(struct prp_net *pn)
{
	struct prp_table *table = pn->nl.table;

	lockdep_assert_held(&pn->nl.lock);

	pn->nl.table = NULL;
	pn->nl.portid = 0;
	return table;
}
