/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames for other nodes: passed on, or answered with why not.
 */
#ifndef _PRP_FORWARD_H
#define _PRP_FORWARD_H

#include <linux/skbuff.h>

struct prp_net;
struct prp_rail;
struct prp_table;

bool prp_forward_is_on(const struct prp_net *pn, const struct prp_table *table);
int prp_forward(const struct prp_rail *rail, struct sk_buff *skb);

#endif /* _PRP_FORWARD_H */
