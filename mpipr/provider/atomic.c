// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The calls that do atomic operations on a peer's memory. */
#include <string.h>

#include "access.h"
#include "op.h"

/**
 * struct values - values in memory
 * @ioc: where they are
 * @count: pieces of that
 */
struct values {
	const struct fi_ioc *ioc;
	size_t count;
};

/**
 * struct operation - an atomic operation
 * @kind: what it takes and gives
 * @type: enum fi_datatype
 * @op: enum fi_op
 * @at: first byte in the peer's memory
 * @key: key of that
 * @with: operands
 * @compare: what to compare with
 * @was: where what was there before goes
 */
struct operation {
	enum mpipr_op_kind kind;
	unsigned int type;
	unsigned int op;
	uint64_t at;
	uint64_t key;
	struct values with;
	struct values compare;
	struct values was;
};

static size_t total(const struct values *values)
{
	size_t count = 0, i;

	for (i = 0; i < values->count; i++)
		count += values->ioc[i].count;
	return count;
}

static uint8_t *copy(uint8_t *to, const struct values *values, size_t size)
{
	size_t bytes, i;

	for (i = 0; i < values->count; i++) {
		bytes = values->ioc[i].count * size;
		if (bytes)
			memcpy(to, values->ioc[i].addr, bytes);
		to += bytes;
	}
	return to;
}

/* As many of each as there are places, or none where none are wanted */
static bool fit(const struct operation *operation, size_t count)
{
	return (operation->op == FI_ATOMIC_READ ||
		total(&operation->with) == count) &&
	       (operation->kind != MPIPR_OP_COMPARE ||
		total(&operation->compare) == count) &&
	       (operation->kind == MPIPR_OP_WRITE ||
		(operation->was.count <= MPIPR_IOV_LIMIT &&
		 total(&operation->was) == count));
}

/* The operation as a message; @operands and @was are what it refers to. */
static void tell(struct mpipr_access *access, const struct operation *operation,
		 size_t count, uint8_t *operands, struct iovec *out,
		 struct iovec *was)
{
	const size_t size = mpipr_op_size(operation->type);
	const struct mpipr_wire_op op = {
		.op = operation->op,
		.type = operation->type,
		.kind = operation->kind,
		.count = count,
	};
	uint8_t *end = operands;
	size_t i;

	if (operation->op != FI_ATOMIC_READ)
		end = copy(end, &operation->with, size);
	if (operation->kind == MPIPR_OP_COMPARE)
		end = copy(end, &operation->compare, size);
	out->iov_base = operands;
	out->iov_len = end - operands;
	for (i = 0; i < operation->was.count; i++) {
		was[i].iov_base = operation->was.ioc[i].addr;
		was[i].iov_len = operation->was.ioc[i].count * size;
	}
	*access = (struct mpipr_access){
		.wire = { .type = MPIPR_WIRE_ATOMIC,
			  .tag = operation->at,
			  .data = mpipr_wire_op_put(&op),
			  .peer_id = operation->key },
		.out = out,
		.out_count = 1,
		.in = was,
		.in_count = operation->was.count,
		.kind = FI_ATOMIC,
		.copy = true,
	};
}

/* @count values, all of which are in one piece of the peer's memory */
static ssize_t operate(struct fid_ep *ep, const struct operation *operation,
		       size_t count, fi_addr_t to, void *context,
		       uint64_t flags)
{
	struct iovec out, was[MPIPR_IOV_LIMIT];
	uint8_t operands[2 * MPIPR_WIRE_OPERANDS];
	struct mpipr_access access;

	if (!mpipr_op_is_valid(operation->kind, operation->type, operation->op))
		return -FI_EOPNOTSUPP;
	if (flags & FI_REMOTE_CQ_DATA)
		return -FI_EBADFLAGS;
	if (count > MPIPR_WIRE_OPERANDS / mpipr_op_size(operation->type))
		return -FI_EMSGSIZE;
	if (!fit(operation, count))
		return -FI_EINVAL;
	tell(&access, operation, count, operands, &out, was);
	return mpipr_access(mpipr_ep_of(ep), &access, to, context,
			    flags & ~FI_INJECT);
}

/* The same, with the flags that the endpoint has for all */
static ssize_t operate_plain(struct fid_ep *ep,
			     const struct operation *operation, size_t count,
			     fi_addr_t to, void *context)
{
	return operate(ep, operation, count, to, context,
		       mpipr_ep_of(ep)->tx.op_flags);
}

/* The same, as a message says it */
static ssize_t operate_msg(struct fid_ep *ep, struct operation *operation,
			   const struct fi_msg_atomic *msg, uint64_t flags)
{
	if (msg->rma_iov_count != 1)
		return -FI_EINVAL;
	operation->type = msg->datatype;
	operation->op = msg->op;
	operation->at = msg->rma_iov->addr;
	operation->key = msg->rma_iov->key;
	operation->with = (struct values){ msg->msg_iov, msg->iov_count };
	return operate(ep, operation, msg->rma_iov->count, msg->addr,
		       msg->context, flags);
}

static ssize_t atomic_writev(struct fid_ep *ep, const struct fi_ioc *iov,
			     void **desc, size_t count, fi_addr_t to,
			     uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op,
			     void *context)
{
	const struct operation operation = {
		.kind = MPIPR_OP_WRITE,
		.type = datatype,
		.op = op,
		.at = addr,
		.key = key,
		.with = { iov, count },
	};

	return operate_plain(ep, &operation, total(&operation.with), to,
			     context);
}

static ssize_t atomic_write(struct fid_ep *ep, const void *buf, size_t count,
			    void *desc, fi_addr_t to, uint64_t addr,
			    uint64_t key, enum fi_datatype datatype,
			    enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)buf, count };

	return atomic_writev(ep, &iov, NULL, 1, to, addr, key, datatype, op,
			     context);
}

static ssize_t atomic_writemsg(struct fid_ep *ep,
			       const struct fi_msg_atomic *msg, uint64_t flags)
{
	struct operation operation = { .kind = MPIPR_OP_WRITE };

	return operate_msg(ep, &operation, msg, flags);
}

static ssize_t atomic_inject(struct fid_ep *ep, const void *buf, size_t count,
			     fi_addr_t to, uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op)
{
	const struct fi_ioc iov = { (void *)buf, count };
	const struct operation operation = {
		.kind = MPIPR_OP_WRITE,
		.type = datatype,
		.op = op,
		.at = addr,
		.key = key,
		.with = { &iov, 1 },
	};

	return operate(ep, &operation, count, to, ep->fid.context,
		       MPIPR_ACCESS_QUIET);
}

static ssize_t atomic_readwritev(struct fid_ep *ep, const struct fi_ioc *iov,
				 void **desc, size_t count,
				 struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t to,
				 uint64_t addr, uint64_t key,
				 enum fi_datatype datatype, enum fi_op op,
				 void *context)
{
	const struct operation operation = {
		.kind = MPIPR_OP_FETCH,
		.type = datatype,
		.op = op,
		.at = addr,
		.key = key,
		.with = { iov, count },
		.was = { resultv, result_count },
	};

	return operate_plain(ep, &operation, total(&operation.was), to,
			     context);
}

static ssize_t atomic_readwrite(struct fid_ep *ep, const void *buf,
				size_t count, void *desc, void *result,
				void *result_desc, fi_addr_t to, uint64_t addr,
				uint64_t key, enum fi_datatype datatype,
				enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)buf, count };
	struct fi_ioc was = { result, count };

	return atomic_readwritev(ep, &iov, NULL, 1, &was, NULL, 1, to, addr,
				 key, datatype, op, context);
}

static ssize_t atomic_readwritemsg(struct fid_ep *ep,
				   const struct fi_msg_atomic *msg,
				   struct fi_ioc *resultv, void **result_desc,
				   size_t result_count, uint64_t flags)
{
	struct operation operation = {
		.kind = MPIPR_OP_FETCH,
		.was = { resultv, result_count },
	};

	return operate_msg(ep, &operation, msg, flags);
}

static ssize_t comp_v(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
		      size_t count, const struct fi_ioc *comparev,
		      void **compare_desc, size_t compare_count,
		      struct fi_ioc *resultv, void **result_desc,
		      size_t result_count, fi_addr_t to, uint64_t addr,
		      uint64_t key, enum fi_datatype datatype, enum fi_op op,
		      void *context)
{
	const struct operation operation = {
		.kind = MPIPR_OP_COMPARE,
		.type = datatype,
		.op = op,
		.at = addr,
		.key = key,
		.with = { iov, count },
		.compare = { comparev, compare_count },
		.was = { resultv, result_count },
	};

	return operate_plain(ep, &operation, total(&operation.with), to,
			     context);
}

static ssize_t comp(struct fid_ep *ep, const void *buf, size_t count,
		    void *desc, const void *compare, void *compare_desc,
		    void *result, void *result_desc, fi_addr_t to,
		    uint64_t addr, uint64_t key, enum fi_datatype datatype,
		    enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)buf, count };
	const struct fi_ioc with = { (void *)compare, count };
	struct fi_ioc was = { result, count };

	return comp_v(ep, &iov, NULL, 1, &with, NULL, 1, &was, NULL, 1, to,
		      addr, key, datatype, op, context);
}

static ssize_t comp_msg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
			const struct fi_ioc *comparev, void **compare_desc,
			size_t compare_count, struct fi_ioc *resultv,
			void **result_desc, size_t result_count, uint64_t flags)
{
	struct operation operation = {
		.kind = MPIPR_OP_COMPARE,
		.compare = { comparev, compare_count },
		.was = { resultv, result_count },
	};

	return operate_msg(ep, &operation, msg, flags);
}

/* How many values there may be, or that there is no such operation */
static int is_valid(enum mpipr_op_kind kind, enum fi_datatype datatype,
		    enum fi_op op, size_t *count)
{
	if (!mpipr_op_is_valid(kind, datatype, op))
		return -FI_EOPNOTSUPP;
	*count = MPIPR_WIRE_OPERANDS / mpipr_op_size(datatype);
	return 0;
}

static int atomic_writevalid(struct fid_ep *ep, enum fi_datatype datatype,
			     enum fi_op op, size_t *count)
{
	return is_valid(MPIPR_OP_WRITE, datatype, op, count);
}

static int atomic_readwritevalid(struct fid_ep *ep, enum fi_datatype datatype,
				 enum fi_op op, size_t *count)
{
	return is_valid(MPIPR_OP_FETCH, datatype, op, count);
}

static int comp_valid(struct fid_ep *ep, enum fi_datatype datatype,
		      enum fi_op op, size_t *count)
{
	return is_valid(MPIPR_OP_COMPARE, datatype, op, count);
}

/**
 * mpipr_atomic_query() - whether there is an atomic operation
 * @domain: domain
 * @datatype: type of its values
 * @op: operation
 * @attr: set to how many values it may have, and the size of one
 * @flags: FI_FETCH_ATOMIC, FI_COMPARE_ATOMIC: what it gives and takes
 *
 * Return: 0, -FI_EOPNOTSUPP if there is not, or -FI_EBADFLAGS.
 */
int mpipr_atomic_query(struct fid_domain *domain, enum fi_datatype datatype,
		       enum fi_op op, struct fi_atomic_attr *attr,
		       uint64_t flags)
{
	int ret;

	switch (flags) {
	case 0:
		ret = is_valid(MPIPR_OP_WRITE, datatype, op, &attr->count);
		break;
	case FI_FETCH_ATOMIC:
		ret = is_valid(MPIPR_OP_FETCH, datatype, op, &attr->count);
		break;
	case FI_COMPARE_ATOMIC:
		ret = is_valid(MPIPR_OP_COMPARE, datatype, op, &attr->count);
		break;
	default:
		return -FI_EBADFLAGS;
	}
	attr->size = mpipr_op_size(datatype);
	return ret;
}

struct fi_ops_atomic mpipr_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = atomic_write,
	.writev = atomic_writev,
	.writemsg = atomic_writemsg,
	.inject = atomic_inject,
	.readwrite = atomic_readwrite,
	.readwritev = atomic_readwritev,
	.readwritemsg = atomic_readwritemsg,
	.compwrite = comp,
	.compwritev = comp_v,
	.compwritemsg = comp_msg,
	.writevalid = atomic_writevalid,
	.readwritevalid = atomic_readwritevalid,
	.compwritevalid = comp_valid,
};
