/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cookies of the handshake: what an answer that leaves nothing behind here
 * gives the client to bring back, so that nobody else can have made it up.
 */
#ifndef _PRP_CONFIRM_H
#define _PRP_CONFIRM_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define PRP_CONFIRM_SLOT_MS 10000 /* a cookie is good for one to two of them */

struct prp_ext_cookie;
struct prp_ext_open;
struct prp_frame;
struct prp_net;

/**
 * struct prp_confirm - secrets of a namespace
 * @lock: protects everything below; BH, a leaf
 * @slot: time slot that the newest secret is of
 * @key: secrets of that slot and of the one before it, by slot % 2
 */
struct prp_confirm {
	spinlock_t lock;
	u64 slot;
	siphash_key_t key[2];
};

void prp_confirm_make(struct prp_net *pn, const struct prp_frame *request,
		      const struct prp_ext_open *answer,
		      struct prp_ext_cookie *cookie);
bool prp_confirm_ok(struct prp_net *pn, const struct prp_frame *frame,
		    const struct prp_ext_open *answer);
void prp_confirm_net_init(struct prp_net *pn);

#endif /* _PRP_CONFIRM_H */
