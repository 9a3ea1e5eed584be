// SPDX-License-Identifier: GPL-2.0
/*
 * Has the signals by which a user ends a command come in a descriptor, so that
 * it ends well.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

/**
 * signals_watch() - begin
 *
 * Return: a descriptor that can be read when the user wants to end this, or
 * -1 with errno set.
 */
int signals_watch(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/**
 * signals_hold() - let no signal end this process from now on
 *
 * For what must not be left half done; it takes no long time.
 */
void signals_hold(void)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}
