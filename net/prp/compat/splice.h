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
#include "inet/inet.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define prp_compat_splice_read generic_file_splice_read

/* A pipe would take a page over, and believe that a file has read it. */
static inline bool prp_compat_iter_is_pipe(const struct iov_iter *iter)
{
	return iov_iter_is_pipe(iter);
}

static inline ssize_t prp_compat_inet_sendpage(struct socket *sock,
					       struct page *page, int offset,
					       size_t size, int flags)
{
	const struct prp_inet *inet = prp_inet_of(sock);

	if (prp_inet_over_tcp(inet) && inet->tcp_ops->sendpage)
		return inet->tcp_ops->sendpage(sock, page, offset, size, flags);
	return sock_no_sendpage(sock, page, offset, size, flags);
}

#define PRP_COMPAT_INET_SENDPAGE .sendpage = prp_compat_inet_sendpage,
#else
#define prp_compat_splice_read copy_splice_read
#define prp_compat_iter_is_pipe(iter) false
#define PRP_COMPAT_INET_SENDPAGE
#endif

#endif /* _PRP_COMPAT_SPLICE_H */
