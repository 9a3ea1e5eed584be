// SPDX-License-Identifier: GPL-2.0
/*
 * From a program's message to segments. A message is queued as a whole or
 * not at all. It begins in the last queued segment if that has room and was
 * not sent yet: many short messages then leave in one frame.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "socket/send.h"
#include "socket/seqpacket.h"
#include "socket/zerocopy.h"
#include "transport/account.h"
#include "transport/output.h"

/* What becomes of the first slot that was filled */
enum message_head {
	HEAD_NEW, /* a segment of its own */
	HEAD_GOES_ON, /* more of the message that the last segment is of */
	HEAD_FOLLOWS, /* a message, behind its length, behind another one */
};

/**
 * struct message_fill - slots filled with a message, not yet queued
 * @count: how many
 * @bytes: payload in them
 * @head: what becomes of the first one
 */
struct message_fill {
	unsigned int count;
	u32 bytes;
	enum message_head head;
};

/* Slots that a message may need at most; a page that ends cuts one short. */
static u64 message_slots(size_t len, u32 size)
{
	return len / min_t(u32, size, PAGE_SIZE) + 2;
}

/* Room for the message's first bytes in the last queued segment, and what
 * they would be there. Its own length takes part of that room, and so does
 * the extension that says that there is more than one.
 */
static u32 message_tail_room(struct prp_sock *psk, const struct prp_conn *conn,
			     u32 size, enum message_head *head)
{
	const u32 more = PRP_MESSAGE_LEN + sizeof(struct prp_ext_messages);
	u32 room = prp_send_tail_room(psk, conn, size);
	const struct prp_tx_seg *tail;

	*head = HEAD_NEW;
	if (!room)
		return 0;
	tail = prp_conn_seg(conn, conn->tx.end - 1);
	if (!(tail->flags & PRP_F_EOM)) {
		/* its length would have to be written again */
		if (!tail->ends)
			*head = HEAD_GOES_ON;
		return tail->ends ? 0 : room;
	}
	if (room <= more)
		return 0;
	*head = HEAD_FOLLOWS;
	return room - more;
}

/* A slot with the length of a message before it. Return: 0 or -EFAULT. */
static noinline int message_follow(struct prp_sock *psk, struct prp_conn *conn,
				   struct msghdr *msg, u32 len)
{
	struct prp_tx_seg *seg = prp_conn_seg(conn, conn->tx.end);
	struct page_frag *frag = sk_page_frag(psk->front);
	void *at = page_address(frag->page) + frag->offset;

	prp_wire_put_len(at, len);
	/* there is room for that: see message_tail_room() */
	if (_copy_from_iter(at + PRP_MESSAGE_LEN, len, &msg->msg_iter) != len)
		return -EFAULT;
	get_page(frag->page);
	seg->page = frag->page;
	seg->offset = frag->offset;
	seg->len = len + PRP_MESSAGE_LEN;
	seg->ends = 0;
	seg->flags = 0;
	frag->offset += seg->len;
	return 0;
}

/* Fill slots with a message of which size bytes fit into a segment. */
static int message_fill(struct prp_sock *psk, struct prp_conn *conn,
			struct msghdr *msg, u32 size, struct message_fill *fill)
{
	u32 left = msg_data_left(msg);
	u32 room = message_tail_room(psk, conn, size, &fill->head);
	int got;

	fill->count = 0;
	fill->bytes = 0;
	if (unlikely(fill->head == HEAD_FOLLOWS)) {
		got = message_follow(psk, conn, msg, min(left, room));
		if (got) {
			prp_send_drop(conn, 0);
			return got;
		}
		fill->count = 1;
		fill->bytes = min(left, room) + PRP_MESSAGE_LEN;
		left -= min(left, room);
	}
	while (left) {
		bool goes_on = !fill->count && fill->head == HEAD_GOES_ON;
		u32 first = goes_on ? min(left, room) : size;

		got = prp_send_copy(psk, conn, msg, fill->count, left, first,
				    size, true);
		if (got < 0) {
			prp_send_drop(conn, fill->count);
			return got;
		}
		fill->count += prp_send_count(got, first, size);
		fill->bytes += got;
		left -= got;
	}
	if (unlikely(!fill->count)) { /* a message without a byte */
		memset(prp_conn_seg(conn, conn->tx.end), 0,
		       sizeof(struct prp_tx_seg));
		fill->head = HEAD_NEW;
		fill->count = 1;
	}
	return 0;
}

/* Make the first slot part of the last queued segment, or a segment of its
 * own if that one has been sent meanwhile.
 */
static noinline void message_merge(struct prp_conn *conn,
				   struct message_fill *fill)
{
	struct prp_tx_seg *tail = prp_conn_seg(conn, conn->tx.end - 1);
	struct prp_tx_seg *seg = prp_conn_seg(conn, conn->tx.end);
	unsigned int i;

	lockdep_assert_held(&conn->lock);
	if (conn->snd.nxt == conn->tx.end) {
		if (fill->head == HEAD_FOLLOWS) {
			seg->offset += PRP_MESSAGE_LEN;
			seg->len -= PRP_MESSAGE_LEN;
			fill->bytes -= PRP_MESSAGE_LEN;
		}
		return;
	}
	if (fill->head == HEAD_FOLLOWS && !tail->ends)
		tail->ends = tail->len + 1;
	tail->len += seg->len;
	tail->flags &= ~PRP_F_EOM;
	put_page(seg->page);
	for (i = 1; i < fill->count; i++)
		*prp_conn_seg(conn, conn->tx.end + i - 1) =
			*prp_conn_seg(conn, conn->tx.end + i);
	fill->count--;
	prp_conn_seg(conn, conn->tx.end + fill->count)->page = NULL;
}

/* May what was filled be queued? */
static int message_may_queue(struct prp_conn *conn,
			     const struct message_fill *fill)
{
	u32 need = fill->bytes + fill->count * PRP_SEG_OVERHEAD;

	if (conn->state != PRP_ESTABLISHED || conn->end_queued)
		return -EPIPE;
	return __prp_account_charge_tx(conn, need) ? 0 : -ENOBUFS;
}

/* Queue what was filled and send what may be sent. Return: 0; -EPIPE if the
 * connection has ended meanwhile; -ENOBUFS if the pool is used up now.
 */
static int message_commit(struct sock *sk, struct prp_conn *conn,
			  struct message_fill *fill, bool ends)
{
	int err;

	spin_lock_bh(&conn->lock);
	err = message_may_queue(conn, fill);
	if (err) {
		spin_unlock_bh(&conn->lock);
		prp_send_drop(conn, fill->count);
		return err;
	}
	if (unlikely(fill->head != HEAD_NEW))
		message_merge(conn, fill);
	conn->tx.bytes += fill->bytes + fill->count * PRP_SEG_OVERHEAD;
	WRITE_ONCE(conn->tx.end, conn->tx.end + fill->count);
	WRITE_ONCE(conn->tx.queued, conn->tx.queued + fill->bytes);
	if (ends)
		prp_conn_seg(conn, conn->tx.end - 1)->flags |= PRP_F_EOM;
	prp_send_queued(sk, conn, ends ? 0 : MSG_MORE);
	return 0;
}

/* May that much be copied? It is charged when it is queued. */
static bool message_may_charge(struct prp_sock *psk, struct prp_conn *conn,
			       u32 bytes)
{
	bool ok = READ_ONCE(conn->tx.bytes) + bytes <= PRP_MEM_RESERVE ||
		  !prp_account_tx_lacks(conn, bytes);

	if (unlikely(!ok)) {
		spin_lock_bh(&conn->lock);
		ok = __prp_account_charge_tx(conn, bytes);
		spin_unlock_bh(&conn->lock);
	}
	/* prp_starve_is_fed() asks for it */
	if (unlikely(psk->tx_refused) || unlikely(!ok))
		WRITE_ONCE(psk->tx_refused, ok ? 0 : bytes);
	return ok;
}

/* Queue a message once there is room for it. Return: 0, or a negative errno
 * with nothing of it queued.
 */
static int message_send(struct sock *sk, struct prp_conn *conn,
			struct msghdr *msg, size_t len, long timeo)
{
	bool ends = !(msg->msg_flags & (MSG_MORE | PRP_COMPAT_MSG_NOTLAST)) ||
		    msg->msg_flags & MSG_EOR;
	struct prp_sock *psk = prp_sk(sk);
	struct message_fill fill;
	u32 size, need;
	bool starved;
	u64 slots;
	int err;

	for (;;) {
		struct prp_zerocopy zc = { .copied = true };

		err = prp_send_error(sk, conn);
		if (err || (!len && !ends))
			return err;
		size = READ_ONCE(conn->path.size);
		slots = message_slots(len, size);
		if (len > prp_sndbuf(sk) || slots > PRP_TXQ / 2)
			return -EMSGSIZE;
		starved = prp_send_room(sk, conn, slots);
		need = len + slots * PRP_SEG_OVERHEAD;
		if (starved && message_may_charge(psk, conn, need)) {
			err = prp_zerocopy_begin(sk, conn, msg, &zc);
			if (!err && prp_tx_slots_fill(conn, slots,
						      prp_sock_gfp(sk)) < slots)
				err = -ENOBUFS;
			if (err)
				prp_send_drop(conn, 0);
			else
				err = message_fill(psk, conn, msg, size, &fill);
			if (err) {
				prp_zerocopy_end(&zc, false);
				return err;
			}
			err = message_commit(sk, conn, &fill, ends);
			if (unlikely(zc.told))
				prp_zerocopy_end(&zc, !err);
			if (err != -ENOBUFS)
				return err;
			iov_iter_revert(&msg->msg_iter, len);
			WRITE_ONCE(psk->tx_refused, need);
		}
		err = prp_send_wait(sk, conn, slots, starved, &timeo);
		if (err)
			return err;
	}
}

/**
 * prp_seqpacket_send() - sendmsg() and its relatives on SOCK_SEQPACKET
 * @sock: socket
 * @msg: MSG_DONTWAIT, MSG_MORE, MSG_EOR and MSG_NOSIGNAL are known
 * @len: bytes
 *
 * A call sends a message, or with MSG_MORE and without MSG_EOR a part of
 * one, which the next call goes on with.
 *
 * Return: @len, or a negative errno with nothing sent: EMSGSIZE if the
 * message is larger than SO_SNDBUF or than half of the segments that may be
 * queued, EAGAIN, EPIPE, EFAULT, EINTR, ENOBUFS, EOPNOTSUPP, or the reason
 * why the connection ended.
 */
int prp_seqpacket_send(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	long timeo;
	int err;

	err = prp_send_begin(sk, msg, &conn, &timeo);
	if (unlikely(err))
		return err;
	err = message_send(sk, conn, msg, len, timeo);
	prp_sock_unlock_tx(psk);
	if (!err)
		return len;
	smp_rmb(); /* pairs with prp_wake_changed(): the end, then why */
	return sk_stream_error(prp_front(sk), msg->msg_flags, err);
}

/* End the message that is being sent, whatever the buffer and the pool hold:
 * nobody else will.
 */
static void message_end(struct sock *sk, struct prp_conn *conn)
{
	prp_tx_slots_fill(conn, 1, GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	spin_lock_bh(&conn->lock);
	if (conn->state != PRP_ESTABLISHED || conn->end_queued) {
		spin_unlock_bh(&conn->lock);
		prp_send_drop(conn, 0);
		return;
	}
	__prp_output_put_end(conn, PRP_F_EOM);
	prp_send_queued(sk, conn, 0);
}

/**
 * prp_seqpacket_splice_eof() - a file is shorter than sendfile() was told
 * @sock: socket; what was sent of it is the message
 *
 * It cannot fail: another writer is waited for, as the file was, also by who
 * may not wait for room.
 */
void prp_seqpacket_splice_eof(struct socket *sock)
{
	struct prp_sock *psk = prp_sk(sock->sk);
	struct prp_conn *conn;

	mutex_lock(&psk->tx_mutex);
	conn = rcu_dereference_protected(psk->conn,
					 lockdep_is_held(&psk->tx_mutex));
	if (conn)
		message_end(sock->sk, conn);
	prp_sock_unlock_tx(psk);
}
