/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames as they are on the wire, and the one validator that trusts nothing.
 * Documentation/networking/prp-protocol.rst specifies them. Pure: no skb.
 */
#ifndef _PRP_WIRE_H
#define _PRP_WIRE_H

#include <asm/byteorder.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "pure/window.h"
#include "see/mib.h"

#define PRP_VERSION 2
#define PRP_VERSION_NOTICE 0 /* byte 0 of a version notice */
#define PRP_HOPS_DEFAULT 64
#define PRP_HOPS_MASK 0x7f /* prp_hdr.hops: forwarders that may pass it on */
#define PRP_HOPS_MARK 0x80 /* prp_hdr.hops: it met congestion on its way */

/* Flags; the highest three bits number the sender's rail. */
#define PRP_F_SEG 0x0001 /* numbered: takes a sequence number */
#define PRP_F_REQ 0x0002 /* request to open a connection */
#define PRP_F_ANS 0x0004 /* answer to such a request */
#define PRP_F_ACKNOW 0x0008 /* acknowledge at once */
#define PRP_F_ERROR 0x0010 /* a forwarder could not pass a frame on */
#define PRP_F_EOM 0x0020 /* end of a message; nothing is behind it for now */
#define PRP_F_END 0x0040 /* end of the stream, on a numbered frame */
#define PRP_F_RST 0x0080 /* connection refused or aborted */
#define PRP_F_OVERRUN 0x0100 /* a segment was dropped for memory */
#define PRP_F_CON 0x0200 /* confirmation of an answer that bore a cookie */
#define PRP_F_QUERY 0x0400 /* query about a node, or the reply to one */
#define PRP_F_ZERO 0x1800 /* in no use: 0 */
#define PRP_F_RAIL 0xe000
#define PRP_F_RAIL_SHIFT 13

/* What kind a frame is; without any of them it is an acknowledgment. */
#define PRP_F_KIND \
	(PRP_F_SEG | PRP_F_REQ | PRP_F_ANS | PRP_F_RST | PRP_F_ERROR | \
	 PRP_F_CON | PRP_F_QUERY)

/**
 * struct prp_hdr - header of every frame but a version notice, big-endian
 * @version: PRP_VERSION
 * @hops: PRP_HOPS_MARK | forwarders that may still pass it on; the one byte
 *	that others than its sender change, and that no checksum covers
 * @vnet: virtual network
 * @dnode: node it is for
 * @snode: node that made it
 * @sport: port of the sender
 * @dport: port of the receiver
 * @seq: number of this segment; without PRP_F_SEG the number of the next
 *	new segment
 * @ack: number of the first segment that the sender has not received
 * @len: bytes of payload; padding of short frames is not counted
 * @flags: PRP_F_*
 * @txno: transmission number on this connection and rail
 * @window: the sender accepts segments below @ack + @window
 * @ext: length of the extensions in units of 8 bytes
 * @marks: frames with PRP_HOPS_MARK that the sender has received on this
 *	connection, modulo 256
 * @tag: the receiver's tag; 0 where the sender does not know it
 */
struct prp_hdr {
	__u8 version;
	__u8 hops;
	__be16 vnet;
	__be16 dnode;
	__be16 snode;
	__be16 sport;
	__be16 dport;
	__be32 seq;
	__be32 ack;
	__be16 len;
	__be16 flags;
	__be32 txno;
	__be16 window;
	__u8 ext;
	__u8 marks;
	__be32 tag;
};

static_assert(sizeof(struct prp_hdr) == 36);

/* Extensions begin with their type and their length in units of 8 bytes. */
#define PRP_EXT_REQUEST 1
#define PRP_EXT_ANSWER 2
#define PRP_EXT_SACK 3
#define PRP_EXT_QUOTE 4
#define PRP_EXT_ERROR 5
#define PRP_EXT_FRAGMENT 6
#define PRP_EXT_CHECKSUM 7
#define PRP_EXT_IP 8
#define PRP_EXT_MESSAGES 9
#define PRP_EXT_COOKIE 10
#define PRP_EXT_CROWD 11
#define PRP_EXT_RAILS 12
#define PRP_EXT_QUERY 13
#define PRP_EXT_REPLY 14
#define PRP_EXT_UNIT 8

/* Features: prp_ext_open.can and .must */
#define PRP_FEATURE_CHECKSUM 0x0001 /* every frame bears PRP_EXT_CHECKSUM */
#define PRP_FEATURE_CROWD 0x0002 /* an acknowledgment may bear PRP_EXT_CROWD */
#define PRP_FEATURES \
	(PRP_FEATURE_CHECKSUM | PRP_FEATURE_CROWD) /* all that are known here */

/* Socket types as requests name them; the host's numbers differ by machine. */
#define PRP_TYPE_STREAM 1
#define PRP_TYPE_SEQPACKET 2

#define PRP_SEG_SIZE_MIN 32 /* what the smallest MTU, 68, leaves */
#define PRP_MTU_MIN 68 /* that a rail must carry */
#define PRP_EXT_MAX (15 * PRP_EXT_UNIT) /* of a frame that we make */

/**
 * struct prp_ext_open - request, answer and confirmation
 * @type: PRP_EXT_REQUEST or PRP_EXT_ANSWER; a confirmation repeats what its
 *	request had
 * @units: 3
 * @sock_type: PRP_TYPE_STREAM or PRP_TYPE_SEQPACKET
 * @zero: 0
 * @seg_size: largest payload that the sender's rails carry, at least
 *	PRP_SEG_SIZE_MIN
 * @zero2: 0
 * @tag: the sender's tag, never 0
 * @can: features that the sender knows
 * @must: features without which it does not want the connection, of @can
 * @table_hash: of the sender's host table
 * @first: number of the sender's first segment
 */
struct prp_ext_open {
	__u8 type;
	__u8 units;
	__u8 sock_type;
	__u8 zero;
	__be16 seg_size;
	__be16 zero2;
	__be32 tag;
	__be16 can;
	__be16 must;
	__be32 table_hash;
	__be32 first;
};

static_assert(sizeof(struct prp_ext_open) == 24);

/**
 * struct prp_ext_sack - fixed part of a selective acknowledgment
 * @type: PRP_EXT_SACK
 * @units: whole length
 * @rails: bit r: the newest transmission number seen on rail r follows
 * @words: 64-bit words of bitmap at the end; bit i of word w says that
 *	segment ack + 1 + @offset + 64 * w + i has been received
 * @offset: segments behind ack of which nothing is said
 * @zero: 0
 *
 * The transmission numbers follow, 32 bits each, then zeroes up to a
 * multiple of 8 bytes, then the bitmap. What lies behind it has not arrived.
 */
struct prp_ext_sack {
	__u8 type;
	__u8 units;
	__u8 rails;
	__u8 words;
	__be16 offset;
	__be16 zero;
};

static_assert(sizeof(struct prp_ext_sack) == 8);

/**
 * struct prp_ext_quote - why, and what of, a reset
 * @type: PRP_EXT_QUOTE
 * @units: 2
 * @code: enum prp_reset
 * @zero: 0
 * @tag: tag of the frame that is answered, 0 if none is
 * @seq: its sequence number
 * @features: with PRP_RESET_FEATURES those that are not known here, else 0
 * @zero2: 0
 */
struct prp_ext_quote {
	__u8 type;
	__u8 units;
	__u8 code;
	__u8 zero;
	__be32 tag;
	__be32 seq;
	__be16 features;
	__be16 zero2;
};

static_assert(sizeof(struct prp_ext_quote) == 16);

/**
 * struct prp_ext_error - why, and what, a forwarder could not pass on
 * @type: PRP_EXT_ERROR
 * @units: 2
 * @code: enum prp_error
 * @zero: 0
 * @dnode: node that the frame was for
 * @mtu: with PRP_ERROR_TOO_BIG the largest frame that can go on, bytes from
 *	its header on; else 0
 * @tag: tag that the frame bore
 * @seq: its sequence number
 *
 * The frame that bears it comes from the forwarder; its ports are those of
 * the frame that is quoted, the other way round.
 */
struct prp_ext_error {
	__u8 type;
	__u8 units;
	__u8 code;
	__u8 zero;
	__be16 dnode;
	__be16 mtu;
	__be32 tag;
	__be32 seq;
};

static_assert(sizeof(struct prp_ext_error) == 16);

/* Why a frame could not be passed on: prp_ext_error.code */
enum prp_error {
	PRP_ERROR_NO_ROUTE = 1, /* no way to that node */
	PRP_ERROR_HOPS, /* the hop limit is used up */
	PRP_ERROR_TOO_BIG, /* longer than the next rail carries */
	PRP_ERROR_CODES
};

/**
 * struct prp_ext_fragment - part of a segment
 * @type: PRP_EXT_FRAGMENT
 * @units: 1
 * @offset: of the frame's payload in the segment's, bytes
 * @total: payload of the whole segment, bytes; more than what the frame has
 * @zero: 0
 *
 * Fragments of a segment follow each other on one rail. PRP_F_END, PRP_F_EOM
 * and PRP_EXT_MESSAGES are on all of them.
 */
struct prp_ext_fragment {
	__u8 type;
	__u8 units;
	__be16 offset;
	__be16 total;
	__be16 zero;
};

static_assert(sizeof(struct prp_ext_fragment) == 8);

/**
 * struct prp_ext_checksum - CRC32C of the frame, the first extension
 * @type: PRP_EXT_CHECKSUM
 * @units: 1
 * @zero: 0
 * @crc: CRC32C of header, extensions and payload, with prp_hdr.hops and this
 *	field 0, in little-endian order as iSCSI has it
 */
struct prp_ext_checksum {
	__u8 type;
	__u8 units;
	__be16 zero;
	__le32 crc;
};

static_assert(sizeof(struct prp_ext_checksum) == 8);

/**
 * struct prp_ext_ip - a request of the IP mode
 * @type: PRP_EXT_IP
 * @units: 5
 * @zero: 0
 * @zero2: 0
 * @source: IP address of the client, IPv4 as v4-mapped IPv6
 * @dest: IP address that it wants
 */
struct prp_ext_ip {
	__u8 type;
	__u8 units;
	__be16 zero;
	__be32 zero2;
	__u8 source[16];
	__u8 dest[16];
};

static_assert(sizeof(struct prp_ext_ip) == 40);

/**
 * struct prp_ext_messages - a segment in which messages end before its end
 * @type: PRP_EXT_MESSAGES
 * @units: 1
 * @first_end: bytes of the segment's payload that belong to the first one
 * @zero: 0
 *
 * Behind the first message the others follow, each behind the number of its
 * bytes in this segment, 16 bits. The last one may go on in the next
 * segment: it ends here if the frame bears PRP_F_EOM. Only on connections of
 * PRP_TYPE_SEQPACKET; on others it is ignored.
 */
struct prp_ext_messages {
	__u8 type;
	__u8 units;
	__be16 first_end;
	__be32 zero;
};

static_assert(sizeof(struct prp_ext_messages) == 8);

/**
 * struct prp_ext_cookie - what an answer without memory leaves to the client
 * @type: PRP_EXT_COOKIE
 * @units: 2
 * @slot: which secret @mac was made with
 * @zero: 0
 * @first: number of the server's first segment
 * @mac: keyed hash of all that the confirmation repeats, see confirm.h
 *
 * A request bears it as zeroes if there is room for it on the way: an answer
 * is never longer than its request. An answer bears it if it leaves nothing
 * behind where it was made, and then the confirmation repeats it.
 */
struct prp_ext_cookie {
	__u8 type;
	__u8 units;
	__u8 slot;
	__u8 zero;
	__be32 first;
	__be64 mac;
} __packed __aligned(4);

static_assert(sizeof(struct prp_ext_cookie) == 16);

/**
 * struct prp_ext_crowd - the sender of the frame has many peers
 * @type: PRP_EXT_CROWD
 * @units: 1
 * @among: who may send to it begins as one of so many, 2 or more; 65535: that
 *	or more
 * @active: it has just had something from so many connections, 1 or more; the
 *	same
 * @zero: 0
 *
 * Only on acknowledgments without payload that are no probes.
 */
struct prp_ext_crowd {
	__u8 type;
	__u8 units;
	__be16 among;
	__be16 active;
	__be16 zero;
};

static_assert(sizeof(struct prp_ext_crowd) == 8);

/**
 * struct prp_ext_rails - the sender leaves rails to the receiver
 * @type: PRP_EXT_RAILS
 * @units: 1
 * @left: bit r: it uses rail r no more, because it has no link there or has
 *	no answer on it; not 0, and without the rail that the frame comes on
 * @zero: 0
 * @zero2: 0
 *
 * Only on probes.
 */
struct prp_ext_rails {
	__u8 type;
	__u8 units;
	__u8 left;
	__u8 zero;
	__be32 zero2;
};

static_assert(sizeof(struct prp_ext_rails) == 8);

/**
 * struct prp_ext_query - what is asked of a node
 * @type: PRP_EXT_QUERY
 * @units: 4
 * @sock_type: PRP_TYPE_* of which prp_hdr.dport is asked; 0: of no port
 * @zero: 0
 * @cookie: by which the reply is known
 * @back: bytes of payload that the reply is to have, at most prp_hdr.len
 * @low: the reply is to have a hash of the nodes of its host table from this
 *	number on; 0: of none
 * @high: up to this one, at least @low; 0 without
 * @room: 0; a reply is never longer than its query
 *
 * A query has the port that it asks about in prp_hdr.dport, and 0 in sport; its
 * reply has them the other way round.
 */
struct prp_ext_query {
	__u8 type;
	__u8 units;
	__u8 sock_type;
	__u8 zero;
	__be32 cookie;
	__be16 back;
	__be16 low;
	__be16 high;
	__u8 room[18];
};

static_assert(sizeof(struct prp_ext_query) == 32);

/* prp_ext_reply.knows */
#define PRP_REPLY_TABLE 0x01 /* it is in its host table itself */
#define PRP_REPLY_MINE 0x02 /* the query was for this node */
#define PRP_REPLY_BELIEVES 0x04 /* the query is of whom it says it is of */
#define PRP_REPLY_IP 0x08 /* so are its addresses of the IP mode */
#define PRP_REPLY_KNOWS 0x0f

/**
 * struct prp_ext_reply - what a node says of itself
 * @type: PRP_EXT_REPLY
 * @units: 4
 * @port: enum prp_reply_port
 * @knows: PRP_REPLY_*
 * @cookie: of the query
 * @node: who replies, by its own host table; 0 if that does not have it
 * @high: up to which node @lines goes: not further than the query asked
 * @table_hash: of its host table
 * @lines: CRC-32 of the nodes from the query's low to @high
 * @can: features that it knows
 * @mtu: largest frame that its rails to the asker carry
 * @rails: bit r: its host table gives it and the asker rail r
 * @up: of these, whose device is up and has a link
 * @zero: 0
 *
 * To a query that is not believed, or not for this node, only @cookie, @node
 * and @knows are told; the others are 0.
 */
struct prp_ext_reply {
	__u8 type;
	__u8 units;
	__u8 port;
	__u8 knows;
	__be32 cookie;
	__be16 node;
	__be16 high;
	__be32 table_hash;
	__be32 lines;
	__be16 can;
	__be16 mtu;
	__u8 rails;
	__u8 up;
	__u8 zero[6];
};

static_assert(sizeof(struct prp_ext_reply) == sizeof(struct prp_ext_query));

/* What is at a port: prp_ext_reply.port */
enum prp_reply_port {
	PRP_REPLY_PORT_NONE, /* no port was asked about */
	PRP_REPLY_PORT_LISTENS, /* a request would be taken */
	PRP_REPLY_PORT_NOBODY, /* nobody listens */
	PRP_REPLY_PORT_DENIED, /* the accept list refuses the asker */
	PRP_REPLY_PORT_TYPE, /* a socket of another type listens */
	PRP_REPLY_PORTS
};

/* Bytes of the number before a message */
#define PRP_MESSAGE_LEN 2

/**
 * prp_wire_put_len() - write the number before a message
 * @at: where to
 * @len: bytes of the message in its segment
 */
static inline void prp_wire_put_len(u8 *at, u16 len)
{
	at[0] = len >> 8;
	at[1] = len;
}

/**
 * prp_wire_get_len() - read the number before a message
 * @at: where it is
 *
 * Return: bytes of the message in its segment.
 */
static inline u16 prp_wire_get_len(const u8 *at)
{
	return at[0] << 8 | at[1];
}

/* Why a connection was reset: prp_ext_quote.code */
enum prp_reset {
	PRP_RESET_ABORTED, /* the other end gave it up */
	PRP_RESET_NO_CONN, /* no such connection */
	PRP_RESET_NO_LISTENER, /* nobody listens at that port */
	PRP_RESET_DENIED, /* refused by a rule */
	PRP_RESET_TYPE, /* another socket type listens there */
	PRP_RESET_FEATURES, /* it must have features that are not known here */
	PRP_RESET_EXPIRED, /* a confirmation of nothing that is believed now */
	PRP_RESET_CODES
};

/**
 * struct prp_notice - "I do not speak that version", the same for ever
 * @zero: PRP_VERSION_NOTICE
 * @low: lowest version that the sender speaks
 * @high: highest version that the sender speaks
 * @got: version that it could not read
 * @reserved: 0
 * @quote: first 32 bytes of the frame that it could not read
 */
struct prp_notice {
	__u8 zero;
	__u8 low;
	__u8 high;
	__u8 got;
	__u8 reserved[4];
	__u8 quote[32];
};

static_assert(sizeof(struct prp_notice) == 40);

/**
 * struct prp_frame - a frame that passed prp_wire_parse(), host byte order
 * @rail: sender's rail
 * @vnet: as in struct prp_hdr, like those up to @tag
 * @dnode: node it is for
 * @snode: node that made it
 * @sport: port of the sender
 * @dport: port of the receiver
 * @seq: number of this segment, or of the next new one
 * @ack: number of the first segment that the sender has not received
 * @len: bytes of payload; of a run those of its first segment
 * @segs: segments of a run, else 1; prp_wire_parse() leaves it alone
 * @flags: PRP_F_*, without PRP_F_RAIL
 * @marked: it met congestion on its way
 * @window: the sender accepts segments below @ack + @window
 * @txno: transmission number on this connection and rail
 * @tag: the receiver's tag; 0 where the sender does not know it
 * @hdr_len: header and extensions, bytes
 * @open: request or answer, or NULL
 * @quote: quotation, or NULL
 * @sack: selective acknowledgment, to be read by prp_wire_get_sack(), or NULL
 * @error: what a forwarder says, or NULL
 * @fragment: which part of a segment this is, or NULL if it is all of it
 * @checksum: checksum, not verified yet, or NULL
 * @ip: addresses of a request of the IP mode, or NULL
 * @messages: where the first message ends, or NULL
 * @cookie: cookie of a handshake, or NULL
 * @crowd: how many send to the sender, or NULL
 * @rails: rails that the sender leaves, or NULL
 * @query: what is asked, or NULL
 * @reply: what is replied, or NULL
 *
 * Of a numbered frame @open, @quote, @error, @ip, @cookie, @crowd, @rails,
 * @query and @reply may be undefined, and @messages if it has no extensions.
 */
struct prp_frame {
	u8 rail;
	u8 segs;
	bool marked;
	u16 vnet;
	u16 dnode;
	u16 snode;
	u16 sport;
	u16 dport;
	u32 seq;
	u32 ack;
	u16 len;
	u16 flags;
	u16 window;
	u32 txno;
	u32 tag;
	u16 hdr_len;
	const struct prp_ext_open *open;
	const struct prp_ext_quote *quote;
	const struct prp_ext_sack *sack;
	const struct prp_ext_error *error;
	const struct prp_ext_fragment *fragment;
	const struct prp_ext_checksum *checksum;
	const struct prp_ext_ip *ip;
	const struct prp_ext_messages *messages;
	const struct prp_ext_cookie *cookie;
	const struct prp_ext_crowd *crowd;
	const struct prp_ext_rails *rails;
	const struct prp_ext_query *query;
	const struct prp_ext_reply *reply;
};

/**
 * prp_wire_frame_len() - length of a frame without padding
 * @hdr: its header
 *
 * Return: header, extensions and payload, bytes.
 */
static inline size_t prp_wire_frame_len(const struct prp_hdr *hdr)
{
	return sizeof(*hdr) + be16_to_cpu(hdr->len) + hdr->ext * PRP_EXT_UNIT;
}

/**
 * prp_wire_rail() - the rail that a frame was sent on
 * @hdr: its header
 *
 * Return: its number, as the sender has it.
 */
static inline u8 prp_wire_rail(const struct prp_hdr *hdr)
{
	return be16_to_cpu(hdr->flags) >> PRP_F_RAIL_SHIFT;
}

/**
 * prp_wire_lengths() - check a header's lengths against the frame's
 * @hdr: header, all of it readable
 * @frame_len: bytes from @hdr to the end of the frame, padding included
 * @hdr_len: where to put the length of header and extensions, which the
 *	caller makes readable before it calls prp_wire_parse()
 *
 * Return: 0, or the drop reason of enum prp_mib.
 */
static inline int prp_wire_lengths(const struct prp_hdr *hdr, size_t frame_len,
				   size_t *hdr_len)
{
	if (hdr->version != PRP_VERSION)
		return PRP_DROP_VERSION;
	*hdr_len = sizeof(*hdr) + hdr->ext * PRP_EXT_UNIT;
	if (*hdr_len + be16_to_cpu(hdr->len) > frame_len)
		return PRP_DROP_SHORT;
	return 0;
}

int prp_wire_parse(const struct prp_hdr *hdr, size_t hdr_len,
		   struct prp_frame *frame);
void prp_wire_get_sack(const struct prp_ext_sack *ext, struct prp_sack *sack);
size_t prp_wire_sack_len(const struct prp_sack *sack);
int prp_wire_sack_words(u8 rails, size_t room);
size_t prp_wire_put_sack(void *at, const struct prp_sack *sack);

#endif /* _PRP_WIRE_H */
