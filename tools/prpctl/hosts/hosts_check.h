/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prpctl hosts check.
 */
#ifndef _PRPCTL_HOSTS_CHECK_H
#define _PRPCTL_HOSTS_CHECK_H

/* How it is to look and to say */
enum check_how { CHECK_TEXT, CHECK_LINES, CHECK_SSH };

int hosts_check(enum check_how how);

#endif /* _PRPCTL_HOSTS_CHECK_H */
