/* SPDX-License-Identifier: GPL-2.0 */
/* Where receive flow steering is: a header of its own since 6.9. */
#ifndef _PRP_COMPAT_RPS_H
#define _PRP_COMPAT_RPS_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#include <net/rps.h>
#endif
#include <net/sock.h>

/* Does somebody want frames where they are read? */
static inline bool prp_compat_rfs_needed(void)
{
#ifdef CONFIG_RPS
	return static_branch_unlikely(&rfs_needed);
#else
	return false;
#endif
}

#endif /* _PRP_COMPAT_RPS_H */
