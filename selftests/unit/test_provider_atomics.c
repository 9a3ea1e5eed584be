// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: atomic operations on peers' memory. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "provider_hand.h"

enum { MOST = MPIPR_WIRE_OPERANDS / sizeof(uint32_t) };

static void open_with(void *at, size_t len)
{
	open_both();
	registered(at, len, FI_REMOTE_READ | FI_REMOTE_WRITE);
}

UNIT(provider__atomic_sum)
{
	static const size_t counts[] = { 1, 2, 1000, MOST };
	uint32_t *there = calloc(MOST + 1, 4), *with = calloc(MOST, 4);

	open_with(there, 4 * MOST + 4);
	for (size_t i = 0; i < MOST; i++)
		with[i] = i;
	for (int i = 0; i < 4; i++) {
		memset(there, 1, 4 * MOST + 4);
		expect_eq(fi_atomic(one.ep, with, counts[i], NULL, one.peer, 4,
				    KEY, FI_UINT32, FI_SUM, with),
			  0);
		ends_with(0, with, FI_ATOMIC | FI_WRITE);
		expect_eq(there[0], 0x01010101);
		for (size_t k = 0; k < MOST; k++)
			expect_eq(there[k + 1],
				  0x01010101 + (k < counts[i] ? k : 0));
	}
	expect_eq(fi_atomic(one.ep, with, MOST + 1, NULL, one.peer, 0, KEY,
			    FI_UINT32, FI_SUM, with),
		  -FI_EMSGSIZE);
	close_all();
	free(there);
	free(with);
}

/* Many, whose operands change at once: each one gets another number. */
UNIT(provider__atomic_fetch)
{
	enum { COUNT = 500 };
	uint64_t there = 7, step, was[COUNT];
	struct fi_cq_tagged_entry entry;

	open_with(&there, sizeof(there));
	for (int i = 0; i < COUNT; i++) {
		step = i;
		expect_eq(fi_fetch_atomic(one.ep, &step, 1, NULL, &was[i], NULL,
					  one.peer, 0, KEY, FI_UINT64, FI_SUM,
					  &was[i]),
			  0);
	}
	for (int i = 0; i < COUNT; i++)
		ends_with(0, &was[i], FI_ATOMIC | FI_READ);
	for (int i = 0; i < COUNT; i++)
		expect_eq(was[i], 7 + i * (i - 1) / 2);
	expect_eq(there, 7 + COUNT * (COUNT - 1) / 2);
	expect_eq(fi_fetch_atomic(one.ep, NULL, 1, NULL, was, NULL, one.peer, 0,
				  KEY, FI_UINT64, FI_ATOMIC_READ, was),
		  0);
	ends_with(0, was, FI_ATOMIC | FI_READ);
	expect_eq(was[0], there);
	expect_eq(fi_inject_atomic(one.ep, &step, 1, one.peer, 0, KEY,
				   FI_UINT64, FI_ATOMIC_WRITE),
		  0);
	while (there != step)
		mpipr_progress(ep_of(&two)->domain, 0);
	settle();
	expect_eq(fi_cntr_read(one.accesses), COUNT + 2);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_all();
}

UNIT(provider__atomic_compare)
{
	uint32_t *there = calloc(MOST, 4), *with = calloc(MOST, 4);
	uint32_t *compare = calloc(MOST, 4), *was = calloc(MOST, 4);
	const struct fi_ioc from[] = { { with, 1 }, { with + 1, MOST - 1 } };
	const struct fi_ioc with_what[] = { { compare, MOST } };
	struct fi_ioc to[] = { { was, 10 }, { was + 10, MOST - 10 } };

	open_with(there, 4 * MOST);
	for (size_t i = 0; i < MOST; i++) {
		there[i] = i;
		with[i] = 100000 + i;
		compare[i] = i % 2 ? i : 99;
	}
	expect_eq(fi_compare_atomicv(one.ep, from, NULL, 2, with_what, NULL, 1,
				     to, NULL, 2, one.peer, 0, KEY, FI_UINT32,
				     FI_CSWAP, was),
		  0);
	ends_with(0, was, FI_ATOMIC | FI_READ);
	for (size_t i = 0; i < MOST; i++) {
		expect_eq(was[i], i);
		expect_eq(there[i], i % 2 ? 100000 + i : i);
	}
	to[1].count--;
	expect_eq(fi_compare_atomicv(one.ep, from, NULL, 2, with_what, NULL, 1,
				     to, NULL, 2, one.peer, 0, KEY, FI_UINT32,
				     FI_CSWAP, was),
		  -FI_EINVAL);
	close_all();
	free(there);
	free(with);
	free(compare);
	free(was);
}

UNIT(provider__atomic_messages)
{
	int64_t there[2] = { 5, -5 }, with[2] = { -9, 9 }, was[2];
	const struct fi_ioc from = { with, 2 };
	struct fi_ioc to = { was, 2 };
	struct fi_rma_ioc place = { 0, 2, KEY };
	struct fi_msg_atomic msg = {
		.msg_iov = &from,
		.iov_count = 1,
		.rma_iov = &place,
		.rma_iov_count = 1,
		.datatype = FI_INT64,
		.op = FI_MIN,
		.context = with,
	};

	open_with(there, sizeof(there));
	msg.addr = one.peer;
	expect_eq(fi_fetch_atomicmsg(one.ep, &msg, &to, NULL, 1, FI_COMPLETION),
		  0);
	ends_with(0, with, FI_ATOMIC | FI_READ);
	expect_eq(was[0], 5);
	expect_eq(was[1], -5);
	expect_eq(there[0], -9);
	expect_eq(there[1], -5);
	msg.op = FI_MAX;
	expect_eq(fi_atomicmsg(one.ep, &msg, FI_COMPLETION), 0);
	ends_with(0, with, FI_ATOMIC | FI_WRITE);
	expect_eq(there[1], 9);
	expect_eq(fi_atomicmsg(one.ep, &msg, FI_REMOTE_CQ_DATA), -FI_EBADFLAGS);
	place.count = 1;
	expect_eq(fi_atomicmsg(one.ep, &msg, 0), -FI_EINVAL);
	msg.rma_iov_count = 0;
	expect_eq(fi_atomicmsg(one.ep, &msg, 0), -FI_EINVAL);
	close_all();
}

static void refused(uint64_t at, uint64_t key, int err)
{
	uint64_t with = 1, was = 2;

	expect_eq(fi_atomic(one.ep, &with, 1, NULL, one.peer, at, key,
			    FI_UINT64, FI_SUM, &with),
		  0);
	ends_with(err, &with, 0);
	expect_eq(fi_fetch_atomic(one.ep, &with, 1, NULL, &was, NULL, one.peer,
				  at, key, FI_UINT64, FI_SUM, &was),
		  0);
	ends_with(err, &was, 0);
	expect_eq(was, 2);
	expect_eq(fi_inject_atomic(one.ep, &with, 1, one.peer, at, key,
				   FI_UINT64, FI_SUM),
		  0);
	ends_with(err, &one, 0);
}

UNIT(provider__refused_atomic)
{
	uint64_t there = 3, was;

	open_with(&there, sizeof(there));
	refused(0, KEY + 1, FI_EKEYREJECTED);
	refused(1, KEY, FI_EFAULT);
	refused(UINT64_MAX, KEY, FI_EFAULT);
	expect_eq(fi_cntr_readerr(one.accesses), 9);
	expect_eq(fi_close(&mr->fid), 0);
	registered(&there, sizeof(there), FI_REMOTE_READ);
	refused(0, KEY, FI_EACCES);
	expect_eq(fi_fetch_atomic(one.ep, NULL, 1, NULL, &was, NULL, one.peer,
				  0, KEY, FI_UINT64, FI_ATOMIC_READ, &was),
		  0);
	ends_with(0, &was, FI_ATOMIC | FI_READ);
	expect_eq(was, 3);
	expect_eq(there, 3);
	close_all();
}

UNIT(provider__atomics_that_there_are)
{
	struct fi_atomic_attr attr;
	uint64_t word = 0;
	size_t count;

	open_with(&word, sizeof(word));
	expect_eq(fi_atomicvalid(one.ep, FI_UINT64, FI_SUM, &count), 0);
	expect_eq(count, MPIPR_WIRE_OPERANDS / 8);
	expect_eq(fi_fetch_atomicvalid(one.ep, FI_INT8, FI_ATOMIC_READ, &count),
		  0);
	expect_eq(count, MPIPR_WIRE_OPERANDS);
	expect_eq(fi_compare_atomicvalid(one.ep, FI_LONG_DOUBLE_COMPLEX,
					 FI_CSWAP, &count),
		  0);
	expect_eq(count, MPIPR_WIRE_OPERANDS / 32);
	expect_eq(fi_atomicvalid(one.ep, FI_UINT64, FI_CSWAP, &count),
		  -FI_EOPNOTSUPP);
	expect_eq(fi_atomicvalid(one.ep, FI_VOID, FI_SUM, &count),
		  -FI_EOPNOTSUPP);
	expect_eq(fi_query_atomic(one.domain, FI_FLOAT, FI_MIN, &attr, 0), 0);
	expect_eq(attr.size, 4);
	expect_eq(attr.count, MPIPR_WIRE_OPERANDS / 4);
	expect_eq(fi_query_atomic(one.domain, FI_FLOAT, FI_BOR, &attr,
				  FI_FETCH_ATOMIC),
		  -FI_EOPNOTSUPP);
	expect_eq(fi_query_atomic(one.domain, FI_FLOAT, FI_CSWAP_LT, &attr,
				  FI_COMPARE_ATOMIC),
		  0);
	expect_eq(fi_query_atomic(one.domain, FI_FLOAT, FI_SUM, &attr,
				  FI_TAGGED),
		  -FI_EBADFLAGS);
	expect_eq(fi_atomic(one.ep, &word, 1, NULL, one.peer, 0, KEY, FI_FLOAT,
			    FI_BXOR, NULL),
		  -FI_EOPNOTSUPP);
	close_all();
}

/* What is no operation at all ends the connection of who says it. */
static void no_operation(uint8_t op, uint8_t type, uint8_t kind, uint32_t count,
			 uint64_t len)
{
	const struct mpipr_wire_op what = { op, type, kind, count };
	struct mpipr_wire wire = { .type = MPIPR_WIRE_ATOMIC,
				   .len = len,
				   .id = 1,
				   .peer_id = KEY,
				   .data = mpipr_wire_op_put(&what) };
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST);
	say(hand.left, &wire);
	while (conns(hand.end))
		mpipr_progress(ep_of(hand.end)->domain, 0);
	part(&hand);
}

UNIT(provider__what_is_no_atomic)
{
	const uint32_t many = MPIPR_WIRE_OPERANDS + 1;

	no_operation(FI_SUM, FI_INT32, MPIPR_OP_WRITE, 2, 4);
	no_operation(FI_SUM, FI_INT32, 3, 1, 4);
	no_operation(FI_SUM, 14, MPIPR_OP_WRITE, 0, 0);
	no_operation(200, FI_INT32, MPIPR_OP_WRITE, 1, 4);
	no_operation(FI_CSWAP, FI_INT32, MPIPR_OP_COMPARE, 1, 4);
	no_operation(FI_ATOMIC_READ, FI_INT32, MPIPR_OP_FETCH, UINT32_MAX, 0);
	no_operation(FI_SUM, FI_UINT8, MPIPR_OP_WRITE, many, many);
}

/* Operands that do not all come are forgotten with who sent them. */
UNIT(provider__peer_dies_amid_operands)
{
	const struct mpipr_wire_op op = { FI_SUM, FI_UINT8, 0, 1000 };
	struct mpipr_wire wire = { .type = MPIPR_WIRE_ATOMIC,
				   .len = 1000,
				   .id = 1,
				   .peer_id = KEY,
				   .data = mpipr_wire_op_put(&op) };
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST);
	say(hand.left, &wire);
	for (int i = 0; i < 100; i++)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_eq(conns(hand.end), 1);
	part(&hand);
}

#define DO(kind, type, c_type, op, there, with, compare) \
	({ \
		c_type _at = (there), _with = (with), _compare = (compare); \
		const unsigned int _type = (type), _op = (op); \
\
		expect_true(mpipr_op_is_valid(kind, _type, _op)); \
		expect_eq(mpipr_op_size(_type), sizeof(_at)); \
		mpipr_op_do(_type, _op, &_at, &_with, &_compare, 1); \
		_at; \
	})

#define WRITE(type, c_type, op, there, with) \
	DO(MPIPR_OP_WRITE, type, c_type, op, there, with, 0)
#define SWAP(type, c_type, op, there, with, compare) \
	DO(MPIPR_OP_COMPARE, type, c_type, op, there, with, compare)

UNIT(prp_op__of_integers)
{
	expect_eq(WRITE(FI_INT8, int8_t, FI_SUM, 127, 1), -128);
	expect_eq(WRITE(FI_UINT8, uint8_t, FI_SUM, 255, 1), 0);
	expect_eq(WRITE(FI_INT16, int16_t, FI_PROD, -3, 5), -15);
	expect_eq(WRITE(FI_INT16, int16_t, FI_MIN, -3, 5), -3);
	expect_eq(WRITE(FI_UINT16, uint16_t, FI_MIN, 0xfffd, 5), 5);
	expect_eq(WRITE(FI_INT32, int32_t, FI_MAX, -3, -5), -3);
	expect_eq(WRITE(FI_UINT32, uint32_t, FI_MAX, 3, 1u << 31), 1u << 31);
	expect_true(WRITE(FI_INT64, int64_t, FI_MIN, 1, INT64_MIN) ==
		    INT64_MIN);
	expect_true(WRITE(FI_UINT64, uint64_t, FI_PROD, 1ull << 63, 2) == 0);
	expect_eq(WRITE(FI_INT32, int32_t, FI_LOR, 0, -8), 1);
	expect_eq(WRITE(FI_INT32, int32_t, FI_LAND, 4, 0), 0);
	expect_eq(WRITE(FI_INT32, int32_t, FI_LAND, 4, 256), 1);
	expect_eq(WRITE(FI_INT32, int32_t, FI_LXOR, 4, 8), 0);
	expect_eq(WRITE(FI_UINT16, uint16_t, FI_BOR, 0x1200, 0x34), 0x1234);
	expect_eq(WRITE(FI_UINT16, uint16_t, FI_BAND, 0x1234, 0xff), 0x34);
	expect_eq(WRITE(FI_UINT16, uint16_t, FI_BXOR, 0x1234, 0xffff), 0xedcb);
	expect_eq(WRITE(FI_UINT16, uint16_t, FI_ATOMIC_WRITE, 1, 2), 2);
	expect_eq(SWAP(FI_UINT16, uint16_t, FI_MSWAP, 0x1234, 0xabcd, 0xff0),
		  0x1bc4);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_LT, 0, 9, -1), 9);
	expect_eq(SWAP(FI_UINT8, uint8_t, FI_CSWAP_LT, 0, 9, 255), 0);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_LE, 5, 9, 5), 9);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_GE, 5, 9, 5), 9);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_GT, 5, 9, 5), 5);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_GT, 5, 9, 6), 9);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP, 5, 9, 6), 5);
	expect_eq(SWAP(FI_INT8, int8_t, FI_CSWAP_NE, 5, 9, 6), 9);
}

UNIT(prp_op__of_others)
{
	const double nan = __builtin_nan("");

	expect_true(WRITE(FI_FLOAT, float, FI_SUM, 0.1f, 0.2f) == 0.1f + 0.2f);
	expect_true(WRITE(FI_DOUBLE, double, FI_PROD, 0.1, 0.3) == 0.1 * 0.3);
	expect_true(WRITE(FI_DOUBLE, double, FI_LXOR, 0.0, -0.5) == 1.0);
	expect_true(WRITE(FI_DOUBLE, double, FI_MIN, 1.0, nan) == 1.0);
	expect_true(SWAP(FI_DOUBLE, double, FI_CSWAP_LE, 1.0, 2.0, nan) == 1.0);
	expect_true(SWAP(FI_DOUBLE, double, FI_CSWAP_NE, 1.0, 2.0, nan) == 2.0);
	expect_true(WRITE(FI_LONG_DOUBLE, long double, FI_MAX, 1.5L, 1.25L) ==
		    1.5L);
	expect_true(WRITE(FI_LONG_DOUBLE, long double, FI_SUM, 1.5L, 1.25L) ==
		    2.75L);
	expect_true(WRITE(FI_FLOAT_COMPLEX, float complex, FI_PROD, I, I) ==
		    -1);
	expect_true(WRITE(FI_DOUBLE_COMPLEX, double complex, FI_SUM, 1 + I,
			  I) == 1 + 2 * I);
	expect_true(SWAP(FI_DOUBLE_COMPLEX, double complex, FI_CSWAP, 1 + I, 7,
			 1 + I) == 7);
	expect_true(WRITE(FI_LONG_DOUBLE_COMPLEX, long double complex, FI_LAND,
			  I, 0) == 0);
	expect_eq(mpipr_op_is_valid(MPIPR_OP_FETCH, FI_FLOAT_COMPLEX, FI_MIN),
		  false);
	expect_true(!mpipr_op_is_valid(MPIPR_OP_COMPARE, FI_DOUBLE_COMPLEX,
				       FI_CSWAP_GT));
	expect_true(!mpipr_op_is_valid(MPIPR_OP_COMPARE, FI_DOUBLE, FI_MSWAP));
	expect_eq(mpipr_op_size(FI_DATATYPE_LAST), 0);
}
