/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the counters of the kernel mean.
 */
#ifndef _PRPCTL_MEANING_H
#define _PRPCTL_MEANING_H

const char *meaning_of(const char *name);

#endif /* _PRPCTL_MEANING_H */
