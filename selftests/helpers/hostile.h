/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of `hostile` share: hostile.c has the options and the run,
 * hostile_frames.c well-formed frames of every kind, hostile_outside.c the
 * classes of one who knows no tag, hostile_peer.c those of a peer that lies
 * on connections of its own, hostile_wire.c the sockets.
 */
#ifndef _SELFTESTS_HOSTILE_H
#define _SELFTESTS_HOSTILE_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#define SHOT_MAX 1514
#define BATCH 64

/* Extensions, in the order of prp-protocol.rst */
enum ext_type {
	EXT_REQUEST = 1,
	EXT_ANSWER,
	EXT_SACK,
	EXT_QUOTE,
	EXT_ERROR,
	EXT_FRAGMENT,
	EXT_CHECKSUM,
	EXT_IP,
	EXT_MESSAGES,
	EXT_COOKIE,
};

/* What a well-formed frame may be */
enum kind {
	KIND_SEG,
	KIND_SEG_SACK,
	KIND_ACK,
	KIND_ACK_SACK,
	KIND_PROBE,
	KIND_END,
	KIND_FRAGMENT,
	KIND_ANS,
	KIND_CON,
	KIND_RST,
	KIND_ERROR,
	KIND_OF_TAG, /* all above fail by their tag alone */
	KIND_REQ = KIND_OF_TAG,
	KIND_REQ_IP,
	KINDS
};

/**
 * struct shot - a frame to be sent
 * @len: bytes
 * @frame: its headers
 * @bytes: all of it
 */
struct shot {
	size_t len;
	union {
		struct frame frame;
		unsigned char bytes[SHOT_MAX];
	};
};

/* Names of what a frame must be counted under; ANY is for the test to say. */
enum reason {
	R_ANY,
	R_SHORT,
	R_VERSION,
	R_EXTENSION,
	R_FLAGS,
	R_NOT_US,
	R_NET,
	R_SOURCE,
	R_NO_CONN,
	R_TAG,
	R_STATE,
	R_ACK,
	R_CHECKSUM,
	R_NO_LISTENER,
	R_STALE_REQUEST,
	R_CONTROL,
	REASONS
};

/**
 * struct hostile - who attacks whom, and how
 * @dev: device there
 * @victim: node number
 * @victim_mac: its hardware address
 * @as: node number to claim
 * @as_mac: hardware address to claim
 * @dport: port of the victim
 * @sport: our port: of a live connection, where there is one
 * @closed: port that nobody has
 * @nodes: highest node number that endless requests may claim
 * @most: longest payload, padding or random part, bytes
 * @after: frames to hear before any is sent again
 * @count: frames to send
 * @rate: frames a second, 0 for as many as go
 * @state: of the random numbers
 * @hash: of all frames sent
 * @sent: frames so far
 * @expected: how many must have been counted under what
 */
struct hostile {
	const char *dev;
	unsigned int victim;
	unsigned char victim_mac[6];
	unsigned int as;
	unsigned char as_mac[6];
	unsigned int dport;
	unsigned int sport;
	unsigned int closed;
	unsigned int nodes;
	unsigned int most;
	unsigned int after;
	unsigned long count;
	unsigned long rate;
	uint64_t state;
	uint64_t hash;
	unsigned long sent;
	unsigned long expected[REASONS];
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Makes a frame, or several, of a class */
typedef void make_fn(struct hostile *h, struct shot *shot);

/**
 * struct class - one way to be hostile
 * @name: as the test names it
 * @make: make the next frame and note what is expected of it
 * @begin: called once before, or NULL
 * @batch: called before each batch of frames, or NULL
 * @end: called once behind, or NULL
 * @paged: frames arrive in pages, nothing but the Ethernet header in front
 */
struct class {
	const char *name;
	make_fn *make;
	void (*begin)(struct hostile *h);
	void (*batch)(struct hostile *h);
	void (*end)(struct hostile *h);
	bool paged;
};

extern const struct class outside_classes[];
extern const struct class peer_classes[];

uint64_t rnd(struct hostile *h);
static inline uint32_t rnd_below(struct hostile *h, uint32_t n)
{
	return (rnd(h) >> 32) * n >> 32;
}

void expect_reason(struct hostile *h, enum reason reason);

void frame_begin(struct hostile *h, struct shot *shot, unsigned int flags);
void *frame_ext(struct shot *shot, enum ext_type type, unsigned int units);
void frame_payload(struct hostile *h, struct shot *shot, size_t len);
void frame_sack(struct shot *shot, unsigned int rails, unsigned int words,
		uint16_t offset, uint32_t newest, uint64_t bits);
void frame_make(struct hostile *h, struct shot *shot, enum kind kind);
void frame_random(struct hostile *h, void *to, size_t len);

void wire_open(const struct hostile *h);
void wire_open_ring(const struct hostile *h);
void wire_send(const struct shot *shot, unsigned int n);
void wire_send_ring(struct hostile *h, const struct shot *shot, unsigned int n);
bool wire_receive(struct shot *shot, int timeout_ms);
void wire_listen(const struct hostile *h, bool outgoing);
bool wire_sniffed(struct shot *shot);

#endif
