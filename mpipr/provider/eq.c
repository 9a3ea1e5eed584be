// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Event queues: nothing here reports to one, but programs open them, bind
 * endpoints to them before they know, and write events of their own.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bell.h"
#include "mpipr.h"

/**
 * struct event - an event of the program's
 * @link: in mpipr_eq.events
 * @kind: what it is
 * @len: bytes of @entry
 * @entry: what is to be said of it
 */
struct event {
	struct mpipr_list link;
	uint32_t kind;
	size_t len;
	uint8_t entry[];
};

/**
 * struct mpipr_eq - an event queue
 * @fid: for libfabric
 * @lock: protects what follows
 * @writable: the program may write events
 * @offered: what it may wait for: FI_WAIT_NONE or FI_WAIT_FD
 * @fd: readable as long as there are events
 * @events: in their order, by event.link
 */
struct mpipr_eq {
	struct fid_eq fid;
	pthread_mutex_t lock;
	bool writable;
	enum fi_wait_obj offered;
	int fd;
	struct mpipr_list events;
};

static struct mpipr_eq *eq_of(struct fid_eq *fid)
{
	return mpipr_list_entry(fid, struct mpipr_eq, fid);
}

/* The first event; it stays if the program only looks. */
static ssize_t take(struct mpipr_eq *eq, uint32_t *kind, void *buf, size_t len,
		    uint64_t flags)
{
	struct event *event;
	eventfd_t count;
	ssize_t ret;

	if (mpipr_list_empty(&eq->events))
		return -FI_EAGAIN;
	event = mpipr_list_entry(eq->events.next, struct event, link);
	if (event->len > len)
		return -FI_ETOOSMALL;
	*kind = event->kind;
	memcpy(buf, event->entry, event->len);
	ret = event->len;
	if (flags & FI_PEEK)
		return ret;
	mpipr_list_del(&event->link);
	free(event);
	eventfd_read(eq->fd, &count);
	return ret;
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buf,
		       size_t len, uint64_t flags)
{
	struct mpipr_eq *eq = eq_of(fid);
	ssize_t ret;

	pthread_mutex_lock(&eq->lock);
	ret = take(eq, event, buf, len, flags);
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t eq_readerr(struct fid_eq *eq, struct fi_eq_err_entry *buf,
			  uint64_t flags)
{
	return -FI_EAGAIN;
}

static ssize_t eq_write(struct fid_eq *fid, uint32_t kind, const void *buf,
			size_t len, uint64_t flags)
{
	struct mpipr_eq *eq = eq_of(fid);
	struct event *event;

	if (!eq->writable)
		return -FI_EINVAL;
	event = malloc(sizeof(*event) + len);
	if (!event)
		return -FI_ENOMEM;
	event->kind = kind;
	event->len = len;
	memcpy(event->entry, buf, len);
	pthread_mutex_lock(&eq->lock);
	mpipr_list_add_tail(&event->link, &eq->events);
	eventfd_write(eq->fd, 1);
	pthread_mutex_unlock(&eq->lock);
	return len;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *event, void *buf,
			size_t len, int timeout, uint64_t flags)
{
	struct pollfd come = { .fd = eq_of(fid)->fd, .events = POLLIN };

	if (poll(&come, 1, timeout) < 0)
		return -errno;
	return eq_read(fid, event, buf, len, flags);
}

static const char *eq_strerror(struct fid_eq *eq, int prov_errno,
			       const void *err_data, char *buf, size_t len)
{
	return fi_strerror(prov_errno);
}

static struct fi_ops_eq eq_ops = {
	.size = sizeof(struct fi_ops_eq),
	.read = eq_read,
	.readerr = eq_readerr,
	.write = eq_write,
	.sread = eq_sread,
	.strerror = eq_strerror,
};

static int eq_control(struct fid *fid, int command, void *arg)
{
	struct mpipr_eq *eq = mpipr_list_entry(fid, struct mpipr_eq, fid.fid);

	switch (command) {
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = eq->offered;
		return 0;
	case FI_GETWAIT:
		if (eq->offered != FI_WAIT_FD)
			return -FI_EINVAL;
		*(int *)arg = eq->fd;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

static int eq_close(struct fid *fid)
{
	struct mpipr_eq *eq = mpipr_list_entry(fid, struct mpipr_eq, fid.fid);
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &eq->events)
		free(mpipr_list_entry(link, struct event, link));
	close(eq->fd);
	pthread_mutex_destroy(&eq->lock);
	free(eq);
	return 0;
}

static struct fi_ops eq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = eq_close,
	.bind = mpipr_no_bind,
	.control = eq_control,
	.ops_open = mpipr_no_ops_open,
};

/**
 * mpipr_eq_open() - open an event queue
 * @fabric: fabric
 * @attr: what the program wants; NULL for nothing special
 * @fid: set to the queue
 * @context: the program's
 *
 * Return: 0, -FI_ENOSYS for ways to wait that there are not, -FI_ENOMEM, or
 *	what making its descriptor fails with.
 */
int mpipr_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		  struct fid_eq **fid, void *context)
{
	int offered = mpipr_bell_offers(attr ? attr->wait_obj : FI_WAIT_NONE);
	struct mpipr_eq *eq;
	int err;

	if (offered < 0)
		return offered;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return -FI_ENOMEM;
	/* Each read takes one of what was written. */
	eq->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK);
	if (eq->fd < 0) {
		err = -errno;
		free(eq);
		return err;
	}
	pthread_mutex_init(&eq->lock, NULL);
	mpipr_list_init(&eq->events);
	eq->writable = attr && attr->flags & FI_WRITE;
	eq->offered = offered;
	eq->fid.fid.fclass = FI_CLASS_EQ;
	eq->fid.fid.context = context;
	eq->fid.fid.ops = &eq_fid_ops;
	eq->fid.ops = &eq_ops;
	*fid = &eq->fid;
	return 0;
}

/**
 * mpipr_eq_trywait() - whether a program may wait for events
 * @fid: event queue
 *
 * Return: 0, -FI_EAGAIN if there is one, or -FI_EINVAL if the program did not
 *	want a descriptor to wait for.
 */
int mpipr_eq_trywait(struct fid *fid)
{
	struct mpipr_eq *eq = mpipr_list_entry(fid, struct mpipr_eq, fid.fid);
	int ret = 0;

	if (eq->offered != FI_WAIT_FD)
		return -FI_EINVAL;
	pthread_mutex_lock(&eq->lock);
	if (!mpipr_list_empty(&eq->events))
		ret = -FI_EAGAIN;
	pthread_mutex_unlock(&eq->lock);
	return ret;
}
