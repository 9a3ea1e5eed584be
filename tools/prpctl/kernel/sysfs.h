/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of /sys as the network namespace has them, and those of /proc/sys/net
 * that the whole machine has.
 */
#ifndef _PRPCTL_SYSFS_H
#define _PRPCTL_SYSFS_H

#include <stddef.h>

int sysfs_read(const char *path, char *text, size_t room);
int sysfs_write(const char *path, const char *text);
int sysfs_each(const char *path, int (*each)(const char *name, void *data),
	       void *data);
int sysctl_read(const char *path, char *text, size_t room);
int sysctl_write(const char *path, const char *text);

#endif /* _PRPCTL_SYSFS_H */
