/* SPDX-License-Identifier: GPL-2.0 */
/* From 6.9 on, and in later stable kernels, what answers sock_diag is held by
 * its owner; before, by a mutex.
 */
#ifndef _PRP_COMPAT_DIAG_H
#define _PRP_COMPAT_DIAG_H

#include <linux/module.h>
#include <linux/sock_diag.h>

#if PRP_COMPAT_DIAG_OWNER
#define PRP_COMPAT_DIAG_HANDLER(_family, _dump) \
	{ \
		.owner = THIS_MODULE, .family = _family, .dump = _dump \
	}
#else
#define PRP_COMPAT_DIAG_HANDLER(_family, _dump) \
	{ \
		.family = _family, .dump = _dump \
	}
#endif

#endif /* _PRP_COMPAT_DIAG_H */
