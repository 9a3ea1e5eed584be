/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands of prpctl hosts that change single hosts and links.
 */
#ifndef _PRPCTL_HOSTS_EDIT_H
#define _PRPCTL_HOSTS_EDIT_H

int hosts_add(int argc, char **argv);
int hosts_del(int argc, char **argv);
int hosts_link(int argc, char **argv);
int hosts_flush(int argc, char **argv);

#endif /* _PRPCTL_HOSTS_EDIT_H */
