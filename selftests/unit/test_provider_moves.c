// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: connections that cross, and who moves to the other one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "provider_hand.h"

/* Both connect before either has looked; the order holds, one is kept. */
UNIT(provider__connections_cross)
{
	struct fi_cq_tagged_entry entry;
	int in;

	open_both();
	for (int i = 0; i < 100; i++) {
		expect_eq(fi_tinject(one.ep, &i, sizeof(i), one.peer, 1), 0);
		expect_eq(fi_tinject(two.ep, &i, sizeof(i), two.peer, 1), 0);
	}
	expect_eq(conns(&one), 1);
	expect_eq(conns(&two), 1);
	for (int i = 0; i < 200; i++) {
		struct end *ends[] = { &one, &two };

		for (int e = 0; e < 2; e++) {
			expect_eq(fi_trecv(ends[e]->ep, &in, sizeof(in), NULL,
					   ends[e]->peer, 1, 0, NULL),
				  0);
			expect_eq(next(ends[e], &entry), 0);
			expect_eq(in, i);
		}
		if (i >= 100)
			continue;
		in = i + 100;
		expect_eq(fi_tinject(one.ep, &in, sizeof(in), one.peer, 1), 0);
		expect_eq(fi_tinject(two.ep, &in, sizeof(in), two.peer, 1), 0);
	}
	settle();
	expect_eq(conns(&one), 1);
	expect_eq(conns(&two), 1);
	close_both();
}

/*
 * The keeper finds what was sent after the move before it has even accepted
 * the connection on which the rest came.
 */
static void find_moved_first(int after)
{
	enum { BEFORE = 100, BYTES = sizeof(int) };
	const ssize_t size =
		MPIPR_WIRE_HEADER + after * (MPIPR_WIRE_HEADER + BYTES);
	uint8_t *seen = malloc(size);
	struct fi_cq_tagged_entry entry;
	struct end *low, *high;
	struct mpipr_peer *peer;
	int i, in, kept;

	open_both();
	low = keeper();
	high = other(low);
	expect_eq(fi_tinject(low->ep, NULL, 0, low->peer, 1), 0);
	for (i = 0; i < BEFORE; i++)
		expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer, 1), 0);
	while (peer_of(high)->tx->outgoing)
		mpipr_progress(ep_of(high)->domain, 0);
	for (; i < BEFORE + after; i++)
		expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer, 1), 0);
	peer = peer_of(low);
	kept = peer->tx->source.fd;
	while (recv(kept, seen, size, MSG_PEEK | MSG_DONTWAIT) < size)
		;
	mpipr_progress(ep_of(low)->domain, 0);
	expect_true(recv(kept, seen, size, MSG_PEEK | MSG_DONTWAIT) < size);
	expect_true(!peer->moved);
	for (i = 0; i <= BEFORE + after; i++) {
		expect_eq(fi_trecv(low->ep, &in, BYTES, NULL, low->peer, 1, 0,
				   NULL),
			  0);
		/* This one comes when nothing is left to wait for. */
		if (i == BEFORE + after)
			expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer,
					     1),
				  0);
		expect_eq(next(low, &entry), 0);
		expect_eq(in, i);
	}
	close_both();
	free(seen);
}

UNIT(provider__what_was_sent_before_the_move_comes_first)
{
	find_moved_first(10);
}

UNIT(provider__more_was_sent_after_the_move_than_is_read_at_once)
{
	find_moved_first(MPIPR_STAGE / MPIPR_WIRE_HEADER);
}

static void hear_piece(struct hand *hand, int fd, size_t at, size_t len)
{
	struct mpipr_wire wire = hear_header(hand, fd, MPIPR_WIRE_DATA);
	uint8_t *in = malloc(len);

	expect_eq(wire.peer_id, TRANSFER_ID);
	expect_eq(wire.len, len);
	hear(hand, fd, in, len);
	expect_true(!memcmp(in, hand->out + at, len));
	free(in);
}

/* The other one moves when it has sent a part of a transfer's first piece. */
static void move_within_piece(struct hand *hand)
{
	struct mpipr_conn *left = take_place(hand, keeper());

	want_a_lot(hand, left);
	while (mpipr_list_empty(&left->queue))
		mpipr_progress(ep_of(hand->end)->domain, 0);
	make_move(hand);
}

UNIT(provider__transfer_goes_on_where_its_sender_moved)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;

	open_both();
	move_within_piece(&hand);
	hear_piece(&hand, hand.left, 0, MPIPR_TX_PIECE);
	hear_header(&hand, hand.left, MPIPR_WIRE_MOVED);
	hear_piece(&hand, hand.kept, MPIPR_TX_PIECE,
		   TRANSFER_SIZE - MPIPR_TX_PIECE);
	expect_eq(next_alone(hand.end, &entry), 0);
	expect_true(entry.op_context == &hand);
	part(&hand);
}

UNIT(provider__transfer_ends_when_its_peer_does_after_the_move)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;

	open_both();
	move_within_piece(&hand);
	shutdown(hand.kept, SHUT_WR);
	while (peer_of(hand.end)->tx)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	hear_piece(&hand, hand.left, 0, MPIPR_TX_PIECE);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &hand);
	part(&hand);
}

/* A piece of what was asked for comes where the other one left. */
static void move_within_own_piece(struct hand *hand, uint8_t *in,
				  struct mpipr_wire *data)
{
	const struct mpipr_wire request = { .type = MPIPR_WIRE_REQUEST,
					    .flags = MPIPR_WIRE_TAGGED,
					    .len = TRANSFER_SIZE,
					    .id = TRANSFER_ID };
	struct mpipr_conn *left = take_place(hand, keeper());

	hear_header(hand, hand->left, MPIPR_WIRE_REQUEST);
	expect_eq(fi_trecv(hand->end->ep, in, TRANSFER_SIZE, NULL,
			   hand->end->peer, 0, 0, in),
		  0);
	say(hand->left, &request);
	data->type = MPIPR_WIRE_DATA;
	data->len = TRANSFER_SIZE;
	data->peer_id = hear_header(hand, hand->left, MPIPR_WIRE_READY).id;
	say(hand->left, data);
	while (!left->in)
		mpipr_progress(ep_of(hand->end)->domain, 0);
	make_move(hand);
	hear_header(hand, hand->left, MPIPR_WIRE_MOVED);
}

/* The other one has lost it, and goes on to look at what it left. */
static void expect_loss(struct hand *hand, int err, void *in)
{
	struct fi_cq_tagged_entry entry;
	uint8_t byte;

	while (peer_of(hand->end)->tx)
		mpipr_progress(ep_of(hand->end)->domain, 0);
	for (int i = 0; i < 2; i++) {
		expect_eq(next_alone(hand->end, &entry), err);
		expect_true(entry.op_context == hand || entry.op_context == in);
	}
	send(hand->left, hand->out, 1000, MSG_NOSIGNAL);
	do
		mpipr_progress(ep_of(hand->end)->domain, 0);
	while (recv(hand->left, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	expect_eq(conns(hand->end), 0);
}

UNIT(provider__piece_ends_when_its_peer_does_after_the_move)
{
	uint8_t *in = malloc(TRANSFER_SIZE);
	struct mpipr_wire data = { 0 };
	struct hand hand;

	open_both();
	move_within_own_piece(&hand, in, &data);
	shutdown(hand.kept, SHUT_WR);
	expect_loss(&hand, FI_ECONNRESET, in);
	part(&hand);
	free(in);
}

UNIT(provider__pieces_do_not_come_two_at_a_time)
{
	uint8_t *in = malloc(TRANSFER_SIZE);
	struct mpipr_wire data = { 0 };
	struct hand hand;
	struct mpipr_cq *cq;
	size_t sent = 0;
	ssize_t ret;

	open_both();
	move_within_own_piece(&hand, in, &data);
	cq = mpipr_list_entry(hand.end->cq, struct mpipr_cq, fid);
	say(hand.kept, &data);
	while (cq->head == cq->tail) {
		ret = send(hand.kept, hand.out, TRANSFER_SIZE - sent,
			   MSG_DONTWAIT | MSG_NOSIGNAL);
		if (ret > 0)
			sent += ret;
		mpipr_progress(ep_of(hand.end)->domain, 0);
	}
	send(hand.left, hand.out, 1000, MSG_NOSIGNAL);
	expect_loss(&hand, FI_EIO, in);
	part(&hand);
	free(in);
}
