// SPDX-License-Identifier: GPL-2.0
/*
 * Frames on their way down. A frame is built afresh for every sending, with
 * the state of its acknowledgement as it is at that moment (papers/000,
 * section 2.3); what is kept for a repeat is the page of the payload, not
 * the frame. Short payloads are copied behind the header, long ones ride
 * along as a page fragment.
 */
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/netdevice.h>

#include "conn.h"
#include "recovery.h"
#include "send.h"
#include "xmit.h"

#define COPY_MAX	256	/* payload up to this is copied */

/* Processors whose devices have room again, and for whom. */
static DEFINE_PER_CPU(struct llist_head, kick_list);
static DEFINE_PER_CPU(struct tasklet_struct, kick_tasklet);

/* Let connections go on that had stopped for bytes below them. */
static void kick_run(struct tasklet_struct *unused)
{
	struct llist_node *list = llist_del_all(this_cpu_ptr(&kick_list));
	struct prp_conn *conn, *next;

	llist_for_each_entry_safe(conn, next, list, kick_node) {
		clear_bit(0, &conn->kicked);
		spin_lock(&conn->lock);
		__prp_send_push_bh(conn);
		spin_unlock(&conn->lock);
		prp_conn_put(conn);
	}
}

/**
 * prp_xmit_kick() - go on with a connection in a softirq of its own
 * @conn: connection
 */
void prp_xmit_kick(struct prp_conn *conn)
{
	if (test_and_set_bit(0, &conn->kicked))
		return;
	prp_conn_get(conn);
	local_bh_disable();
	if (llist_add(&conn->kick_node, this_cpu_ptr(&kick_list)))
		tasklet_schedule(this_cpu_ptr(&kick_tasklet));
	local_bh_enable();
}

/*
 * A device has freed a frame, or handed it to another host in this machine.
 * Frames are counted, not bytes: whoever makes room in one changes its
 * truesize.
 */
static void xmit_freed(struct sk_buff *skb)
{
	struct prp_conn *conn = skb_shinfo(skb)->destructor_arg;
	int left = atomic_dec_return(&conn->below);

	if (left + 1 == conn->below_max)
		prp_xmit_kick(conn);
	if (!left)
		prp_conn_put(conn);
}

/* Build a frame up to its Ethernet header. BH are off. */
static struct sk_buff *xmit_build(const struct prp_hop *hop, u16 ethertype,
				  const void *hdr, size_t hdr_len,
				  const void *ext, size_t ext_len,
				  const struct prp_tx_seg *seg)
{
	struct net_device *dev = hop->dev;
	unsigned int room = LL_RESERVED_SPACE(dev);
	unsigned int len = seg ? seg->len : 0;
	unsigned int copy = len <= COPY_MAX ? len : 0;
	unsigned int size;
	struct sk_buff *skb;
	void *head;
	u8 *to;

	size = SKB_DATA_ALIGN(room + hdr_len + ext_len + copy +
			      dev->needed_tailroom) +
	       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	head = napi_alloc_frag(size);
	if (!head)
		return NULL;
	skb = napi_build_skb(head, size);
	if (!skb) {
		skb_free_frag(head);
		return NULL;
	}
	skb_reserve(skb, room);
	skb_reset_network_header(skb);
	to = skb_put(skb, hdr_len + ext_len + copy);
	memcpy(to, hdr, hdr_len);
	if (ext_len)
		memcpy(to + hdr_len, ext, ext_len);
	if (copy) {
		memcpy(to + hdr_len + ext_len,
		       page_address(seg->page) + seg->offset, copy);
	} else if (len) {
		get_page(seg->page);
		skb_fill_page_desc(skb, 0, seg->page, seg->offset, len);
		/* kept for a repeat: nobody may write into it */
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
		skb->len += len;
		skb->data_len += len;
		skb->truesize += len;
	}
	skb_set_transport_header(skb, hdr_len);
	skb->protocol = htons(ethertype);
	skb->dev = dev;
	if (dev_hard_header(skb, dev, ethertype, hop->dst, NULL,
			    skb->len) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	return skb;
}

/* Hand a connection's frame down. Return: 0 or a negative errno. */
static int xmit_down(struct prp_conn *conn, struct sk_buff *skb)
{
	int ret;

	__skb_set_sw_hash(skb, conn->hash, true);
	skb->priority = conn->priority;
	skb->mark = conn->mark;
	skb_shinfo(skb)->destructor_arg = conn;
	skb->destructor = xmit_freed;
	if (atomic_inc_return(&conn->below) == 1)
		prp_conn_get(conn);
	ret = dev_queue_xmit(skb);
	if (unlikely(net_xmit_eval(ret))) {
		prp_mib_inc(conn->pn, PRP_MIB_LOCAL_DROPS);
		return ret < 0 ? ret : -ENOBUFS;
	}
	prp_mib_inc(conn->pn, PRP_MIB_FRAMES_OUT);
	return 0;
}

/* The header of a connection's frame, as late as can be. */
static void xmit_header(struct prp_conn *conn, struct prp_hdr *hdr,
			const struct prp_hop *hop, u32 seq, u16 flags,
			u16 len, size_t ext_len)
{
	flags |= hop->rail << PRP_F_RAIL_SHIFT;
	if (conn->overrun)
		flags |= PRP_F_OVERRUN;
	*hdr = conn->hdr;
	hdr->seq = cpu_to_be32(seq);
	hdr->len = cpu_to_be16(len);
	hdr->flags = cpu_to_be16(flags << 4 | ext_len / PRP_EXT_UNIT);
	hdr->txno = cpu_to_be16(conn->snd.txno[hop->rail]);
	if (conn->peer_tag) {
		prp_rcv_open(&conn->rcv, __prp_conn_window(conn));
		hdr->ack = cpu_to_be32(conn->rcv.nxt);
		hdr->window = cpu_to_be16(conn->rcv.edge - conn->rcv.nxt);
	}
}

/* A frame has left that told the peer all we have. */
static void xmit_acked(struct prp_conn *conn, bool sack)
{
	conn->ack_pending = false;
	conn->ack_now = false;
	conn->overrun = false;
	conn->late_since_ack = 0;
	if (sack)
		conn->ack_sack = false;
}

/* Selective acknowledgement for a frame with that much room, or none. */
static size_t xmit_sack(const struct prp_conn *conn, u8 *ext, u32 room)
{
	struct prp_sack sack;

	if (!conn->rcv.late && !conn->ack_sack)
		return 0;
	prp_rcv_sack(&conn->rcv, &sack);
	if (sizeof(struct prp_ext_sack) + 2 * PRP_WIN_RAILS +
	    PRP_EXT_UNIT * (sack.words + 1) > room)
		return 0;
	return prp_wire_put_sack(ext, &sack);
}

/**
 * __prp_xmit_segment() - send a segment, for the first time or again
 * @conn: connection, its lock held
 * @hop: where to
 * @seq: segment in [snd.una, tx_end)
 * @flags: flags besides PRP_F_SEG and PRP_F_END
 *
 * Return: 0, or a negative errno if it went nowhere; then nothing has
 * changed but the transmission number.
 */
int __prp_xmit_segment(struct prp_conn *conn, const struct prp_hop *hop,
		       u32 seq, u16 flags)
{
	const struct prp_tx_seg *seg = &conn->txq[seq % PRP_TXQ];
	u8 ext[PRP_EXT_MAX] __aligned(8);
	struct sk_buff *skb;
	struct prp_hdr hdr;
	size_t ext_len;
	u16 txno;
	int err;

	lockdep_assert_held(&conn->lock);
	flags |= PRP_F_SEG;
	if (seg->flags & PRP_TX_END)
		flags |= PRP_F_END;
	ext_len = xmit_sack(conn, ext, conn->seg_size - seg->len);
	xmit_header(conn, &hdr, hop, seq, flags, seg->len, ext_len);
	skb = xmit_build(hop, conn->pn->ethertype, &hdr, sizeof(hdr), ext,
			 ext_len, seg);
	if (unlikely(!skb))
		return -ENOBUFS;
	txno = conn->snd.txno[hop->rail]++;
	err = xmit_down(conn, skb);
	if (unlikely(err))
		return err;
	prp_snd_sent(&conn->snd, seq, hop->rail, txno);
	if (ext_len || !conn->rcv.late)
		xmit_acked(conn, ext_len);
	return 0;
}

/**
 * __prp_xmit_control() - send an acknowledgement or a probe
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 * @flags: PRP_F_ACKNOW for a probe, else 0
 *
 * Return: 0 or a negative errno.
 */
int __prp_xmit_control(struct prp_conn *conn, u16 flags)
{
	u8 ext[PRP_EXT_MAX] __aligned(8);
	struct sk_buff *skb;
	struct prp_hdr hdr;
	struct prp_hop hop;
	size_t ext_len;
	u16 txno;
	int err;

	lockdep_assert_held(&conn->lock);
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "device may vanish");
	err = prp_rail_hop_rcu(conn->pn, conn->peer, &hop);
	if (err)
		return err;
	ext_len = xmit_sack(conn, ext, PRP_EXT_MAX);
	xmit_header(conn, &hdr, &hop, conn->snd.nxt, flags, 0, ext_len);
	skb = xmit_build(&hop, conn->pn->ethertype, &hdr, sizeof(hdr), ext,
			 ext_len, NULL);
	if (!skb)
		return -ENOBUFS;
	txno = conn->snd.txno[hop.rail]++;
	err = xmit_down(conn, skb);
	if (err)
		return err;
	if (flags & PRP_F_ACKNOW) {
		prp_snd_probed(&conn->snd, hop.rail, txno);
		conn->stats.probes_out++;
		prp_mib_inc(conn->pn, PRP_MIB_PROBES_OUT);
	} else {
		conn->stats.acks_out++;
		prp_mib_inc(conn->pn, PRP_MIB_ACKS_OUT);
	}
	xmit_acked(conn, true);
	return 0;
}

/**
 * __prp_xmit_open() - send a request or an answer
 * @conn: connection, its lock held; in an RCU read section
 * @kind: PRP_F_REQ or PRP_F_ANS
 *
 * One that goes nowhere is as good as lost: it will be repeated.
 */
void __prp_xmit_open(struct prp_conn *conn, u16 kind)
{
	const struct prp_table *table = rcu_dereference(conn->pn->table);
	struct prp_ext_open ext = {
		.type = kind == PRP_F_REQ ? PRP_EXT_REQUEST : PRP_EXT_ANSWER,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.sock_type = SOCK_STREAM,
		.tag = cpu_to_be32(conn->tag),
		.table_hash = cpu_to_be32(table->hash),
	};
	struct sk_buff *skb;
	struct prp_hdr hdr;
	struct prp_hop hop;

	lockdep_assert_held(&conn->lock);
	ext.first = cpu_to_be32(conn->first);
	ext.seg_size = cpu_to_be16(conn->seg_size);
	if (prp_rail_hop_rcu(conn->pn, conn->peer, &hop))
		return;
	xmit_header(conn, &hdr, &hop, conn->first, kind, 0, sizeof(ext));
	if (kind == PRP_F_REQ) {
		hdr.tag = 0;
		hdr.window = cpu_to_be16(__prp_conn_window(conn));
	}
	skb = xmit_build(&hop, conn->pn->ethertype, &hdr, sizeof(hdr), &ext,
			 sizeof(ext), NULL);
	if (!skb)
		return;
	conn->snd.txno[hop.rail]++;
	xmit_down(conn, skb);
}

/**
 * __prp_xmit_reset() - tell the peer that a connection is given up
 * @conn: connection, its lock held; in an RCU read section
 * @code: why
 */
void __prp_xmit_reset(struct prp_conn *conn, enum prp_reset code)
{
	struct prp_ext_quote ext = {
		.type = PRP_EXT_QUOTE,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
	};
	struct sk_buff *skb;
	struct prp_hdr hdr;
	struct prp_hop hop;

	lockdep_assert_held(&conn->lock);
	if (!conn->peer_tag ||
	    prp_rail_hop_rcu(conn->pn, conn->peer, &hop))
		return;
	xmit_header(conn, &hdr, &hop, conn->snd.nxt, PRP_F_RST, 0,
		    sizeof(ext));
	skb = xmit_build(&hop, conn->pn->ethertype, &hdr, sizeof(hdr), &ext,
			 sizeof(ext), NULL);
	if (!skb)
		return;
	conn->snd.txno[hop.rail]++;
	xmit_down(conn, skb);
	prp_mib_inc(conn->pn, PRP_MIB_RESETS_OUT);
}

/**
 * prp_xmit_bare() - send a frame that belongs to no connection
 * @pn: namespace; the caller is in an RCU read section with BH off
 * @hdr: header, all but the rail and the length of extensions filled in
 * @ext: extensions
 * @ext_len: their length
 *
 * Return: 0 or a negative errno.
 */
int prp_xmit_bare(struct prp_net *pn, const struct prp_hdr *hdr,
		  const void *ext, size_t ext_len)
{
	struct prp_hdr out = *hdr;
	struct sk_buff *skb;
	struct prp_hop hop;
	u16 flags;
	int err;

	err = prp_rail_hop_rcu(pn, be16_to_cpu(hdr->dnode), &hop);
	if (err) {
		prp_mib_inc(pn, PRP_DROP_NO_ROUTE);
		return err;
	}
	flags = be16_to_cpu(hdr->flags) | hop.rail << (PRP_F_RAIL_SHIFT + 4) |
		ext_len / PRP_EXT_UNIT;
	out.flags = cpu_to_be16(flags);
	skb = xmit_build(&hop, pn->ethertype, &out, sizeof(out), ext, ext_len,
			 NULL);
	if (!skb)
		return -ENOBUFS;
	prp_mib_inc(pn, PRP_MIB_FRAMES_OUT);
	return net_xmit_eval(dev_queue_xmit(skb)) ? -ENOBUFS : 0;
}

/**
 * prp_xmit_notice() - say that a version is not spoken here
 * @dev: device that the frame came from
 * @ethertype: EtherType in use
 * @to: hardware address that it came from
 * @notice: what to say
 */
void prp_xmit_notice(struct net_device *dev, u16 ethertype, const u8 *to,
		     const struct prp_notice *notice)
{
	struct prp_hop hop = { .dev = dev };
	struct sk_buff *skb;

	ether_addr_copy(hop.dst, to);
	skb = xmit_build(&hop, ethertype, notice, sizeof(*notice), NULL, 0,
			 NULL);
	if (skb)
		dev_queue_xmit(skb);
}

/**
 * prp_xmit_init() - make the kick lists
 */
void prp_xmit_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		init_llist_head(per_cpu_ptr(&kick_list, cpu));
		tasklet_setup(per_cpu_ptr(&kick_tasklet, cpu), kick_run);
	}
}

/**
 * prp_xmit_exit() - stop the tasklets; no connection is left by now
 */
void prp_xmit_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tasklet_kill(per_cpu_ptr(&kick_tasklet, cpu));
}
