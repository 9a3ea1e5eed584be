/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: what SOCK_SEQPACKET adds to a stream. A segment bears PRP_F_EOM
 * if a message ends with it, and PRP_EXT_MESSAGES if others ended before.
 */
#ifndef _PRP_MESSAGE_H
#define _PRP_MESSAGE_H

#include "pure/wire.h"
#include "socket/sock.h"

struct prp_frame;

/**
 * prp_conn_type() - a connection's type as requests name it
 * @conn: connection
 *
 * Return: PRP_TYPE_STREAM or PRP_TYPE_SEQPACKET.
 */
static inline u8 prp_conn_type(const struct prp_conn *conn)
{
	return conn->messages ? PRP_TYPE_SEQPACKET : PRP_TYPE_STREAM;
}

/**
 * prp_sock_type() - a socket's type as requests name it
 * @sk: socket
 *
 * Return: PRP_TYPE_STREAM or PRP_TYPE_SEQPACKET.
 */
static inline u8 prp_sock_type(const struct sock *sk)
{
	return sk->sk_type == SOCK_SEQPACKET ? PRP_TYPE_SEQPACKET :
					       PRP_TYPE_STREAM;
}

bool prp_message_check(struct sk_buff *skb, const struct prp_frame *frame);
u32 __prp_message_queued(struct prp_conn *conn, const struct sk_buff *skb);
bool prp_message_is_ready(const struct prp_sock *psk,
			  const struct prp_conn *conn);
int prp_message_set_rcvlowat(struct sock *sk, int val);
int prp_message_recv(struct socket *sock, struct msghdr *msg, size_t len,
		     int flags);
int prp_message_send(struct socket *sock, struct msghdr *msg, size_t len);

#endif /* _PRP_MESSAGE_H */
