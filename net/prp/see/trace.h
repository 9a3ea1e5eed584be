/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: state, transmit, receive, drop, repeat, rail, timer. While they
 * are off they cost one instruction each: callers pass pointers, and everything
 * is computed in here. Documentation/networking/prp.rst shows how to use
 * them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM prp

#if !defined(_PRP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PRP_TRACE_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <uapi/linux/prp_netlink.h>

#include "net.h"
#include "pure/state.h"
#include "pure/wire.h"
#include "see/mib.h"
#include "transport/conn.h"

/* Tables, and the layout that all trace headers have */
/* clang-format off */

#ifndef PRP_DUE_LIST
/* What a connection's timer found to be due. X(symbol, "name") */
#define PRP_DUE_LIST(X)			\
	X(REQUEST, "request")		\
	X(CONFIRM, "confirm")		\
	X(CORK, "cork")			\
	X(RETRY, "retry")		\
	X(HOLD, "hold")			\
	X(ACK, "ack")			\
	X(PROBE, "probe")		\
	X(PATIENCE, "patience")		\
	X(ORPHAN, "orphan")

#define PRP_DUE_ENUM(sym, name)	PRP_DUE_##sym,
enum prp_due {
	PRP_DUE_LIST(PRP_DUE_ENUM)
};
#undef PRP_DUE_ENUM

/* enum prp_event by name */
#define PRP_EVENT_LIST(X)		\
	X(LISTEN, "listen")		\
	X(CONNECT, "connect")		\
	X(REQUEST, "request")		\
	X(ANSWER, "answer")		\
	X(FINISHED, "finished")		\
	X(RESET, "reset")		\
	X(RELEASE, "release")

/* enum prp_left by name */
#define PRP_LEFT_LIST(X)		\
	X(NOT, "not")			\
	X(CARRIER, "carrier")		\
	X(SILENT, "silent")		\
	X(TOLD, "told")
#endif

#define PRP_DUE_DEFINE(sym, name)	TRACE_DEFINE_ENUM(PRP_DUE_##sym);
#define PRP_DUE_NAME(sym, name)		{ PRP_DUE_##sym, name },
#define PRP_LEFT_DEFINE(sym, name)	TRACE_DEFINE_ENUM(PRP_LEFT_##sym);
#define PRP_LEFT_NAME(sym, name)	{ PRP_LEFT_##sym, name },
#define PRP_EVENT_DEFINE(sym, name)	TRACE_DEFINE_ENUM(PRP_EV_##sym);
#define PRP_EVENT_NAME(sym, name)	{ PRP_EV_##sym, name },

PRP_DUE_LIST(PRP_DUE_DEFINE)
PRP_EVENT_LIST(PRP_EVENT_DEFINE)
PRP_LEFT_LIST(PRP_LEFT_DEFINE)

#define prp_show_state(state)					\
	__print_symbolic(state,					\
			 { PRP_CLOSE, "PRP_CLOSE" },		\
			 { PRP_CONN_WAIT, "PRP_CONN_WAIT" },	\
			 { PRP_LISTEN, "PRP_LISTEN" },		\
			 { PRP_ESTABLISHED, "PRP_ESTABLISHED" })

#define prp_show_flags(flags)					\
	__print_flags(flags, "|",				\
		      { PRP_F_SEG, "SEG" },			\
		      { PRP_F_REQ, "REQ" },			\
		      { PRP_F_ANS, "ANS" },			\
		      { PRP_F_ACKNOW, "ACKNOW" },		\
		      { PRP_F_ERROR, "ERROR" },			\
		      { PRP_F_EOM, "EOM" },			\
		      { PRP_F_END, "END" },			\
		      { PRP_F_RST, "RST" },			\
		      { PRP_F_OVERRUN, "OVERRUN" },		\
		      { PRP_F_CON, "CON" },			\
		      { PRP_F_QUERY, "QUERY" })

TRACE_EVENT(prp_state,
	TP_PROTO(const struct prp_net *pn, u16 self,
		 const union prp_conn_key *key, u8 old, u8 now,
		 enum prp_event event),
	TP_ARGS(pn, self, key, old, now, event),

	TP_STRUCT__entry(
		__field(u32, netns)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u8, old)
		__field(u8, now)
		__field(u8, event)
	),
	TP_fast_assign(
		__entry->netns = pn->net->ns.inum;
		__entry->node = self;
		__entry->port = key->lport;
		__entry->peer_node = key->peer;
		__entry->peer_port = key->rport;
		__entry->old = old;
		__entry->now = now;
		__entry->event = event;
	),
	TP_printk("%u:%u %u:%u old=%s new=%s event=%s netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  prp_show_state(__entry->old), prp_show_state(__entry->now),
		  __print_symbolic(__entry->event,
				   PRP_EVENT_LIST(PRP_EVENT_NAME)
				   { -1, "" }),
		  __entry->netns)
);

/* conn is NULL for a frame that belongs to none */
TRACE_EVENT(prp_transmit,
	TP_PROTO(const struct prp_net *pn, const struct prp_conn *conn,
		 const struct sk_buff *skb),
	TP_ARGS(pn, conn, skb),

	TP_STRUCT__entry(
		__field(u32, netns)
		__array(char, dev, IFNAMSIZ)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u32, seq)
		__field(u32, ack)
		__field(u16, len)
		__field(u16, flags)
		__field(u16, window)
		__field(u32, txno)
		__field(u8, rail)
		__field(bool, retransmit)
		__field(u32, in_flight)
	),
	TP_fast_assign(
		const struct prp_hdr *hdr =
			(const void *)skb_network_header(skb);
		u16 flags = be16_to_cpu(hdr->flags);

		__entry->netns = pn->net->ns.inum;
		strscpy(__entry->dev, skb->dev->name, IFNAMSIZ);
		__entry->node = be16_to_cpu(hdr->snode);
		__entry->port = be16_to_cpu(hdr->sport);
		__entry->peer_node = be16_to_cpu(hdr->dnode);
		__entry->peer_port = be16_to_cpu(hdr->dport);
		__entry->seq = be32_to_cpu(hdr->seq);
		__entry->ack = be32_to_cpu(hdr->ack);
		__entry->len = be16_to_cpu(hdr->len);
		__entry->flags = flags & ~PRP_F_RAIL;
		__entry->window = be16_to_cpu(hdr->window);
		__entry->txno = be32_to_cpu(hdr->txno);
		__entry->rail = flags >> PRP_F_RAIL_SHIFT;
		__entry->retransmit = conn && flags & PRP_F_SEG &&
				  prp_before(__entry->seq, conn->snd.nxt);
		__entry->in_flight =
			conn ? prp_snd_in_flight(&conn->snd) : 0;
	),
	TP_printk("%u:%u %u:%u flags=%s seq=%u ack=%u len=%u window=%u rail=%u txno=%u retransmit=%d in_flight=%u dev=%s netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  prp_show_flags(__entry->flags), __entry->seq, __entry->ack,
		  __entry->len, __entry->window, __entry->rail, __entry->txno,
		  __entry->retransmit, __entry->in_flight, __entry->dev,
		  __entry->netns)
);

TRACE_EVENT(prp_receive,
	TP_PROTO(const struct prp_net *pn, const struct sk_buff *skb,
		 const struct prp_frame *frame),
	TP_ARGS(pn, skb, frame),

	TP_STRUCT__entry(
		__field(u32, netns)
		__array(char, dev, IFNAMSIZ)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u32, seq)
		__field(u32, ack)
		__field(u16, len)
		__field(u16, flags)
		__field(u16, window)
		__field(u32, txno)
		__field(u8, rail)
	),
	TP_fast_assign(
		__entry->netns = pn->net->ns.inum;
		strscpy(__entry->dev, skb->dev->name, IFNAMSIZ);
		__entry->node = frame->dnode;
		__entry->port = frame->dport;
		__entry->peer_node = frame->snode;
		__entry->peer_port = frame->sport;
		__entry->seq = frame->seq;
		__entry->ack = frame->ack;
		__entry->len = frame->len;
		__entry->flags = frame->flags & ~PRP_F_RAIL;
		__entry->window = frame->window;
		__entry->txno = frame->txno;
		__entry->rail = frame->rail;
	),
	TP_printk("%u:%u %u:%u flags=%s seq=%u ack=%u len=%u window=%u rail=%u txno=%u dev=%s netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  prp_show_flags(__entry->flags), __entry->seq, __entry->ack,
		  __entry->len, __entry->window, __entry->rail, __entry->txno,
		  __entry->dev, __entry->netns)
);

/* dev is NULL for a frame that was never made, hdr for one that is too short
 * to have it; what another version has there is not told.
 */
TRACE_EVENT(prp_drop,
	TP_PROTO(const struct prp_net *pn, const struct net_device *dev,
		 const struct prp_hdr *hdr, int reason),
	TP_ARGS(pn, dev, hdr, reason),

	TP_STRUCT__entry(
		__field(u32, netns)
		__array(char, dev, IFNAMSIZ)
		__array(char, reason, 24)
		__field(u16, snode)
		__field(u16, sport)
		__field(u16, dnode)
		__field(u16, dport)
		__field(u32, seq)
		__field(u16, len)
		__field(u16, flags)
	),
	TP_fast_assign(
		bool told = hdr && hdr->version == PRP_VERSION;

		__entry->netns = pn->net->ns.inum;
		strscpy(__entry->dev, dev ? dev->name : "-", IFNAMSIZ);
		strscpy(__entry->reason, prp_mib_name(reason), 24);
		__entry->snode = told ? be16_to_cpu(hdr->snode) : 0;
		__entry->sport = told ? be16_to_cpu(hdr->sport) : 0;
		__entry->dnode = told ? be16_to_cpu(hdr->dnode) : 0;
		__entry->dport = told ? be16_to_cpu(hdr->dport) : 0;
		__entry->seq = told ? be32_to_cpu(hdr->seq) : 0;
		__entry->len = told ? be16_to_cpu(hdr->len) : 0;
		__entry->flags = told ? be16_to_cpu(hdr->flags) & ~PRP_F_RAIL :
					0;
	),
	TP_printk("reason=%s from %u:%u to %u:%u flags=%s seq=%u len=%u dev=%s netns=%u",
		  __entry->reason, __entry->snode, __entry->sport,
		  __entry->dnode, __entry->dport,
		  prp_show_flags(__entry->flags), __entry->seq, __entry->len,
		  __entry->dev, __entry->netns)
);

/* Segments were found lost: the oldest one that is, and how many. */
TRACE_EVENT(prp_retransmit,
	TP_PROTO(const struct prp_conn *conn, unsigned int found),
	TP_ARGS(conn, found),

	TP_STRUCT__entry(
		__field(u32, netns)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u32, seq)
		__field(u32, txno)
		__field(u8, rail)
		__field(u16, found)
		__field(u16, lost)
		__field(u16, cwnd)
	),
	TP_fast_assign(
		u32 seq = conn->snd.una;

		prp_snd_first_lost(&conn->snd, &seq);
		__entry->netns = conn->pn->net->ns.inum;
		__entry->node = conn->self;
		__entry->port = conn->key.lport;
		__entry->peer_node = conn->key.peer;
		__entry->peer_port = conn->key.rport;
		__entry->seq = seq;
		__entry->txno = conn->snd.seg_txno[seq & conn->snd.mask];
		__entry->rail = prp_snd_rail(&conn->snd, seq);
		__entry->found = found;
		__entry->lost = conn->snd.lost;
		__entry->cwnd = prp_cong_window(&conn->cong);
	),
	TP_printk("%u:%u %u:%u seq=%u rail=%u txno=%u found=%u lost=%u cwnd=%u netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  __entry->seq, __entry->rail, __entry->txno, __entry->found,
		  __entry->lost, __entry->cwnd, __entry->netns)
);

/* A round of the congestion window is over: what it is now, and why. */
TRACE_EVENT(prp_round,
	TP_PROTO(const struct prp_conn *conn),
	TP_ARGS(conn),

	TP_STRUCT__entry(
		__field(u64, pace)
		__field(u32, netns)
		__field(u32, rtt)
		__field(u32, min_rtt)
		__field(u32, cwnd)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u8, mode)
	),
	TP_fast_assign(
		__entry->netns = conn->pn->net->ns.inum;
		__entry->node = conn->self;
		__entry->port = conn->key.lport;
		__entry->peer_node = conn->key.peer;
		__entry->peer_port = conn->key.rport;
		__entry->mode = conn->cong.mode;
		__entry->cwnd = prp_cong_window(&conn->cong);
		__entry->rtt = conn->cong.rtt_us;
		__entry->min_rtt = conn->cong.base_us;
		__entry->pace = prp_cong_pace(&conn->cong, conn->seg_size);
	),
	TP_printk("%u:%u %u:%u mode=%s cwnd=%u rtt=%u min_rtt=%u pace=%llu netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  __print_symbolic(__entry->mode,
				   { PRP_MODE_START, "start" },
				   { PRP_MODE_ALONE, "alone" },
				   { PRP_MODE_SHARE, "share" },
				   { PRP_MODE_POLICED, "policed" }),
		  __entry->cwnd, __entry->rtt, __entry->min_rtt,
		  __entry->pace, __entry->netns)
);

/* A rail to a node was left, and why, or taken back: why is "not" then. */
TRACE_EVENT(prp_rail,
	TP_PROTO(const struct prp_net *pn, u16 node, u8 rail, u8 why),
	TP_ARGS(pn, node, rail, why),

	TP_STRUCT__entry(
		__field(u32, netns)
		__field(u16, node)
		__field(u8, rail)
		__field(u8, why)
	),
	TP_fast_assign(
		__entry->netns = pn->net->ns.inum;
		__entry->node = node;
		__entry->rail = rail;
		__entry->why = why;
	),
	TP_printk("node=%u rail=%u left=%s netns=%u",
		  __entry->node, __entry->rail,
		  __print_symbolic(__entry->why,
				   PRP_LEFT_LIST(PRP_LEFT_NAME)
				   { -1, "" }),
		  __entry->netns)
);

TRACE_EVENT(prp_timer,
	TP_PROTO(const struct prp_conn *conn, enum prp_due due),
	TP_ARGS(conn, due),

	TP_STRUCT__entry(
		__field(u32, netns)
		__field(u16, node)
		__field(u16, port)
		__field(u16, peer_node)
		__field(u16, peer_port)
		__field(u8, due)
		__field(u8, tries)
		__field(u32, in_flight)
	),
	TP_fast_assign(
		__entry->netns = conn->pn->net->ns.inum;
		__entry->node = conn->self;
		__entry->port = conn->key.lport;
		__entry->peer_node = conn->key.peer;
		__entry->peer_port = conn->key.rport;
		__entry->due = due;
		__entry->tries =
			due == PRP_DUE_REQUEST || due == PRP_DUE_CONFIRM ?
				conn->handshake.tries :
				conn->watch.probes;
		__entry->in_flight = prp_snd_in_flight(&conn->snd);
	),
	TP_printk("%u:%u %u:%u due=%s tries=%u in_flight=%u netns=%u",
		  __entry->node, __entry->port,
		  __entry->peer_node, __entry->peer_port,
		  __print_symbolic(__entry->due,
				   PRP_DUE_LIST(PRP_DUE_NAME)
				   { -1, "" }),
		  __entry->tries, __entry->in_flight, __entry->netns)
);

/* clang-format on */

#endif /* _PRP_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH see
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
