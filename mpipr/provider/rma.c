// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The calls that read and write a peer's memory. */
#include "access.h"
#include "out.h"

static struct mpipr_access write_of(const struct iovec *iov, size_t count,
				    uint64_t addr, uint64_t key)
{
	return (struct mpipr_access){
		.wire = { .type = MPIPR_WIRE_WRITE,
			  .tag = addr,
			  .peer_id = key },
		.out = iov,
		.out_count = count,
		.kind = FI_RMA,
	};
}

static ssize_t read_to(struct mpipr_ep *ep, const struct iovec *iov,
		       size_t count, fi_addr_t from, uint64_t addr,
		       uint64_t key, void *context, uint64_t flags)
{
	struct mpipr_access access = {
		.wire.type = MPIPR_WIRE_READ,
		.wire.tag = addr,
		.wire.peer_id = key,
		.in = iov,
		.in_count = count,
		.kind = FI_RMA,
	};

	return mpipr_access(ep, &access, from, context, flags & ~FI_INJECT);
}

/* One piece of memory, as long as what is written there or read */
static bool is_whole(const struct fi_msg_rma *msg)
{
	return msg->rma_iov_count == 1 &&
	       msg->rma_iov->len ==
		       mpipr_out_bytes(msg->msg_iov, msg->iov_count);
}

static ssize_t rma_readv(struct fid_ep *fid, const struct iovec *iov,
			 void **desc, size_t count, fi_addr_t from,
			 uint64_t addr, uint64_t key, void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);

	return read_to(ep, iov, count, from, addr, key, context,
		       ep->tx.op_flags);
}

static ssize_t rma_read(struct fid_ep *fid, void *buf, size_t len, void *desc,
			fi_addr_t from, uint64_t addr, uint64_t key,
			void *context)
{
	const struct iovec iov = { buf, len };

	return rma_readv(fid, &iov, NULL, 1, from, addr, key, context);
}

static ssize_t rma_readmsg(struct fid_ep *fid, const struct fi_msg_rma *msg,
			   uint64_t flags)
{
	if (!is_whole(msg))
		return -FI_EINVAL;
	return read_to(mpipr_ep_of(fid), msg->msg_iov, msg->iov_count,
		       msg->addr, msg->rma_iov->addr, msg->rma_iov->key,
		       msg->context, flags);
}

static ssize_t rma_writev(struct fid_ep *fid, const struct iovec *iov,
			  void **desc, size_t count, fi_addr_t to,
			  uint64_t addr, uint64_t key, void *context)
{
	struct mpipr_access access = write_of(iov, count, addr, key);
	struct mpipr_ep *ep = mpipr_ep_of(fid);

	return mpipr_access(ep, &access, to, context, ep->tx.op_flags);
}

static ssize_t rma_write(struct fid_ep *fid, const void *buf, size_t len,
			 void *desc, fi_addr_t to, uint64_t addr, uint64_t key,
			 void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return rma_writev(fid, &iov, NULL, 1, to, addr, key, context);
}

static ssize_t rma_writemsg(struct fid_ep *fid, const struct fi_msg_rma *msg,
			    uint64_t flags)
{
	struct mpipr_access access;

	if (!is_whole(msg))
		return -FI_EINVAL;
	access = write_of(msg->msg_iov, msg->iov_count, msg->rma_iov->addr,
			  msg->rma_iov->key);
	if (flags & FI_REMOTE_CQ_DATA) {
		access.wire.flags = MPIPR_WIRE_CQ_DATA;
		access.wire.data = msg->data;
	}
	return mpipr_access(mpipr_ep_of(fid), &access, msg->addr, msg->context,
			    flags);
}

static ssize_t rma_inject(struct fid_ep *fid, const void *buf, size_t len,
			  fi_addr_t to, uint64_t addr, uint64_t key)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_access access = write_of(&iov, 1, addr, key);

	return mpipr_access(mpipr_ep_of(fid), &access, to, fid->fid.context,
			    FI_INJECT | MPIPR_ACCESS_QUIET);
}

static ssize_t rma_writedata(struct fid_ep *fid, const void *buf, size_t len,
			     void *desc, uint64_t data, fi_addr_t to,
			     uint64_t addr, uint64_t key, void *context)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_access access = write_of(&iov, 1, addr, key);
	struct mpipr_ep *ep = mpipr_ep_of(fid);

	access.wire.flags = MPIPR_WIRE_CQ_DATA;
	access.wire.data = data;
	return mpipr_access(ep, &access, to, context, ep->tx.op_flags);
}

static ssize_t rma_injectdata(struct fid_ep *fid, const void *buf, size_t len,
			      uint64_t data, fi_addr_t to, uint64_t addr,
			      uint64_t key)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_access access = write_of(&iov, 1, addr, key);

	access.wire.flags = MPIPR_WIRE_CQ_DATA;
	access.wire.data = data;
	return mpipr_access(mpipr_ep_of(fid), &access, to, fid->fid.context,
			    FI_INJECT | MPIPR_ACCESS_QUIET);
}

struct fi_ops_rma mpipr_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = rma_read,
	.readv = rma_readv,
	.readmsg = rma_readmsg,
	.write = rma_write,
	.writev = rma_writev,
	.writemsg = rma_writemsg,
	.inject = rma_inject,
	.writedata = rma_writedata,
	.injectdata = rma_injectdata,
};
