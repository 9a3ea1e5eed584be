/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prpctl hosts check.
 */
#ifndef _PRPCTL_HOSTS_CHECK_H
#define _PRPCTL_HOSTS_CHECK_H

int hosts_check(int argc, char **argv);

#endif /* _PRPCTL_HOSTS_CHECK_H */
