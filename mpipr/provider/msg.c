// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The calls that send and receive messages without tags. */
#include "recv.h"
#include "send.h"

static ssize_t msg_recvv(struct fid_ep *fid, const struct iovec *iov,
			 void **desc, size_t count, fi_addr_t from,
			 void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);

	return mpipr_recv(ep, false, iov, count, from, 0, 0, context,
			  ep->rx.op_flags);
}

static ssize_t msg_recv(struct fid_ep *fid, void *buf, size_t len, void *desc,
			fi_addr_t from, void *context)
{
	const struct iovec iov = { buf, len };

	return msg_recvv(fid, &iov, NULL, 1, from, context);
}

static ssize_t msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg,
			   uint64_t flags)
{
	return mpipr_recv(mpipr_ep_of(fid), false, msg->msg_iov, msg->iov_count,
			  msg->addr, 0, 0, msg->context, flags);
}

static ssize_t msg_sendv(struct fid_ep *fid, const struct iovec *iov,
			 void **desc, size_t count, fi_addr_t to, void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);
	struct mpipr_wire wire = { 0 };

	return mpipr_send(ep, iov, count, to, &wire, context, ep->tx.op_flags);
}

static ssize_t msg_send(struct fid_ep *fid, const void *buf, size_t len,
			void *desc, fi_addr_t to, void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return msg_sendv(fid, &iov, NULL, 1, to, context);
}

static ssize_t msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg,
			   uint64_t flags)
{
	struct mpipr_wire wire = { 0 };

	if (flags & FI_REMOTE_CQ_DATA) {
		wire.flags = MPIPR_WIRE_CQ_DATA;
		wire.data = msg->data;
	}
	return mpipr_send(mpipr_ep_of(fid), msg->msg_iov, msg->iov_count,
			  msg->addr, &wire, msg->context, flags);
}

static ssize_t msg_inject(struct fid_ep *fid, const void *buf, size_t len,
			  fi_addr_t to)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { 0 };

	return mpipr_send(mpipr_ep_of(fid), &iov, 1, to, &wire, NULL,
			  FI_INJECT | MPIPR_SEND_QUIET);
}

static ssize_t msg_senddata(struct fid_ep *fid, const void *buf, size_t len,
			    void *desc, uint64_t data, fi_addr_t to,
			    void *context)
{
	struct mpipr_ep *ep = mpipr_ep_of(fid);
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_CQ_DATA, .data = data };

	return mpipr_send(ep, &iov, 1, to, &wire, context, ep->tx.op_flags);
}

static ssize_t msg_injectdata(struct fid_ep *fid, const void *buf, size_t len,
			      uint64_t data, fi_addr_t to)
{
	const struct iovec iov = { (void *)buf, len };
	struct mpipr_wire wire = { .flags = MPIPR_WIRE_CQ_DATA, .data = data };

	return mpipr_send(mpipr_ep_of(fid), &iov, 1, to, &wire, NULL,
			  FI_INJECT | MPIPR_SEND_QUIET);
}

struct fi_ops_msg mpipr_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = msg_recv,
	.recvv = msg_recvv,
	.recvmsg = msg_recvmsg,
	.send = msg_send,
	.sendv = msg_sendv,
	.sendmsg = msg_sendmsg,
	.inject = msg_inject,
	.senddata = msg_senddata,
	.injectdata = msg_injectdata,
};
