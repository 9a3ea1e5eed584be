// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Address vectors: the number of an address is its place. An address that is
 * inserted twice has one number, as one peer has one order of messages.
 */
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#define MPIPR_AV_ROOM 64 /* at first, addresses */

static struct mpipr_av *av_of(struct fid_av *fid)
{
	return mpipr_list_entry(fid, struct mpipr_av, fid);
}

/* The slot that has an address, or the free one where it would be */
static uint32_t *slot_of(const struct mpipr_av *av,
			 const union mpipr_addr *addr)
{
	const size_t mask = av->slot_count - 1;
	size_t at = mpipr_addr_hash(addr) & mask;

	while (av->slots[at] &&
	       mpipr_addr_compare(&av->addr[av->slots[at] - 1], addr))
		at = (at + 1) & mask;
	return &av->slots[at];
}

/**
 * mpipr_av_find() - find the number of an address
 * @av: address vector
 * @addr: address
 *
 * Return: its number, or FI_ADDR_NOTAVAIL.
 */
fi_addr_t mpipr_av_find(const struct mpipr_av *av, const union mpipr_addr *addr)
{
	const uint32_t number = *slot_of(av, addr);

	return number && av->uses[number - 1] ? number - 1 : FI_ADDR_NOTAVAIL;
}

static int set_room(struct mpipr_av *av, size_t room)
{
	size_t slot_count = 2 * room, i;
	union mpipr_addr *addr;
	uint32_t *uses, *slots;

	addr = realloc(av->addr, room * sizeof(*addr));
	if (!addr)
		return -FI_ENOMEM;
	av->addr = addr;
	uses = realloc(av->uses, room * sizeof(*uses));
	if (!uses)
		return -FI_ENOMEM;
	av->uses = uses;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return -FI_ENOMEM;
	free(av->slots);
	av->slots = slots;
	av->slot_count = slot_count;
	av->room = room;
	for (i = 0; i < av->count; i++)
		*slot_of(av, &av->addr[i]) = i + 1;
	return 0;
}

static void renumber(struct mpipr_av *av, const union mpipr_addr *addr,
		     fi_addr_t number)
{
	struct mpipr_list *link;
	struct mpipr_ep *ep;

	for (link = av->domain->eps.next; link != &av->domain->eps;
	     link = link->next) {
		ep = mpipr_list_entry(link, struct mpipr_ep, link);
		if (ep->av == av)
			mpipr_peer_renumber(ep, addr, number);
	}
}

/* An address that is not in use any more keeps its number, for next time. */
static int insert(struct mpipr_av *av, const union mpipr_addr *addr,
		  fi_addr_t *number)
{
	uint32_t *slot;
	int err;

	if (!mpipr_addr_valid(addr, mpipr_param.family))
		return -FI_EINVAL;
	slot = slot_of(av, addr);
	if (!*slot) {
		if (av->count == av->room) {
			err = set_room(av, 2 * av->room);
			if (err)
				return err;
			slot = slot_of(av, addr);
		}
		av->addr[av->count] = *addr;
		av->uses[av->count] = 0;
		*slot = ++av->count;
	}
	*number = *slot - 1;
	if (!av->uses[*number]++)
		renumber(av, addr, *number);
	return 0;
}

static int av_insert(struct fid_av *fid, const void *addr, size_t count,
		     fi_addr_t *numbers, uint64_t flags, void *context)
{
	struct mpipr_av *av = av_of(fid);
	union mpipr_addr one;
	fi_addr_t number;
	size_t i;
	int done = 0;

	if (flags & ~FI_MORE)
		return -FI_EBADFLAGS;
	mpipr_domain_lock(av->domain);
	for (i = 0; i < count; i++) {
		memcpy(&one, (const uint8_t *)addr + i * sizeof(one),
		       sizeof(one));
		number = FI_ADDR_NOTAVAIL;
		if (!insert(av, &one, &number))
			done++;
		if (numbers)
			numbers[i] = number;
	}
	mpipr_domain_unlock(av->domain);
	return done;
}

static int av_insertsvc(struct fid_av *fid, const char *node,
			const char *service, fi_addr_t *number, uint64_t flags,
			void *context)
{
	union mpipr_addr addr;
	int err = mpipr_addr_parse(&addr, mpipr_param.family, node, service);

	return err ? err : av_insert(fid, &addr, 1, number, flags, context);
}

static int av_insertsym(struct fid_av *fid, const char *node, size_t nodecnt,
			const char *service, size_t svccnt, fi_addr_t *numbers,
			uint64_t flags, void *context)
{
	return -FI_ENOSYS;
}

static int av_remove(struct fid_av *fid, fi_addr_t *numbers, size_t count,
		     uint64_t flags)
{
	struct mpipr_av *av = av_of(fid);
	int err = 0;
	size_t i;

	mpipr_domain_lock(av->domain);
	for (i = 0; i < count; i++) {
		if (numbers[i] >= av->count || !av->uses[numbers[i]])
			err = -FI_EINVAL;
		else if (!--av->uses[numbers[i]])
			renumber(av, &av->addr[numbers[i]], FI_ADDR_NOTAVAIL);
	}
	mpipr_domain_unlock(av->domain);
	return err;
}

static int av_lookup(struct fid_av *fid, fi_addr_t number, void *addr,
		     size_t *len)
{
	struct mpipr_av *av = av_of(fid);
	size_t room = *len;
	int err = -FI_EINVAL;

	mpipr_domain_lock(av->domain);
	if (number < av->count && av->uses[number]) {
		*len = sizeof(union mpipr_addr);
		memcpy(addr, &av->addr[number], room < *len ? room : *len);
		err = 0;
	}
	mpipr_domain_unlock(av->domain);
	return err;
}

static const char *av_straddr(struct fid_av *fid, const void *addr, char *buf,
			      size_t *len)
{
	union mpipr_addr one;

	memcpy(&one, addr, sizeof(one));
	mpipr_addr_print(&one, buf, *len);
	*len = MPIPR_ADDR_STRLEN;
	return buf;
}

static struct fi_ops_av av_ops = {
	.size = sizeof(struct fi_ops_av),
	.insert = av_insert,
	.insertsvc = av_insertsvc,
	.insertsym = av_insertsym,
	.remove = av_remove,
	.lookup = av_lookup,
	.straddr = av_straddr,
};

static int av_close(struct fid *fid)
{
	struct mpipr_av *av = mpipr_list_entry(fid, struct mpipr_av, fid.fid);

	if (av->refs)
		return -FI_EBUSY;
	mpipr_domain_put(av->domain);
	free(av->addr);
	free(av->uses);
	free(av->slots);
	free(av);
	return 0;
}

static struct fi_ops av_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = av_close,
	.bind = mpipr_no_bind,
	.control = mpipr_no_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_av_open() - open an address vector
 * @domain: domain
 * @attr: what the program wants; its type is set
 * @fid: set to the address vector
 * @context: the program's
 *
 * Return: 0, -FI_ENOSYS if it is to be shared among processes or to report to
 *	an event queue, or -FI_ENOMEM.
 */
int mpipr_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		  struct fid_av **fid, void *context)
{
	size_t room = MPIPR_AV_ROOM;
	struct mpipr_av *av;
	int err;

	if (attr->name || attr->flags & (FI_EVENT | FI_READ))
		return -FI_ENOSYS;
	av = calloc(1, sizeof(*av));
	if (!av)
		return -FI_ENOMEM;
	while (room < attr->count)
		room *= 2;
	err = set_room(av, room);
	if (err) {
		free(av->addr);
		free(av->uses);
		free(av);
		return err;
	}
	av->fid.fid.fclass = FI_CLASS_AV;
	av->fid.fid.context = context;
	av->fid.fid.ops = &av_fid_ops;
	av->fid.ops = &av_ops;
	av->domain = mpipr_list_entry(domain, struct mpipr_domain, fid);
	mpipr_domain_get(av->domain);
	/* A number is a place, whichever was asked for. */
	if (attr->type == FI_AV_UNSPEC)
		attr->type = FI_AV_TABLE;
	*fid = &av->fid;
	return 0;
}
