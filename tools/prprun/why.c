// SPDX-License-Identifier: GPL-2.0
/*
 * Why TCP carries a connection, in words.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "why.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TCP_AO_ADD_KEY /* of Linux 6.7 */
#define TCP_AO_ADD_KEY 38
#define TCP_AO_REPAIR 42
#endif

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Options that only TCP honours, see net/prp/inet/inet_sockopt.c */
static const struct {
	int level;
	int name;
	const char *text;
} options[] = {
	{ SOL_SOCKET, SO_BINDTODEVICE, "SO_BINDTODEVICE" },
	{ SOL_SOCKET, SO_ATTACH_FILTER, "SO_ATTACH_FILTER" },
	{ IPPROTO_TCP, TCP_MD5SIG, "TCP_MD5SIG" },
	{ IPPROTO_TCP, TCP_MD5SIG_EXT, "TCP_MD5SIG_EXT" },
	{ IPPROTO_TCP, TCP_AO_ADD_KEY, "TCP_AO_ADD_KEY" },
	{ IPPROTO_TCP, TCP_AO_REPAIR, "TCP_AO_REPAIR" },
	{ IPPROTO_TCP, TCP_REPAIR, "TCP_REPAIR" },
	{ IPPROTO_TCP, TCP_FASTOPEN, "TCP_FASTOPEN" },
	{ IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "TCP_FASTOPEN_CONNECT" },
};

static const char *const reasons[] = {
	[PRP_WHY_UNKNOWN] = "not in the host table",
	[PRP_WHY_REFUSED] = "nobody listens there under PRP",
	[PRP_WHY_DENIED] = "denied by an access list",
	[PRP_WHY_SILENT] = "PRP is not answered: no module, or a full backlog",
	[PRP_WHY_SOURCE] = "no address of ours in the host table",
	[PRP_WHY_NO_ROUTE] = "no way to it",
	[PRP_WHY_FEATURES] = "its features differ",
	[PRP_WHY_OTHER] = "no memory or no port",
	[PRP_WHY_IPSEC] = "a policy of IPsec is for it",
	[PRP_WHY_CGROUP] = "a program of its cgroup is to see it",
};

static void option_text(int level, int name, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < COUNT(options); i++) {
		if (options[i].level == level && options[i].name == name) {
			snprintf(text, size, ", for the option %s",
				 options[i].text);
			return;
		}
	}
	snprintf(text, size, ", for the option %d of level %d", name, level);
}

/**
 * why_text() - what is to stand behind "TCP"
 * @why: what the kernel tells
 * @text: filled in; empty if there is nothing to tell
 * @size: of @text, bytes
 */
void why_text(const struct prp_why *why, char *text, size_t size)
{
	*text = 0;
	if (why->prpw_reason == PRP_WHY_OPTION)
		option_text(why->prpw_level, why->prpw_name, text, size);
	else if (why->prpw_reason < COUNT(reasons) && reasons[why->prpw_reason])
		snprintf(text, size, ", %s%s", reasons[why->prpw_reason],
			 why->prpw_remembered ? " (not asked again)" : "");
	else if (why->prpw_reason != PRP_WHY_NONE)
		snprintf(text, size, ", reason %u", why->prpw_reason);
}

/**
 * why_module_is_missing() - are there no sockets of PRP for want of its module?
 *
 * Return: true if so. A sandbox that forbids the family gives the same error
 *	while the module may be there.
 */
bool why_module_is_missing(void)
{
	int fd = socket(AF_PRP, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EAFNOSUPPORT &&
	       access("/sys/module/prp", F_OK);
}
