// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Endpoints. */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "conn.h"
#include "early.h"
#include "rndv.h"
#include "rx.h"

#define MPIPR_MIN_MULTI_RECV 64 /* bytes, if the program does not say */

static ssize_t ep_cancel(fid_t fid, void *context)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);

	return mpipr_rx_cancel(ep, context);
}

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *len)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);

	if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*len < sizeof(size_t))
		return -FI_ETOOSMALL;
	*(size_t *)value = ep->min_multi_recv;
	*len = sizeof(size_t);
	return 0;
}

static int ep_setopt(fid_t fid, int level, int name, const void *value,
		     size_t len)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);

	if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (len != sizeof(size_t))
		return -FI_EINVAL;
	ep->min_multi_recv = *(const size_t *)value;
	return 0;
}

static int no_tx_ctx(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		     struct fid_ep **tx_ep, void *context)
{
	return -FI_ENOSYS;
}

static int no_rx_ctx(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		     struct fid_ep **rx_ep, void *context)
{
	return -FI_ENOSYS;
}

static ssize_t no_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

static struct fi_ops_ep ep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = ep_cancel,
	.getopt = ep_getopt,
	.setopt = ep_setopt,
	.tx_ctx = no_tx_ctx,
	.rx_ctx = no_rx_ctx,
	.rx_size_left = no_size_left,
	.tx_size_left = no_size_left,
};

static int ep_setname(fid_t fid, void *addr, size_t len)
{
	return -FI_ENOSYS;
}

static int ep_getname(fid_t fid, void *addr, size_t *len)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);
	size_t room = *len;

	*len = sizeof(ep->addr);
	memcpy(addr, &ep->addr, room < *len ? room : *len);
	return room < *len ? -FI_ETOOSMALL : 0;
}

static int no_getpeer(struct fid_ep *ep, void *addr, size_t *len)
{
	return -FI_ENOSYS;
}

static int no_connect(struct fid_ep *ep, const void *addr, const void *param,
		      size_t len)
{
	return -FI_ENOSYS;
}

static int no_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

static int no_accept(struct fid_ep *ep, const void *param, size_t len)
{
	return -FI_ENOSYS;
}

static int no_reject(struct fid_pep *pep, fid_t handle, const void *param,
		     size_t len)
{
	return -FI_ENOSYS;
}

static int no_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

static int no_join(struct fid_ep *ep, const void *addr, uint64_t flags,
		   struct fid_mc **mc, void *context)
{
	return -FI_ENOSYS;
}

static struct fi_ops_cm ep_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = ep_setname,
	.getname = ep_getname,
	.getpeer = no_getpeer,
	.connect = no_connect,
	.listen = no_listen,
	.accept = no_accept,
	.reject = no_reject,
	.shutdown = no_shutdown,
	.join = no_join,
};

static int bind_cq(struct mpipr_ep *ep, struct mpipr_cq *cq, uint64_t flags)
{
	struct mpipr_side *side[] = {
		flags & FI_TRANSMIT ? &ep->tx : NULL,
		flags & FI_RECV ? &ep->rx : NULL,
	};
	int i;

	for (i = 0; i < 2; i++) {
		if (!side[i])
			continue;
		if (side[i]->cq)
			return -FI_EINVAL;
		side[i]->cq = cq;
		side[i]->selective = flags & FI_SELECTIVE_COMPLETION;
		cq->refs++;
	}
	/* What is bound for sends is for accesses, too. */
	ep->read.cq = ep->tx.cq;
	ep->read.selective = ep->tx.selective;
	ep->write.cq = ep->tx.cq;
	ep->write.selective = ep->tx.selective;
	return 0;
}

/* Counters of what peers do here count nothing: that is FI_RMA_EVENT. */
static int bind_cntr(struct mpipr_ep *ep, struct mpipr_cntr *cntr,
		     uint64_t flags)
{
	struct mpipr_side *side[] = {
		flags & FI_SEND ? &ep->tx : NULL,
		flags & FI_RECV ? &ep->rx : NULL,
		flags & FI_READ ? &ep->read : NULL,
		flags & FI_WRITE ? &ep->write : NULL,
	};
	int i;

	for (i = 0; i < 4; i++) {
		if (!side[i])
			continue;
		if (side[i]->cntr)
			return -FI_EINVAL;
		side[i]->cntr = cntr;
		cntr->refs++;
	}
	return 0;
}

static int bind_any(struct mpipr_ep *ep, struct fid *bfid, uint64_t flags)
{
	if (ep->enabled)
		return -FI_EOPBADSTATE;
	switch (bfid->fclass) {
	case FI_CLASS_AV:
		if (ep->av)
			return -FI_EINVAL;
		ep->av = mpipr_list_entry(bfid, struct mpipr_av, fid.fid);
		ep->av->refs++;
		return 0;
	case FI_CLASS_CQ:
		return bind_cq(ep,
			       mpipr_list_entry(bfid, struct mpipr_cq, fid.fid),
			       flags);
	case FI_CLASS_CNTR:
		return bind_cntr(ep,
				 mpipr_list_entry(bfid, struct mpipr_cntr,
						  fid.fid),
				 flags);
	case FI_CLASS_EQ:
		return 0;
	default:
		return -FI_EINVAL;
	}
}

static int ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);
	int err;

	mpipr_domain_lock(ep->domain);
	err = bind_any(ep, bfid, flags);
	mpipr_domain_unlock(ep->domain);
	return err;
}

static int ep_control(struct fid *fid, int command, void *arg)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);
	int err = 0;

	if (command != FI_ENABLE)
		return -FI_ENOSYS;
	if (!ep->av)
		return -FI_ENOAV;
	if (!ep->tx.cq && !ep->rx.cq && !ep->tx.cntr && !ep->rx.cntr)
		return -FI_ENOCQ;
	mpipr_domain_lock(ep->domain);
	if (!ep->enabled)
		err = mpipr_listen(ep);
	ep->enabled = !err;
	mpipr_domain_unlock(ep->domain);
	return err;
}

static void unbind_cntr(struct mpipr_side *side)
{
	if (side->cntr)
		side->cntr->refs--;
}

static void unbind(struct mpipr_side *side)
{
	if (side->cq)
		side->cq->refs--;
	unbind_cntr(side);
}

static int ep_close(struct fid *fid)
{
	struct mpipr_ep *ep = mpipr_list_entry(fid, struct mpipr_ep, fid.fid);
	struct mpipr_domain *domain = ep->domain;

	mpipr_domain_lock(domain);
	mpipr_conn_close_all(ep);
	if (ep->listener.fd >= 0) {
		epoll_ctl(domain->epoll, EPOLL_CTL_DEL, ep->listener.fd, NULL);
		close(ep->listener.fd);
	}
	mpipr_rndv_close(ep);
	mpipr_rx_close(ep);
	mpipr_early_close(ep);
	mpipr_list_del(&ep->link);
	unbind(&ep->tx);
	unbind(&ep->rx);
	unbind_cntr(&ep->read);
	unbind_cntr(&ep->write);
	if (ep->av)
		ep->av->refs--;
	domain->refs--;
	mpipr_domain_unlock(domain);
	free(ep);
	return 0;
}

static struct fi_ops ep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = ep_close,
	.bind = ep_bind,
	.control = ep_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_endpoint() - open an endpoint
 * @fid: domain
 * @info: what the program got from fi_getinfo()
 * @ep_fid: set to the endpoint
 * @context: the program's
 *
 * Return: 0, -FI_ENODATA if @info does not say where it is, or -FI_ENOMEM.
 */
int mpipr_endpoint(struct fid_domain *fid, struct fi_info *info,
		   struct fid_ep **ep_fid, void *context)
{
	struct mpipr_ep *ep;

	if (!info->src_addr || info->src_addrlen != sizeof(ep->addr))
		return -FI_ENODATA;
	ep = calloc(1, sizeof(*ep));
	if (!ep)
		return -FI_ENOMEM;
	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &ep_fid_ops;
	ep->fid.ops = &ep_ops;
	ep->fid.cm = &ep_cm_ops;
	ep->fid.msg = &mpipr_msg_ops;
	ep->fid.tagged = &mpipr_tagged_ops;
	ep->fid.rma = &mpipr_rma_ops;
	ep->fid.atomic = &mpipr_atomic_ops;
	ep->domain = mpipr_list_entry(fid, struct mpipr_domain, fid);
	memcpy(&ep->addr, info->src_addr, sizeof(ep->addr));
	ep->listener.fd = -1;
	ep->directed = info->caps & FI_DIRECTED_RECV;
	ep->tx.op_flags = info->tx_attr ? info->tx_attr->op_flags : 0;
	ep->rx.op_flags = info->rx_attr ? info->rx_attr->op_flags : 0;
	ep->min_multi_recv = MPIPR_MIN_MULTI_RECV;
	mpipr_list_init(&ep->peers);
	mpipr_list_init(&ep->conns);
	mpipr_list_init(&ep->claimed);
	mpipr_list_init(&ep->spare);
	mpipr_match_init(&ep->tagged);
	mpipr_match_init(&ep->plain);
	mpipr_domain_lock(ep->domain);
	ep->domain->refs++;
	mpipr_list_add_tail(&ep->link, &ep->domain->eps);
	mpipr_domain_unlock(ep->domain);
	*ep_fid = &ep->fid;
	return 0;
}
