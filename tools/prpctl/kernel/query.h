/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries: what nodes say of themselves when the kernel asks them over the
 * wire.
 */
#ifndef _PRPCTL_QUERY_H
#define _PRPCTL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/nl.h"

#define QUERY_HEAD 76 /* bytes of a frame besides its payload */
#define QUERY_SIZE_MAX 16384

/**
 * struct query - what is asked
 * @number: host that is asked
 * @rail: rail that the query goes out on, or -1 for the first that works
 * @size: bytes of payload
 * @back: bytes of payload that the reply is to have, at most @size
 * @port: port that is asked about, or 0
 * @low: first host of which a hash is asked for, or 0
 * @high: last one
 * @source: address of this machine if the port is asked about in the IP mode,
 *	16 bytes, or NULL
 * @dest: address of the host, likewise
 */
struct query {
	uint16_t number;
	int rail;
	uint16_t size;
	uint16_t back;
	uint16_t port;
	uint16_t low;
	uint16_t high;
	const uint8_t *source;
	const uint8_t *dest;
};

/**
 * struct reply - what a host says of itself
 * @rtt_ns: how long it took
 * @size: bytes of payload of the reply
 * @came: rail that the reply was sent on
 * @node: who replies, by its own host table; 0 if that does not have it
 * @knows: enum prp_knows
 * @port_state: enum prp_port_state
 * @has_mac: it came from @mac, which is not the host's
 * @mac: hardware address
 * @told: the host believes us and is whom we asked, so it told the rest
 * @table_hash: checksum of its host table
 * @high: last host that @lines is of
 * @lines: checksum of the hosts that were asked for
 * @rails: bit r: its host table gives it and us rail r
 * @up: of these, whose device is up and has a link
 * @mtu: largest frame that its rails to us carry, bytes
 */
struct reply {
	uint64_t rtt_ns;
	uint16_t size;
	uint8_t came;
	uint16_t node;
	uint8_t knows;
	uint8_t port_state;
	bool has_mac;
	uint8_t mac[6];
	bool told;
	uint32_t table_hash;
	uint16_t high;
	uint32_t lines;
	uint8_t rails;
	uint8_t up;
	uint16_t mtu;
};

/**
 * struct asked - a query and what came of it
 * @query: the query
 * @replied: @reply came
 * @reply: it
 * @err: negative errno if the query could not leave, else 0
 * @seq: number of the request
 * @tries: how often it was asked
 */
struct asked {
	struct query query;
	bool replied;
	struct reply reply;
	int err;
	unsigned int seq;
	unsigned int tries;
};

/* Something came of a query: with the number of its request a negative errno if
 * it could not leave, or else the reply; and what query_wait() was given.
 */
typedef void (*query_took)(unsigned int seq, int err, const struct reply *reply,
			   void *data);

int query_send(struct nl *nl, const struct query *query, unsigned int *seq);
int query_wait(struct nl *nl, int stop, int timeout_ms, query_took took,
	       void *data);
int query_all(struct nl *nl, struct asked *asked, size_t count,
	      unsigned int tries);

#endif /* _PRPCTL_QUERY_H */
