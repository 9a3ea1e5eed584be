// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY and splice(): segments that refer to a program's pages, or a
 * file's, and the notes in a socket's queue of errors that say which of them
 * are free again. The notes are the kernel's own; they charge what they hold
 * as TCP does.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/errqueue.h>
#include <linux/sizes.h>
#include <linux/uio.h>

#include "compat/splice.h"
#include "socket/zerocopy.h"
#include "transport/lot.h"

#define NOTE_BYTES SZ_512K /* as TCP has it */

/* Tell of this call, too, by the note of the one before, if what is queued
 * last is its, and no other call has come between. Return: the note with one
 * more reference, or NULL.
 */
static struct ubuf_info *zerocopy_join(struct sock *front,
				       struct prp_conn *conn, size_t len)
{
	struct ubuf_info *told = NULL;
	struct ubuf_info_msgzc *note;
	const struct prp_lot *lot;

	spin_lock_bh(&conn->lock);
	if (conn->tx.end != conn->snd.una) {
		lot = prp_lot_of(prp_conn_seg(conn, conn->tx.end - 1));
		if (lot && lot->told && prp_compat_is_note(lot->told))
			told = lot->told;
	}
	if (told)
		net_zcopy_get(told);
	spin_unlock_bh(&conn->lock);
	if (!told)
		return NULL;
	note = uarg_to_msgzc(told);
	if (note->id + note->len != (u32)atomic_read(&front->sk_zckey) ||
	    note->len == U16_MAX || len > NOTE_BYTES ||
	    note->bytelen > NOTE_BYTES - len ||
	    mm_account_pinned_pages(&note->mmp, len)) {
		net_zcopy_put(told);
		return NULL;
	}
	note->len++;
	note->bytelen += len;
	atomic_inc(&front->sk_zckey);
	return told;
}

/**
 * prp_zerocopy_ask() - prp_zerocopy_begin() of a call with one of its flags
 * @sk: socket, its tx_mutex held
 * @conn: its connection
 * @msg: its message
 * @zc: where to say how it is done
 *
 * Return: as prp_zerocopy_begin().
 */
int prp_zerocopy_ask(struct sock *sk, struct prp_conn *conn, struct msghdr *msg,
		     struct prp_zerocopy *zc)
{
	size_t len = msg_data_left(msg);
	struct sock *front = prp_front(sk);

	if (!len)
		return 0;
	if (msg->msg_flags & PRP_COMPAT_MSG_SPLICE) {
		/* a checksum has to read all anyway, and runs of copies have
		 * one
		 */
		zc->refers = !conn->checksum;
		return 0;
	}
	if (msg->msg_ubuf) {
		zc->told = msg->msg_ubuf;
		net_zcopy_get(zc->told);
	} else if (sock_flag(front, SOCK_ZEROCOPY)) {
		zc->told = zerocopy_join(front, conn, len) ?:
				   prp_compat_zerocopy(front, len);
		if (!zc->told)
			return -ENOBUFS;
	}
	zc->refers = zc->told;
	return 0;
}

/* Have slots from this one on refer to the bytes of a lot from one place to
 * another. Return: how many.
 */
static u32 zerocopy_slots(struct prp_conn *conn, u32 seq,
			  const struct prp_lot *lot, u32 at, u32 end, u32 size)
{
	u32 first = seq;

	for (; at < end; at += size)
		*prp_conn_seg(conn, seq++) = (struct prp_tx_seg){
			.page = prp_lot_slot(lot),
			.offset = at,
			.len = min(end - at, size),
		};
	return seq - first;
}

/**
 * prp_zerocopy_fill() - fill slots with references to pages
 * @psk: socket, its tx_mutex held
 * @conn: its connection
 * @msg: where the bytes are
 * @i: the first slot is the one @i behind the last queued one
 * @want: bytes, at most as many as the free slots are for
 * @size: bytes of a slot
 * @zc: how the call does without a copy
 *
 * Return: bytes, or 0: they are to be copied.
 */
u32 prp_zerocopy_fill(struct prp_sock *psk, struct prp_conn *conn,
		      struct msghdr *msg, unsigned int i, u32 want, u32 size,
		      struct prp_zerocopy *zc)
{
	u32 seq = conn->tx.end + i;
	struct prp_lot *lot;

	lot = prp_lot_make(zc->told, &msg->msg_iter, &want, size,
			   msg->msg_flags & PRP_COMPAT_MSG_NEXT,
			   prp_sock_gfp(&psk->sk));
	if (!lot) {
		zc->copied = true;
		return 0;
	}
	zerocopy_slots(conn, seq, lot, 0, want, size);
	return want;
}

/**
 * __prp_zerocopy_join() - refer to bytes behind the last queued segment
 * @conn: connection that may be written to, its lock held
 * @from: where the bytes are
 * @want: how many, at most as many as are there
 * @filled: set to the slots that were filled, which may be 0
 *
 * Return: bytes, or 0: that one is sent, or does not refer to pages of a file,
 * or its lot is full, or there are no slots for so much.
 */
u32 __prp_zerocopy_join(struct prp_conn *conn, const struct bio_vec *from,
			u32 want, u32 *filled)
{
	u32 slots = conn->snd.mask - (conn->tx.end - conn->snd.una);
	struct prp_tx_seg *seg = prp_conn_seg(conn, conn->tx.end - 1);
	u32 at, got, left, size = conn->path.size;
	struct prp_lot *lot;

	lockdep_assert_held(&conn->lock);
	if (conn->snd.nxt == conn->tx.end)
		return 0;
	lot = prp_lot_of(seg);
	if (!lot || seg->len > size)
		return 0;
	at = seg->offset + seg->len;
	want = min(want, size - seg->len + slots * size);
	got = prp_lot_join(lot, from, at, want, size);
	left = min(got, size - seg->len);
	seg->len += left;
	at += left;
	*filled = zerocopy_slots(conn, conn->tx.end, lot, at, at + got - left,
				 size);
	lot->refs += *filled;
	return got;
}

/**
 * prp_zerocopy_end() - a call of sendmsg() is over
 * @zc: what prp_zerocopy_begin() has set
 * @sent: something was sent
 *
 * Where nothing was sent nobody is told anything: then the tx_mutex was held
 * since prp_zerocopy_begin(), and no later call has a note.
 */
void prp_zerocopy_end(struct prp_zerocopy *zc, bool sent)
{
	if (likely(!zc->told))
		return;
	if (sent)
		prp_compat_ubuf_done(NULL, zc->told, !zc->copied);
	else
		net_zcopy_put_abort(zc->told, true);
}

/**
 * prp_zerocopy_recv() - recvmsg() with MSG_ERRQUEUE
 * @sk: socket, which is its own front
 * @msg: where to
 * @len: bytes wanted
 *
 * Return: 0, for no note has bytes, or -EAGAIN if there is none.
 */
int prp_zerocopy_recv(struct sock *sk, struct msghdr *msg, size_t len)
{
	return sock_recv_errqueue(sk, msg, len, SOL_PRP, PRP_ERRQUEUE);
}
