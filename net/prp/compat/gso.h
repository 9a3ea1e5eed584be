/* SPDX-License-Identifier: GPL-2.0 */
/* Where struct skb_gso_cb is: a header of its own since 6.5. */
#ifndef _PRP_COMPAT_GSO_H
#define _PRP_COMPAT_GSO_H

#include <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <net/gso.h>
#endif

#endif /* _PRP_COMPAT_GSO_H */
