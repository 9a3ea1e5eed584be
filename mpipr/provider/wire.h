/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What goes over a connection: messages, each a header of 48 bytes and then
 * its payload. 48 is the header of the first MPIPR (Parma, 1997), which sent
 * it in one write with the data.
 *
 * Pure: no sockets, no libfabric. The fields on the wire are little endian.
 */
#ifndef MPIPR_WIRE_H
#define MPIPR_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define MPIPR_WIRE_VERSION 3
#define MPIPR_WIRE_HEADER 48 /* bytes */

/*
 * Each end lets the other one send so many bytes that nobody waits for; a
 * message costs its payload and MPIPR_WIRE_COST. What was taken is given back
 * by the credit field of any message.
 */
#define MPIPR_WIRE_CREDIT (1u << 20)
#define MPIPR_WIRE_COST 256

/* Largest payload of an eager message: it must not need all of the credit. */
#define MPIPR_WIRE_EAGER_MAX (MPIPR_WIRE_CREDIT / 4)

/*
 * Accesses to the other end's memory that are not answered yet, at most: so
 * many answers each end may have to keep.
 */
#define MPIPR_WIRE_ASKS 1024

/*
 * Messages of a peer that wait to be wanted, at most: as many as two endpoints
 * offer, who is at its address and who was there before.
 */
#define MPIPR_WIRE_OFFERS 131072

/* Operands of an atomic operation, at most, bytes */
#define MPIPR_WIRE_OPERANDS 16384

/**
 * enum mpipr_wire_type - what a message is
 * @MPIPR_WIRE_HELLO: first one of both; tag and data are the address, id is the
 *	session: another one than before means that who was there before is
 *	gone; len and peer_id are the secret of the job, 0 if it has none
 * @MPIPR_WIRE_MOVED: last one on a connection that crossed another one
 * @MPIPR_WIRE_AWAIT: the next one of who moved here: what it sent before comes
 *	with the other connection, up to MPIPR_WIRE_MOVED
 * @MPIPR_WIRE_EAGER: a message with its payload
 * @MPIPR_WIRE_REQUEST: a message whose payload waits for MPIPR_WIRE_READY; id
 *	is the sender's name for it
 * @MPIPR_WIRE_READY: len bytes of message peer_id are wanted as id
 * @MPIPR_WIRE_DATA: len of these bytes, peer_id is what the receiver called id;
 *	they come in order
 * @MPIPR_WIRE_GRANT: nothing but credit
 * @MPIPR_WIRE_BYE: the sender ends in peace; nothing follows
 * @MPIPR_WIRE_WRITE: len bytes for the memory with the key peer_id, from its
 *	byte tag on; id is the sender's name for it
 * @MPIPR_WIRE_READ: len bytes of such memory are wanted as id; they come as
 *	MPIPR_WIRE_DATA
 * @MPIPR_WIRE_ATOMIC: what data says is to be done with such memory, with the
 *	operands, and what to compare with, that are its len bytes; what was
 *	there before comes as MPIPR_WIRE_DATA, if it is wanted
 * @MPIPR_WIRE_ANSWER: what was called peer_id is done, or data, an error of
 *	libfabric's, is why not
 */
enum mpipr_wire_type {
	MPIPR_WIRE_HELLO = 1,
	MPIPR_WIRE_MOVED,
	MPIPR_WIRE_AWAIT,
	MPIPR_WIRE_EAGER,
	MPIPR_WIRE_REQUEST,
	MPIPR_WIRE_READY,
	MPIPR_WIRE_DATA,
	MPIPR_WIRE_GRANT,
	MPIPR_WIRE_BYE,
	MPIPR_WIRE_WRITE,
	MPIPR_WIRE_READ,
	MPIPR_WIRE_ATOMIC,
	MPIPR_WIRE_ANSWER,
};

#define MPIPR_WIRE_TAGGED 0x1 /* tag is valid */
#define MPIPR_WIRE_CQ_DATA 0x2 /* data is valid */
#define MPIPR_WIRE_FLAGS (MPIPR_WIRE_TAGGED | MPIPR_WIRE_CQ_DATA)

/**
 * struct mpipr_wire - a header, in the byte order of this machine
 * @version: MPIPR_WIRE_VERSION
 * @type: enum mpipr_wire_type
 * @flags: MPIPR_WIRE_TAGGED, MPIPR_WIRE_CQ_DATA
 * @credit: bytes that the sender of this gives back
 * @len: bytes of the message; of eager messages, data, writes and atomic
 *	operations they follow
 * @tag: for matching, or the place in memory
 * @data: what the sender gave for the receiver's completion
 * @id: the sender's name for the transfer
 * @peer_id: the receiver's name for it, or for its memory
 */
struct mpipr_wire {
	uint8_t version;
	uint8_t type;
	uint16_t flags;
	uint32_t credit;
	uint64_t len;
	uint64_t tag;
	uint64_t data;
	uint64_t id;
	uint64_t peer_id;
};

_Static_assert(sizeof(struct mpipr_wire) == MPIPR_WIRE_HEADER,
	       "the header is what goes over the wire");

/**
 * struct mpipr_wire_op - an atomic operation, as the field data has it
 * @op: enum fi_op
 * @type: enum fi_datatype
 * @kind: enum mpipr_op_kind
 * @count: values
 */
struct mpipr_wire_op {
	uint8_t op;
	uint8_t type;
	uint8_t kind;
	uint32_t count;
};

uint64_t mpipr_wire_op_put(const struct mpipr_wire_op *op);
struct mpipr_wire_op mpipr_wire_op_get(uint64_t data);
void mpipr_wire_put(const struct mpipr_wire *wire, uint8_t *to);
bool mpipr_wire_get(struct mpipr_wire *wire, const uint8_t *from);

/**
 * mpipr_wire_cost() - what an eager message takes of the credit
 * @len: bytes of its payload
 *
 * Return: bytes.
 */
static inline uint64_t mpipr_wire_cost(uint64_t len)
{
	return len + MPIPR_WIRE_COST;
}

#endif
