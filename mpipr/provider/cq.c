// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Completion queues. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpipr.h"

#define MPIPR_CQ_ROOM 256 /* at first, completions */

static struct mpipr_cq *cq_of(struct fid_cq *fid)
{
	return mpipr_list_entry(fid, struct mpipr_cq, fid);
}

/* All formats begin alike; each goes on where the one before ends. */
static void put(const struct mpipr_cq *cq, void *to,
		const struct mpipr_done *done)
{
	const struct fi_cq_tagged_entry entry = {
		.op_context = done->context,
		.flags = done->flags,
		.len = done->len,
		.buf = done->buf,
		.data = done->data,
		.tag = done->tag,
	};

	memcpy(to, &entry, cq->size);
}

static ssize_t take(struct mpipr_cq *cq, void *buf, size_t count,
		    fi_addr_t *from)
{
	const struct mpipr_done *done;
	size_t n;

	for (n = 0; n < count && !mpipr_cq_is_empty(cq); n++) {
		done = &cq->ring[cq->head & (cq->room - 1)];
		if (done->err)
			return n ? (ssize_t)n : -FI_EAVAIL;
		put(cq, (uint8_t *)buf + n * cq->size, done);
		if (from)
			from[n] = done->from;
		cq->head++;
	}
	return n || !mpipr_cq_is_empty(cq) ? (ssize_t)n : -FI_EAGAIN;
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buf, size_t count,
			   fi_addr_t *from)
{
	struct mpipr_cq *cq = cq_of(fid);
	ssize_t ret;

	mpipr_domain_lock(cq->domain);
	/* A look completes at once, so who only looks would never poll. */
	if (mpipr_cq_is_empty(cq) || cq->domain->looks == MPIPR_LOOK_POLLS)
		mpipr_progress_poll(cq->domain, &cq->bell);
	else if (!count)
		mpipr_progress(cq->domain, 0);
	ret = take(cq, buf, count, from);
	mpipr_domain_unlock(cq->domain);
	return ret;
}

static ssize_t cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	return cq_readfrom(fid, buf, count, NULL);
}

/* The caller's struct ends with err_data_size in the oldest libfabric. */
static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *buf,
			  uint64_t flags)
{
	struct mpipr_cq *cq = cq_of(fid);
	const struct mpipr_done *done;
	ssize_t ret = -FI_EAGAIN;

	mpipr_domain_lock(cq->domain);
	done = &cq->ring[cq->head & (cq->room - 1)];
	if (!mpipr_cq_is_empty(cq) && done->err) {
		buf->op_context = done->context;
		buf->flags = done->flags;
		buf->len = done->len;
		buf->buf = done->buf;
		buf->data = done->data;
		buf->tag = done->tag;
		buf->olen = done->olen;
		buf->err = done->err;
		buf->prov_errno = done->err;
		buf->err_data_size = 0;
		cq->head++;
		ret = 1;
	}
	mpipr_domain_unlock(cq->domain);
	return ret;
}

static ssize_t cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count,
			    fi_addr_t *from, const void *cond, int timeout)
{
	struct mpipr_cq *cq = cq_of(fid);
	const int64_t until = mpipr_until_ms(timeout);
	ssize_t ret = 0;

	mpipr_domain_lock(cq->domain);
	mpipr_progress(cq->domain, 0);
	while (mpipr_cq_is_empty(cq) && !cq->signaled &&
	       mpipr_now_ms() < until && !ret)
		ret = mpipr_progress_sleep(&cq->bell, until);
	cq->signaled = false;
	if (!ret)
		ret = take(cq, buf, count, from);
	mpipr_domain_unlock(cq->domain);
	return ret;
}

static ssize_t cq_sread(struct fid_cq *fid, void *buf, size_t count,
			const void *cond, int timeout)
{
	return cq_sreadfrom(fid, buf, count, NULL, cond, timeout);
}

static int cq_signal(struct fid_cq *fid)
{
	struct mpipr_cq *cq = cq_of(fid);

	mpipr_domain_lock(cq->domain);
	cq->signaled = true;
	mpipr_bell_ring(&cq->bell);
	mpipr_domain_unlock(cq->domain);
	return 0;
}

static const char *cq_strerror(struct fid_cq *fid, int prov_errno,
			       const void *err_data, char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (buf && len)
		snprintf(buf, len, "%s", text);
	return text;
}

static struct fi_ops_cq cq_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = cq_read,
	.readfrom = cq_readfrom,
	.readerr = cq_readerr,
	.sread = cq_sread,
	.sreadfrom = cq_sreadfrom,
	.signal = cq_signal,
	.strerror = cq_strerror,
};

static int cq_close(struct fid *fid)
{
	struct mpipr_cq *cq = mpipr_list_entry(fid, struct mpipr_cq, fid.fid);

	if (cq->refs)
		return -FI_EBUSY;
	mpipr_domain_put(cq->domain);
	mpipr_bell_close(&cq->bell);
	free(cq->ring);
	free(cq);
	return 0;
}

static int cq_control(struct fid *fid, int command, void *arg)
{
	struct mpipr_cq *cq = mpipr_list_entry(fid, struct mpipr_cq, fid.fid);

	return mpipr_bell_control(&cq->bell, command, arg);
}

static struct fi_ops cq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = cq_close,
	.bind = mpipr_no_bind,
	.control = cq_control,
	.ops_open = mpipr_no_ops_open,
};

static const size_t entry_size[] = {
	[FI_CQ_FORMAT_UNSPEC] = sizeof(struct fi_cq_tagged_entry),
	[FI_CQ_FORMAT_CONTEXT] = sizeof(struct fi_cq_entry),
	[FI_CQ_FORMAT_MSG] = sizeof(struct fi_cq_msg_entry),
	[FI_CQ_FORMAT_DATA] = sizeof(struct fi_cq_data_entry),
	[FI_CQ_FORMAT_TAGGED] = sizeof(struct fi_cq_tagged_entry),
};

/**
 * mpipr_cq_open() - open a completion queue
 * @domain: domain
 * @attr: what the program wants; NULL for nothing special
 * @fid: set to the queue
 * @context: the program's
 *
 * Return: 0, -FI_ENOSYS for ways to wait that there are not, -FI_EINVAL or
 *	-FI_ENOMEM.
 */
int mpipr_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		  struct fid_cq **fid, void *context)
{
	enum fi_cq_format format = attr ? attr->format : FI_CQ_FORMAT_UNSPEC;
	struct mpipr_cq *cq;
	int err;

	if (format > FI_CQ_FORMAT_TAGGED)
		return -FI_EINVAL;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -FI_ENOMEM;
	cq->domain = mpipr_list_entry(domain, struct mpipr_domain, fid);
	err = mpipr_bell_init(&cq->bell, cq->domain,
			      attr ? attr->wait_obj : FI_WAIT_NONE);
	if (err)
		goto err_free;
	err = -FI_ENOMEM;
	cq->room = MPIPR_CQ_ROOM;
	cq->ring = malloc(cq->room * sizeof(*cq->ring));
	if (!cq->ring)
		goto err_free;
	cq->fid.fid.fclass = FI_CLASS_CQ;
	cq->fid.fid.context = context;
	cq->fid.fid.ops = &cq_fid_ops;
	cq->fid.ops = &cq_ops;
	cq->size = entry_size[format];
	mpipr_domain_get(cq->domain);
	if (attr)
		attr->format = format ? format : FI_CQ_FORMAT_TAGGED;
	*fid = &cq->fid;
	return 0;
err_free:
	free(cq);
	return err;
}

/**
 * mpipr_cq_trywait() - whether a program may wait for completions
 * @fid: completion queue
 *
 * Return: 0, -FI_EAGAIN if there is one, -FI_EINVAL if the program did not want
 *	a descriptor to wait for, or what making that fails with.
 */
int mpipr_cq_trywait(struct fid *fid)
{
	struct mpipr_cq *cq = mpipr_list_entry(fid, struct mpipr_cq, fid.fid);
	int ret = -FI_EAGAIN;

	if (cq->bell.offered != FI_WAIT_FD)
		return -FI_EINVAL;
	mpipr_domain_lock(cq->domain);
	mpipr_progress(cq->domain, 0);
	if (mpipr_cq_is_empty(cq))
		ret = mpipr_bell_arm(&cq->bell);
	mpipr_domain_unlock(cq->domain);
	return ret;
}
