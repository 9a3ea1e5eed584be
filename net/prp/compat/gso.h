/* SPDX-License-Identifier: GPL-2.0 */
/* Where struct skb_gso_cb is: a header of its own since 6.5. How long a device
 * has what is not IPv6: a field of its own since 6.3.
 */
#ifndef _PRP_COMPAT_GSO_H
#define _PRP_COMPAT_GSO_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <net/gso.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define prp_compat_gso_max_size(dev) READ_ONCE((dev)->gso_ipv4_max_size)
#define prp_compat_gro_max_size(dev) READ_ONCE((dev)->gro_ipv4_max_size)
#else
#define prp_compat_gso_max_size(dev) READ_ONCE((dev)->gso_max_size)
#define prp_compat_gro_max_size(dev) READ_ONCE((dev)->gro_max_size)
#endif

#endif /* _PRP_COMPAT_GSO_H */
