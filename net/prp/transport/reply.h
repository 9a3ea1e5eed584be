/* SPDX-License-Identifier: GPL-2.0 */
/* What this node says of itself when it is queried; reply.c. */
#ifndef _PRP_REPLY_H
#define _PRP_REPLY_H

struct prp_frame;
struct prp_net;
struct prp_rail;
struct sk_buff;

int prp_reply_frame(struct prp_net *pn, const struct prp_frame *frame);
int prp_reply_unbelieved(const struct prp_rail *rail, struct sk_buff *skb,
			 int reason);

#endif /* _PRP_REPLY_H */
