/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What connect() of the IP mode remembers of ports where PRP was silent or
 * refused while TCP was served: to ask again each time would cost each
 * connection what the first one has waited. The pauses between two attempts
 * double; silence is forgotten as soon as the node speaks. The memory is as
 * large as it is: what finds its place taken takes it over.
 */
#ifndef _PRP_INET_MEMO_H
#define _PRP_INET_MEMO_H

#include <linux/spinlock.h>
#include <linux/types.h>

#define PRP_INET_MEMOS 256

struct prp_net;

/**
 * struct prp_inet_memo - one node, or one of its ports [lock of prp_inet_memos]
 * @node: its number, 0 if this place is free; read without the lock
 * @port: the port that refused or was silent; 0: the node was not heard since
 * @reason: PRP_WHY_*
 * @asking: somebody was told to ask again, and what became of it is not known
 * @pause_ms: between the last attempt and the next one
 * @next: when that may be, jiffies
 */
struct prp_inet_memo {
	u16 node;
	u16 port;
	u8 reason;
	bool asking;
	u16 pause_ms;
	unsigned long next;
};

/**
 * struct prp_inet_memos - the memory of a namespace
 * @lock: protects all of it; IRQ, a leaf, inside a connection's lock and that
 *	of a wait queue
 * @noted: there may be something in @memo; read without the lock
 * @memo: by hash of node and port
 */
struct prp_inet_memos {
	spinlock_t lock;
	bool noted;
	struct prp_inet_memo memo[PRP_INET_MEMOS];
};

u8 prp_inet_memo_find(struct prp_net *pn, u16 node, u16 port);
void prp_inet_memo_failed(struct prp_net *pn, u16 node, u16 port, u8 reason);
void prp_inet_memo_served(struct prp_net *pn, u16 node, u16 port);
void prp_inet_memo_heard(struct prp_net *pn, u16 node);
void prp_inet_memo_table_changed(struct prp_net *pn);
void prp_inet_memo_net_init(struct prp_net *pn);

#endif /* _PRP_INET_MEMO_H */
