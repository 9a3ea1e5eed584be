// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fabrics and domains. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "conn.h"
#include "region.h"

static int no_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			  struct fid_ep **sep, void *context)
{
	return -FI_ENOSYS;
}

static int no_stx_ctx(struct fid_domain *domain, struct fi_tx_attr *attr,
		      struct fid_stx **stx, void *context)
{
	return -FI_ENOSYS;
}

static int no_srx_ctx(struct fid_domain *domain, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context)
{
	return -FI_ENOSYS;
}

static struct fi_ops_domain domain_ops = {
	.size = sizeof(struct fi_ops_domain),
	.av_open = mpipr_av_open,
	.cq_open = mpipr_cq_open,
	.endpoint = mpipr_endpoint,
	.scalable_ep = no_scalable_ep,
	.cntr_open = mpipr_cntr_open,
	.poll_open = mpipr_poll_open,
	.stx_ctx = no_stx_ctx,
	.srx_ctx = no_srx_ctx,
	.query_atomic = mpipr_atomic_query,
};

static int domain_close(struct fid *fid)
{
	struct mpipr_domain *domain =
		mpipr_list_entry(fid, struct mpipr_domain, fid.fid);

	if (domain->refs)
		return -FI_EBUSY;
	close(domain->ear.fd);
	close(domain->epoll);
	pthread_mutex_destroy(&domain->lock);
	free(domain);
	return 0;
}

static struct fi_ops domain_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = domain_close,
	.bind = mpipr_no_bind,
	.control = mpipr_no_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_domain_open() - open a domain
 * @fabric: fabric
 * @info: what the program got from fi_getinfo()
 * @fid: set to the domain
 * @context: the program's
 *
 * Return: 0, -FI_ENOMEM, or what making its descriptors fails with.
 */
int mpipr_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		      struct fid_domain **fid, void *context)
{
	struct mpipr_domain *domain = calloc(1, sizeof(*domain));
	int err;

	if (!domain)
		return -FI_ENOMEM;
	domain->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (domain->epoll < 0) {
		err = -errno;
		goto err_free;
	}
	err = mpipr_conn_open_ear(domain);
	if (err)
		goto err_epoll;
	pthread_mutex_init(&domain->lock, NULL);
	domain->locked = info->domain_attr->threading != FI_THREAD_DOMAIN;
	mpipr_list_init(&domain->eps);
	mpipr_list_init(&domain->dead);
	mpipr_list_init(&domain->corked);
	domain->fid.fid.fclass = FI_CLASS_DOMAIN;
	domain->fid.fid.context = context;
	domain->fid.fid.ops = &domain_fid_ops;
	domain->fid.ops = &domain_ops;
	mpipr_region_init(domain);
	*fid = &domain->fid;
	return 0;
err_epoll:
	close(domain->epoll);
err_free:
	free(domain);
	return err;
}

static int no_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			 struct fid_pep **pep, void *context)
{
	return -FI_ENOSYS;
}

static int no_wait(struct fid_fabric *fabric, struct fi_wait_attr *attr,
		   struct fid_wait **waitset)
{
	return -FI_ENOSYS;
}

static int trywait(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return mpipr_cq_trywait(fid);
	case FI_CLASS_CNTR:
		return mpipr_cntr_trywait(fid);
	case FI_CLASS_EQ:
		return mpipr_eq_trywait(fid);
	default:
		return -FI_EINVAL;
	}
}

/* What comes for one while others are looked at is heard: it is armed. */
static int fabric_trywait(struct fid_fabric *fabric, struct fid **fids,
			  int count)
{
	int ret = 0, i;

	for (i = 0; i < count && !ret; i++)
		ret = trywait(fids[i]);
	return ret;
}

static struct fi_ops_fabric fabric_ops = {
	.size = sizeof(struct fi_ops_fabric),
	.domain = mpipr_domain_open,
	.passive_ep = no_passive_ep,
	.eq_open = mpipr_eq_open,
	.wait_open = no_wait,
	.trywait = fabric_trywait,
};

static int fabric_close(struct fid *fid)
{
	free(mpipr_list_entry(fid, struct fid_fabric, fid));
	return 0;
}

static struct fi_ops fabric_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = fabric_close,
	.bind = mpipr_no_bind,
	.control = mpipr_no_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_fabric_open() - open a fabric
 * @attr: what the program got from fi_getinfo()
 * @fabric: set to the fabric
 * @context: the program's
 *
 * Return: 0, -FI_ENODATA if it is not this provider's, or -FI_ENOMEM.
 */
int mpipr_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		      void *context)
{
	if (attr->name && strcmp(attr->name, MPIPR_FI_NAME))
		return -FI_ENODATA;
	*fabric = calloc(1, sizeof(**fabric));
	if (!*fabric)
		return -FI_ENOMEM;
	(*fabric)->fid.fclass = FI_CLASS_FABRIC;
	(*fabric)->fid.context = context;
	(*fabric)->fid.ops = &fabric_fid_ops;
	(*fabric)->ops = &fabric_ops;
	return 0;
}
