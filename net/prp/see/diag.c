// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets and connections as sock_diag dumps them, in the format of
 * include/uapi/linux/prp_diag.h: first all sockets of the namespace, then the
 * connections that no socket has. Nothing is changed here.
 *
 * There is no alias that loads the module for a dump, for the reason that
 * main.c gives: where it is not loaded there is nothing to see.
 */
#include <linux/module.h>
#include <linux/sock_diag.h>
#include <net/netlink.h>
#include <uapi/linux/prp_diag.h>

#include "inet/inet.h"
#include "see/diag.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/watch.h"

/**
 * struct diag_cursor - where a dump is, in netlink_callback.ctx
 * @sock: smallest prp_sock.id still to come
 * @conns: all sockets were looked at
 * @conn: where it is among the connections
 */
struct diag_cursor {
	unsigned long sock;
	bool conns;
	struct prp_conn_cursor conn;
};

/**
 * struct diag_entry - what is said of one socket or connection
 * @msg: fixed part
 * @info: PRP_DIAG_INFO
 * @silent: PRP_DIAG_SILENT, or -1 for none
 * @view: PRP_DIAG_LOCAL and PRP_DIAG_PEER, AF_UNSPEC for none
 */
struct diag_entry {
	struct prp_diag_msg msg;
	struct prp_info info;
	s64 silent;
	struct prp_inet_view view;
};

static bool diag_wants(const struct netlink_callback *cb, u8 state)
{
	const struct prp_diag_req *req = nlmsg_data(cb->nlh);

	return req->states & BIT(state);
}

/* An IP address, if there is one. Return: 0 or -EMSGSIZE. */
static int diag_put_ip(struct sk_buff *skb, int type,
		       const struct sockaddr_in6 *addr)
{
	switch (addr->sin6_family) {
	case AF_INET:
		return nla_put(skb, type, sizeof(struct sockaddr_in), addr);
	case AF_INET6:
		return nla_put(skb, type, sizeof(*addr), addr);
	}
	return 0;
}

/* One message. Return: 0, or -EMSGSIZE if there is no room for it. */
static int diag_put(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct diag_entry *entry)
{
	const struct prp_diag_req *req = nlmsg_data(cb->nlh);
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			SOCK_DIAG_BY_FAMILY, sizeof(entry->msg), NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	memcpy(nlmsg_data(nlh), &entry->msg, sizeof(entry->msg));
	if (req->show & PRP_DIAG_SHOW_INFO &&
	    nla_put_64bit(skb, PRP_DIAG_INFO, sizeof(entry->info), &entry->info,
			  PRP_DIAG_PAD))
		goto cancel;
	if (entry->silent >= 0 &&
	    nla_put_u32(skb, PRP_DIAG_SILENT, entry->silent))
		goto cancel;
	if (diag_put_ip(skb, PRP_DIAG_LOCAL, &entry->view.local) ||
	    diag_put_ip(skb, PRP_DIAG_PEER, &entry->view.peer))
		goto cancel;
	nlmsg_end(skb, nlh);
	return 0;

cancel:
	nlmsg_cancel(skb, nlh);
	return -EMSGSIZE;
}

static void diag_clear(struct diag_entry *entry, u8 state)
{
	memset(entry, 0, sizeof(*entry));
	entry->msg.pdiag_family = AF_PRP;
	entry->msg.pdiag_state = state;
	entry->info.prpi_state = state;
	entry->silent = -1;
}

/* The user's number of the owner, as the reader of the dump sees it. */
static u32 diag_uid(const struct netlink_callback *cb, const struct sock *sk)
{
	return from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk),
				READ_ONCE(prp_front(sk)->sk_uid));
}

/* What a connection itself says, with or without a socket. */
static void diag_fill_conn(struct diag_entry *entry,
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
static void diag_fill_ip(struct diag_entry *entry)
{
	entry->msg.pdiag_protocol = entry->view.protocol;
	entry->msg.pdiag_path = entry->view.path;
	entry->msg.pdiag_state = entry->view.state;
}

/* A socket, found in this RCU read section. Its state is told as it is when
 * it is looked for, so that it is one of those that are wanted. Return: 0 or
 * -EMSGSIZE.
 */
static int diag_put_sock(struct sk_buff *skb, struct netlink_callback *cb,
			 struct prp_sock *psk)
{
	bool ip = smp_load_acquire(&psk->inet); /* of its making */
	struct prp_net *pn = prp_net(sock_net(&psk->sk));
	u8 state = READ_ONCE(psk->sk.sk_state);
	struct sock *sk = &psk->sk;
	struct diag_entry entry;
	struct prp_conn *conn;

	diag_clear(&entry, state);
	if (ip) {
		prp_inet_addr_describe(psk, &entry.view);
		state = entry.view.state;
	}
	if (!diag_wants(cb, state))
		return 0;
	entry.msg.pdiag_flags = PRP_DIAG_SOCKET;
	if (sk->sk_type == SOCK_SEQPACKET)
		entry.msg.pdiag_flags |= PRP_DIAG_SEQPACKET;
	entry.msg.pdiag_uid = diag_uid(cb, sk);
	entry.msg.pdiag_inode = sock_i_ino(prp_front(sk));
	sock_diag_save_cookie(sk, entry.msg.pdiag_cookie);
	conn = rcu_dereference(psk->conn);
	if (conn) {
		spin_lock_bh(&conn->lock);
		diag_fill_conn(&entry, conn);
		entry.msg.pdiag_rqueue =
			min_t(u64, prp_sock_unread_bytes(psk, conn), U32_MAX);
		spin_unlock_bh(&conn->lock);
	} else {
		entry.msg.pdiag_node = cpu_to_be16(READ_ONCE(psk->addr));
		entry.msg.pdiag_port = cpu_to_be16(prp_port_number(pn, psk));
	}
	if (state == PRP_LISTEN) {
		entry.msg.pdiag_rqueue = READ_ONCE(psk->accept_count);
		entry.msg.pdiag_wqueue = READ_ONCE(sk->sk_max_ack_backlog);
	}
	if (ip)
		diag_fill_ip(&entry);
	return diag_put(skb, cb, &entry);
}

static int diag_dump_socks(struct sk_buff *skb, struct netlink_callback *cb,
			   struct prp_net *pn)
{
	struct diag_cursor *cursor = (void *)cb->ctx;
	struct prp_sock *psk;
	int err;

	for (;;) {
		rcu_read_lock();
		psk = xa_find(&pn->socks, &cursor->sock, ULONG_MAX, XA_PRESENT);
		err = psk ? diag_put_sock(skb, cb, psk) : 0;
		rcu_read_unlock();
		if (!psk || err)
			return err;
		cursor->sock++;
		cond_resched();
	}
}

/* A connection, found in this RCU read section. One that is neither in an
 * accept queue nor counted as an orphan has just been let go by its socket.
 * Return: 0 or -EMSGSIZE.
 */
static int diag_put_conn(struct sk_buff *skb, struct netlink_callback *cb,
			 struct prp_conn *conn)
{
	struct diag_entry entry;
	bool shown;

	spin_lock_bh(&conn->lock);
	shown = !conn->sk && conn->state != PRP_CLOSE &&
		diag_wants(cb, conn->state);
	if (shown) {
		diag_clear(&entry, conn->state);
		diag_fill_conn(&entry, conn);
	}
	if (shown && conn->ip) {
		prp_inet_addr_describe_conn(conn, &entry.view);
		diag_fill_ip(&entry);
	}
	if (shown && conn->child.listener) {
		entry.msg.pdiag_flags = PRP_DIAG_UNACCEPTED;
		entry.msg.pdiag_uid = diag_uid(cb, &conn->child.listener->sk);
		entry.msg.pdiag_rqueue = min_t(u64, conn->rx.bytes, U32_MAX);
	} else if (shown) {
		entry.msg.pdiag_flags = PRP_DIAG_ORPHAN;
	}
	if (shown && conn->messages)
		entry.msg.pdiag_flags |= PRP_DIAG_SEQPACKET;
	spin_unlock_bh(&conn->lock);
	return shown ? diag_put(skb, cb, &entry) : 0;
}

static int diag_dump_conns(struct sk_buff *skb, struct netlink_callback *cb,
			   struct prp_net *pn)
{
	struct diag_cursor *cursor = (void *)cb->ctx;
	struct prp_conn_cursor next;
	struct prp_conn *conn;
	int err;

	for (;;) {
		next = cursor->conn;
		rcu_read_lock();
		conn = prp_conn_next_rcu(pn, &next);
		err = conn ? diag_put_conn(skb, cb, conn) : 0;
		rcu_read_unlock();
		if (err)
			return err;
		cursor->conn = next;
		if (!conn)
			return 0;
		cond_resched();
	}
}

static int diag_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	struct diag_cursor *cursor = (void *)cb->ctx;
	int err = 0;

	BUILD_BUG_ON(sizeof(*cursor) > sizeof(cb->ctx));

	if (!cursor->conns)
		err = diag_dump_socks(skb, cb, pn);
	if (!err) {
		cursor->conns = true;
		err = diag_dump_conns(skb, cb, pn);
	}
	return skb->len ?: err;
}

static int diag_request(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	const struct prp_diag_req *req = nlmsg_data(nlh);
	struct netlink_dump_control control = { .dump = diag_dump };

	if (nlmsg_len(nlh) < sizeof(*req) || req->sdiag_protocol || req->pad ||
	    req->show & ~PRP_DIAG_SHOW_INFO)
		return -EINVAL;
	if (!(nlh->nlmsg_flags & NLM_F_DUMP))
		return -EOPNOTSUPP;
	return netlink_dump_start(sock_net(skb->sk)->diag_nlsk, skb, nlh,
				  &control);
}

static const struct sock_diag_handler diag_handler = {
	.owner = THIS_MODULE,
	.family = AF_PRP,
	.dump = diag_request,
};

/**
 * prp_diag_init() - answer to sock_diag
 *
 * Return: 0 or a negative errno.
 */
int prp_diag_init(void)
{
	return sock_diag_register(&diag_handler);
}

/**
 * prp_diag_exit() - do not answer any more; a dump that has begun keeps the
 * module
 */
void prp_diag_exit(void)
{
	sock_diag_unregister(&diag_handler);
}
