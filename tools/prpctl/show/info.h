/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of a connection, struct prp_info, by their names.
 */
#ifndef _PRPCTL_INFO_H
#define _PRPCTL_INFO_H

#include <stddef.h>
#include <stdint.h>
#include <linux/prp.h>

extern const size_t info_count;

const char *info_name(size_t i);
uint64_t info_value(const struct prp_info *info, size_t i);

#endif /* _PRPCTL_INFO_H */
