// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Poll sets: which of several queues and counters have something to say. */
#include <stdlib.h>

#include "mpipr.h"

/**
 * struct member - a queue or counter that is looked at
 * @link: in mpipr_poll.members
 * @fid: queue or counter
 */
struct member {
	struct mpipr_list link;
	struct fid *fid;
};

/**
 * struct mpipr_poll - a poll set
 * @fid: for libfabric
 * @domain: its domain
 * @members: what is looked at, by member.link
 */
struct mpipr_poll {
	struct fid_poll fid;
	struct mpipr_domain *domain;
	struct mpipr_list members;
};

static struct mpipr_poll *poll_of(struct fid_poll *fid)
{
	return mpipr_list_entry(fid, struct mpipr_poll, fid);
}

static struct mpipr_cq *cq_of(struct fid *fid)
{
	return mpipr_list_entry(fid, struct mpipr_cq, fid.fid);
}

static struct mpipr_cntr *cntr_of(struct fid *fid)
{
	return mpipr_list_entry(fid, struct mpipr_cntr, fid.fid);
}

static bool has_news(struct fid *fid)
{
	return fid->fclass == FI_CLASS_CQ ? !mpipr_cq_is_empty(cq_of(fid)) :
					    cntr_of(fid)->is_news;
}

/* Says which members have news, as many of them as there is room for. */
static int look(struct mpipr_poll *poll, void **context, int count)
{
	struct mpipr_list *link, *after;
	struct fid *fid;
	int found = 0;

	mpipr_list_for_each(link, after, &poll->members)
	{
		fid = mpipr_list_entry(link, struct member, link)->fid;
		if (found == count)
			break;
		if (!has_news(fid))
			continue;
		context[found++] = fid->context;
		if (fid->fclass == FI_CLASS_CNTR)
			cntr_of(fid)->is_news = false;
	}
	return found;
}

static bool any_news(const struct mpipr_poll *poll)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &poll->members)
	{
		if (has_news(mpipr_list_entry(link, struct member, link)->fid))
			return true;
	}
	return false;
}

static int poll_poll(struct fid_poll *fid, void **context, int count)
{
	struct mpipr_poll *poll = poll_of(fid);
	int found;

	mpipr_domain_lock(poll->domain);
	/* Where there is nothing yet it may sleep. */
	if (any_news(poll))
		mpipr_progress(poll->domain, 0);
	else
		mpipr_progress_poll(poll->domain, NULL);
	found = look(poll, context, count);
	mpipr_domain_unlock(poll->domain);
	return found;
}

/* Who uses a queue or counter, as it is not closed then; NULL: not ours */
static unsigned int *refs_of(const struct mpipr_poll *poll, struct fid *fid)
{
	if (fid->fclass == FI_CLASS_CQ && cq_of(fid)->domain == poll->domain)
		return &cq_of(fid)->refs;
	if (fid->fclass == FI_CLASS_CNTR &&
	    cntr_of(fid)->domain == poll->domain)
		return &cntr_of(fid)->refs;
	return NULL;
}

static struct member *find(const struct mpipr_poll *poll, struct fid *fid)
{
	struct mpipr_list *link, *after;
	struct member *member;

	mpipr_list_for_each(link, after, &poll->members)
	{
		member = mpipr_list_entry(link, struct member, link);
		if (member->fid == fid)
			return member;
	}
	return NULL;
}

static int poll_add(struct fid_poll *poll_fid, struct fid *fid, uint64_t flags)
{
	struct mpipr_poll *poll = poll_of(poll_fid);
	unsigned int *refs = refs_of(poll, fid);
	struct member *member;
	int err = -FI_EINVAL;

	if (!refs)
		return err;
	mpipr_domain_lock(poll->domain);
	if (find(poll, fid))
		goto unlock;
	err = -FI_ENOMEM;
	member = malloc(sizeof(*member));
	if (!member)
		goto unlock;
	member->fid = fid;
	mpipr_list_add_tail(&member->link, &poll->members);
	(*refs)++;
	err = 0;
unlock:
	mpipr_domain_unlock(poll->domain);
	return err;
}

static int poll_del(struct fid_poll *poll_fid, struct fid *fid, uint64_t flags)
{
	struct mpipr_poll *poll = poll_of(poll_fid);
	struct member *member;
	int err = -FI_EINVAL;

	mpipr_domain_lock(poll->domain);
	member = find(poll, fid);
	if (member) {
		mpipr_list_del(&member->link);
		free(member);
		(*refs_of(poll, fid))--;
		err = 0;
	}
	mpipr_domain_unlock(poll->domain);
	return err;
}

static struct fi_ops_poll poll_ops = {
	.size = sizeof(struct fi_ops_poll),
	.poll = poll_poll,
	.poll_add = poll_add,
	.poll_del = poll_del,
};

static int poll_close(struct fid *fid)
{
	struct mpipr_poll *poll =
		mpipr_list_entry(fid, struct mpipr_poll, fid.fid);

	if (!mpipr_list_empty(&poll->members))
		return -FI_EBUSY;
	mpipr_domain_put(poll->domain);
	free(poll);
	return 0;
}

static struct fi_ops poll_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = poll_close,
	.bind = mpipr_no_bind,
	.control = mpipr_no_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_poll_open() - open a poll set
 * @domain: domain; all that it looks at is of it
 * @attr: what the program wants; NULL for nothing special
 * @fid: set to the poll set
 *
 * Return: 0, -FI_EBADFLAGS or -FI_ENOMEM.
 */
int mpipr_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		    struct fid_poll **fid)
{
	struct mpipr_poll *poll;

	if (attr && attr->flags)
		return -FI_EBADFLAGS;
	poll = calloc(1, sizeof(*poll));
	if (!poll)
		return -FI_ENOMEM;
	poll->fid.fid.fclass = FI_CLASS_POLL;
	poll->fid.fid.ops = &poll_fid_ops;
	poll->fid.ops = &poll_ops;
	mpipr_list_init(&poll->members);
	poll->domain = mpipr_list_entry(domain, struct mpipr_domain, fid);
	mpipr_domain_get(poll->domain);
	*fid = &poll->fid;
	return 0;
}
