// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Counters of completions. */
#include <stdlib.h>

#include "mpipr.h"

static struct mpipr_cntr *cntr_of(struct fid_cntr *fid)
{
	return mpipr_list_entry(fid, struct mpipr_cntr, fid);
}

/* Who polls a queue in between has made progress already. */
static uint64_t read_value(struct mpipr_cntr *cntr, const uint64_t *value)
{
	uint64_t now;

	mpipr_domain_lock(cntr->domain);
	if (cntr->read_poll == cntr->domain->polls)
		mpipr_progress(cntr->domain, 0);
	cntr->read_poll = cntr->domain->polls;
	now = *value;
	mpipr_domain_unlock(cntr->domain);
	return now;
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
	return read_value(cntr_of(fid), &cntr_of(fid)->value);
}

static uint64_t cntr_readerr(struct fid_cntr *fid)
{
	return read_value(cntr_of(fid), &cntr_of(fid)->errors);
}

static int change(struct mpipr_cntr *cntr, uint64_t *value, uint64_t to,
		  bool add)
{
	mpipr_domain_lock(cntr->domain);
	*value = add ? *value + to : to;
	cntr->is_news = false;
	mpipr_cntr_changed(cntr);
	mpipr_domain_unlock(cntr->domain);
	return 0;
}

static int cntr_add(struct fid_cntr *fid, uint64_t value)
{
	return change(cntr_of(fid), &cntr_of(fid)->value, value, true);
}

static int cntr_set(struct fid_cntr *fid, uint64_t value)
{
	return change(cntr_of(fid), &cntr_of(fid)->value, value, false);
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	return change(cntr_of(fid), &cntr_of(fid)->errors, value, true);
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	return change(cntr_of(fid), &cntr_of(fid)->errors, value, false);
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct mpipr_cntr *cntr = cntr_of(fid);
	const int64_t until = mpipr_until_ms(timeout);
	uint64_t errors;
	int ret = 0;

	mpipr_domain_lock(cntr->domain);
	errors = cntr->errors;
	mpipr_progress(cntr->domain, 0);
	while (cntr->value < threshold && cntr->errors == errors &&
	       mpipr_now_ms() < until && !ret)
		ret = mpipr_progress_sleep(&cntr->bell, until);
	if (!ret)
		ret = cntr->value >= threshold ? 0 :
		      cntr->errors != errors   ? -FI_EAVAIL :
						 -FI_ETIMEDOUT;
	mpipr_domain_unlock(cntr->domain);
	return ret;
}

static struct fi_ops_cntr cntr_ops = {
	.size = sizeof(struct fi_ops_cntr),
	.read = cntr_read,
	.readerr = cntr_readerr,
	.add = cntr_add,
	.set = cntr_set,
	.wait = cntr_wait,
	.adderr = cntr_adderr,
	.seterr = cntr_seterr,
};

static int cntr_close(struct fid *fid)
{
	struct mpipr_cntr *cntr =
		mpipr_list_entry(fid, struct mpipr_cntr, fid.fid);

	if (cntr->refs)
		return -FI_EBUSY;
	mpipr_domain_put(cntr->domain);
	mpipr_bell_close(&cntr->bell);
	free(cntr);
	return 0;
}

static int cntr_control(struct fid *fid, int command, void *arg)
{
	struct mpipr_cntr *cntr =
		mpipr_list_entry(fid, struct mpipr_cntr, fid.fid);

	return mpipr_bell_control(&cntr->bell, command, arg);
}

static struct fi_ops cntr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = cntr_close,
	.bind = mpipr_no_bind,
	.control = cntr_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_cntr_open() - open a counter
 * @domain: domain
 * @attr: what the program wants; NULL for nothing special
 * @fid: set to the counter
 * @context: the program's
 *
 * Return: 0, -FI_ENOSYS if it is to count other things, or for ways to wait
 *	that there are not, or -FI_ENOMEM.
 */
int mpipr_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		    struct fid_cntr **fid, void *context)
{
	struct mpipr_cntr *cntr;
	int err;

	if (attr && attr->events != FI_CNTR_EVENTS_COMP)
		return -FI_ENOSYS;
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -FI_ENOMEM;
	cntr->domain = mpipr_list_entry(domain, struct mpipr_domain, fid);
	err = mpipr_bell_init(&cntr->bell, cntr->domain,
			      attr ? attr->wait_obj : FI_WAIT_NONE);
	if (err) {
		free(cntr);
		return err;
	}
	cntr->fid.fid.fclass = FI_CLASS_CNTR;
	cntr->fid.fid.context = context;
	cntr->fid.fid.ops = &cntr_fid_ops;
	cntr->fid.ops = &cntr_ops;
	mpipr_domain_get(cntr->domain);
	*fid = &cntr->fid;
	return 0;
}

/**
 * mpipr_cntr_trywait() - whether a program may wait for a counter
 * @fid: counter
 *
 * Return: 0, -FI_EAGAIN if it has changed since this was asked the last time,
 *	-FI_EINVAL if the program did not want a descriptor to wait for, or what
 *	making that fails with.
 */
int mpipr_cntr_trywait(struct fid *fid)
{
	struct mpipr_cntr *cntr =
		mpipr_list_entry(fid, struct mpipr_cntr, fid.fid);
	int ret = -FI_EAGAIN;

	if (cntr->bell.offered != FI_WAIT_FD)
		return -FI_EINVAL;
	mpipr_domain_lock(cntr->domain);
	mpipr_progress(cntr->domain, 0);
	if (!cntr->is_unseen)
		ret = mpipr_bell_arm(&cntr->bell);
	cntr->is_unseen = false;
	mpipr_domain_unlock(cntr->domain);
	return ret;
}
