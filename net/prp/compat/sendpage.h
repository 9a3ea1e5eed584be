/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file's pages, which kernels before 6.5 give one by one.
 */
#ifndef _PRP_COMPAT_SENDPAGE_H
#define _PRP_COMPAT_SENDPAGE_H

#include "compat/compat.h"
#include "inet/inet.h"
#include "socket/send.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
/* Behind others of the file, which is most of what there is to do. Return:
 * bytes, or 0: sendmsg() does it, or says why not.
 */
static inline u32
prp_compat_sendpage_join(struct sock *sk, const struct bio_vec *part, int flags)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	u32 got = 0;

	if (!mutex_trylock(&psk->tx_mutex))
		return 0;
	conn = rcu_dereference_protected(psk->conn,
					 lockdep_is_held(&psk->tx_mutex));
	if (!prp_send_error(sk, conn) && !conn->messages)
		got = prp_send_join(sk, conn, part, part->bv_len, flags);
	prp_sock_unlock_tx(psk);
	return got;
}

/* By way of sendmsg(), as later kernels do; who lets us have the page was
 * asked.
 */
static noinline ssize_t prp_compat_sendpage_alone(struct socket *sock,
						  struct bio_vec *part,
						  int flags)
{
	struct msghdr msg = { .msg_flags = flags | PRP_COMPAT_MSG_SPLICE };

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, part, 1, part->bv_len);
	return sock->ops->sendmsg(sock, &msg, part->bv_len);
}

/* One or the other; @own is PRP's socket, or NULL if it is not known yet to be
 * the one. Not both in one call: what is told once, as a reset, would be told
 * to nobody. The kernel comes again with what is left.
 */
static inline ssize_t prp_compat_sendpage_by(struct socket *sock,
					     struct sock *own,
					     struct page *page, int offset,
					     size_t size, int flags)
{
	struct bio_vec part = { .bv_page = page,
				.bv_offset = offset,
				.bv_len = size };
	u32 got = 0;

	if (own)
		got = prp_compat_sendpage_join(own, &part, flags);
	if (likely(got))
		return got;
	return prp_compat_sendpage_alone(sock, &part, flags);
}

static inline ssize_t prp_compat_sendpage(struct socket *sock,
					  struct page *page, int offset,
					  size_t size, int flags)
{
	return prp_compat_sendpage_by(sock, sock->sk, page, offset, size,
				      flags);
}

static inline ssize_t prp_compat_inet_sendpage(struct socket *sock,
					       struct page *page, int offset,
					       size_t size, int flags)
{
	const struct prp_inet *inet = prp_inet_of(sock);
	struct sock *own = NULL;

	if (prp_inet_over_tcp(inet) && inet->tcp_ops->sendpage)
		return inet->tcp_ops->sendpage(sock, page, offset, size, flags);
	if (prp_inet_over_prp(inet)) {
		own = inet->own->sk;
		if (READ_ONCE(inet->corked))
			flags |= MSG_MORE;
	}
	return prp_compat_sendpage_by(sock, own, page, offset, size, flags);
}

#define PRP_COMPAT_SENDPAGE .sendpage = prp_compat_sendpage,
#define PRP_COMPAT_INET_SENDPAGE .sendpage = prp_compat_inet_sendpage,
#else
#define PRP_COMPAT_SENDPAGE
#define PRP_COMPAT_INET_SENDPAGE
#endif

#endif /* _PRP_COMPAT_SENDPAGE_H */
