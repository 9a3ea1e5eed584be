// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The calls that send and receive tagged messages. */
#include "recv.h"
#include "send.h"

static ssize_t tagged_recvv(struct fid_ep *fid, const struct iovec *iov,
			    void **desc, size_t count, fi_addr_t from,
			    uint64_t tag, uint64_t ignore, void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);

	/* Buffers of several messages are those of messages without tags. */
	return mpipr_recv(ep, true, iov, count, from, tag, ignore, context,
			  ep->rx.op_flags & ~FI_MULTI_RECV);
}

static ssize_t tagged_recv(struct fid_ep *fid, void *buf, size_t len,
			   void *desc, fi_addr_t from, uint64_t tag,
			   uint64_t ignore, void *context)
{
	const struct iovec iov = { buf, len };

	return tagged_recvv(fid, &iov, NULL, 1, from, tag, ignore, context);
}

static ssize_t tagged_recvmsg(struct fid_ep *fid,
			      const struct fi_msg_tagged *msg, uint64_t flags)
{
	return mpipr_recv(mpipr_ep_of(fid), true, msg->msg_iov, msg->iov_count,
			  msg->addr, msg->tag, msg->ignore, msg->context,
			  flags);
}

static ssize_t tagged_sendv(struct fid_ep *fid, const struct iovec *iov,
			    void **desc, size_t count, fi_addr_t to,
			    uint64_t tag, void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_TAGGED, .tag = tag };

	return mpipr_send(ep, iov, count, to, &wire, context, ep->tx.op_flags);
}

static ssize_t tagged_send(struct fid_ep *fid, const void *buf, size_t len,
			   void *desc, fi_addr_t to, uint64_t tag,
			   void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return tagged_sendv(fid, &iov, NULL, 1, to, tag, context);
}

static ssize_t tagged_sendmsg(struct fid_ep *fid,
			      const struct fi_msg_tagged *msg, uint64_t flags)
{
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_TAGGED,
				   .tag = msg->tag };

	if (flags & FI_REMOTE_CQ_DATA) {
		wire.flags |= MPIPR_WIRE_CQ_DATA;
		wire.data = msg->data;
	}
	return mpipr_send(mpipr_ep_of(fid), msg->msg_iov, msg->iov_count,
			  msg->addr, &wire, msg->context, flags);
}

static ssize_t tagged_inject(struct fid_ep *fid, const void *buf, size_t len,
			     fi_addr_t to, uint64_t tag)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_TAGGED, .tag = tag };

	return mpipr_send(mpipr_ep_of(fid), &iov, 1, to, &wire, NULL,
			  FI_INJECT | MPIPR_SEND_QUIET);
}

static ssize_t tagged_senddata(struct fid_ep *fid, const void *buf, size_t len,
			       void *desc, uint64_t data, fi_addr_t to,
			       uint64_t tag, void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_TAGGED |
					    MPIPR_WIRE_CQ_DATA,
				   .tag = tag,
				   .data = data };

	return mpipr_send(ep, &iov, 1, to, &wire, context, ep->tx.op_flags);
}

static ssize_t tagged_injectdata(struct fid_ep *fid, const void *buf,
				 size_t len, uint64_t data, fi_addr_t to,
				 uint64_t tag)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_TAGGED |
					    MPIPR_WIRE_CQ_DATA,
				   .tag = tag,
				   .data = data };

	return mpipr_send(mpipr_ep_of(fid), &iov, 1, to, &wire, NULL,
			  FI_INJECT | MPIPR_SEND_QUIET);
}

struct fi_ops_tagged mpipr_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = tagged_recv,
	.recvv = tagged_recvv,
	.recvmsg = tagged_recvmsg,
	.send = tagged_send,
	.sendv = tagged_sendv,
	.sendmsg = tagged_sendmsg,
	.inject = tagged_inject,
	.senddata = tagged_senddata,
	.injectdata = tagged_injectdata,
};
