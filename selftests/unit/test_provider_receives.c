// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: which message a receive gets, and when. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "provider_hand.h"

enum { CHOOSERS = 4 };

static void post_choosers(const fi_addr_t *from, int *in)
{
	static const uint64_t tags[] = { 0x12, 0x10, 0x12, 0x12 };
	static const uint64_t ignores[] = { 0, 0xf, 0, 0 };

	for (int i = 0; i < CHOOSERS; i++)
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(*in), NULL, from[i],
				   tags[i], ignores[i], &in[i]),
			  0);
}

static void send_choices(fi_addr_t self)
{
	for (int i = 1; i <= CHOOSERS; i++) {
		struct end *end = i == 3 ? &one : &two;
		fi_addr_t to = i == 3 ? self : two.peer;

		/* Nobody wants this one. */
		expect_eq(fi_tinject(end->ep, NULL, 0, to, 0x22), 0);
		expect_eq(fi_tinject(end->ep, &i, sizeof(i), to, 0x12), 0);
		settle();
	}
}

/* The first receive that fits has a message, and the first one that fits. */
UNIT(provider__source_and_tag_choose)
{
	static const int expected[] = { 3, 1, 2, 4 };
	struct fi_cq_tagged_entry entry;
	fi_addr_t self, from;
	int in[CHOOSERS];

	open_both();
	from = one.peer;
	insert(&one, &one);
	self = one.peer;
	one.peer = from;
	for (int early = 0; early < 2; early++) {
		const fi_addr_t whom[] = { self, one.peer, FI_ADDR_UNSPEC,
					   one.peer };

		if (!early)
			post_choosers(whom, in);
		send_choices(self);
		if (early)
			post_choosers(whom, in);
		for (int i = 0; i < CHOOSERS; i++) {
			int *got;

			expect_eq(fi_cq_readfrom(one.cq, &entry, 1, &from), 1);
			got = entry.op_context;
			expect_eq(*got, expected[got - in]);
			expect_eq(from, got == in ? self : one.peer);
			expect_eq(entry.tag, 0x12);
		}
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	}
	close_both();
}

static void look(uint64_t flags, int *context)
{
	struct fi_msg_tagged msg = { .addr = FI_ADDR_UNSPEC,
				     .tag = 5,
				     .context = context };

	expect_eq(fi_trecvmsg(one.ep, &msg, flags), 0);
}

UNIT(provider__peek_claim_discard)
{
	struct fi_cq_tagged_entry entry;
	int a, b, in = 0;
	struct iovec iov = { &in, sizeof(in) };
	struct fi_msg_tagged msg = { .msg_iov = &iov,
				     .iov_count = 1,
				     .context = &a };

	open_both();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), FI_ENOMSG);
	for (int i = 1; i <= 4; i++)
		expect_eq(fi_tinject(two.ep, &i, sizeof(i), two.peer, 5), 0);
	settle();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, sizeof(int));
	look(FI_PEEK | FI_CLAIM, &a);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_DISCARD, &b);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_CLAIM, &b);
	expect_eq(next(&one, &entry), 0);
	/* 1 and 3 are claimed, 2 is gone */
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, NULL),
		  0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(in, 4);
	look(FI_CLAIM | FI_DISCARD, &b);
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == &b);
	expect_eq(entry.len, 0);
	expect_eq(fi_trecvmsg(one.ep, &msg, FI_CLAIM), 0);
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == &a);
	expect_eq(in, 1);
	expect_eq(fi_trecvmsg(one.ep, &msg, FI_CLAIM), -FI_EINVAL);
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), FI_ENOMSG);
	close_both();
}

/* Nothing was received. */
UNIT(provider__looks_are_not_counted)
{
	struct fi_cq_tagged_entry entry;
	int a, out = 1;

	open_both();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), FI_ENOMSG);
	for (int i = 0; i < 2; i++)
		expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5),
			  0);
	settle();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_DISCARD, &a);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_CLAIM, &a);
	expect_eq(next(&one, &entry), 0);
	look(FI_CLAIM | FI_DISCARD, &a);
	expect_eq(next(&one, &entry), 0);
	expect_eq(fi_cntr_read(one.receives), 0);
	expect_eq(fi_cntr_readerr(one.receives), 0);
	close_both();
}

UNIT(provider__cancel)
{
	struct fi_cq_tagged_entry entry;
	int in = 0, out = 4, other;

	open_both();
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, &in),
		  0);
	expect_eq(fi_cancel(&one.ep->fid, &other), -FI_ENOENT);
	expect_eq(fi_cancel(&one.ep->fid, &in), 0);
	expect_eq(next(&one, &entry), FI_ECANCELED);
	expect_true(entry.op_context == &in);
	expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5), 0);
	settle();
	expect_eq(in, 0);
	close_both();
}

/* The receive, or its refusal, comes when half of the message is there. */
static void want_half_come(size_t room)
{
	enum { SIZE = 1000, HALF = SIZE / 2 };
	const size_t len = room < SIZE ? room : SIZE;
	const struct mpipr_wire eager = { .type = MPIPR_WIRE_EAGER,
					  .flags = MPIPR_WIRE_TAGGED,
					  .len = SIZE };
	const struct fi_msg_tagged any = { .addr = FI_ADDR_UNSPEC };
	struct fi_cq_tagged_entry entry;
	struct mpipr_conn *conn;
	uint8_t in[SIZE] = { 0 };
	struct hand hand;

	open_both();
	conn = take_place(&hand, keeper());
	say(hand.left, &eager);
	expect_eq(send(hand.left, hand.out, HALF, MSG_NOSIGNAL), HALF);
	while (!conn->in || conn->left != SIZE - HALF)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	if (room)
		expect_eq(fi_trecv(hand.end->ep, in, room, NULL, hand.end->peer,
				   0, 0, NULL),
			  0);
	else
		expect_eq(fi_trecvmsg(hand.end->ep, &any, FI_PEEK | FI_DISCARD),
			  0);
	expect_eq(send(hand.left, hand.out + HALF, SIZE - HALF, MSG_NOSIGNAL),
		  SIZE - HALF);
	expect_eq(next_alone(hand.end, &entry),
		  len && len < SIZE ? FI_ETRUNC : 0);
	if (room)
		expect_eq(entry.len, len);
	expect_true(!memcmp(in, hand.out, len));
	while (conn->left)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_eq(peer_of(hand.end)->owed, mpipr_wire_cost(SIZE));
	hand.kept = -1;
	part(&hand);
}

UNIT(provider__receive_comes_within_its_message)
{
	want_half_come(1000);
}

UNIT(provider__receive_of_more_than_came_and_less_than_comes)
{
	want_half_come(700);
}

UNIT(provider__receive_of_less_than_came)
{
	want_half_come(300);
}

UNIT(provider__refusal_comes_within_its_message)
{
	want_half_come(0);
}

static void post_several(void *buf, size_t size, size_t least)
{
	const struct iovec iov = { buf, size };
	const struct fi_msg msg = { .msg_iov = &iov,
				    .iov_count = 1,
				    .addr = FI_ADDR_UNSPEC,
				    .context = buf };

	expect_eq(fi_setopt(&one.ep->fid, FI_OPT_ENDPOINT,
			    FI_OPT_MIN_MULTI_RECV, &least, sizeof(least)),
		  0);
	expect_eq(fi_recvmsg(one.ep, &msg, FI_MULTI_RECV), 0);
}

UNIT(provider__buffer_for_several_messages)
{
	enum { ROOM = 1000, LEAST = 200, SIZE = 150 };
	struct fi_cq_tagged_entry entry;
	uint8_t in[ROOM], next_one[ROOM], out[SIZE];

	open_both();
	for (int early = 0; early < 2; early++) {
		if (!early) {
			post_several(in, ROOM, LEAST);
			post_several(next_one, ROOM, LEAST);
		}
		for (int i = 0; i < 8; i++) {
			memset(out, i, SIZE);
			expect_eq(fi_inject(two.ep, out, SIZE, two.peer), 0);
		}
		settle();
		if (early) {
			post_several(in, ROOM, LEAST);
			post_several(next_one, ROOM, LEAST);
		}
		/* After six of 150 bytes 100 are left, too few. */
		for (int i = 0; i < 8; i++) {
			uint8_t *at = i < 6 ? in + SIZE * i :
					      next_one + SIZE * (i - 6);

			memset(out, i, SIZE);
			expect_eq(next(&one, &entry), 0);
			expect_eq(entry.len, SIZE);
			expect_true(entry.op_context ==
				    (i < 6 ? in : next_one));
			expect_true(entry.buf == at);
			expect_true(!memcmp(at, out, SIZE));
			expect_eq(!!(entry.flags & FI_MULTI_RECV), i == 5);
		}
		expect_eq(fi_cancel(&one.ep->fid, next_one), 0);
		expect_eq(next(&one, &entry), FI_ECANCELED);
		expect_true(entry.op_context == next_one);
	}
	close_both();
}

/* The endpoint has all its buffers be that, but a tag is of one message. */
UNIT(provider__buffer_for_one_tagged_message)
{
	struct fi_cq_tagged_entry entry;
	int in[2][20], out;

	open_both();
	ep_of(&one)->rx.op_flags = FI_MULTI_RECV;
	for (int i = 0; i < 2; i++)
		expect_eq(fi_trecv(one.ep, in[i], sizeof(in[i]), NULL, one.peer,
				   7, 0, in[i]),
			  0);
	for (out = 0; out < 2; out++)
		expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 7),
			  0);
	for (int i = 0; i < 2; i++) {
		expect_eq(next(&one, &entry), 0);
		expect_true(entry.op_context == in[i]);
		expect_eq(in[i][0], i);
		expect_eq(entry.flags & FI_MULTI_RECV, 0);
	}
	close_both();
}

/* The second one leaves no room for more when the first one is on its way. */
UNIT(provider__buffer_is_given_back_after_its_last_message)
{
	enum { FIRST = 600000, SECOND = 400000, ROOM = FIRST + SECOND };
	uint8_t *in = malloc(ROOM), *out = filled(FIRST, 1);
	struct fi_cq_tagged_entry entry;

	open_both();
	post_several(in, ROOM, 64);
	expect_eq(fi_send(two.ep, out, FIRST, NULL, two.peer, NULL), 0);
	expect_eq(fi_send(two.ep, out, SECOND, NULL, two.peer, NULL), 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, FIRST);
	expect_eq(entry.flags & FI_MULTI_RECV, 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, SECOND);
	expect_true(entry.flags & FI_MULTI_RECV);
	expect_true(is_filled(in, FIRST, 1));
	expect_true(is_filled(in + FIRST, SECOND, 1));
	close_both();
	free(in);
	free(out);
}

/* The second message does not fit; who has it back need not look for one. */
UNIT(provider__buffer_is_given_back_without_a_message)
{
	enum { FIRST = 600, SECOND = 500, ROOM = 1000 };
	uint8_t in[ROOM], next_one[ROOM], out[FIRST] = { 0 };
	struct fi_cq_tagged_entry entry;

	open_both();
	post_several(in, ROOM, 64);
	post_several(next_one, ROOM, 64);
	expect_eq(fi_inject(two.ep, out, FIRST, two.peer), 0);
	expect_eq(fi_inject(two.ep, out, SECOND, two.peer), 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, FIRST);
	expect_eq(entry.flags, FI_MSG | FI_RECV);
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == in);
	expect_eq(entry.flags, FI_MULTI_RECV);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, SECOND);
	expect_true(entry.op_context == next_one);
	expect_eq(fi_cntr_read(one.receives), 2);
	close_both();
}

/* The message on its way comes first, and all of it into the buffer. */
UNIT(provider__cancelled_buffer_ends_behind_its_message)
{
	enum { SIZE = 600000, ROOM = 1000000 };
	uint8_t *in = malloc(ROOM), *out = filled(SIZE, 1);
	struct fi_cq_tagged_entry entry;

	open_both();
	post_several(in, ROOM, 64);
	expect_eq(fi_send(two.ep, out, SIZE, NULL, two.peer, NULL), 0);
	/* It has asked for it. */
	while (!ep_of(&one)->flows)
		mpipr_progress(ep_of(&one)->domain, 0);
	expect_eq(fi_cancel(&one.ep->fid, in), 0);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, SIZE);
	expect_eq(entry.flags, FI_MSG | FI_RECV);
	expect_true(is_filled(in, SIZE, 1));
	expect_eq(next(&one, &entry), FI_ECANCELED);
	expect_true(entry.op_context == in);
	expect_true(failure.flags & FI_MULTI_RECV);
	close_both();
	free(in);
	free(out);
}

/* Of messages that cannot be fetched, as is known, or seen by asking for one */
static void post_for_the_lost(bool known)
{
	enum { SIZE = 100000 };
	uint8_t *in = malloc(2 * SIZE), *out = calloc(1, SIZE);
	struct fi_cq_tagged_entry entry;

	open_both();
	pass(100, false);
	expect_eq(fi_send(two.ep, out, SIZE, NULL, two.peer, NULL), 0);
	expect_eq(fi_send(two.ep, out, SIZE, NULL, two.peer, NULL), 0);
	settle();
	if (known) {
		shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
		while (!peer_of(&one)->err)
			mpipr_progress(ep_of(&one)->domain, 0);
	} else {
		shutdown(peer_of(&one)->tx->source.fd, SHUT_WR);
	}
	post_several(in, 2 * SIZE, 64);
	if (!known)
		/* the message */
		expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == in);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_both();
	free(in);
	free(out);
}

UNIT(provider__buffer_for_messages_of_a_lost_peer)
{
	post_for_the_lost(true);
}

UNIT(provider__buffer_for_messages_of_a_peer_just_lost)
{
	post_for_the_lost(false);
}

enum { MANY = 10000 };

static void send_numbered(int i)
{
	ssize_t ret;

	do {
		ret = fi_tinject(two.ep, &i, sizeof(i), two.peer, i << 4);
		mpipr_progress(ep_of(&one)->domain, 0);
		mpipr_progress(ep_of(&two)->domain, 0);
	} while (ret == -FI_EAGAIN);
	expect_eq(ret, 0);
}

/* A receive and its message, which came first or not, of many of each */
static void many(bool early)
{
	int *in = calloc(MANY, sizeof(*in));
	struct fi_cq_tagged_entry entry;

	open_both();
	for (int i = MANY; early && i--;)
		send_numbered(i);
	/* In their order or against it; from anybody; with bits that differ */
	for (int i = 0; i < MANY; i++)
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(in[i]), NULL,
				   i % 3 ? one.peer : FI_ADDR_UNSPEC,
				   (i << 4) + i % 2, i % 2, &in[i]),
			  0);
	for (int i = 0; !early && i < MANY; i += 100) {
		expect_eq(fi_cancel(&one.ep->fid, &in[i]), 0);
		expect_eq(next(&one, &entry), FI_ECANCELED);
		expect_true(entry.op_context == &in[i]);
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(in[i]), NULL,
				   one.peer, i << 4, 0, &in[i]),
			  0);
	}
	for (int i = MANY; !early && i--;)
		send_numbered(i);
	for (int i = 0; i < MANY; i++)
		expect_eq(next(&one, &entry), 0);
	for (int i = 0; i < MANY; i++)
		expect_eq(in[i], i);
	expect_eq(ep_of(&one)->tagged.wants.count, 0);
	expect_eq(ep_of(&one)->tagged.offers.count, 0);
	close_both();
	free(in);
}

UNIT(provider__many_receives)
{
	many(false);
}

UNIT(provider__many_messages)
{
	many(true);
}

/* Some of each are left when it is closed, and some are reserved. */
UNIT(provider__closed_with_many)
{
	struct fi_msg_tagged msg = { .addr = FI_ADDR_UNSPEC };
	static int in[500];

	open_both();
	for (int i = 500; i--;)
		send_numbered(i);
	for (int i = 0; i < 100; i++)
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(in[i]), NULL,
				   one.peer, i << 4, 0, &in[i]),
			  0);
	for (int i = 0; i < 500; i++)
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(in[i]), NULL,
				   one.peer, (i << 4) + 1, 0, &in[i]),
			  0);
	msg.context = &in[499];
	msg.tag = 499 << 4;
	expect_eq(fi_trecvmsg(one.ep, &msg, FI_PEEK | FI_CLAIM), 0);
	expect_eq(ep_of(&one)->tagged.wants.count, 500);
	expect_eq(ep_of(&one)->tagged.offers.count, 399);
	close_both();
}
