/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Sockets and connections as sock_diag lists them: a dump of
 * SOCK_DIAG_BY_FAMILY with sdiag_family AF_PRP. Every user sees all of his
 * network namespace. What changes hands while it is dumped, between a
 * listener, a socket and nobody, may be told twice or not at all; all else
 * is told once.
 */
#ifndef _UAPI_LINUX_PRP_DIAG_H
#define _UAPI_LINUX_PRP_DIAG_H

#include <linux/types.h>
#include <linux/prp.h>

/**
 * struct prp_diag_req - which are wanted
 * @sdiag_family: AF_PRP
 * @sdiag_protocol: must be 0
 * @pad: must be 0
 * @states: bit s: those in state s, as 1 << PRP_ESTABLISHED
 * @show: PRP_DIAG_SHOW_* of what is to come along
 */
struct prp_diag_req {
	__u8 sdiag_family;
	__u8 sdiag_protocol;
	__u16 pad;
	__u32 states;
	__u32 show;
};

#define PRP_DIAG_SHOW_INFO 1 /* PRP_DIAG_INFO */

/* prp_diag_msg.pdiag_protocol: what addresses are */
#define PRP_DIAG_NATIVE 0 /* struct sockaddr_prp */
#define PRP_DIAG_INET 4 /* the IP mode: struct sockaddr_in */
#define PRP_DIAG_INET6 6 /* the IP mode: struct sockaddr_in6 */

/* prp_diag_msg.flags */
#define PRP_DIAG_ORPHAN 1 /* its socket was closed, it delivers */
#define PRP_DIAG_UNACCEPTED 2 /* waits for accept() */
#define PRP_DIAG_SOCKET 4 /* a program holds it */
#define PRP_DIAG_SEQPACKET 8 /* SOCK_SEQPACKET, not SOCK_STREAM */

/**
 * struct prp_diag_msg - a socket, or a connection that no socket has
 * @pdiag_family: AF_PRP
 * @pdiag_state: PRP_CLOSE, PRP_CONN_WAIT, PRP_LISTEN or PRP_ESTABLISHED; of
 *	a socket that TCP carries the state of that, as in tcp_states.h
 * @pdiag_protocol: PRP_DIAG_NATIVE, PRP_DIAG_INET or PRP_DIAG_INET6
 * @pdiag_path: PRP_PATH_NONE, PRP_PATH_PRP or PRP_PATH_TCP
 * @pdiag_flags: PRP_DIAG_ORPHAN and so on
 * @pdiag_node: our node, network byte order like the next three, 0 is any
 * @pdiag_port: our port
 * @pdiag_peer_node: the other node
 * @pdiag_peer_port: its port
 * @pdiag_uid: owner; of what waits for accept() the listener's, of an orphan 0
 * @pdiag_inode: inode of the socket, 0 if there is none
 * @pdiag_rqueue: bytes not read yet; of a listener children that wait
 * @pdiag_wqueue: bytes not acknowledged yet; of a listener its backlog; both
 *	0 where TCP carries the connection, of which `ss` tells
 * @pdiag_cookie: of the socket, unique in this boot; 0 of a connection that
 *	has none, which its two ends tell from all others
 */
struct prp_diag_msg {
	__u8 pdiag_family;
	__u8 pdiag_state;
	__u8 pdiag_protocol;
	__u8 pdiag_path;
	__u32 pdiag_flags;
	__be16 pdiag_node;
	__be16 pdiag_port;
	__be16 pdiag_peer_node;
	__be16 pdiag_peer_port;
	__u32 pdiag_uid;
	__u32 pdiag_inode;
	__u32 pdiag_rqueue;
	__u32 pdiag_wqueue;
	__u32 pdiag_cookie[2];
};

/* Attributes that follow. They are aligned to 4 bytes only: copy PRP_DIAG_INFO
 * before use.
 */
enum {
	PRP_DIAG_NONE,
	PRP_DIAG_INFO, /* struct prp_info */
	PRP_DIAG_LOCAL, /* sockaddr_in or sockaddr_in6, IP mode only */
	PRP_DIAG_PEER, /* the same of the other end */
	/* __u32: ms for which what was sent has had no answer; absent if
	 * nothing waits for one
	 */
	PRP_DIAG_SILENT,
	PRP_DIAG_PAD, /* nothing */
	__PRP_DIAG_MAX
};

#define PRP_DIAG_MAX (__PRP_DIAG_MAX - 1)

#endif /* _UAPI_LINUX_PRP_DIAG_H */
