// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What a program sleeps on that waits for completions.
 *
 * What it waits for comes on the domain's sockets, or another of its threads
 * handles that, or does it itself. So there is a descriptor for both: an epoll
 * of the domain's, which tells of sockets as long as they have something, and
 * of a bell that is rung with each completion. Who sleeps has said so, with the
 * domain's lock, when there was nothing: so no completion comes unheard between
 * the look and the sleep, and where nobody sleeps a completion costs nothing.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bell.h"
#include "mpipr.h"

/**
 * mpipr_bell_offers() - what a program may wait for
 * @wanted: what it wants to wait for
 *
 * Return: FI_WAIT_FD, FI_WAIT_NONE if it does not wait, or -FI_ENOSYS if it
 *	wants something else.
 */
int mpipr_bell_offers(enum fi_wait_obj wanted)
{
	switch (wanted) {
	case FI_WAIT_NONE:
		return FI_WAIT_NONE;
	case FI_WAIT_UNSPEC:
	case FI_WAIT_FD:
		return FI_WAIT_FD;
	default:
		return -FI_ENOSYS;
	}
}

/**
 * mpipr_bell_init() - get ready for who may sleep
 * @bell: bell
 * @domain: domain
 * @wanted: what the program wants to wait for
 *
 * Return: 0, or -FI_ENOSYS as mpipr_bell_offers().
 */
int mpipr_bell_init(struct mpipr_bell *bell, struct mpipr_domain *domain,
		    enum fi_wait_obj wanted)
{
	const int offered = mpipr_bell_offers(wanted);

	if (offered < 0)
		return offered;
	bell->offered = offered;
	bell->domain = domain;
	bell->state = MPIPR_BELL_IDLE;
	bell->fd = -1;
	bell->event = -1;
	return 0;
}

/**
 * mpipr_bell_close() - nobody sleeps any more
 * @bell: bell
 */
void mpipr_bell_close(struct mpipr_bell *bell)
{
	if (bell->fd < 0)
		return;
	close(bell->fd);
	close(bell->event);
}

static int add(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Most programs never sleep, so descriptors are made for the first sleep. */
static int open_fds(struct mpipr_bell *bell)
{
	int epoll, event, err;

	if (bell->fd >= 0)
		return 0;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		return -errno;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0)
		goto err_epoll;
	if (add(epoll, event) || add(epoll, bell->domain->epoll))
		goto err_event;
	bell->fd = epoll;
	bell->event = event;
	return 0;
err_event:
	err = -errno;
	close(event);
	close(epoll);
	return err;
err_epoll:
	err = -errno;
	close(epoll);
	return err;
}

/**
 * mpipr_bell_arm() - there is nothing, and the program is about to sleep
 * @bell: bell; its domain's lock is held since the program saw that
 *
 * Return: 0, or what making its descriptors fails with.
 */
int mpipr_bell_arm(struct mpipr_bell *bell)
{
	eventfd_t rings;
	int err = open_fds(bell);

	if (err)
		return err;
	if (bell->state == MPIPR_BELL_RUNG)
		eventfd_read(bell->event, &rings);
	bell->state = MPIPR_BELL_ARMED;
	return 0;
}

/**
 * mpipr_bell_wake() - wake who sleeps
 * @bell: bell; its domain's lock is held
 */
void mpipr_bell_wake(struct mpipr_bell *bell)
{
	bell->state = MPIPR_BELL_RUNG;
	eventfd_write(bell->event, 1);
}

/**
 * mpipr_bell_sleep() - sleep until something may have come
 * @bell: bell; its domain's lock is held, and not while it sleeps
 * @timeout_ms: at most so long; below 0: forever
 *
 * Return: 0, -FI_EINTR if a signal ended it, or what making its descriptors
 *	fails with.
 */
int mpipr_bell_sleep(struct mpipr_bell *bell, int timeout_ms)
{
	struct epoll_event event;
	int err = mpipr_bell_arm(bell);

	if (err)
		return err;
	mpipr_domain_unlock(bell->domain);
	if (epoll_wait(bell->fd, &event, 1, timeout_ms) < 0)
		err = -errno;
	mpipr_domain_lock(bell->domain);
	return err;
}

/**
 * mpipr_bell_control() - tell the program what it may wait for
 * @bell: bell
 * @command: FI_GETWAIT or FI_GETWAITOBJ
 * @arg: set to the descriptor, or to what kind of thing that is
 *
 * Return: 0, -FI_EINVAL if it did not want one, -FI_ENOSYS for other commands,
 *	or what making the descriptor fails with.
 */
int mpipr_bell_control(struct mpipr_bell *bell, int command, void *arg)
{
	int err;

	switch (command) {
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = bell->offered;
		return 0;
	case FI_GETWAIT:
		if (bell->offered != FI_WAIT_FD)
			return -FI_EINVAL;
		mpipr_domain_lock(bell->domain);
		err = open_fds(bell);
		mpipr_domain_unlock(bell->domain);
		if (!err)
			*(int *)arg = bell->fd;
		return err;
	default:
		return -FI_ENOSYS;
	}
}
