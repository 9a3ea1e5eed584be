// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Atomic operations: none are offered, and who calls them all the same is told
 * so.
 */
#include "mpipr.h"

static ssize_t atomic_write(struct fid_ep *ep, const void *buf, size_t count,
			    void *desc, fi_addr_t dest_addr, uint64_t addr,
			    uint64_t key, enum fi_datatype datatype,
			    enum fi_op op, void *context)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_writev(struct fid_ep *ep, const struct fi_ioc *iov,
			     void **desc, size_t count, fi_addr_t dest_addr,
			     uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op,
			     void *context)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_writemsg(struct fid_ep *ep,
			       const struct fi_msg_atomic *msg, uint64_t flags)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_inject(struct fid_ep *ep, const void *buf, size_t count,
			     fi_addr_t dest_addr, uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_readwrite(struct fid_ep *ep, const void *buf,
				size_t count, void *desc, void *result,
				void *result_desc, fi_addr_t dest_addr,
				uint64_t addr, uint64_t key,
				enum fi_datatype datatype, enum fi_op op,
				void *context)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_readwritev(struct fid_ep *ep, const struct fi_ioc *iov,
				 void **desc, size_t count,
				 struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t dest_addr,
				 uint64_t addr, uint64_t key,
				 enum fi_datatype datatype, enum fi_op op,
				 void *context)
{
	return -FI_ENOSYS;
}

static ssize_t atomic_readwritemsg(struct fid_ep *ep,
				   const struct fi_msg_atomic *msg,
				   struct fi_ioc *resultv, void **result_desc,
				   size_t result_count, uint64_t flags)
{
	return -FI_ENOSYS;
}

static ssize_t comp(struct fid_ep *ep, const void *buf, size_t count,
		    void *desc, const void *compare, void *compare_desc,
		    void *result, void *result_desc, fi_addr_t dest_addr,
		    uint64_t addr, uint64_t key, enum fi_datatype datatype,
		    enum fi_op op, void *context)
{
	return -FI_ENOSYS;
}

static ssize_t comp_v(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
		      size_t count, const struct fi_ioc *comparev,
		      void **compare_desc, size_t compare_count,
		      struct fi_ioc *resultv, void **result_desc,
		      size_t result_count, fi_addr_t dest_addr, uint64_t addr,
		      uint64_t key, enum fi_datatype datatype, enum fi_op op,
		      void *context)
{
	return -FI_ENOSYS;
}

static ssize_t comp_msg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
			const struct fi_ioc *comparev, void **compare_desc,
			size_t compare_count, struct fi_ioc *resultv,
			void **result_desc, size_t result_count, uint64_t flags)
{
	return -FI_ENOSYS;
}

static int not_valid(struct fid_ep *ep, enum fi_datatype datatype,
		     enum fi_op op, size_t *count)
{
	return -FI_EOPNOTSUPP;
}

struct fi_ops_atomic mpipr_no_atomic = {
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
	.writevalid = not_valid,
	.readwritevalid = not_valid,
	.compwritevalid = not_valid,
};
