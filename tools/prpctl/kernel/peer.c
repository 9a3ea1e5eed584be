// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the kernel what it knows of other hosts.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

static void take_rail(const struct nlattr *nest, struct peer *peer)
{
	struct peer_rail rail = { .left_ms = -1, .back_ms = -1 };
	const struct nlattr *attr;
	unsigned int number = PEER_RAILS;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case PRP_A_PEER_RAIL_NUMBER:
			number = mnl_attr_get_u8(attr);
			break;
		case PRP_A_PEER_RAIL_WHY:
			rail.why = mnl_attr_get_u8(attr);
			break;
		case PRP_A_PEER_RAIL_LEFT_AGE:
			rail.left_ms = mnl_attr_get_u32(attr);
			break;
		case PRP_A_PEER_RAIL_BACK_AGE:
			rail.back_ms = mnl_attr_get_u32(attr);
			break;
		case PRP_A_PEER_RAIL_TIMES:
			rail.times = mnl_attr_get_u32(attr);
			break;
		case PRP_A_PEER_RAIL_SIZE:
			rail.size = mnl_attr_get_u16(attr);
			break;
		case PRP_A_PEER_RAIL_SIZE_AGE:
			rail.size_ms = mnl_attr_get_u32(attr);
			break;
		}
	}
	if (number < PEER_RAILS)
		peer->rail[number] = rail;
}

static void take_attr(const struct nlattr *attr, struct peer *peer)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_PEER_NUMBER:
		peer->number = mnl_attr_get_u16(attr);
		break;
	case PRP_A_PEER_HEARD:
		peer->heard_ms = mnl_attr_get_u32(attr);
		break;
	case PRP_A_PEER_TABLE_HASH:
		peer->table_hash = mnl_attr_get_u32(attr);
		break;
	case PRP_A_PEER_TABLE_DIFFERS:
		peer->table_differs = true;
		break;
	case PRP_A_PEER_VERSION_LOW:
		peer->version_low = mnl_attr_get_u8(attr);
		break;
	case PRP_A_PEER_VERSION_HIGH:
		peer->version_high = mnl_attr_get_u8(attr);
		break;
	case PRP_A_PEER_CONNS:
		peer->conns = mnl_attr_get_u32(attr);
		break;
	case PRP_A_PEER_SILENT:
		peer->silent_ms = mnl_attr_get_u32(attr);
		break;
	case PRP_A_PEER_ERROR:
		peer->error = mnl_attr_get_u8(attr);
		break;
	case PRP_A_PEER_ERROR_NODE:
		peer->error_node = mnl_attr_get_u16(attr);
		break;
	case PRP_A_PEER_ERROR_AGE:
		peer->error_ms = mnl_attr_get_u32(attr);
		break;
	case PRP_A_PEER_LACKS:
		peer->lacks = mnl_attr_get_u16(attr);
		break;
	case PRP_A_PEER_RAIL:
		take_rail(attr, peer);
		break;
	case PRP_A_PEER_COUNTER:
		if (peer->counters < PEER_COUNTERS &&
		    counter_take(attr, &peer->counter[peer->counters]))
			peer->counters++;
		break;
	}
}

/**
 * peer_clear() - know nothing of a host
 * @peer: filled in
 * @number: number of the host
 */
void peer_clear(struct peer *peer, uint16_t number)
{
	*peer = (struct peer){
		.number = number,
		.heard_ms = -1,
		.table_hash = -1,
		.version_low = -1,
		.version_high = -1,
		.silent_ms = -1,
		.error = -1,
		.error_node = -1,
		.error_ms = -1,
	};
}

/**
 * peer_take() - read what is known of a host
 * @nlh: message that tells of it
 * @peer: filled in
 */
void peer_take(const struct nlmsghdr *nlh, struct peer *peer)
{
	const struct nlattr *attr;

	peer_clear(peer, 0);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(attr, peer);
}

static int take_one(const struct nlmsghdr *nlh, void *data)
{
	peer_take(nlh, data);
	return 0;
}

/**
 * peer_fetch() - get what is known of a host
 * @nl: socket
 * @number: its number
 * @peer: filled in
 *
 * Return: 0 or a negative errno.
 */
int peer_fetch(struct nl *nl, uint16_t number, struct peer *peer)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	peer_clear(peer, number);
	nlh = nl_request_genl(nl, buffer, PRP_CMD_PEER_GET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_PEER_NUMBER, number);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_one, peer);
}

static int take_more(const struct nlmsghdr *nlh, void *data)
{
	struct peers *peers = data;
	struct peer *bigger;

	if (peers->count == peers->room) {
		peers->room = peers->room ? peers->room * 2 : 64;
		bigger =
			reallocarray(peers->peer, peers->room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		peers->peer = bigger;
	}
	peer_take(nlh, &peers->peer[peers->count++]);
	return 0;
}

/**
 * peer_fetch_all() - get what is known of all hosts
 * @nl: socket
 * @peers: filled in; free @peers->peer whatever this returns
 *
 * Return: 0 or a negative errno.
 */
int peer_fetch_all(struct nl *nl, struct peers *peers)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	memset(peers, 0, sizeof(*peers));
	nlh = nl_request_genl(nl, buffer, PRP_CMD_PEER_GET, NLM_F_DUMP);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_more, peers);
}

/**
 * peer_rails_left() - how often a rail to a host was left
 * @peer: what is known of the host
 *
 * Return: the sum over all rails.
 */
uint64_t peer_rails_left(const struct peer *peer)
{
	uint64_t times = 0;
	unsigned int r;

	for (r = 0; r < PEER_RAILS; r++)
		times += peer->rail[r].times;
	return times;
}

/**
 * peer_error() - what a forwarder last said of the way to a host
 * @peer: what is known of the host
 *
 * Return: a few words, or NULL if none said anything.
 */
const char *peer_error(const struct peer *peer)
{
	switch (peer->error) {
	case PEER_NO_ROUTE:
		return "no route";
	case PEER_HOP_LIMIT:
		return "hop limit";
	case PEER_TOO_BIG:
		return "too big";
	default:
		return NULL;
	}
}

/**
 * peer_rail_why() - why a rail to a host was left
 * @rail: what is known of the rail
 *
 * Return: a word or two.
 */
const char *peer_rail_why(const struct peer_rail *rail)
{
	switch (rail->why) {
	case PRP_LEFT_CARRIER:
		return "no link";
	case PRP_LEFT_SILENT:
		return "silent";
	case PRP_LEFT_TOLD:
		return "left there";
	default:
		return "unknown";
	}
}

/* Features by bit, as prp-protocol.rst names them */
static const char *const features[16] = { "checksum", "crowd" };

/**
 * peer_lacks() - features that one end must have and the other does not know
 * @peer: what is known of the host
 * @buffer: room for PEER_FEATURES_LEN bytes
 *
 * Return: their names, and bits where there is none, with commas, in @buffer;
 * or NULL if there are none.
 */
const char *peer_lacks(const struct peer *peer, char *buffer)
{
	size_t len = 0;

	for (int bit = 0; bit < 16; bit++) {
		if (!(peer->lacks >> bit & 1))
			continue;
		if (len)
			len += snprintf(buffer + len, PEER_FEATURES_LEN - len,
					", ");
		len += features[bit] ?
			       snprintf(buffer + len, PEER_FEATURES_LEN - len,
					"%s", features[bit]) :
			       snprintf(buffer + len, PEER_FEATURES_LEN - len,
					"bit %d", bit);
	}
	return len ? buffer : NULL;
}
