// SPDX-License-Identifier: GPL-2.0
/*
 * From segments to a program's messages: whether one is there, and recvmsg() of
 * SOCK_SEQPACKET.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "socket/deliver.h"
#include "socket/seqpacket.h"
#include "socket/zerocopy.h"
#include "transport/receive.h"

/**
 * prp_seqpacket_recv_is_ready() - would a reader get something without waiting?
 * @psk: socket
 * @conn: its connection
 *
 * Return: true if a message has arrived, or as much of one as there is
 * memory for; the end of one whose rest nobody wants is none.
 */
bool prp_seqpacket_recv_is_ready(const struct prp_sock *psk,
				 const struct prp_conn *conn)
{
	u32 read;

	/* its end is counted before its bytes: a reader looks for those */
	if (!prp_sock_unread(psk, conn))
		return false;
	read = READ_ONCE(psk->rd_messages);
	smp_rmb(); /* pairs with __prp_message_queued(), message_skip() */
	return READ_ONCE(conn->rx.messages) - read > READ_ONCE(psk->rd_skip) ||
	       prp_conn_is_stuck(conn);
}

/**
 * prp_seqpacket_set_rcvlowat() - SO_RCVLOWAT
 * @sk: socket
 * @val: bytes
 *
 * Return: -EOPNOTSUPP: a reader is woken for a message.
 */
int prp_seqpacket_set_rcvlowat(struct sock *sk, int val)
{
	return -EOPNOTSUPP;
}

/**
 * struct message_part - the part of a message that is in one segment
 * @skb: segment in prp_sock.rd, NULL before the first one
 * @at: where the part begins in it
 * @end: one past where it ends
 * @behind: so many others are behind it in the segment
 */
struct message_part {
	struct sk_buff *skb;
	u32 at;
	u32 end;
	u32 behind;
};

/* Who reads it message by message goes through all fragments of a segment for
 * each: they are made one piece if there is memory, and nobody has kept it for
 * its time of arrival. It stays charged as it is.
 */
static noinline void segment_make_whole(struct sk_buff *skb)
{
	unsigned int truesize = skb->truesize;

	if (skb_shared(skb))
		return;
	skb_linearize(skb);
	skb->truesize = truesize;
}

/* The first part in a segment that is not dropped */
static struct message_part part_first(struct sk_buff *skb)
{
	const struct prp_skb_cb *cb = prp_skb_cb(skb);

	return (struct message_part){
		.skb = skb,
		.at = cb->read,
		.end = cb->part_end,
		.behind = cb->messages - !!(cb->flags & PRP_F_EOM),
	};
}

/* Go to the part behind one in the same segment. How many there are was counted
 * by prp_message_check(), and is what we go by: the page may be of a file, into
 * which somebody has written since. So where one ends is bounded.
 */
static void part_go_on(struct message_part *part)
{
	u8 len[PRP_MESSAGE_LEN];

	skb_copy_bits(part->skb, part->end, len, sizeof(len));
	part->at = part->end + PRP_MESSAGE_LEN;
	part->end = part->skb->len - --part->behind * PRP_MESSAGE_LEN;
	if (part->behind)
		part->end = min(part->end, part->at + prp_wire_get_len(len));
}

/* Go to the next part, or to the first one; what has arrived meanwhile counts.
 * Return: true if there is one.
 */
static __always_inline bool part_next(struct prp_sock *psk,
				      struct prp_conn *conn,
				      struct message_part *part)
{
	struct sk_buff *skb = part->skb;

	if (part->behind) {
		part_go_on(part);
		return true;
	}
	if (skb ? skb_queue_is_last(&psk->rd, skb) : skb_queue_empty(&psk->rd))
		prp_deliver_take(psk, conn);
	skb = skb ? skb_peek_next(skb, &psk->rd) : skb_peek(&psk->rd);
	if (!skb)
		return false;
	if (unlikely(skb_has_frag_list(skb)) && prp_skb_cb(skb)->messages > 1)
		segment_make_whole(skb);
	*part = part_first(skb);
	return true;
}

/* Does a message end with the part? */
static bool part_ends(const struct message_part *part)
{
	return part->behind || prp_skb_cb(part->skb)->flags & PRP_F_EOM;
}

/**
 * struct message_read - how far a reader has come with a message
 * @msg: where to
 * @len: bytes that there is room for
 * @copied: bytes that were copied
 * @passed: bytes of the message that were seen, with those that did not fit
 * @skip: bytes of it that SO_PEEK_OFF leaves out, and which are not seen
 * @parts: segments in prp_sock.rd that hold what was seen and not yet dropped
 * @dropped: a part of the message is gone from prp_sock.rd
 * @ended: its end was seen
 * @stamps: times of arrival are wanted
 * @last: segment of the last byte copied, if they are
 */
struct message_read {
	struct msghdr *msg;
	size_t len;
	size_t copied;
	size_t passed;
	u32 skip;
	unsigned int parts;
	bool dropped;
	bool ended;
	bool stamps;
	struct sk_buff *last;
};

/* See a part of a message. Return: 0 or -EFAULT. */
static int message_pass(struct message_read *read,
			const struct message_part *part)
{
	u32 skip = min(read->skip, part->end - part->at);
	u32 at = part->at + skip, n = part->end - at;
	size_t fits = min_t(size_t, n, read->len - read->copied);

	if (fits && prp_deliver_bytes(part->skb, at, read->msg, fits))
		return -EFAULT;
	if (unlikely(read->stamps) && (fits || !n))
		prp_deliver_note(&read->last, part->skb);
	read->skip -= skip;
	read->copied += fits;
	read->passed += n;
	read->parts++;
	read->ended = part_ends(part);
	return 0;
}

/* Look at what there is of a message, from behind a part on, and leave it.
 * Return: 0 or -EFAULT.
 */
static __always_inline int message_look(struct prp_sock *psk,
					struct prp_conn *conn,
					struct message_read *read,
					struct message_part part)
{
	int err = 0;

	while (!err && !read->ended && part_next(psk, conn, &part))
		err = message_pass(read, &part);
	return err;
}

/* Drop the part of a message at the beginning of the first segment. */
static void message_drop_part(struct prp_sock *psk, struct prp_conn *conn)
{
	struct message_part part = part_first(skb_peek(&psk->rd));
	struct prp_skb_cb *cb = prp_skb_cb(part.skb);
	bool ends = part_ends(&part);

	if (ends)
		WRITE_ONCE(psk->rd_messages, psk->rd_messages + 1);
	WRITE_ONCE(psk->rd_bytes, psk->rd_bytes + part.end - part.at + ends);
	if (!part.behind) {
		prp_deliver_free(psk, conn, part.skb);
		return;
	}
	part_go_on(&part);
	cb->read = part.at;
	cb->part_end = part.end;
	cb->messages--;
}

/* Take what there is of a message. Of one that cannot be copied all that is
 * there stays. Return: 0 or -EFAULT.
 */
static int message_take(struct prp_sock *psk, struct prp_conn *conn,
			struct message_read *read)
{
	size_t before = read->passed;
	int err = message_look(psk, conn, read, (struct message_part){});

	if (err)
		return err;
	sk_peek_offset_bwd(psk->front, read->passed - before);
	read->dropped |= read->parts;
	for (; read->parts; read->parts--)
		message_drop_part(psk, conn);
	return 0;
}

/* The rest of a message that was cut short is nobody's. */
static noinline void message_skip(struct prp_sock *psk, struct prp_conn *conn)
{
	struct message_read rest = {};

	WRITE_ONCE(psk->rd_skip, false);
	smp_wmb(); /* who sees its end taken is not to wait for another one */
	message_take(psk, conn, &rest); /* copies nothing */
	WRITE_ONCE(psk->rd_skip, !rest.ended);
}

/* Find the message that SO_PEEK_OFF is in, as AF_UNIX counts: bytes of all
 * messages. Return: true if there is one, or a part of one that is behind it;
 * then part is the one before it.
 */
static bool message_seek(struct prp_sock *psk, struct prp_conn *conn,
			 struct message_read *read, struct message_part *part)
{
	struct message_part at = {};
	u32 len = 0;

	*part = at;
	while (part_next(psk, conn, &at)) {
		len += at.end - at.at;
		if (!part_ends(&at))
			continue;
		if (!read->skip || len > read->skip)
			return true;
		read->skip -= len;
		len = 0;
		*part = at;
	}
	return len > read->skip &&
	       (prp_conn_is_stuck(conn) || READ_ONCE(psk->front->sk_err) ||
		READ_ONCE(psk->sk.sk_shutdown) & RCV_SHUTDOWN);
}

/* Show the message that is next for a peeking reader. Return: 1 if there is
 * none yet, 0, or -EFAULT.
 */
static noinline int message_peek(struct prp_sock *psk, struct prp_conn *conn,
				 struct message_read *read)
{
	struct message_part part;
	int err;

	read->skip = max(sk_peek_offset(psk->front, MSG_PEEK), 0);
	if (!message_seek(psk, conn, read, &part))
		return 1;
	err = message_look(psk, conn, read, part);
	if (!err)
		sk_peek_offset_fwd(psk->front, read->copied);
	return err;
}

/* Give a message, or what there is of it. What follows a part that is gone is
 * no message: where it cannot be copied, nobody is to take it for one. Return:
 * 1 if it is not there yet, 0, or -EFAULT.
 */
static int message_give(struct prp_sock *psk, struct prp_conn *conn, int flags,
			struct message_read *read)
{
	int err = flags & MSG_PEEK ? message_peek(psk, conn, read) :
				     message_take(psk, conn, read);

	if (unlikely(err < 0 && read->dropped))
		WRITE_ONCE(psk->rd_skip, true);
	if (!err && !(flags & MSG_PEEK)) /* else there is no more memory */
		WRITE_ONCE(conn->rx.starved, false);
	return err;
}

/* Read a message, once all of it is there, or as much as there is room for.
 * From then on a reader that may wait takes it bit by bit while it arrives, so
 * that it may be larger than the buffer. Return: 0; 1 at the end of the
 * stream, or a negative errno, if there was nothing.
 */
static int message_read(struct sock *sk, struct prp_conn *conn, int flags,
			long timeo, struct message_read *read)
{
	bool waits = !(flags & (MSG_PEEK | MSG_DONTWAIT));
	struct prp_sock *psk = prp_sk(sk);
	bool over, some;
	u64 seen;
	int err;

	for (;;) {
		over = prp_deliver_has_ended(sk);
		seen = READ_ONCE(conn->rx.bytes);
		some = seen != psk->rd_bytes;
		if (some && psk->rd_skip) {
			message_skip(psk, conn);
			continue;
		}
		if (some && (read->dropped || over ||
			     prp_seqpacket_recv_is_ready(psk, conn))) {
			err = message_give(psk, conn, flags, read);
			if (err < 0 || (!err && (read->ended || !waits)))
				return err;
			if (!err)
				continue;
		}
		if (over && read->dropped)
			return 0; /* the next call tells why */
		if (some) /* a part, which is not enough */
			prp_deliver_leave(psk, conn);
		err = over ? prp_deliver_over(sk, conn) :
			     prp_deliver_wait(sk, conn, seen, &timeo);
		if (err)
			return read->dropped ? 0 : err;
	}
}

/* What recvmsg() says of a message. Return: its length for the program. */
static int message_result(struct prp_sock *psk, struct prp_conn *conn,
			  struct message_read *read, int flags)
{
	if (read->ended)
		read->msg->msg_flags |= MSG_EOR;
	if (read->passed > read->copied) {
		read->msg->msg_flags |= MSG_TRUNC;
		if (!(flags & MSG_PEEK))
			WRITE_ONCE(psk->rd_skip, !read->ended);
	}
	smp_mb(); /* pairs with wake_has_enough() */
	if (READ_ONCE(conn->rx.messages) == psk->rd_messages &&
	    prp_sock_unread(psk, conn))
		prp_deliver_leave(psk, conn);
	return min_t(size_t, flags & MSG_TRUNC ? read->passed : read->copied,
		     INT_MAX);
}

/**
 * prp_seqpacket_recv() - recvmsg() and its relatives on SOCK_SEQPACKET
 * @sock: socket
 * @msg: where to; MSG_EOR is set at the end of a message, MSG_TRUNC if a
 *	part of it was dropped for want of room
 * @len: bytes of room
 * @flags: MSG_PEEK, MSG_DONTWAIT, and MSG_TRUNC (return the message's length
 *	even if it is longer) are known
 *
 * A call gives a message, or with MSG_PEEK shows the one that SO_PEEK_OFF is
 * in, without the bytes before that. Without MSG_EOR it is not all of it: the
 * end of the connection came first, or it is larger than the buffer, and the
 * reader does not wait or a signal or a timeout came first; the next call goes
 * on with it.
 *
 * With EFAULT nothing is given. The message stays, unless the call has taken a
 * part of one that is larger than the buffer; then the rest of it is dropped.
 *
 * Return: bytes, 0 for a message without any and at the end of the stream,
 * or a negative errno: EAGAIN, ENOTCONN, EFAULT, EINTR, EINVAL, or the reason
 * why the connection ended.
 */
int prp_seqpacket_recv(struct socket *sock, struct msghdr *msg, size_t len,
		       int flags)
{
	struct sock *sk = sock->sk;
	struct message_read read = {
		.msg = msg,
		.len = len,
		.stamps = prp_deliver_wants_stamp(sk),
	};
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	long timeo;
	int ret;

	if (unlikely(flags & MSG_ERRQUEUE))
		return prp_zerocopy_recv(sk, msg, len);
	ret = prp_deliver_begin(sk, flags, &conn, &timeo);
	if (unlikely(ret))
		return ret;
	ret = conn ? message_read(sk, conn, flags, timeo, &read) :
		     prp_deliver_over(sk, NULL);
	if (!ret)
		ret = message_result(psk, conn, &read, flags);
	else if (ret == 1)
		ret = 0;
	prp_sock_unlock_rx(psk);
	if (unlikely(read.last))
		prp_deliver_stamp(sk, msg, read.last);
	return ret;
}
