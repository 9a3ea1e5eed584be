/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prpctl hosts discover.
 */
#ifndef _PRPCTL_HOSTS_DISCOVER_H
#define _PRPCTL_HOSTS_DISCOVER_H

int hosts_discover(int argc, char **argv);

#endif /* _PRPCTL_HOSTS_DISCOVER_H */
