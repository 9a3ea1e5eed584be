/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections as the kernel tells of them when they come and go.
 */
#ifndef _PRPCTL_CONN_H
#define _PRPCTL_CONN_H

#include <stdbool.h>
#include <libmnl/libmnl.h>

#include "kernel/diag.h"

/**
 * struct conn - a connection that has come or gone
 * @socket: its ends, and its bytes if it has gone
 * @ended: it has gone
 * @error: errno that says why, 0 for none
 */
struct conn {
	struct diag_socket socket;
	bool ended;
	int error;
};

void conn_take(const struct nlmsghdr *nlh, struct conn *conn);

#endif /* _PRPCTL_CONN_H */
