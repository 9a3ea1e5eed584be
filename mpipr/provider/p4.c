// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Packets as ch_p4 wrote them. */
#include <endian.h>
#include <string.h>

#include "p4.h"

/**
 * mpipr_p4_put() - write a packet's header
 * @to: MPIPR_P4_HEADER bytes
 * @body: bytes of its body
 */
void mpipr_p4_put(uint8_t *to, uint64_t body)
{
	const uint64_t le = htole64(body);

	memset(to, 0, MPIPR_P4_HEADER);
	memcpy(to, &le, sizeof(le));
}

/**
 * mpipr_p4_header() - whether a packet's header is next in the stream
 * @p4: reader
 * @to: set to where the header goes on
 *
 * Return: how many bytes of it are missing; 0 within a body.
 */
size_t mpipr_p4_header(struct mpipr_p4 *p4, uint8_t **to)
{
	*to = p4->header + p4->have;
	return p4->body ? 0 : MPIPR_P4_HEADER - p4->have;
}

/**
 * mpipr_p4_took() - bytes were read
 * @p4: reader
 * @bytes: how many, at most what is missing of the header or of the body
 */
void mpipr_p4_took(struct mpipr_p4 *p4, size_t bytes)
{
	uint64_t le;

	if (p4->body) {
		p4->body -= bytes;
		return;
	}
	p4->have += bytes;
	if (p4->have == MPIPR_P4_HEADER) {
		memcpy(&le, p4->header, sizeof(le));
		p4->body = le64toh(le);
		p4->have = 0;
	}
}
