// SPDX-License-Identifier: GPL-2.0
/*
 * A peer that lies: it opens connections as the protocol has it, so that it
 * knows their tags, and then tells what is not so.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

#define TRIES 2000
#define BATCHES_OF_ONE 16 /* then another connection is opened */

/* The connection that is lied on */
static struct {
	uint32_t tag; /* ours */
	uint32_t peer_tag;
	uint32_t peer_first;
	uint32_t first;
	uint32_t peer_nxt; /* one past the highest of theirs that came */
	uint32_t acked; /* what they have of ours */
	uint32_t trans; /* newest of theirs */
	unsigned int batches;
	bool dead;
} conn;

/* A frame of the connection that is as it should be, so far */
static void peer_begin(struct hostile *h, struct shot *shot, unsigned int flags)
{
	frame_begin(h, shot, flags);
	shot->frame.prp.hops = 64;
	shot->frame.prp.seq = htonl(conn.acked);
	shot->frame.prp.ack = htonl(conn.peer_nxt);
	shot->frame.prp.tag = htonl(conn.peer_tag);
	shot->frame.prp.window = htons(512);
}

static bool is_of_conn(const struct hostile *h, const struct shot *shot)
{
	return ntohs(shot->frame.prp.dst_port) == h->sport &&
	       ntohs(shot->frame.prp.src_port) == h->dport &&
	       ntohs(shot->frame.prp.src_node) == h->victim;
}

static void hear_one(const struct shot *shot)
{
	const struct frame_prp *prp = &shot->frame.prp;
	unsigned int flags = ntohs(prp->flags);
	uint32_t seq = ntohl(prp->seq);

	if (flags & FRAME_RST)
		conn.dead = true;
	if (ntohl(prp->tag) != conn.tag || flags & (FRAME_RST | FRAME_ANS))
		return;
	if (flags & FRAME_SEG && (int32_t)(seq + 1 - conn.peer_nxt) > 0)
		conn.peer_nxt = seq + 1;
	conn.acked = ntohl(prp->ack);
	conn.trans = ntohl(prp->trans);
}

static void hear(struct hostile *h)
{
	struct shot shot;

	while (wire_receive(&shot, 0))
		if (is_of_conn(h, &shot))
			hear_one(&shot);
}

static void send_one(struct hostile *h, const struct shot *shot)
{
	wire_send(shot, 1);
	h->sent++;
	expect_reason(h, R_ANY);
}

/* Return: whether the answer came. */
static bool answered(struct hostile *h)
{
	const struct frame_hello *hello;
	struct shot shot;

	while (wire_receive(&shot, 20)) {
		if (!is_of_conn(h, &shot) ||
		    !(ntohs(shot.frame.prp.flags) & FRAME_ANS) ||
		    ntohl(shot.frame.prp.tag) != conn.tag)
			continue;
		hello = (void *)(shot.bytes + sizeof(struct frame));
		conn.peer_tag = ntohl(hello->tag);
		conn.peer_first = ntohl(hello->first);
		conn.peer_nxt = conn.peer_first;
		conn.acked = conn.first;
		conn.trans = ntohl(shot.frame.prp.trans);
		return true;
	}
	return false;
}

static void peer_open(struct hostile *h)
{
	struct frame_hello *hello;
	struct shot shot;
	int try;

	memset(&conn, 0, sizeof(conn));
	h->sport = h->sport < 60000 ? h->sport + 1 : 20000;
	frame_make(h, &shot, KIND_REQ);
	hello = (void *)(shot.bytes + sizeof(struct frame));
	conn.tag = ntohl(hello->tag);
	conn.first = ntohl(hello->first);
	shot.frame.prp.window = htons(512);
	hello->seg_size = htons(1464);
	for (try = 0; try < TRIES; try++) {
		send_one(h, &shot);
		if (answered(h))
			break;
	}
	if (try == TRIES)
		errx(1, "no answer to a request");
	peer_begin(h, &shot, 0);
	send_one(h, &shot);
}

static void begin_peer(struct hostile *h)
{
	wire_listen(h, false);
	peer_open(h);
}

static void batch_peer(struct hostile *h)
{
	hear(h);
}

/* The tag is right, and so is the reset. */
static void end_peer(struct hostile *h)
{
	struct shot shot;

	if (conn.dead)
		return;
	peer_begin(h, &shot, FRAME_RST);
	frame_ext(&shot, EXT_QUOTE, 2);
	send_one(h, &shot);
}

/* Connections that a liar has broken are given up for new ones. */
static void batch_inside(struct hostile *h)
{
	hear(h);
	if (!conn.dead && conn.batches++ < BATCHES_OF_ONE)
		return;
	end_peer(h);
	peer_open(h);
}

/* Of what was never sent: numbers, bits, transmissions; or of long ago */
static void make_acks(struct hostile *h, struct shot *shot)
{
	peer_begin(h, shot, rnd_below(h, 2) ? FRAME_ACKNOW : 0);
	switch (rnd_below(h, 5)) {
	case 0:
		shot->frame.prp.ack =
			htonl(conn.peer_first + 1 + rnd_below(h, 0x7ffffffe));
		break;
	case 1:
		shot->frame.prp.ack = htonl(conn.peer_first);
		frame_sack(shot, 0, 1 + rnd_below(h, 8), 0, 0,
			   1ull << rnd_below(h, 64));
		break;
	case 2:
		frame_sack(shot, 1 << rnd_below(h, 8), 0, 0,
			   conn.trans + 2000 + rnd_below(h, 0x7fff0000), 0);
		break;
	case 3:
		shot->frame.prp.ack =
			htonl(conn.peer_first - 65537 - rnd_below(h, 1 << 30));
		break;
	case 4: /* behind what was sent, however little the map has */
		frame_sack(shot, 0, 1, 513 + rnd_below(h, 65023), 0, 1);
		break;
	}
	expect_reason(h, R_ACK);
}

/* Shut, open wide, open wider than there is; it is sent to all the time. */
static void make_window(struct hostile *h, struct shot *shot)
{
	static const uint16_t windows[] = { 0, 0, 1, 2, 511, 512, 513, 0xffff };

	peer_begin(h, shot, rnd_below(h, 4) ? 0 : FRAME_ACKNOW);
	shot->frame.prp.window = htons(windows[rnd_below(h, 8)]);
	expect_reason(h, R_CONTROL);
}

/* Everything but what is waited for: kept, until that is too much */
static void make_late(struct hostile *h, struct shot *shot)
{
	peer_begin(h, shot, FRAME_SEG);
	shot->frame.prp.seq = htonl(conn.first + 1 + rnd_below(h, 600));
	frame_payload(h, shot, rnd_below(h, 2) ? 1 : 1464);
	expect_reason(h, R_ANY);
}

/* Parts of segments, whole ones never */
static void make_parts(struct hostile *h, struct shot *shot)
{
	uint16_t len = 1 + rnd_below(h, 100), offset = 0, total = htons(1400);
	unsigned char *ext;

	peer_begin(h, shot, FRAME_SEG | rnd_below(h, 8) << 13);
	shot->frame.prp.seq = htonl(conn.first + rnd_below(h, 512));
	ext = frame_ext(shot, EXT_FRAGMENT, 1);
	if (rnd_below(h, 2))
		offset = htons(rnd_below(h, 1300));
	memcpy(ext + 2, &offset, 2);
	memcpy(ext + 4, &total, 2);
	frame_payload(h, shot, len);
	expect_reason(h, R_ANY);
}

/* All kinds of frames with the right tag and numbers about right */
static void make_inside(struct hostile *h, struct shot *shot)
{
	enum kind kind = rnd_below(h, KIND_OF_TAG);
	struct frame_prp *prp = &shot->frame.prp;

	if (kind == KIND_RST && rnd_below(h, 32))
		kind = KIND_SEG;
	frame_make(h, shot, kind);
	prp->seq = htonl(conn.acked + rnd_below(h, 16) - 4);
	prp->ack = htonl(conn.peer_nxt + (rnd_below(h, 8) ? 0 : -1));
	prp->flags |= htons(rnd_below(h, 8) ? 0 : FRAME_OVERRUN);
	if (kind != KIND_ERROR)
		prp->tag = htonl(conn.peer_tag);
	expect_reason(h, R_ANY);
}

/* What a peer may say, but not to a connection that is established, nor
 * after the end of its stream.
 */
static void make_ended(struct hostile *h, struct shot *shot)
{
	if (rnd_below(h, 2)) {
		frame_make(h, shot, KIND_ANS);
		shot->frame.prp.tag = htonl(conn.peer_tag);
	} else {
		peer_begin(h, shot, FRAME_SEG);
		shot->frame.prp.seq = htonl(conn.first + 1);
		frame_payload(h, shot, 1 + rnd_below(h, 1000));
	}
	expect_reason(h, R_STATE);
}

static void begin_ended(struct hostile *h)
{
	struct shot shot;

	begin_peer(h);
	peer_begin(h, &shot, FRAME_SEG | FRAME_END);
	while (conn.acked == conn.first) {
		send_one(h, &shot);
		usleep(2000);
		hear(h);
	}
}

/* clang-format off: a table, a row a line */
const struct class peer_classes[] = {
	{ "acks", make_acks, begin_peer, batch_peer, end_peer, false },
	{ "window", make_window, begin_peer, batch_peer, end_peer, false },
	{ "late", make_late, begin_peer, batch_peer, end_peer, false },
	{ "parts", make_parts, begin_peer, batch_peer, end_peer, false },
	{ "inside", make_inside, begin_peer, batch_inside, end_peer, false },
	{ "ended", make_ended, begin_ended, batch_peer, end_peer, false },
	{ NULL, NULL, NULL, NULL, NULL, false }
};

/* clang-format on */
