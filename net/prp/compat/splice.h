/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Splicing, which changed its shape in 6.5: sendpage left, MSG_SPLICE_PAGES
 * took its place, and reading into a pipe got another helper.
 */
#ifndef _PRP_COMPAT_SPLICE_H
#define _PRP_COMPAT_SPLICE_H

#include <linux/fs.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "compat/compat.h"
#include "compat/zerocopy.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define prp_compat_splice_read generic_file_splice_read
/* the kernel gives us a page, and will give us the next one at once */
#define PRP_COMPAT_MSG_NOTLAST MSG_SENDPAGE_NOTLAST
/* or another one in a call of its own, behind the last one of a pipe */
#define PRP_COMPAT_MSG_NEXT (MSG_SENDPAGE_NOTLAST | MSG_MORE)
#else
#define prp_compat_splice_read copy_splice_read
#define PRP_COMPAT_MSG_NOTLAST 0
#define PRP_COMPAT_MSG_NEXT 0
#endif

/* sendfile() was promised more than the file has. Without that function what
 * waits for more waits until its time is up.
 */
#if PRP_COMPAT_SPLICE_EOF
#define PRP_COMPAT_OPS_SPLICE_EOF(function) .splice_eof = (function),
#define PRP_COMPAT_INET_SPLICE_EOF .splice_eof = prp_inet_splice_eof,
#define prp_compat_splice_eof(ops, sock) ((ops)->splice_eof(sock))
#else
#define PRP_COMPAT_OPS_SPLICE_EOF(function)
#define PRP_COMPAT_INET_SPLICE_EOF
#define prp_compat_splice_eof(ops, sock) \
	do { \
	} while (0)
#endif

#endif /* _PRP_COMPAT_SPLICE_H */
