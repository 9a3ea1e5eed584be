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
#include "inet/inet.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define prp_compat_splice_read generic_file_splice_read
/* the kernel gives us a page, and will give us the next one at once */
#define PRP_COMPAT_MSG_NOTLAST MSG_SENDPAGE_NOTLAST

/* A pipe would take a page over, and believe that a file has read it. */
static inline bool prp_compat_iter_is_pipe(const struct iov_iter *iter)
{
	return iov_iter_is_pipe(iter);
}

/* By way of sendmsg(), as later kernels do; who lets us have the page was
 * asked.
 */
static inline ssize_t prp_compat_sendpage(struct socket *sock,
					  struct page *page, int offset,
					  size_t size, int flags)
{
	struct bio_vec part = { .bv_page = page,
				.bv_offset = offset,
				.bv_len = size };
	struct msghdr msg = { .msg_flags = flags | PRP_COMPAT_MSG_SPLICE };

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &part, 1, size);
	return sock->ops->sendmsg(sock, &msg, size);
}

static inline ssize_t prp_compat_inet_sendpage(struct socket *sock,
					       struct page *page, int offset,
					       size_t size, int flags)
{
	const struct prp_inet *inet = prp_inet_of(sock);

	if (prp_inet_over_tcp(inet) && inet->tcp_ops->sendpage)
		return inet->tcp_ops->sendpage(sock, page, offset, size, flags);
	return prp_compat_sendpage(sock, page, offset, size, flags);
}

#define PRP_COMPAT_SENDPAGE .sendpage = prp_compat_sendpage,
#define PRP_COMPAT_INET_SENDPAGE .sendpage = prp_compat_inet_sendpage,
#else
#define prp_compat_splice_read copy_splice_read
#define PRP_COMPAT_MSG_NOTLAST 0
#define prp_compat_iter_is_pipe(iter) false
#define PRP_COMPAT_SENDPAGE
#define PRP_COMPAT_INET_SENDPAGE
#endif

#endif /* _PRP_COMPAT_SPLICE_H */
