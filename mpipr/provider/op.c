// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Atomic operations on places in memory, which need not be aligned. Bits are
 * those of bytes; all else is done with the widest type of a class, which a sum
 * or a product of two narrower ones is rounded from as if it had been done with
 * them.
 */
#include <complex.h>
#include <stdint.h>
#include <string.h>

#include "op.h"

/* What can be done with values of a type */
enum family {
	SIGNED,
	UNSIGNED,
	REAL,
	LONG_REAL,
	COMPLEX,
	LONG_COMPLEX,
};

union value {
	int64_t i;
	uint64_t u;
	double d;
	long double l;
	double complex c;
	long double complex x;
};

static const struct {
	size_t size;
	enum family class;
} types[] = {
	[FI_INT8] = { sizeof(int8_t), SIGNED },
	[FI_UINT8] = { sizeof(uint8_t), UNSIGNED },
	[FI_INT16] = { sizeof(int16_t), SIGNED },
	[FI_UINT16] = { sizeof(uint16_t), UNSIGNED },
	[FI_INT32] = { sizeof(int32_t), SIGNED },
	[FI_UINT32] = { sizeof(uint32_t), UNSIGNED },
	[FI_INT64] = { sizeof(int64_t), SIGNED },
	[FI_UINT64] = { sizeof(uint64_t), UNSIGNED },
	[FI_FLOAT] = { sizeof(float), REAL },
	[FI_DOUBLE] = { sizeof(double), REAL },
	[FI_FLOAT_COMPLEX] = { sizeof(float complex), COMPLEX },
	[FI_DOUBLE_COMPLEX] = { sizeof(double complex), COMPLEX },
	[FI_LONG_DOUBLE] = { sizeof(long double), LONG_REAL },
	[FI_LONG_DOUBLE_COMPLEX] = { sizeof(long double complex),
				     LONG_COMPLEX },
};

#define TYPES (sizeof(types) / sizeof(*types))

#define BIT_OF(op) (1u << (op))

/* By kind */
static const uint32_t ops[] = {
	[MPIPR_OP_WRITE] = (BIT_OF(FI_BXOR + 1) - 1) | BIT_OF(FI_ATOMIC_WRITE),
	[MPIPR_OP_FETCH] = (BIT_OF(FI_BXOR + 1) - 1) | BIT_OF(FI_ATOMIC_WRITE) |
			   BIT_OF(FI_ATOMIC_READ),
	[MPIPR_OP_COMPARE] = BIT_OF(FI_CSWAP) | BIT_OF(FI_CSWAP_NE) |
			     BIT_OF(FI_CSWAP_LE) | BIT_OF(FI_CSWAP_LT) |
			     BIT_OF(FI_CSWAP_GE) | BIT_OF(FI_CSWAP_GT) |
			     BIT_OF(FI_MSWAP),
};

#define KINDS (sizeof(ops) / sizeof(*ops))

static const uint32_t of_integers = BIT_OF(FI_BOR) | BIT_OF(FI_BAND) |
				    BIT_OF(FI_BXOR) | BIT_OF(FI_MSWAP);
static const uint32_t of_ordered = BIT_OF(FI_MIN) | BIT_OF(FI_MAX) |
				   BIT_OF(FI_CSWAP_LE) | BIT_OF(FI_CSWAP_LT) |
				   BIT_OF(FI_CSWAP_GE) | BIT_OF(FI_CSWAP_GT);

/**
 * mpipr_op_size() - how large a value is
 * @type: enum fi_datatype, or any number
 *
 * Return: bytes; 0 if there is no such type here.
 */
size_t mpipr_op_size(unsigned int type)
{
	return type < TYPES ? types[type].size : 0;
}

/**
 * mpipr_op_is_valid() - whether there is an operation for a type
 * @kind: enum mpipr_op_kind, or any number
 * @type: enum fi_datatype, or any number
 * @op: enum fi_op, or any number
 *
 * Return: whether there is.
 */
bool mpipr_op_is_valid(unsigned int kind, unsigned int type, unsigned int op)
{
	enum family class;

	if (kind >= KINDS || type >= TYPES || op >= FI_ATOMIC_OP_LAST ||
	    !(ops[kind] & BIT_OF(op)))
		return false;
	class = types[type].class;
	return (class <= UNSIGNED || !(of_integers & BIT_OF(op))) &&
	       (class < COMPLEX || !(of_ordered & BIT_OF(op)));
}

/* What is in memory as @type becomes, or comes from, a field of a value. */
#define LOAD(type, field) \
	do { \
		type _it; \
\
		memcpy(&_it, at, sizeof(_it)); \
		value.field = _it; \
	} while (0)

#define STORE(type, field) \
	do { \
		type _it = value.field; \
\
		memcpy(at, &_it, sizeof(_it)); \
	} while (0)

static union value load(unsigned int type, const void *at)
{
	union value value;

	switch (type) {
	case FI_INT8:
		LOAD(int8_t, i);
		break;
	case FI_INT16:
		LOAD(int16_t, i);
		break;
	case FI_INT32:
		LOAD(int32_t, i);
		break;
	case FI_UINT8:
		LOAD(uint8_t, u);
		break;
	case FI_UINT16:
		LOAD(uint16_t, u);
		break;
	case FI_UINT32:
		LOAD(uint32_t, u);
		break;
	case FI_FLOAT:
		LOAD(float, d);
		break;
	case FI_DOUBLE:
		LOAD(double, d);
		break;
	case FI_LONG_DOUBLE:
		LOAD(long double, l);
		break;
	case FI_FLOAT_COMPLEX:
		LOAD(float complex, c);
		break;
	case FI_DOUBLE_COMPLEX:
		LOAD(double complex, c);
		break;
	case FI_LONG_DOUBLE_COMPLEX:
		LOAD(long double complex, x);
		break;
	default:
		LOAD(uint64_t, u);
		break;
	}
	return value;
}

static void store(unsigned int type, void *at, union value value)
{
	switch (type) {
	case FI_INT8:
	case FI_UINT8:
		STORE(uint8_t, u);
		break;
	case FI_INT16:
	case FI_UINT16:
		STORE(uint16_t, u);
		break;
	case FI_INT32:
	case FI_UINT32:
		STORE(uint32_t, u);
		break;
	case FI_FLOAT:
		STORE(float, d);
		break;
	case FI_DOUBLE:
		STORE(double, d);
		break;
	case FI_LONG_DOUBLE:
		STORE(long double, l);
		break;
	case FI_FLOAT_COMPLEX:
		STORE(float complex, c);
		break;
	case FI_DOUBLE_COMPLEX:
		STORE(double complex, c);
		break;
	case FI_LONG_DOUBLE_COMPLEX:
		STORE(long double complex, x);
		break;
	default:
		STORE(uint64_t, u);
		break;
	}
}

static bool is_less(enum family class, union value a, union value b)
{
	switch (class) {
	case SIGNED:
		return a.i < b.i;
	case UNSIGNED:
		return a.u < b.u;
	case REAL:
		return a.d < b.d;
	case LONG_REAL:
		return a.l < b.l;
	default:
		return false;
	}
}

static bool is_same(enum family class, union value a, union value b)
{
	switch (class) {
	case REAL:
		return a.d == b.d;
	case LONG_REAL:
		return a.l == b.l;
	case COMPLEX:
		return a.c == b.c;
	case LONG_COMPLEX:
		return a.x == b.x;
	default:
		return a.u == b.u;
	}
}

static union value number(enum family class, bool one)
{
	union value value = { .u = 0 };

	switch (class) {
	case REAL:
		value.d = one;
		break;
	case LONG_REAL:
		value.l = one;
		break;
	case COMPLEX:
		value.c = one;
		break;
	case LONG_COMPLEX:
		value.x = one;
		break;
	default:
		value.u = one;
		break;
	}
	return value;
}

/* Signed or not, the bits are the same. */
static union value add(enum family class, union value a, union value b)
{
	switch (class) {
	case REAL:
		a.d += b.d;
		break;
	case LONG_REAL:
		a.l += b.l;
		break;
	case COMPLEX:
		a.c += b.c;
		break;
	case LONG_COMPLEX:
		a.x += b.x;
		break;
	default:
		a.u += b.u;
		break;
	}
	return a;
}

static union value multiply(enum family class, union value a, union value b)
{
	switch (class) {
	case REAL:
		a.d *= b.d;
		break;
	case LONG_REAL:
		a.l *= b.l;
		break;
	case COMPLEX:
		a.c *= b.c;
		break;
	case LONG_COMPLEX:
		a.x *= b.x;
		break;
	default:
		a.u *= b.u;
		break;
	}
	return a;
}

static union value logic(enum family class, unsigned int op, union value a,
			 union value b)
{
	const union value zero = number(class, false);
	const bool first = !is_same(class, a, zero);
	const bool second = !is_same(class, b, zero);

	switch (op) {
	case FI_LOR:
		return number(class, first || second);
	case FI_LAND:
		return number(class, first && second);
	default:
		return number(class, first != second);
	}
}

/* Whether the operand takes the place of what is there */
static bool takes_place(enum family class, unsigned int op, union value there,
			union value with, union value compare)
{
	switch (op) {
	case FI_MIN:
		return is_less(class, with, there);
	case FI_MAX:
		return is_less(class, there, with);
	case FI_CSWAP:
		return is_same(class, compare, there);
	case FI_CSWAP_NE:
		return !is_same(class, compare, there);
	case FI_CSWAP_LE:
		return is_less(class, compare, there) ||
		       is_same(class, compare, there);
	case FI_CSWAP_LT:
		return is_less(class, compare, there);
	case FI_CSWAP_GE:
		return is_less(class, there, compare) ||
		       is_same(class, compare, there);
	case FI_CSWAP_GT:
		return is_less(class, there, compare);
	default:
		return op == FI_ATOMIC_WRITE;
	}
}

static void do_value(unsigned int type, unsigned int op, void *at,
		     const void *with, const void *compare)
{
	const enum family class = types[type].class;
	const union value there = load(type, at), b = load(type, with);

	switch (op) {
	case FI_SUM:
		store(type, at, add(class, there, b));
		break;
	case FI_PROD:
		store(type, at, multiply(class, there, b));
		break;
	case FI_LOR:
	case FI_LAND:
	case FI_LXOR:
		store(type, at, logic(class, op, there, b));
		break;
	default:
		if (takes_place(class, op, there, b,
				load(type, compare ? compare : with)))
			memcpy(at, with, types[type].size);
		break;
	}
}

static void do_bits(unsigned int op, uint8_t *at, const uint8_t *with,
		    const uint8_t *mask, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (op == FI_BOR)
			at[i] |= with[i];
		else if (op == FI_BAND)
			at[i] &= with[i];
		else if (op == FI_BXOR)
			at[i] ^= with[i];
		else
			at[i] = (with[i] & mask[i]) | (at[i] & ~mask[i]);
	}
}

/**
 * mpipr_op_do() - do an operation on places in memory
 * @type: enum fi_datatype
 * @op: enum fi_op; valid for it, other than FI_ATOMIC_READ
 * @at: the places
 * @with: operands
 * @compare: with what compares, what to compare with
 * @count: how many of each
 */
void mpipr_op_do(unsigned int type, unsigned int op, void *at, const void *with,
		 const void *compare, size_t count)
{
	const size_t size = types[type].size;
	size_t i;

	if (of_integers & BIT_OF(op)) {
		do_bits(op, at, with, compare, size * count);
		return;
	}
	for (i = 0; i < size * count; i += size)
		do_value(type, op, (uint8_t *)at + i, (const uint8_t *)with + i,
			 compare ? (const uint8_t *)compare + i : NULL);
}
