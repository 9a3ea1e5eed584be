/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking PRP in the kernel. Where that fails, the user is told why.
 */
#ifndef _PRPCTL_ASK_H
#define _PRPCTL_ASK_H

#include "kernel/nl.h"
#include "kernel/table.h"

int ask_unknown(void);
int ask_open(struct nl *nl);
int ask_refused(const struct nl *nl, int err, const char *what);
int ask_table(struct nl *nl, struct table *table);

#endif /* _PRPCTL_ASK_H */
