/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SOCK_SEQPACKET: messages, where a stream has bytes.
 */
#ifndef _PRP_SEQPACKET_H
#define _PRP_SEQPACKET_H

#include "socket/sock.h"

bool prp_seqpacket_recv_is_ready(const struct prp_sock *psk,
				 const struct prp_conn *conn);
int prp_seqpacket_set_rcvlowat(struct sock *sk, int val);
int prp_seqpacket_recv(struct socket *sock, struct msghdr *msg, size_t len,
		       int flags);
int prp_seqpacket_send(struct socket *sock, struct msghdr *msg, size_t len);
void prp_seqpacket_splice_eof(struct socket *sock);

#endif /* _PRP_SEQPACKET_H */
