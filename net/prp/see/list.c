// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets and connections, one after the other, for who tells of them:
 * sock_diag and /proc. Nothing is changed here, and nothing is held between
 * two: both orders are those of the objects, so that what is there all the
 * time is told once.
 */
#include <linux/sock_diag.h>
#include <net/sock.h>

#include "inet/inet.h"
#include "net.h"
#include "see/list.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/watch.h"

static void list_clear(struct prp_list_entry *entry, u8 state)
{
	memset(entry, 0, sizeof(*entry));
	entry->msg.pdiag_family = AF_PRP;
	entry->msg.pdiag_state = state;
	entry->info.prpi_state = state;
	entry->uid = GLOBAL_ROOT_UID;
	entry->silent = -1;
}

/* What a connection itself says, with or without a socket. */
static void list_fill_conn(struct prp_list_entry *entry,
			   const struct prp_conn *conn)
{
	struct prp_diag_msg *msg = &entry->msg;

	lockdep_assert_held(&conn->lock);
	msg->pdiag_path = PRP_PATH_PRP;
	msg->pdiag_node = cpu_to_be16(conn->self);
	msg->pdiag_port = cpu_to_be16(conn->key.lport);
	msg->pdiag_peer_node = cpu_to_be16(conn->key.peer);
	msg->pdiag_peer_port = cpu_to_be16(conn->key.rport);
	msg->pdiag_wqueue =
		min_t(u64, __prp_account_unacked(conn, false), U32_MAX);
	__prp_account_info(conn, &entry->info);
	entry->silent = __prp_watch_silent_ms(conn);
}

/* What the IP mode says, after all else was. */
static void list_fill_ip(struct prp_list_entry *entry)
{
	entry->msg.pdiag_protocol = entry->view.protocol;
	entry->msg.pdiag_path = entry->view.path;
	entry->msg.pdiag_state = entry->view.state;
}

/* A socket, which socks_lock keeps from going. Its state is told as it is when
 * it is looked for, so that it is one of those that are wanted. Return: whether
 * it is.
 */
static bool list_sock(struct prp_net *pn, struct prp_sock *psk, u32 states,
		      struct prp_list_entry *entry)
{
	bool ip = smp_load_acquire(&psk->inet); /* of its making */
	u8 state = READ_ONCE(psk->sk.sk_state);
	struct sock *sk = &psk->sk;
	struct prp_conn *conn;

	list_clear(entry, state);
	if (ip) {
		prp_inet_addr_describe(psk, &entry->view);
		state = entry->view.state;
	}
	if (!(states & BIT(state)))
		return false;
	entry->msg.pdiag_flags = PRP_DIAG_SOCKET;
	if (sk->sk_type == SOCK_SEQPACKET)
		entry->msg.pdiag_flags |= PRP_DIAG_SEQPACKET;
	entry->uid = READ_ONCE(prp_front(sk)->sk_uid);
	entry->refs = refcount_read(&prp_front(sk)->sk_refcnt);
	entry->msg.pdiag_inode = sock_i_ino(prp_front(sk));
	sock_diag_save_cookie(prp_front(sk), entry->msg.pdiag_cookie);
	conn = rcu_dereference(psk->conn);
	if (conn) {
		spin_lock_bh(&conn->lock);
		list_fill_conn(entry, conn);
		entry->msg.pdiag_rqueue =
			min_t(u64, prp_sock_unread_bytes(psk, conn), U32_MAX);
		spin_unlock_bh(&conn->lock);
	} else {
		entry->msg.pdiag_node = cpu_to_be16(READ_ONCE(psk->addr));
		entry->msg.pdiag_port = cpu_to_be16(prp_port_number(pn, psk));
	}
	if (state == PRP_LISTEN) {
		entry->msg.pdiag_rqueue = prp_sock_waiting(psk);
		entry->msg.pdiag_wqueue = READ_ONCE(sk->sk_max_ack_backlog);
	}
	if (ip)
		list_fill_ip(entry);
	return true;
}

/* A connection, found in this RCU read section. One that is neither in an
 * accept queue nor counted as an orphan has just been let go by its socket.
 * Return: whether it is one of those that are wanted.
 */
static bool list_conn(struct prp_conn *conn, u32 states,
		      struct prp_list_entry *entry)
{
	bool shown;

	spin_lock_bh(&conn->lock);
	shown = !conn->sk && conn->state != PRP_CLOSE &&
		states & BIT(conn->state);
	if (shown) {
		list_clear(entry, conn->state);
		list_fill_conn(entry, conn);
	}
	if (shown && conn->ip) {
		prp_inet_addr_describe_conn(conn, &entry->view);
		list_fill_ip(entry);
	}
	if (shown && conn->child.listener) {
		entry->msg.pdiag_flags = PRP_DIAG_UNACCEPTED;
		entry->uid =
			READ_ONCE(prp_front(&conn->child.listener->sk)->sk_uid);
		entry->msg.pdiag_rqueue = min_t(u64, conn->rx.bytes, U32_MAX);
	} else if (shown) {
		entry->msg.pdiag_flags = PRP_DIAG_ORPHAN;
	}
	if (shown && conn->messages)
		entry->msg.pdiag_flags |= PRP_DIAG_SEQPACKET;
	spin_unlock_bh(&conn->lock);
	return shown;
}

/* The next socket, which is the newest of those that are older, or NULL. */
static struct prp_sock *list_find_sock(const struct prp_net *pn,
				       struct prp_list_cursor *cursor)
{
	struct rb_node *node = pn->socks.rb_node;
	struct prp_sock *psk, *found = NULL;

	lockdep_assert_held(&pn->socks_lock);
	while (node) {
		psk = rb_entry(node, struct prp_sock, list_node);
		if (cursor->sock && psk->id >= cursor->sock) {
			node = node->rb_left;
		} else {
			found = psk;
			node = node->rb_right;
		}
	}
	if (found)
		cursor->sock = found->id;
	return found;
}

static bool list_next_sock(struct prp_net *pn, struct prp_list_cursor *cursor,
			   u32 states, struct prp_list_entry *entry)
{
	struct prp_sock *psk;
	bool shown;

	do {
		cond_resched();
		rcu_read_lock();
		spin_lock(&pn->socks_lock);
		psk = list_find_sock(pn, cursor);
		shown = psk && list_sock(pn, psk, states, entry);
		spin_unlock(&pn->socks_lock);
		rcu_read_unlock();
	} while (psk && !shown);
	return shown;
}

static bool list_next_conn(struct prp_net *pn, struct prp_list_cursor *cursor,
			   u32 states, struct prp_list_entry *entry)
{
	struct prp_conn *conn;
	bool shown;

	do {
		cond_resched();
		rcu_read_lock();
		conn = prp_conn_table_next_rcu(pn, &cursor->conn);
		shown = conn && list_conn(conn, states, entry);
		rcu_read_unlock();
	} while (conn && !shown);
	return shown;
}

/**
 * prp_list_next() - the next socket or connection of a namespace
 * @pn: namespace; the caller may sleep
 * @cursor: how far he has come, moved on
 * @states: bit s: those in state s
 * @entry: filled in
 *
 * Return: false if there are no more.
 */
bool prp_list_next(struct prp_net *pn, struct prp_list_cursor *cursor,
		   u32 states, struct prp_list_entry *entry)
{
	if (!cursor->conns && list_next_sock(pn, cursor, states, entry))
		return true;
	cursor->conns = true;
	return list_next_conn(pn, cursor, states, entry);
}
