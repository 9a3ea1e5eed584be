// SPDX-License-Identifier: GPL-2.0
/*
 * A bad wire that can be repeated: drops and duplicates PRP's frames by
 * seed, by list or by kind, and counts what passes. Sits on the ingress of
 * a bridge port, where each frame is one segment.
 *
 * Whether a segment is dropped depends on the seed, on its number and on
 * how often it was seen, on nothing else: timing does not change it.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "frame.h"
#include "wire.h"

#define COPY_MARK 0x50525043 /* on the second of a duplicate */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_count);
} count SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_SLOTS);
	__type(key, __u32);
	__type(value, struct wire_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_KINDS);
	__type(key, __u32);
	__type(value, struct wire_frame);
} frames SEC(".maps");

static __always_inline __u64 mix(__u64 x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static __always_inline int chance(const struct wire_config *cfg,
				  enum wire_kind kind, __u64 what)
{
	__u64 x = mix(mix(cfg->seed + kind) ^ what);

	return (x >> 32) * 10000 >> 32 < cfg->chance[kind];
}

static __always_inline enum wire_kind kind_of(const struct frame_prp *prp)
{
	__u16 flags = bpf_ntohs(prp->flags);

	if (prp->version != FRAME_VERSION)
		return WIRE_NOTICE;
	if (flags & FRAME_REQ)
		return WIRE_REQ;
	if (flags & FRAME_ANS)
		return WIRE_ANS;
	if (flags & FRAME_RST)
		return WIRE_RST;
	if (flags & FRAME_SEG)
		return WIRE_SEG;
	if (flags & FRAME_CON)
		return WIRE_CON;
	return WIRE_ACK;
}

/* How often was this sequence number seen before? */
static __always_inline __u32 seen_before(struct wire_count *cnt, __u32 seq)
{
	__u32 key = seq & (WIRE_SLOTS - 1);
	struct wire_slot *slot;

	slot = bpf_map_lookup_elem(&slots, &key);
	if (!slot)
		return 0;
	if (slot->times && slot->seq == seq) {
		__sync_fetch_and_add(&cnt->repeats, 1);
		return __sync_fetch_and_add(&slot->times, 1);
	}
	slot->seq = seq;
	slot->times = 1;
	__sync_fetch_and_add(&cnt->segments, 1);
	return 0;
}

static __always_inline int drop_segment(const struct wire_config *cfg,
					struct wire_count *cnt, __u32 seq)
{
	__u32 times, number, i, named = 0;

	if (!cnt->based) {
		cnt->base = seq;
		cnt->based = 1;
	}
	number = seq - cnt->base;
	times = seen_before(cnt, seq);
	for (i = 0; i < WIRE_LIST; i++)
		named += i < cfg->listed && cfg->list[i] == number;
	if (times < named)
		return 1;
	return chance(cfg, WIRE_SEG, (__u64)number << 32 | times);
}

static __always_inline void remember(struct __sk_buff *skb, __u32 kind,
				     __u32 ext)
{
	__u32 len = sizeof(struct frame) + 8 * ext;
	struct wire_frame *to;

	to = bpf_map_lookup_elem(&frames, &kind);
	if (!to || len > WIRE_FRAME)
		return;
	if (!bpf_skb_load_bytes(skb, 0, to->data, len))
		to->len = len;
}

/* As a switch would that has a long queue. */
static __always_inline void set_mark(struct __sk_buff *skb, struct frame *frame)
{
	const int at = offsetof(struct frame, prp.hops);
	__u8 hops = frame->prp.hops | FRAME_MARK;

	bpf_skb_store_bytes(skb, at, &hops, 1, 0);
}

SEC("tc")
int wire(struct __sk_buff *skb)
{
	struct wire_config *cfg;
	struct wire_count *cnt;
	enum wire_kind kind;
	struct frame frame;
	__u32 zero = 0;
	__u64 nth;
	int drop;

	cfg = bpf_map_lookup_elem(&config, &zero);
	cnt = bpf_map_lookup_elem(&count, &zero);
	if (!cfg || !cnt)
		return TC_ACT_OK;

	if (skb->mark == COPY_MARK)
		return TC_ACT_OK;
	kind = WIRE_OTHER;
	if (skb->protocol == bpf_htons(cfg->ethertype) &&
	    !bpf_skb_load_bytes(skb, 0, &frame, sizeof(frame)))
		kind = kind_of(&frame.prp);

	nth = __sync_fetch_and_add(&cnt->frames[kind], 1);
	__sync_fetch_and_add(&cnt->bytes[kind], skb->len);
	if (skb->gso_segs > 1)
		__sync_fetch_and_add(&cnt->super, 1);
	if (kind != WIRE_OTHER) {
		__sync_fetch_and_add(&cnt->parts, skb->gso_segs ?: 1);
		if (cnt->most < skb->gso_segs)
			cnt->most = skb->gso_segs;
	}
	if (!nth && kind != WIRE_OTHER)
		remember(skb, kind,
			 frame.prp.version == FRAME_VERSION ? frame.prp.ext :
							      0);

	if (kind == WIRE_SEG) {
		__sync_fetch_and_add(&cnt->payload, bpf_ntohs(frame.prp.len));
		drop = drop_segment(cfg, cnt, bpf_ntohl(frame.prp.seq));
	} else {
		drop = chance(cfg, kind, nth);
	}
	if (drop || nth < cfg->first[kind]) {
		__sync_fetch_and_add(&cnt->dropped[kind], 1);
		return TC_ACT_SHOT;
	}
	if (nth < cfg->mark[kind])
		set_mark(skb, &frame);
	if (skb->len < cfg->pad)
		bpf_skb_change_tail(skb, cfg->pad, 0);
	if (nth < cfg->twice[kind]) {
		skb->mark = COPY_MARK;
		bpf_clone_redirect(skb, skb->ifindex, BPF_F_INGRESS);
		skb->mark = 0;
	}
	return TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
