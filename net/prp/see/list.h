/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets and connections of a namespace, one after the other: first all
 * sockets, then the connections that no socket has.
 */
#ifndef _PRP_LIST_H
#define _PRP_LIST_H

#include <linux/uidgid.h>
#include <uapi/linux/prp_diag.h>

#include "inet/inet.h"
#include "transport/conn_table.h"

struct prp_net;

/**
 * struct prp_list_cursor - how far somebody has come; all zeroes to begin
 * @sock: prp_sock.id of the last socket, 0 if there was none yet
 * @conns: all sockets were looked at
 * @conn: where it is among the connections
 */
struct prp_list_cursor {
	u64 sock;
	bool conns;
	struct prp_conn_cursor conn;
};

/**
 * struct prp_list_entry - what is said of one socket or connection
 * @msg: as sock_diag says it, but for the user, who is 0
 * @uid: the user
 * @info: PRP_DIAG_INFO
 * @silent: PRP_DIAG_SILENT, or -1 for none
 * @view: PRP_DIAG_LOCAL and PRP_DIAG_PEER, AF_UNSPEC for none
 * @refs: references to the socket, 0 if there is none
 */
struct prp_list_entry {
	struct prp_diag_msg msg;
	kuid_t uid;
	struct prp_info info;
	s64 silent;
	struct prp_inet_view view;
	unsigned int refs;
};

bool prp_list_next(struct prp_net *pn, struct prp_list_cursor *cursor,
		   u32 states, struct prp_list_entry *entry);

#endif /* _PRP_LIST_H */
