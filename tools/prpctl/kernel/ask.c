// SPDX-License-Identifier: GPL-2.0
/*
 * Begins to talk with PRP in the kernel, and says why that came to nothing.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/ask.h"

#include <errno.h>
#include <string.h>

#include "show/out.h"

/* Whatever is asked, it is not to be taken for what the network does by itself.
 * Said once.
 */
static void warn_of_faults(struct nl *nl)
{
	static bool said;
	struct table head;

	if (said || table_fetch_head(nl, &head) || !head.faults)
		return;
	out_warn("faults are injected here: prpctl fault");
	said = true;
}

/**
 * ask_unknown() - say that the kernel does not know PRP
 *
 * Return: EXIT_KERNEL.
 */
int ask_unknown(void)
{
	static const char unknown[] =
		"the kernel does not know PRP: is the module loaded? modprobe prp";

	return out_fail(EXIT_KERNEL, "%s", unknown);
}

/**
 * ask_open() - open a socket to PRP in the kernel, or say why not
 * @nl: filled in
 *
 * If faults are injected, that is told, too.
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int ask_open(struct nl *nl)
{
	int err = nl_open_prp(nl);

	if (err == -ENOENT)
		return ask_unknown();
	if (err)
		return out_fail(EXIT_KERNEL, "netlink: %s", strerror(-err));
	warn_of_faults(nl);
	return EXIT_OK;
}

/**
 * ask_refused() - say what the kernel refused
 * @nl: socket
 * @err: negative errno
 * @what: what it was asked for
 *
 * Return: EXIT_KERNEL.
 */
int ask_refused(const struct nl *nl, int err, const char *what)
{
	const char *name = strerror(-err);

	if (err == -EPERM)
		return out_fail(EXIT_KERNEL, "%s: %s: needs CAP_NET_ADMIN",
				what, name);
	if (nl->text[0])
		return out_fail(EXIT_KERNEL, "%s: %s (%s)", what, nl->text,
				name);
	return out_fail(EXIT_KERNEL, "%s: %s", what, name);
}

/**
 * ask_table() - get the kernel's host table, or say why not
 * @nl: socket
 * @table: filled in; table_free() it whatever this returns
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int ask_table(struct nl *nl, struct table *table)
{
	int err = table_fetch(nl, table);

	return err ? ask_refused(nl, err, "reading the host table") : EXIT_OK;
}
