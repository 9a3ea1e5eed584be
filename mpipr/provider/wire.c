// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The header between this machine's byte order and the wire's. */
#include <endian.h>
#include <string.h>

#include "wire.h"

/**
 * mpipr_wire_put() - write a header
 * @wire: header; its version need not be set
 * @to: MPIPR_WIRE_HEADER bytes
 */
void mpipr_wire_put(const struct mpipr_wire *wire, uint8_t *to)
{
	const struct mpipr_wire le = {
		.version = MPIPR_WIRE_VERSION,
		.type = wire->type,
		.flags = htole16(wire->flags),
		.credit = htole32(wire->credit),
		.len = htole64(wire->len),
		.tag = htole64(wire->tag),
		.data = htole64(wire->data),
		.id = htole64(wire->id),
		.peer_id = htole64(wire->peer_id),
	};

	memcpy(to, &le, sizeof(le));
}

/**
 * mpipr_wire_get() - read a header
 * @wire: header
 * @from: MPIPR_WIRE_HEADER bytes, from whoever
 *
 * Return: whether it is one: version, type and flags are known, an eager
 *	message, or operands, are no longer than may be, and no more credit
 *	comes than there is.
 */
bool mpipr_wire_get(struct mpipr_wire *wire, const uint8_t *from)
{
	memcpy(wire, from, sizeof(*wire));
	wire->flags = le16toh(wire->flags);
	wire->credit = le32toh(wire->credit);
	wire->len = le64toh(wire->len);
	wire->tag = le64toh(wire->tag);
	wire->data = le64toh(wire->data);
	wire->id = le64toh(wire->id);
	wire->peer_id = le64toh(wire->peer_id);
	return wire->version == MPIPR_WIRE_VERSION &&
	       wire->type >= MPIPR_WIRE_HELLO &&
	       wire->type <= MPIPR_WIRE_ANSWER &&
	       !(wire->flags & ~MPIPR_WIRE_FLAGS) &&
	       wire->credit <= MPIPR_WIRE_CREDIT &&
	       (wire->type != MPIPR_WIRE_EAGER ||
		wire->len <= MPIPR_WIRE_EAGER_MAX) &&
	       (wire->type != MPIPR_WIRE_ATOMIC ||
		wire->len <= 2 * MPIPR_WIRE_OPERANDS);
}

/**
 * mpipr_wire_op_put() - write an atomic operation
 * @op: operation
 *
 * Return: the field data.
 */
uint64_t mpipr_wire_op_put(const struct mpipr_wire_op *op)
{
	return (uint64_t)op->count << 32 | op->kind << 16 | op->type << 8 |
	       op->op;
}

/**
 * mpipr_wire_op_get() - read an atomic operation
 * @data: the field data, from whoever
 *
 * Return: the operation, whatever it may be.
 */
struct mpipr_wire_op mpipr_wire_op_get(uint64_t data)
{
	return (struct mpipr_wire_op){
		.op = data,
		.type = data >> 8,
		.kind = data >> 16,
		.count = data >> 32,
	};
}
