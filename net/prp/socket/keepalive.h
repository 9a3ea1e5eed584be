/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SO_KEEPALIVE: asking a peer of which nothing is heard.
 */
#ifndef _PRP_KEEPALIVE_H
#define _PRP_KEEPALIVE_H

#include "socket/sock.h"

void prp_keepalive_init(struct sock *sk);
void prp_keepalive_begin(struct sock *sk);
void prp_keepalive_end(struct sock *sk);
void prp_keepalive(struct sock *sk, int on);
int prp_keepalive_set(struct sock *sk, int name, u32 val);
u32 prp_keepalive_get(const struct sock *sk, int name);
void prp_keepalive_inherit(struct prp_sock *psk,
			   const struct prp_sock *listener);

#endif /* _PRP_KEEPALIVE_H */
