/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network namespace that is worked in.
 */
#ifndef _PRPCTL_NETNS_H
#define _PRPCTL_NETNS_H

/* Its name, or NULL where it is the caller's own */
extern const char *netns_name;

int netns_enter(const char *name);

#endif /* _PRPCTL_NETNS_H */
