// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Memory regions. Memory need not be registered for what the program itself
 * does with it; libraries that do it all the same, for all providers alike, get
 * regions that mean nothing.
 */
#include <stdlib.h>

#include "region.h"

static struct mpipr_list *list_of(struct mpipr_domain *domain, uint64_t key)
{
	/* The golden ratio's bits, as everywhere (Knuth, volume 3, 6.4) */
	const uint64_t hash = (key * 0x9e3779b97f4a7c15ull) >> 32;

	return &domain->regions[hash & (MPIPR_REGION_LISTS - 1)];
}

static struct mpipr_region *find(struct mpipr_domain *domain, uint64_t key)
{
	struct mpipr_list *head = list_of(domain, key), *link;
	struct mpipr_region *region;

	for (link = head->next; link != head; link = link->next) {
		region = mpipr_list_entry(link, struct mpipr_region, link);
		if (region->fid.key == key)
			return region;
	}
	return NULL;
}

/**
 * mpipr_region_get() - find the memory that a peer wants to access
 * @domain: domain; its lock is held
 * @wire: what it sent: peer_id is the key, tag the first byte
 * @len: how many bytes it wants
 * @access: FI_REMOTE_READ, FI_REMOTE_WRITE: what for
 * @region: set to the region; for mpipr_region_put()
 *
 * Return: 0, or an error of libfabric's, below 0: -FI_EKEYREJECTED if there is
 *	no such key, -FI_EACCES if it is not for that, -FI_EFAULT if it does not
 *	have all of these bytes.
 */
int mpipr_region_get(struct mpipr_domain *domain, const struct mpipr_wire *wire,
		     uint64_t len, uint64_t access,
		     struct mpipr_region **region)
{
	struct mpipr_region *found = find(domain, wire->peer_id);

	if (!found)
		return -FI_EKEYREJECTED;
	if (access & ~found->access)
		return -FI_EACCES;
	if (wire->tag > found->len || len > found->len - wire->tag)
		return -FI_EFAULT;
	found->uses++;
	*region = found;
	return 0;
}

/**
 * mpipr_region_put() - an access is over
 * @region: region; its domain's lock is held
 */
void mpipr_region_put(struct mpipr_region *region)
{
	region->uses--;
}

/* Who closes a region that is being read may not take its memory away. */
static int region_close(struct fid *fid)
{
	struct mpipr_region *region =
		mpipr_list_entry(fid, struct mpipr_region, fid.fid);
	struct mpipr_domain *domain = region->domain;
	int err = 0;

	mpipr_domain_lock(domain);
	if (region->uses) {
		err = -FI_EBUSY;
	} else {
		mpipr_list_del(&region->link);
		domain->refs--;
	}
	mpipr_domain_unlock(domain);
	if (!err)
		free(region);
	return err;
}

static int region_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return 0;
}

static int region_control(struct fid *fid, int command, void *arg)
{
	return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static struct fi_ops region_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = region_close,
	.bind = region_bind,
	.control = region_control,
	.ops_open = mpipr_no_ops_open,
};

/* All of the memory there is, as MPICH wants it, is not for peers. */
static bool is_memory(const struct iovec *iov)
{
	const uintptr_t base = (uintptr_t)iov->iov_base;

	return !iov->iov_len || (base && iov->iov_len <= UINTPTR_MAX - base);
}

static int open_to_peers(struct mpipr_region *region,
			 const struct fi_mr_attr *attr)
{
	if (attr->iov_count != 1 || !is_memory(attr->mr_iov))
		return -FI_EINVAL;
	if (find(region->domain, region->fid.key))
		return -FI_ENOKEY;
	region->base = attr->mr_iov->iov_base;
	region->len = attr->mr_iov->iov_len;
	mpipr_list_add_tail(&region->link,
			    list_of(region->domain, region->fid.key));
	return 0;
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr,
		      uint64_t flags, struct fid_mr **mr)
{
	struct mpipr_region *region;
	int err = 0;

	if (attr->iface != FI_HMEM_SYSTEM)
		return -FI_ENOSYS;
	region = calloc(1, sizeof(*region));
	if (!region)
		return -FI_ENOMEM;
	region->fid.fid.fclass = FI_CLASS_MR;
	region->fid.fid.context = attr->context;
	region->fid.fid.ops = &region_fid_ops;
	region->fid.key = attr->requested_key;
	region->domain = mpipr_list_entry(fid, struct mpipr_domain, fid.fid);
	region->access = attr->access & (FI_REMOTE_READ | FI_REMOTE_WRITE);
	mpipr_list_init(&region->link);
	mpipr_domain_lock(region->domain);
	if (region->access)
		err = open_to_peers(region, attr);
	if (!err)
		region->domain->refs++;
	mpipr_domain_unlock(region->domain);
	if (err)
		free(region);
	else
		*mr = &region->fid;
	return err;
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count,
		   uint64_t access, uint64_t offset, uint64_t key,
		   uint64_t flags, struct fid_mr **mr, void *context)
{
	const struct fi_mr_attr attr = {
		.mr_iov = iov,
		.iov_count = count,
		.access = access,
		.offset = offset,
		.requested_key = key,
		.context = context,
	};

	return mr_regattr(fid, &attr, flags, mr);
}

static int mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
		  uint64_t offset, uint64_t key, uint64_t flags,
		  struct fid_mr **mr, void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return mr_regv(fid, &iov, 1, access, offset, key, flags, mr, context);
}

static struct fi_ops_mr mr_ops = {
	.size = sizeof(struct fi_ops_mr),
	.reg = mr_reg,
	.regv = mr_regv,
	.regattr = mr_regattr,
};

/**
 * mpipr_region_init() - begin without memory for peers
 * @domain: domain
 */
void mpipr_region_init(struct mpipr_domain *domain)
{
	size_t i;

	for (i = 0; i < MPIPR_REGION_LISTS; i++)
		mpipr_list_init(&domain->regions[i]);
	domain->fid.mr = &mr_ops;
}
