// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: messages of all sizes, in order, within their bounds. */
#include <stdlib.h>
#include <string.h>

#include "provider_ends.h"

static void pass_all_sizes(void)
{
	static const size_t sizes[] = { 0,     1,     8,       464,
					465,   976,   1024,    1025,
					4048,  4049,  4096,    16384,
					65536, 65537, 1 << 20, 3000001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		pass(sizes[i], false);
		pass(sizes[i], true);
	}
}

UNIT(provider__all_sizes)
{
	open_both();
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_in_double_writes)
{
	open_both();
	mpipr_param.double_write = true;
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_by_rendezvous)
{
	open_both();
	mpipr_param.eager = 0;
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_to_itself)
{
	struct fi_cq_tagged_entry entry;
	fi_addr_t self;
	uint8_t *out = filled(100000, 5), *in = malloc(100000);

	open_both();
	insert(&one, &one);
	self = one.peer;
	for (size_t size = 0; size <= 100000; size += 50000) {
		expect_eq(fi_trecv(one.ep, in, size, NULL, self, 1, 0, in), 0);
		expect_eq(fi_tsend(one.ep, out, size, NULL, self, 1, out), 0);
		expect_eq(next(&one, &entry), 0);
		expect_eq(next(&one, &entry), 0);
		expect_true(is_filled(in, size, 5));
	}
	close_both();
	free(out);
	free(in);
}

/* Pieces of other lengths here and there, empty ones before and amid
 * them, and what is whole there
 */
static void pass_pieces(size_t size, bool early)
{
	enum { OUT = MPIPR_IOV_LIMIT, IN = MPIPR_IOV_LIMIT };
	uint8_t *out = filled(size, 9), *in = calloc(1, size + 1);
	struct iovec out_iov[OUT], in_iov[IN];
	struct fi_cq_tagged_entry entry;

	for (size_t i = 0; i < OUT; i++) {
		out_iov[i].iov_base = out + i * size / OUT;
		out_iov[i].iov_len = (i + 1) * size / OUT - i * size / OUT;
	}
	for (size_t i = 0; i < IN; i++) {
		in_iov[i].iov_base = in + i / 2 * size / (IN / 2);
		in_iov[i].iov_len = i % 2 == 0 ?
					    0 :
					    (i / 2 + 1) * size / (IN / 2) -
						    i / 2 * size / (IN / 2);
	}
	if (!early)
		expect_eq(fi_trecvv(one.ep, in_iov, NULL, IN, one.peer, 7, 0,
				    in),
			  0);
	expect_eq(fi_tsendv(two.ep, out_iov, NULL, OUT, two.peer, 7, out), 0);
	if (early) {
		settle();
		expect_eq(fi_trecvv(one.ep, in_iov, NULL, IN, one.peer, 7, 0,
				    in),
			  0);
	}
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, size);
	expect_true(is_filled(in, size, 9));
	expect_eq(next(&two, &entry), 0);
	free(out);
	free(in);
}

static void pass_all_pieces(void)
{
	static const size_t sizes[] = { 5, 400, 30000, 3000001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		pass_pieces(sizes[i], false);
		pass_pieces(sizes[i], true);
	}
}

UNIT(provider__vectors)
{
	open_both();
	pass_all_pieces();
	close_both();
}

UNIT(provider__vectors_in_double_writes)
{
	open_both();
	mpipr_param.double_write = true;
	pass_all_pieces();
	close_both();
}

static void truncate_to(size_t room, size_t size, bool early)
{
	uint8_t in[64], *out = filled(size, 1);
	struct fi_cq_tagged_entry entry;

	memset(in, 0xee, sizeof(in));
	if (!early)
		expect_eq(fi_trecv(one.ep, in, room, NULL, one.peer, 7, 0, in),
			  0);
	expect_eq(fi_tsend(two.ep, out, size, NULL, two.peer, 7, out), 0);
	settle();
	if (early)
		expect_eq(fi_trecv(one.ep, in, room, NULL, one.peer, 7, 0, in),
			  0);
	expect_eq(next(&one, &entry), FI_ETRUNC);
	expect_true(entry.op_context == in);
	expect_eq(entry.len, room);
	expect_eq(failure.olen, size - room);
	expect_true(is_filled(in, room, 1));
	expect_eq(in[room], 0xee);
	expect_eq(next(&two, &entry), 0);
	expect_true(entry.op_context == out);
	free(out);
	pass(100, false);
}

UNIT(provider__truncation_leaves_the_rest_alone)
{
	static const size_t sizes[] = { 100, 5000, 200000 };

	open_both();
	for (int i = 0; i < 3; i++) {
		for (int early = 0; early < 2; early++) {
			truncate_to(32, sizes[i], early);
			truncate_to(0, sizes[i], early);
		}
	}
	close_both();
}

/* Nobody receives: what is not allowed to come waits at its sender. */
UNIT(provider__flood_is_bounded_and_in_order)
{
	enum { COUNT = 5000, SIZE = 1000 };
	struct fi_cq_tagged_entry entry;
	uint8_t in[SIZE + sizeof(int)];
	struct mpipr_peer *peer;

	open_both();
	for (int i = 0; i < COUNT; i++) {
		memset(in, i, sizeof(in));
		memcpy(in, &i, sizeof(i));
		expect_eq(fi_tinject(two.ep, in, i % SIZE + sizeof(i), two.peer,
				     3),
			  0);
		mpipr_progress(ep_of(&one)->domain, 0);
	}
	/* Another tag comes through all the same. */
	expect_eq(fi_tinject(two.ep, in, 4, two.peer, 4), 0);
	expect_eq(fi_trecv(one.ep, in, 4, NULL, one.peer, 4, 0, NULL), 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.tag, 4);
	peer = peer_of(&one);
	expect_true(peer->taken <= MPIPR_WIRE_CREDIT);
	expect_true(peer->taken > MPIPR_WIRE_CREDIT / 2);
	for (int i = 0; i < COUNT; i++) {
		int number;

		expect_eq(fi_trecv(one.ep, in, sizeof(in), NULL, one.peer, 3, 0,
				   NULL),
			  0);
		expect_eq(next(&one, &entry), 0);
		expect_eq(entry.len, i % SIZE + sizeof(i));
		memcpy(&number, in, sizeof(number));
		expect_eq(number, i);
	}
	expect_true(peer->taken < MPIPR_WIRE_CREDIT / 2);
	close_both();
}

/* What is copied for senders is bounded; none is lost that was taken. */
UNIT(provider__sender_has_to_wait)
{
	enum {
		SIZE = MPIPR_INJECT_SIZE,
		MOST = (MPIPR_TX_COPIES + MPIPR_WIRE_CREDIT) / SIZE
	};
	static uint8_t in[MOST][SIZE];
	struct fi_cq_tagged_entry entry;
	uint8_t *out = malloc(SIZE);
	struct mpipr_cq *cq;
	ssize_t ret;
	int sent = 0, i;

	open_both();
	cq = mpipr_list_entry(one.cq, struct mpipr_cq, fid);
	pass(100, false);
	for (; sent < MOST; sent++) {
		memset(out, sent, SIZE);
		ret = fi_tinject(two.ep, out, SIZE, two.peer, 3);
		if (ret)
			break;
	}
	expect_eq(ret, -FI_EAGAIN);
	expect_eq(fi_inject(two.ep, out, SIZE + 1, two.peer), -FI_EMSGSIZE);
	for (i = 0; i < sent; i++)
		expect_eq(fi_trecv(one.ep, in[i], SIZE, NULL, one.peer, 3, 0,
				   in[i]),
			  0);
	while (cq->tail - cq->head < sent) {
		mpipr_progress(ep_of(&one)->domain, 0);
		mpipr_progress(ep_of(&two)->domain, 0);
	}
	for (i = 0; i < sent; i++) {
		expect_eq(next(&one, &entry), 0);
		expect_eq(((uint8_t *)entry.op_context)[SIZE - 1],
			  (uint8_t)((uint8_t(*)[SIZE])entry.op_context - in));
	}
	expect_eq(fi_tinject(two.ep, out, SIZE, two.peer, 3), 0);
	close_both();
	free(out);
}

UNIT(provider__counter_counts_injected_ones)
{
	enum { SIZE = 100000 };
	uint8_t *in = malloc(SIZE), *large = calloc(1, SIZE);
	int out = 4;

	open_both();
	for (int i = 0; i < 10; i++)
		expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5),
			  0);
	expect_eq(fi_cntr_read(two.cntr), 10);
	expect_eq(fi_cntr_wait(two.cntr, 10, 0), 0);
	expect_eq(fi_cntr_wait(two.cntr, 11, 1), -FI_ETIMEDOUT);
	/* What it waits for takes more than a poll. */
	insert(&two, &two);
	expect_eq(fi_trecv(two.ep, in, SIZE, NULL, two.peer, 5, 0, in), 0);
	expect_eq(fi_tsend(two.ep, large, SIZE, NULL, two.peer, 5, large), 0);
	expect_eq(fi_cntr_wait(two.cntr, 11, -1), 0);
	close_both();
	free(in);
	free(large);
}
