/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A look at a host file that needs no module.
 */
#ifndef _PRPCTL_HOSTS_CHECK_FILE_H
#define _PRPCTL_HOSTS_CHECK_FILE_H

int hosts_check_file(const char *path);

#endif /* _PRPCTL_HOSTS_CHECK_FILE_H */
