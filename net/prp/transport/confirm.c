// SPDX-License-Identifier: GPL-2.0
/*
 * Cookies of the handshake; see confirm.h. What the confirmation repeats of
 * request and answer is hashed with a secret that lives for two time slots,
 * as TCP's SYN cookies are (Bernstein 1996); unlike theirs a frame has room
 * for all of it, so that nothing is lost by doing without memory.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/string.h>

#include "net.h"
#include "pure/wire.h"
#include "transport/confirm.h"

/**
 * struct said - what request and answer said, as the hash has it
 * @snode: client
 * @dnode: server
 * @sport: client's port
 * @dport: server's port
 * @tag: client's tag
 * @first: number of the client's first segment
 * @seg_size: largest payload that the client's rails carry
 * @can: features that the client knows
 * @must: features that the client insists upon
 * @our_must: features that the server insists upon
 * @our_seg_size: largest payload that the server's rails carry
 * @sock_type: PRP_TYPE_*
 * @slot: time slot, cut as on the wire
 * @our_tag: server's tag
 * @our_first: number of the server's first segment
 * @ips: the IP addresses of a request of the IP mode, else 0
 */
struct said {
	u16 snode, dnode, sport, dport;
	__be32 tag, first;
	__be16 seg_size, can, must;
	__be16 our_must, our_seg_size;
	u8 sock_type, slot;
	__be32 our_tag, our_first;
	u8 ips[32];
};

static_assert(sizeof(struct said) == 68);

static u64 confirm_mac(const struct prp_frame *frame,
		       const struct prp_ext_open *answer, u8 slot,
		       const siphash_key_t *key)
{
	const struct prp_ext_open *open = frame->open;
	struct said said = {
		.snode = frame->snode,
		.dnode = frame->dnode,
		.sport = frame->sport,
		.dport = frame->dport,
		.tag = open->tag,
		.first = open->first,
		.seg_size = open->seg_size,
		.can = open->can,
		.must = open->must,
		.our_must = answer->must,
		.our_seg_size = answer->seg_size,
		.sock_type = open->sock_type,
		.slot = slot,
		.our_tag = answer->tag,
		.our_first = answer->first,
	};

	if (frame->ip) {
		memcpy(said.ips, frame->ip->source, 16);
		memcpy(said.ips + 16, frame->ip->dest, 16);
	}
	return siphash(&said, sizeof(said), key);
}

/* Which time slot it is. If it is another one now, the secret of the one before
 * it stays, if it is of that.
 */
static u64 confirm_now(struct prp_confirm *confirm)
{
	u64 now = div_u64(get_jiffies_64(),
			  msecs_to_jiffies(PRP_CONFIRM_SLOT_MS));

	lockdep_assert_held(&confirm->lock);
	if (confirm->slot == now)
		return now;
	if (confirm->slot + 1 != now)
		get_random_bytes(&confirm->key[(now - 1) % 2],
				 sizeof(*confirm->key));
	get_random_bytes(&confirm->key[now % 2], sizeof(*confirm->key));
	confirm->slot = now;
	return now;
}

/**
 * prp_confirm_make() - make a cookie
 * @pn: namespace
 * @request: request that is answered
 * @answer: what is said to it
 * @cookie: filled in
 */
void prp_confirm_make(struct prp_net *pn, const struct prp_frame *request,
		      const struct prp_ext_open *answer,
		      struct prp_ext_cookie *cookie)
{
	struct prp_confirm *confirm = &pn->confirm;
	siphash_key_t key;
	u64 now;

	spin_lock_bh(&confirm->lock);
	now = confirm_now(confirm);
	key = confirm->key[now % 2];
	spin_unlock_bh(&confirm->lock);
	*cookie = (struct prp_ext_cookie){
		.type = PRP_EXT_COOKIE,
		.units = sizeof(*cookie) / PRP_EXT_UNIT,
		.slot = now,
		.first = answer->first,
		.mac = cpu_to_be64(confirm_mac(request, answer, now, &key)),
	};
}

/**
 * prp_confirm_ok() - does a confirmation repeat what we said?
 * @pn: namespace
 * @frame: confirmation
 * @answer: what we would answer its request, with the tag and the number that
 *	it brings back
 *
 * Return: true if its cookie was made here, for a request and an answer like
 * that, less than two slots ago.
 */
bool prp_confirm_ok(struct prp_net *pn, const struct prp_frame *frame,
		    const struct prp_ext_open *answer)
{
	const struct prp_ext_cookie *cookie = frame->cookie;
	struct prp_confirm *confirm = &pn->confirm;
	siphash_key_t key;
	u8 age;

	spin_lock_bh(&confirm->lock);
	age = confirm_now(confirm) - cookie->slot;
	key = confirm->key[cookie->slot % 2];
	spin_unlock_bh(&confirm->lock);
	return age <= 1 &&
	       be64_to_cpu(cookie->mac) ==
		       confirm_mac(frame, answer, cookie->slot, &key);
}

/**
 * prp_confirm_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_confirm_net_init(struct prp_net *pn)
{
	/* slot 0 is long ago: secrets are made when one is needed */
	spin_lock_init(&pn->confirm.lock);
}
