/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `wire` tells the program on a bridge port to do to frames that come
 * in there, and what the program counted.
 */
#ifndef _SELFTESTS_WIRE_H
#define _SELFTESTS_WIRE_H

#include <linux/types.h>

#define WIRE_LIST 16
#define WIRE_SLOTS 65536 /* sequence numbers remembered */
#define WIRE_FRAME 144 /* bytes remembered of a frame */

/* A frame is the first of these that fits. */
enum wire_kind {
	WIRE_OTHER, /* another EtherType */
	WIRE_REQ,
	WIRE_ANS,
	WIRE_RST,
	WIRE_SEG, /* numbered */
	WIRE_CON, /* confirmation with a cookie */
	WIRE_ACK, /* everything else of our version */
	WIRE_NOTICE, /* of any other version */
	WIRE_KINDS
};

struct wire_config {
	__u64 seed;
	__u32 ethertype; /* host order */
	__u32 pad; /* bytes, to which all that is shorter is padded */
	__u32 listed; /* entries of list */
	/* segments to drop, each as often as it is named; 0 is the first */
	__u32 list[WIRE_LIST];
	__u32 chance[WIRE_KINDS]; /* of a drop, in 1/10000 */
	__u32 first[WIRE_KINDS]; /* drop so many at the beginning */
	__u32 twice[WIRE_KINDS]; /* duplicate so many at the beginning */
	__u32 mark[WIRE_KINDS]; /* mark so many at the beginning */
};

struct wire_count {
	/* seen, dropped ones included, our own copies not */
	__u64 frames[WIRE_KINDS];
	__u64 bytes[WIRE_KINDS]; /* of whole frames, likewise */
	__u64 dropped[WIRE_KINDS];
	__u64 payload; /* bytes of user data, likewise */
	__u64 segments; /* numbered segments, each once */
	__u64 repeats; /* sequence numbers seen again */
	/* frames larger than the MTU: offload is on, the rest is wrong but for
	 * the two that follow
	 */
	__u64 super;
	__u64 parts; /* of all frames, those that each is to become */
	__u64 most; /* of one of them */
	__u32 base; /* sequence number of the first */
	__u32 based; /* is it known? */
};

/* The first frame of a kind: its header and extensions */
struct wire_frame {
	__u32 len; /* 0: there was none */
	__u8 data[WIRE_FRAME];
};

/* One remembered sequence number */
struct wire_slot {
	__u32 seq;
	__u32 times;
};

#endif
