// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: peers' memory read and written, and what is refused. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "provider_hand.h"
#include "region.h"

enum { LARGE = 5 * MPIPR_TX_PIECE + 3 };

static const size_t sizes[] = { 0,     1,     8,     4047,	     4048, 4049,
				16384, 16385, 65536, MPIPR_TX_PIECE, LARGE };

#define SIZES (sizeof(sizes) / sizeof(*sizes))

static ssize_t write_at(const void *from, size_t len, uint64_t at)
{
	return fi_write(one.ep, from, len, NULL, one.peer, at, KEY,
			(void *)from);
}

static ssize_t read_at(void *to, size_t len, uint64_t at)
{
	return fi_read(one.ep, to, len, NULL, one.peer, at, KEY, to);
}

/* Nothing beside it is touched. */
UNIT(provider__write)
{
	uint8_t *there = malloc(LARGE + 2), *out;

	open_both();
	registered(there, LARGE + 2, FI_REMOTE_WRITE);
	for (size_t i = 0; i < SIZES; i++) {
		memset(there, 0xee, LARGE + 2);
		out = filled(sizes[i], i);
		expect_eq(write_at(out, sizes[i], 1), 0);
		ends_with(0, out, FI_RMA | FI_WRITE);
		expect_true(is_filled(there + 1, sizes[i], i));
		expect_eq(there[0], 0xee);
		expect_eq(there[1 + sizes[i]], 0xee);
		free(out);
	}
	expect_eq(fi_cntr_read(one.accesses), SIZES);
	expect_eq(fi_cntr_read(one.cntr), 0);
	close_all();
	free(there);
}

UNIT(provider__read)
{
	uint8_t *there = filled(LARGE, 3), *in = malloc(LARGE + 1);

	open_both();
	registered(there, LARGE, FI_REMOTE_READ);
	for (size_t i = 0; i < SIZES; i++) {
		memset(in, 0xee, LARGE + 1);
		expect_eq(read_at(in, sizes[i], 0), 0);
		ends_with(0, in, FI_RMA | FI_READ);
		expect_true(is_filled(in, sizes[i], 3));
		expect_eq(in[sizes[i]], 0xee);
	}
	expect_eq(fi_cntr_read(one.accesses), SIZES);
	close_all();
	free(there);
	free(in);
}

UNIT(provider__vectors_are_read_and_written)
{
	uint8_t *there = calloc(1, 100000), *out = filled(100000, 1);
	uint8_t *in = calloc(1, 100001);
	const struct iovec from[] = { { out, 1 },
				      { out + 1, 69999 },
				      { out + 70000, 30000 } };
	const struct iovec to[] = { { in, 50000 }, { in + 50000, 50000 } };
	struct fi_rma_iov place = { 0, 100000, KEY };
	struct fi_msg_rma msg = {
		.msg_iov = from,
		.iov_count = 3,
		.addr = one.peer,
		.rma_iov = &place,
		.rma_iov_count = 1,
		.context = out,
	};

	open_both();
	registered(there, 100000, FI_REMOTE_READ | FI_REMOTE_WRITE);
	msg.addr = one.peer;
	expect_eq(fi_writemsg(one.ep, &msg, FI_COMPLETION), 0);
	ends_with(0, out, FI_RMA | FI_WRITE);
	expect_true(is_filled(there, 100000, 1));
	expect_eq(fi_readv(one.ep, to, NULL, 2, one.peer, 0, KEY, in), 0);
	ends_with(0, in, FI_RMA | FI_READ);
	expect_true(is_filled(in, 100000, 1));
	place.len--;
	expect_eq(fi_writemsg(one.ep, &msg, 0), -FI_EINVAL);
	msg.rma_iov_count = 2;
	expect_eq(fi_readmsg(one.ep, &msg, 0), -FI_EINVAL);
	close_all();
	free(there);
	free(out);
	free(in);
}

/* May change when the call returns, and says nothing of its end. */
UNIT(provider__injected_write)
{
	enum { COUNT = 500 };
	uint8_t there[COUNT] = { 0 }, byte;
	struct fi_cq_tagged_entry entry;
	uint8_t *large = calloc(1, MPIPR_INJECT_SIZE + 1);

	open_both();
	registered(there, COUNT, FI_REMOTE_WRITE);
	for (int i = 0; i < COUNT; i++) {
		byte = i + 1;
		expect_eq(fi_inject_write(one.ep, &byte, 1, one.peer, i, KEY),
			  0);
	}
	while (fi_cntr_read(one.accesses) < COUNT)
		mpipr_progress(ep_of(&two)->domain, 0);
	for (int i = 0; i < COUNT; i++)
		expect_eq(there[i], (uint8_t)(i + 1));
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	expect_eq(fi_inject_write(one.ep, large, MPIPR_INJECT_SIZE + 1,
				  one.peer, 0, KEY),
		  -FI_EMSGSIZE);
	close_all();
	free(large);
}

UNIT(provider__written_data_is_told)
{
	struct fi_cq_tagged_entry entry;
	uint8_t there[10], out[10] = { 9 };
	fi_addr_t from;

	open_both();
	registered(there, sizeof(there), FI_REMOTE_WRITE);
	expect_eq(fi_writedata(one.ep, out, 10, NULL, 4711, one.peer, 0, KEY,
			       out),
		  0);
	ends_with(0, out, FI_RMA | FI_WRITE);
	expect_eq(fi_cq_readfrom(two.cq, &entry, 1, &from), 1);
	expect_eq(entry.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	expect_eq(entry.data, 4711);
	expect_eq(entry.len, 10);
	expect_eq(from, two.peer);
	expect_eq(there[0], 9);
	/* One that was refused is not. */
	expect_eq(fi_writedata(one.ep, out, 10, NULL, 1, one.peer, 1, KEY, out),
		  0);
	ends_with(FI_EFAULT, out, 0);
	expect_eq(fi_cq_read(two.cq, &entry, 1), -FI_EAGAIN);
	close_all();
}

static void refused(uint64_t at, size_t len, uint64_t key, int err)
{
	uint8_t *mine = filled(len, 5);

	expect_eq(fi_write(one.ep, mine, len, NULL, one.peer, at, key, mine),
		  0);
	ends_with(err, mine, 0);
	expect_eq(failure.flags, FI_RMA | FI_WRITE);
	expect_eq(fi_read(one.ep, mine, len, NULL, one.peer, at, key, mine), 0);
	ends_with(err, mine, 0);
	expect_true(is_filled(mine, len, 5));
	expect_eq(fi_inject_write(one.ep, mine, 1, one.peer, at, key), 0);
	ends_with(err, &one, 0);
	free(mine);
}

/* An error is told here, nothing happens there, and all goes on. */
UNIT(provider__refused_access)
{
	const size_t size = 100000;
	uint8_t *there = filled(size, 1);

	open_both();
	registered(there, size, FI_REMOTE_READ | FI_REMOTE_WRITE);
	refused(0, size, KEY + 1, FI_EKEYREJECTED);
	refused(0, size, KEY + MPIPR_REGION_LISTS, FI_EKEYREJECTED);
	refused(size, 1, KEY, FI_EFAULT);
	refused(size + 1, 1, KEY, FI_EFAULT);
	refused(UINT64_MAX, 2, KEY, FI_EFAULT);
	refused(UINT64_MAX - size, size + 2, KEY, FI_EFAULT);
	refused(size - 1, 0, KEY + 1, FI_EKEYREJECTED);
	expect_eq(fi_cntr_readerr(one.accesses), 21);
	expect_eq(fi_cntr_read(one.accesses), 0);
	expect_true(is_filled(there, size, 1));
	pass(100, false);
	close_all();
	free(there);
}

UNIT(provider__access_of_the_other_kind)
{
	uint8_t there[8] = { 1 }, mine[8] = { 2 };

	open_both();
	registered(there, sizeof(there), FI_REMOTE_READ);
	expect_eq(write_at(mine, 8, 0), 0);
	ends_with(FI_EACCES, mine, 0);
	expect_eq(there[0], 1);
	expect_eq(fi_close(&mr->fid), 0);
	registered(there, sizeof(there), FI_REMOTE_WRITE);
	expect_eq(read_at(mine, 8, 0), 0);
	ends_with(FI_EACCES, mine, 0);
	expect_eq(mine[0], 2);
	close_all();
}

UNIT(provider__regions_and_their_keys)
{
	struct fid_mr *local, *same;
	uint8_t there[8];

	open_both();
	registered(there, sizeof(there), FI_REMOTE_READ);
	/* A key is of one region; what peers do not access has none. */
	expect_eq(fi_mr_reg(two.domain, there, 8, FI_REMOTE_WRITE, 0, KEY, 0,
			    &same, NULL),
		  -FI_ENOKEY);
	expect_eq(fi_mr_reg(two.domain, there, 8, FI_SEND | FI_RECV, 0, KEY, 0,
			    &local, NULL),
		  0);
	expect_eq(fi_mr_reg(two.domain, NULL, SIZE_MAX, FI_REMOTE_READ, 0, 1, 0,
			    &same, NULL),
		  -FI_EINVAL);
	expect_eq(fi_mr_reg(two.domain, there, SIZE_MAX, FI_REMOTE_READ, 0, 1,
			    0, &same, NULL),
		  -FI_EINVAL);
	expect_eq(fi_mr_reg(two.domain, NULL, 0, FI_REMOTE_READ, 0, 1, 0, &same,
			    NULL),
		  0);
	expect_eq(fi_close(&two.domain->fid), -FI_EBUSY);
	expect_eq(fi_close(&same->fid), 0);
	expect_eq(fi_close(&local->fid), 0);
	close_all();
}

/* What is being read stays until the peer has it, or is gone. */
UNIT(provider__region_is_closed_while_it_is_read)
{
	enum { SIZE = 32 * MPIPR_TX_PIECE };
	uint8_t *there = filled(SIZE, 1), *in = malloc(SIZE);

	open_both();
	registered(there, SIZE, FI_REMOTE_READ);
	expect_eq(read_at(in, SIZE, 0), 0);
	while (!mpipr_list_entry(mr, struct mpipr_region, fid)->uses)
		mpipr_progress(ep_of(&two)->domain, 0);
	expect_eq(fi_close(&mr->fid), -FI_EBUSY);
	ends_with(0, in, FI_RMA | FI_READ);
	expect_true(is_filled(in, SIZE, 1));
	expect_eq(fi_close(&mr->fid), 0);
	expect_eq(read_at(in, 1, 0), 0);
	ends_with(FI_EKEYREJECTED, in, 0);
	close_both();
	free(there);
	free(in);
}

/* Both ends at once, each with several */
UNIT(provider__accesses_cross)
{
	enum { SIZE = 3 * MPIPR_TX_PIECE };
	uint8_t *there = filled(SIZE, 1), *here = filled(SIZE, 2);
	uint8_t *in = malloc(2 * SIZE), *back = malloc(2 * SIZE);
	struct fi_cq_tagged_entry entry;
	struct fid_mr *own;

	open_both();
	registered(there, SIZE, FI_REMOTE_READ);
	expect_eq(fi_mr_reg(one.domain, here, SIZE, FI_REMOTE_READ, 0, KEY, 0,
			    &own, NULL),
		  0);
	for (int i = 0; i < 2; i++) {
		expect_eq(read_at(in + i * SIZE, SIZE, 0), 0);
		expect_eq(fi_read(two.ep, back + i * SIZE, SIZE, NULL, two.peer,
				  0, KEY, back),
			  0);
	}
	for (int i = 0; i < 2; i++) {
		expect_eq(next(&one, &entry), 0);
		expect_eq(next(&two, &entry), 0);
	}
	for (int i = 0; i < 2; i++) {
		expect_true(is_filled(in + i * SIZE, SIZE, 1));
		expect_true(is_filled(back + i * SIZE, SIZE, 2));
	}
	expect_eq(fi_close(&own->fid), 0);
	close_all();
	free(there);
	free(here);
	free(in);
	free(back);
}

/* More than a peer answers at a time: the call says so, and all are done. */
UNIT(provider__many_accesses)
{
	enum { COUNT = 3 * MPIPR_WIRE_ASKS };
	uint32_t *there = calloc(COUNT, sizeof(*there)), *in;
	struct fi_cq_tagged_entry entry;
	int again = 0, done = 0;
	ssize_t ret;

	in = calloc(COUNT, sizeof(*in));
	open_both();
	registered(there, COUNT * sizeof(*there),
		   FI_REMOTE_READ | FI_REMOTE_WRITE);
	for (uint32_t i = 0; i < COUNT; i++)
		there[i] = i;
	for (int i = 0; i < COUNT; i++) {
		while ((ret = read_at(&in[i], 4, 4 * i)) == -FI_EAGAIN) {
			again++;
			expect_eq(next(&one, &entry), 0);
			done++;
		}
		expect_eq(ret, 0);
	}
	expect_true(again);
	for (; done < COUNT; done++)
		expect_eq(next(&one, &entry), 0);
	for (uint32_t i = 0; i < COUNT; i++)
		expect_eq(in[i], i);
	close_all();
	free(there);
	free(in);
}

/* To itself, too */
UNIT(provider__own_memory)
{
	uint8_t *there = calloc(1, 100001), *out = filled(100000, 1);
	struct fi_cq_tagged_entry entry;
	struct fid_mr *own;
	fi_addr_t self;
	size_t len = sizeof(union mpipr_addr);
	union mpipr_addr addr;

	open_both();
	expect_eq(fi_getname(&one.ep->fid, &addr, &len), 0);
	expect_eq(fi_av_insert(one.av, &addr, 1, &self, 0, NULL), 1);
	expect_eq(fi_mr_reg(one.domain, there, 100000, FI_REMOTE_WRITE, 0, KEY,
			    0, &own, NULL),
		  0);
	expect_eq(fi_write(one.ep, out, 100000, NULL, self, 0, KEY, out), 0);
	expect_eq(next_alone(&one, &entry), 0);
	expect_true(is_filled(there, 100000, 1));
	expect_eq(fi_close(&own->fid), 0);
	close_both();
	free(there);
	free(out);
}

/* Whatever was under way has its end, each with the error. */
UNIT(provider__peer_dies_amid_accesses)
{
	enum { SIZE = 32 * MPIPR_TX_PIECE };
	uint8_t *there = calloc(1, SIZE), *in = calloc(1, SIZE);
	uint8_t *out = calloc(1, SIZE), byte = 1;

	open_both();
	registered(there, SIZE, FI_REMOTE_READ | FI_REMOTE_WRITE);
	expect_eq(read_at(in, SIZE, 0), 0);
	expect_eq(write_at(out, SIZE, 0), 0);
	expect_eq(fi_inject_write(one.ep, &byte, 1, one.peer, 0, KEY), 0);
	while (!mpipr_list_entry(mr, struct mpipr_region, fid)->uses)
		mpipr_progress(ep_of(&two)->domain, 0);
	mpipr_progress(ep_of(&one)->domain, 0);
	shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
	ends_with(FI_ECONNRESET, in, 0);
	ends_with(FI_ECONNRESET, out, 0);
	ends_with(FI_ECONNRESET, &one, 0);
	expect_eq(fi_cntr_readerr(one.accesses), 3);
	expect_eq(write_at(out, 1, 0), -FI_ECONNRESET);
	settle();
	close_all();
	free(there);
	free(in);
	free(out);
}

/* A peer that answers what it was not asked, and one that never reads */
static void answers(uint64_t data, uint64_t id_off, bool asked)
{
	struct mpipr_wire answer = { .type = MPIPR_WIRE_ANSWER, .data = data };
	struct hand hand;
	uint8_t in[8];

	open_both();
	take_place(&hand, keeper());
	hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST);
	if (asked) {
		expect_eq(fi_read(hand.end->ep, in, 8, NULL, hand.end->peer, 0,
				  KEY, in),
			  0);
		answer.peer_id =
			hear_header(&hand, hand.left, MPIPR_WIRE_READ).id;
	}
	answer.peer_id += id_off;
	say(hand.left, &answer);
	while (conns(hand.end))
		mpipr_progress(ep_of(hand.end)->domain, 0);
	part(&hand);
}

/* One that asks and asks, and never reads what it gets */
UNIT(provider__peer_that_asks_too_much)
{
	struct mpipr_wire ask = { .type = MPIPR_WIRE_READ,
				  .peer_id = KEY,
				  .len = 10000 };
	uint8_t *there = calloc(1, ask.len);
	struct mpipr_peer *peer;
	struct fid_mr *own;
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	expect_eq(fi_mr_reg(hand.end->domain, there, ask.len, FI_REMOTE_READ, 0,
			    KEY, 0, &own, NULL),
		  0);
	peer = peer_of(hand.end);
	for (ask.id = 1; conns(hand.end); ask.id++) {
		expect_true(ask.id < 10000);
		say(hand.left, &ask);
		mpipr_progress(ep_of(hand.end)->domain, 0);
	}
	expect_true(ask.id > MPIPR_WIRE_ASKS);
	expect_eq(peer->answers, 0);
	expect_eq(fi_close(&own->fid), 0);
	part(&hand);
	free(there);
}

UNIT(provider__answer_that_nobody_asked)
{
	answers(0, 0, false);
}

UNIT(provider__answer_to_another_name)
{
	answers(0, 1ull << 32, true);
}

UNIT(provider__answer_before_all_is_there)
{
	answers(0, 0, true);
}

UNIT(provider__answer_with_no_error)
{
	answers(1ull << 31, 0, true);
}

/* No piece at all is to be read: that is a read all the same. */
UNIT(provider__read_of_nothing)
{
	uint8_t there = 0;
	int context;

	open_both();
	registered(&there, 1, FI_REMOTE_READ);
	expect_eq(fi_readv(one.ep, NULL, NULL, 0, one.peer, 0, KEY, &context),
		  0);
	ends_with(0, &context, FI_RMA | FI_READ);
	close_all();
}

/* It reads none of its completions, and the peer's access is done meanwhile. */
UNIT(provider__read_of_no_completion_makes_progress)
{
	struct fi_cq_tagged_entry entry;
	uint8_t there = 0, out = 9;
	int in;

	open_both();
	expect_eq(fi_cq_read(two.cq, NULL, 0), -FI_EAGAIN);
	registered(&there, 1, FI_REMOTE_WRITE);
	expect_eq(fi_trecv(two.ep, &in, sizeof(in), NULL, two.peer, 7, 0, &in),
		  0);
	expect_eq(fi_cancel(&two.ep->fid, &in), 0);
	expect_eq(write_at(&out, 1, 0), 0);
	for (int i = 0; i < 100000 && !there; i++)
		expect_eq(fi_cq_read(two.cq, NULL, 0), 0);
	expect_eq(there, 9);
	expect_eq(fi_cq_read(two.cq, &entry, 1), -FI_EAVAIL);
	ends_with(0, &out, FI_RMA | FI_WRITE);
	close_all();
}
