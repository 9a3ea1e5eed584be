// SPDX-License-Identifier: GPL-2.0
/*
 * Puts the two ends of a connection into cells, or words, and objects.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/ends.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "show/out.h"

#define END_LEN (PRPHOSTS_NAME_LEN + 64)

/* What people see of an end */
struct end {
	char text[END_LEN + 8];
};

/* An IP address without its port */
static const char *print_address(const union diag_address *address,
				 char text[INET6_ADDRSTRLEN])
{
	const void *ip = address->family == AF_INET6 ?
				 (const void *)&address->in6.sin6_addr :
				 (const void *)&address->in.sin_addr;

	return inet_ntop(address->family, ip, text, INET6_ADDRSTRLEN);
}

/* In the IP mode what the program sees */
static struct end end_of(const struct table *table, bool numeric, uint16_t node,
			 uint16_t port, const union diag_address *address)
{
	char text[INET6_ADDRSTRLEN], who[END_LEN], what[8] = "*";
	struct end end;

	if (address->family == AF_INET6)
		snprintf(who, sizeof(who), "[%s]",
			 print_address(address, text));
	else if (address->family)
		snprintf(who, sizeof(who), "%s", print_address(address, text));
	else if (node && (numeric || !table_node(table, node)))
		snprintf(who, sizeof(who), "%u", node);
	else
		snprintf(who, sizeof(who), "%s",
			 node ? table_name(table, node) : "*");
	/* sin_port and sin6_port are in one place. */
	if (address->family)
		port = ntohs(address->in.sin_port);
	if (port)
		snprintf(what, sizeof(what), "%u", port);
	snprintf(end.text, sizeof(end.text), "%s:%s", who, what);
	return end;
}

static void show_object(const struct table *table, const char *key,
			uint16_t node, uint16_t port,
			const union diag_address *address)
{
	char text[INET6_ADDRSTRLEN];

	out_object(key);
	out_number("node", node, OUT_JSON_ONLY);
	if (table_node(table, node))
		out_string("name", table_name(table, node), OUT_JSON_ONLY);
	else
		out_null("name");
	out_number("port", port, OUT_JSON_ONLY);
	if (address->family) {
		out_string("ip", print_address(address, text), OUT_JSON_ONLY);
		out_number("ip_port", ntohs(address->in.sin_port),
			   OUT_JSON_ONLY);
	} else {
		out_null("ip");
		out_null("ip_port");
	}
	out_end();
}

static struct end local_of(const struct table *table, bool numeric,
			   const struct diag_socket *socket)
{
	return end_of(table, numeric, ntohs(socket->msg.pdiag_node),
		      ntohs(socket->msg.pdiag_port), &socket->local);
}

static struct end peer_of(const struct table *table, bool numeric,
			  const struct diag_socket *socket)
{
	return end_of(table, numeric, ntohs(socket->msg.pdiag_peer_node),
		      ntohs(socket->msg.pdiag_peer_port), &socket->peer);
}

static void show_objects(const struct table *table,
			 const struct diag_socket *socket)
{
	const struct prp_diag_msg *msg = &socket->msg;

	show_object(table, "local", ntohs(msg->pdiag_node),
		    ntohs(msg->pdiag_port), &socket->local);
	show_object(table, "peer", ntohs(msg->pdiag_peer_node),
		    ntohs(msg->pdiag_peer_port), &socket->peer);
}

/**
 * ends_show() - put both ends of a socket into two cells and two objects
 * @table: the hosts
 * @numeric: numbers, not names, of hosts in the cells
 * @socket: the socket
 */
void ends_show(const struct table *table, bool numeric,
	       const struct diag_socket *socket)
{
	out_cell("%s", local_of(table, numeric, socket).text);
	out_cell("%s", peer_of(table, numeric, socket).text);
	show_objects(table, socket);
}

/**
 * ends_say() - put both ends of a socket into words and two objects
 * @table: the hosts
 * @socket: the socket
 */
void ends_say(const struct table *table, const struct diag_socket *socket)
{
	out_text("%s %s", local_of(table, false, socket).text,
		 peer_of(table, false, socket).text);
	show_objects(table, socket);
}
