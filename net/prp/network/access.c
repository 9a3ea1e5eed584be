// SPDX-License-Identifier: GPL-2.0
/*
 * The accept list. A port that no entry names accepts requests of all nodes;
 * one that entries name accepts those of the nodes in these entries, however
 * their ranges overlap. Only requests are judged, when they come: a list
 * never ends what is there. A list is built whole and never changes once it
 * is published.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "net.h"
#include "network/access.h"

static struct prp_access *access_now(const struct prp_net *pn)
{
	return rcu_dereference_protected(pn->access,
					 lockdep_is_held(&pn->access_mutex));
}

/**
 * prp_access_refuses_rcu() - does the accept list refuse a request?
 * @pn: namespace; the caller is in an RCU read section
 * @port: port that the request is for
 * @node: node that it comes from
 *
 * Return: true if entries name the port and none of them the node.
 */
bool prp_access_refuses_rcu(const struct prp_net *pn, u16 port, u16 node)
{
	const struct prp_access *list = rcu_dereference(pn->access);
	bool named = false;
	u32 i;

	if (!list)
		return false;
	for (i = 0; i < list->count && list->entry[i].low <= port; i++) {
		if (list->entry[i].high < port)
			continue;
		if (list->entry[i].node == node)
			return false;
		named = true;
	}
	return named;
}

static int access_compare(const struct prp_access_entry *a,
			  const struct prp_access_entry *b)
{
	if (a->low != b->low)
		return a->low - b->low;
	if (a->high != b->high)
		return a->high - b->high;
	return a->node - b->node;
}

/* Where an entry is, or where it belongs. Return: an index; @found tells
 * which of the two.
 */
static u32 access_find(const struct prp_access *list,
		       const struct prp_access_entry *entry, bool *found)
{
	int order = 1;
	u32 i;

	for (i = 0; list && i < list->count; i++) {
		order = access_compare(&list->entry[i], entry);
		if (order >= 0)
			break;
	}
	*found = !order;
	return i;
}

static struct prp_access *access_alloc(u32 count)
{
	struct prp_access *list;

	list = kvmalloc(struct_size(list, entry, count), GFP_KERNEL_ACCOUNT);
	if (list)
		list->count = count;
	return list;
}

/* @list, or NULL for an empty one, is the accept list from now on. */
static void access_publish(struct prp_net *pn, struct prp_access *list)
{
	struct prp_access *old = access_now(pn);

	lockdep_assert_held(&pn->access_mutex);
	pn->access_generation++;
	if (list)
		list->generation = pn->access_generation;
	rcu_assign_pointer(pn->access, list);
	if (old)
		kvfree_rcu(old, rcu);
}

static int access_insert(struct prp_net *pn,
			 const struct prp_access_entry *entry,
			 struct netlink_ext_ack *extack)
{
	const struct prp_access *old = access_now(pn);
	u32 at, count = old ? old->count : 0;
	struct prp_access *list;
	bool found;

	at = access_find(old, entry, &found);
	if (found) {
		NL_SET_ERR_MSG(extack, "the accept list has this entry");
		return -EEXIST;
	}
	if (count == PRP_ACCESS_MAX) {
		NL_SET_ERR_MSG(extack, "the accept list is full");
		return -E2BIG;
	}
	list = access_alloc(count + 1);
	if (!list)
		return -ENOMEM;
	if (at)
		memcpy(list->entry, old->entry, at * sizeof(*entry));
	list->entry[at] = *entry;
	if (at < count)
		memcpy(&list->entry[at + 1], &old->entry[at],
		       (count - at) * sizeof(*entry));
	access_publish(pn, list);
	return 0;
}

/**
 * prp_access_add() - let a node connect to ports
 * @pn: namespace; the caller may sleep
 * @entry: entry, its @low not above its @high
 * @extack: told why not
 *
 * Return: 0; -EEXIST if the list has it; -E2BIG if the list is full; -ENOMEM.
 */
int prp_access_add(struct prp_net *pn, const struct prp_access_entry *entry,
		   struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&pn->access_mutex);
	err = access_insert(pn, entry, extack);
	if (!err)
		prp_netlink_notify_access(pn, entry, false);
	mutex_unlock(&pn->access_mutex);
	return err;
}

static int access_remove(struct prp_net *pn,
			 const struct prp_access_entry *entry,
			 struct netlink_ext_ack *extack)
{
	const struct prp_access *old = access_now(pn);
	struct prp_access *list = NULL;
	bool found;
	u32 at;

	at = access_find(old, entry, &found);
	if (!found) {
		NL_SET_ERR_MSG(extack, "the accept list has no such entry");
		return -ENOENT;
	}
	if (old->count > 1) {
		list = access_alloc(old->count - 1);
		if (!list)
			return -ENOMEM;
		memcpy(list->entry, old->entry, at * sizeof(*entry));
		memcpy(&list->entry[at], &old->entry[at + 1],
		       (old->count - at - 1) * sizeof(*entry));
	}
	access_publish(pn, list);
	return 0;
}

/**
 * prp_access_del() - remove an entry
 * @pn: namespace; the caller may sleep
 * @entry: entry, exactly as it was added
 * @extack: told why not
 *
 * Return: 0; -ENOENT if the list does not have it; -ENOMEM.
 */
int prp_access_del(struct prp_net *pn, const struct prp_access_entry *entry,
		   struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&pn->access_mutex);
	err = access_remove(pn, entry, extack);
	if (!err)
		prp_netlink_notify_access(pn, entry, true);
	mutex_unlock(&pn->access_mutex);
	return err;
}

/**
 * prp_access_flush() - remove all entries
 * @pn: namespace; the caller may sleep
 */
void prp_access_flush(struct prp_net *pn)
{
	mutex_lock(&pn->access_mutex);
	if (access_now(pn)) {
		access_publish(pn, NULL);
		prp_netlink_notify_access(pn, NULL, true);
	}
	mutex_unlock(&pn->access_mutex);
}

/**
 * prp_access_net_init() - a new namespace accepts all nodes at all ports
 * @pn: namespace
 */
void prp_access_net_init(struct prp_net *pn)
{
	mutex_init(&pn->access_mutex);
}

/**
 * prp_access_net_exit() - forget a namespace's accept list
 * @pn: namespace; no frame comes in any more
 */
void prp_access_net_exit(struct prp_net *pn)
{
	kvfree(rcu_dereference_protected(pn->access, true));
	mutex_destroy(&pn->access_mutex);
}
