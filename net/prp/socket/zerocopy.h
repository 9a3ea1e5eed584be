/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MSG_ZEROCOPY and splice(): what is sent without a copy, and who is told that
 * its memory is free again.
 */
#ifndef _PRP_ZEROCOPY_H
#define _PRP_ZEROCOPY_H

#include "compat/zerocopy.h"
#include "socket/sock.h"

struct msghdr;

/**
 * struct prp_zerocopy - how a call of sendmsg() does without a copy
 * @told: whom to tell when the bytes are not needed any more, one reference; or
 *	NULL
 * @refers: pages are referred to where they are worth it, else copied
 * @copied: some bytes were copied
 */
struct prp_zerocopy {
	struct ubuf_info *told;
	bool refers;
	bool copied;
};

int prp_zerocopy_ask(struct sock *sk, struct prp_conn *conn, struct msghdr *msg,
		     struct prp_zerocopy *zc);
u32 prp_zerocopy_fill(struct prp_sock *psk, struct prp_conn *conn,
		      struct msghdr *msg, unsigned int i, u32 want, u32 size,
		      struct prp_zerocopy *zc);
u32 __prp_zerocopy_join(struct prp_conn *conn, const struct bio_vec *from,
			u32 want, u32 *filled);
void prp_zerocopy_end(struct prp_zerocopy *zc, bool sent);
int prp_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len);

/**
 * prp_zerocopy_begin() - does a call of sendmsg() want no copy?
 * @sk: socket, its tx_mutex held, and until something is queued
 * @conn: its connection
 * @msg: its message
 * @zc: how it is done, once asked, to be given to prp_zerocopy_end()
 *
 * Return: 0, or -ENOBUFS: no memory for who is to be told, or more than
 * RLIMIT_MEMLOCK would be kept.
 */
static inline int prp_zerocopy_begin(struct sock *sk, struct prp_conn *conn,
				     struct msghdr *msg,
				     struct prp_zerocopy *zc)
{
	const unsigned int flags = MSG_ZEROCOPY | PRP_COMPAT_MSG_SPLICE;

	if (likely(!(msg->msg_flags & flags)) || zc->refers || zc->told)
		return 0;
	return prp_zerocopy_ask(sk, conn, msg, zc);
}

#endif /* _PRP_ZEROCOPY_H */
