// SPDX-License-Identifier: GPL-2.0
/*
 * The access list: the accept list for requests that come in, and the connect
 * list for those of programs here. A port that no entry of a direction names
 * is free to all nodes; one that entries name is so to the nodes in these
 * entries, however their ranges overlap. Only requests are judged, when they
 * come or are about to go: a list never ends what is there. A list is built
 * whole and never changes once it is published; what it counts is apart, and
 * goes over to the next one.
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

/* The entry that decides about a request: the one that names the node, or else
 * the first one of the port; NULL if none names the port.
 */
static const struct prp_access_entry *
access_judge_rcu(const struct prp_net *pn, enum prp_direction direction,
		 u16 port, u16 node)
{
	const struct prp_access *list = rcu_dereference(pn->access);
	const struct prp_access_entry *entry, *first = NULL;
	u32 i;

	if (!list)
		return NULL;
	for (i = 0; i < list->count; i++) {
		entry = &list->entry[i];
		if (entry->direction != direction || entry->high < port)
			continue;
		if (entry->low > port)
			break;
		if (entry->node == node)
			return entry;
		if (!first)
			first = entry;
	}
	return first;
}

/**
 * prp_access_refuses_rcu() - does the access list refuse a request?
 * @pn: namespace; the caller is in an RCU read section
 * @direction: where the request goes
 * @port: port that it is for
 * @node: node that it comes from, or is for
 *
 * The entry that decides counts it.
 *
 * Return: true if entries name the port and none of them the node.
 */
bool prp_access_refuses_rcu(const struct prp_net *pn,
			    enum prp_direction direction, u16 port, u16 node)
{
	const struct prp_access_entry *entry =
		access_judge_rcu(pn, direction, port, node);

	if (!entry)
		return false;
	if (entry->node == node)
		atomic64_inc(&entry->hits->passed);
	else
		atomic64_inc(&entry->hits->refused);
	return entry->node != node;
}

/**
 * prp_access_would_refuse_rcu() - would it refuse a request of another node?
 * @pn: namespace; the caller is in an RCU read section
 * @port: port that it would be for
 * @node: node that it would come from
 *
 * Return: as prp_access_refuses_rcu(), but nothing is counted.
 */
bool prp_access_would_refuse_rcu(const struct prp_net *pn, u16 port, u16 node)
{
	const struct prp_access_entry *entry =
		access_judge_rcu(pn, PRP_DIRECTION_IN, port, node);

	return entry && entry->node != node;
}

static int access_compare(const struct prp_access_entry *a,
			  const struct prp_access_entry *b)
{
	if (a->direction != b->direction)
		return a->direction - b->direction;
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

/* @list, or NULL for an empty one, is the access list from now on. */
static void access_publish(struct prp_net *pn, struct prp_access *list)
{
	lockdep_assert_held(&pn->access_mutex);
	pn->access_generation++;
	if (list)
		list->generation = pn->access_generation;
	rcu_assign_pointer(pn->access, list);
}

static int access_insert(struct prp_net *pn,
			 const struct prp_access_entry *entry,
			 struct netlink_ext_ack *extack)
{
	struct prp_access *list, *old = access_now(pn);
	u32 at, count = old ? old->count : 0;
	struct prp_access_hits *hits;
	bool found;

	at = access_find(old, entry, &found);
	if (found) {
		NL_SET_ERR_MSG(extack, "the access list has this entry");
		return -EEXIST;
	}
	if (count == PRP_ACCESS_MAX) {
		NL_SET_ERR_MSG(extack, "the access list is full");
		return -E2BIG;
	}
	hits = kzalloc(sizeof(*hits), GFP_KERNEL_ACCOUNT);
	list = hits ? access_alloc(count + 1) : NULL;
	if (!list) {
		kfree(hits);
		return -ENOMEM;
	}
	if (at)
		memcpy(list->entry, old->entry, at * sizeof(*entry));
	list->entry[at] = *entry;
	list->entry[at].hits = hits;
	if (at < count)
		memcpy(&list->entry[at + 1], &old->entry[at],
		       (count - at) * sizeof(*entry));
	access_publish(pn, list);
	kvfree_rcu(old, rcu);
	return 0;
}

/**
 * prp_access_add() - let a node connect to ports, or be connected to
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
	struct prp_access *list = NULL, *old = access_now(pn);
	struct prp_access_hits *hits;
	bool found;
	u32 at;

	at = access_find(old, entry, &found);
	if (!found) {
		NL_SET_ERR_MSG(extack, "the access list has no such entry");
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
	hits = old->entry[at].hits;
	access_publish(pn, list);
	kfree_rcu(hits, rcu);
	kvfree_rcu(old, rcu);
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
	struct prp_access *old;
	u32 i;

	mutex_lock(&pn->access_mutex);
	old = access_now(pn);
	if (old) {
		access_publish(pn, NULL);
		for (i = 0; i < old->count; i++)
			kfree_rcu(old->entry[i].hits, rcu);
		kvfree_rcu(old, rcu);
		prp_netlink_notify_access(pn, NULL, true);
	}
	mutex_unlock(&pn->access_mutex);
}

/**
 * prp_access_net_init() - a new namespace accepts all nodes at all ports, and
 * connects to all
 * @pn: namespace
 */
void prp_access_net_init(struct prp_net *pn)
{
	mutex_init(&pn->access_mutex);
}

/**
 * prp_access_net_exit() - forget a namespace's access list
 * @pn: namespace; no frame comes in any more, and no program is left
 */
void prp_access_net_exit(struct prp_net *pn)
{
	struct prp_access *list = rcu_dereference_protected(pn->access, true);
	u32 i;

	for (i = 0; list && i < list->count; i++)
		kfree(list->entry[i].hits);
	kvfree(list);
	mutex_destroy(&pn->access_mutex);
}
