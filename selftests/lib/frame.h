/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PRP's frame as the tests see it, written down a second time on purpose:
 * from prp-protocol.rst and not from net/prp/pure/wire.h, so that a change of
 * the wire shows up here as failed tests.
 */
#ifndef _SELFTESTS_FRAME_H
#define _SELFTESTS_FRAME_H

#include <linux/types.h>
#include <linux/socket.h>
#include <linux/prp.h>

#define FRAME_ETH_LEN 14
#define FRAME_PRP_LEN 36
#define FRAME_VERSION 2
#define FRAME_QUOTE_LEN 32 /* of another version, in a notice */
#define FRAME_HELLO_LEN 24 /* extension of request and answer */
#define FRAME_COOKIE_LEN 16
#define FRAME_MARK 0x80 /* in the byte of the hops */

enum frame_flag {
	FRAME_SEG = 0x0001, /* numbered segment */
	FRAME_REQ = 0x0002,
	FRAME_ANS = 0x0004,
	FRAME_ACKNOW = 0x0008, /* acknowledge at once */
	FRAME_ERROR = 0x0010, /* a forwarder could not pass a frame on */
	FRAME_EOM = 0x0020,
	FRAME_END = 0x0040,
	FRAME_RST = 0x0080,
	FRAME_OVERRUN = 0x0100,
	FRAME_CON = 0x0200, /* brings a cookie back */
	FRAME_ZERO = 0x1c00,
	FRAME_RAIL = 0xe000,
};

struct frame_eth {
	__u8 dst[6];
	__u8 src[6];
	__be16 type;
} __attribute__((packed));

struct frame_prp {
	__u8 version;
	__u8 hops;
	__be16 net;
	__be16 dst_node;
	__be16 src_node;
	__be16 src_port;
	__be16 dst_port;
	__be32 seq;
	__be32 ack;
	__be16 len;
	__be16 flags;
	__be32 trans;
	__be16 window;
	__u8 ext; /* length of extensions in units of 8 bytes */
	__u8 marks;
	__be32 tag;
} __attribute__((packed));

struct frame {
	struct frame_eth eth;
	struct frame_prp prp;
} __attribute__((packed));

/* The extension of request and answer */
struct frame_hello {
	__u8 type; /* 1 request, 2 answer */
	__u8 len; /* in units of 8 bytes: 3 */
	__u8 sock_type;
	__u8 zero;
	__be16 seg_size;
	__be16 zero2;
	__be32 tag;
	__be16 can; /* features */
	__be16 must;
	__be32 table_hash;
	__be32 first; /* number of the first segment */
} __attribute__((packed));

/* What an answer leaves to the client; in a request all but 10, 2 is 0 */
struct frame_cookie {
	__u8 type; /* 10 */
	__u8 len; /* in units of 8 bytes: 2 */
	__u8 slot;
	__u8 zero;
	__be32 first; /* of the server's segments */
	__be64 mac;
} __attribute__((packed));

_Static_assert(sizeof(struct frame_prp) == FRAME_PRP_LEN, "header");
_Static_assert(sizeof(struct frame_hello) == FRAME_HELLO_LEN, "hello");
_Static_assert(__builtin_offsetof(struct frame_prp, seq) == 12, "seq");
_Static_assert(__builtin_offsetof(struct frame_prp, flags) == 22, "flags");
_Static_assert(__builtin_offsetof(struct frame_prp, trans) == 24, "trans");
_Static_assert(__builtin_offsetof(struct frame_prp, ext) == 30, "ext");
_Static_assert(__builtin_offsetof(struct frame_prp, tag) == 32, "tag");
_Static_assert(sizeof(struct frame_cookie) == FRAME_COOKIE_LEN, "cookie");

#endif
