// SPDX-License-Identifier: GPL-2.0
/*
 * Closed records: what is left for a while of connections in which there is
 * nothing to be delivered any more; see record.h.
 */
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "pure/share.h"
#include "transport/conn.h"
#include "transport/record.h"

#define RECORDS_MIN 8192
#define RECORDS_MAX (512 * 1024)
#define RECORDS_LEAST 256 /* that a namespace may have in any case */
#define RECORDS_A_BUCKET 16 /* when all are there */
#define RECORDS_A_KEY 8 /* kept: ports that are taken again and again */
#define EXPIRE_BATCH 256 /* freed under one hold of the lock */

static atomic_t records_all; /* of all namespaces */

/* What there may be of all namespaces: 64 bytes for each 16 KiB */
static unsigned long records_limit(void)
{
	return clamp_t(unsigned long, totalram_pages() / 4 << (PAGE_SHIFT - 12),
		       RECORDS_MIN, RECORDS_MAX);
}

/* What there may be of this one */
static unsigned int records_most(const struct prp_net *pn)
{
	int others = atomic_read(&records_all) - pn->record_count;

	lockdep_assert_held(&pn->conn_lock);
	return max_t(unsigned long, RECORDS_LEAST,
		     prp_share_most(records_limit(), max(others, 0),
				    pn->pool.part));
}

static struct hlist_head *record_bucket(const struct prp_net *pn, u32 hash)
{
	return &pn->records[hash >> (32 - pn->record_bits)];
}

static void record_del(struct prp_net *pn, struct prp_record *record)
{
	lockdep_assert_held(&pn->conn_lock);
	hlist_del(&record->node);
	list_del(&record->fifo);
	pn->record_count--;
	atomic_dec(&records_all);
	prp_mib_dec(pn, PRP_LIVE_RECORDS);
	kfree(record);
}

/* Who takes the same two ports again and again must not make a bucket long,
 * which is walked with the lock held: what a look-up would not reach goes.
 */
static void record_del_oldest(struct prp_net *pn, const struct prp_conn *conn)
{
	unsigned int left = RECORDS_A_KEY;
	struct prp_record *record;

	lockdep_assert_held(&pn->conn_lock);
	hlist_for_each_entry(record, record_bucket(pn, conn->hash), node) {
		if (record->key.all != conn->key.all || --left)
			continue;
		record_del(pn, record);
		return;
	}
}

/**
 * prp_record_add() - leave a closed record
 * @conn: connection that is over, see __prp_conn_is_over(), or that was made
 *	by a cookie and is reset, its lock held
 * @reset: the latter
 *
 * Without memory there is none.
 */
void prp_record_add(struct prp_conn *conn, bool reset)
{
	struct prp_net *pn = conn->pn;
	struct prp_record *record;
	int give_way = 2;

	record = kmalloc(sizeof(*record), GFP_ATOMIC | __GFP_NOWARN);
	if (!record) {
		prp_mib_inc(pn, PRP_MIB_RECORDS_EVICTED);
		return;
	}
	prp_mib_inc(pn, PRP_LIVE_RECORDS);
	record->key = conn->key;
	record->tag = conn->tag;
	record->peer_tag = conn->peer_tag;
	record->nxt = conn->rcv.nxt;
	record->una = conn->tx.end;
	record->reset = reset;
	record->half = !conn->peer_end;
	record->messages = conn->messages;
	record->expires = (u32)jiffies + msecs_to_jiffies(PRP_RECORD_MS);

	spin_lock(&pn->conn_lock);
	/* others may have made what we may have less: then it shrinks */
	while (give_way-- && pn->record_count >= records_most(pn)) {
		record_del(pn, list_first_entry(&pn->record_fifo,
						struct prp_record, fifo));
		prp_mib_inc(pn, PRP_MIB_RECORDS_EVICTED);
	}
	record_del_oldest(pn, conn);
	hlist_add_head(&record->node, record_bucket(pn, conn->hash));
	list_add_tail(&record->fifo, &pn->record_fifo);
	WRITE_ONCE(pn->record_count, pn->record_count + 1);
	atomic_inc(&records_all);
	if (pn->record_count == 1)
		schedule_delayed_work(&pn->record_work,
				      msecs_to_jiffies(PRP_RECORD_MS));
	spin_unlock(&pn->conn_lock);
	prp_mib_inc(pn, PRP_MIB_RECORDS_MADE);
}

/* Free some that have expired, or of all. Return: true if there are more. */
static bool record_free_some(struct prp_net *pn, bool all)
{
	unsigned int batch = EXPIRE_BATCH;
	struct prp_record *record;
	bool more = false;

	spin_lock_bh(&pn->conn_lock);
	while ((record = list_first_entry_or_null(&pn->record_fifo,
						  struct prp_record, fifo))) {
		s32 left = record->expires - (u32)jiffies;

		if (!all && left > 0) {
			schedule_delayed_work(&pn->record_work, left + 1);
			break;
		}
		more = !batch--;
		if (more)
			break;
		record_del(pn, record);
	}
	spin_unlock_bh(&pn->conn_lock);
	cond_resched();
	return more;
}

static void record_expire(struct work_struct *work)
{
	struct prp_net *pn =
		container_of(work, struct prp_net, record_work.work);

	while (record_free_some(pn, false))
		;
}

/* ours: the tag is our tag, not the peer's. Return: the youngest, or NULL. */
static struct prp_record *record_look(const struct prp_net *pn,
				      const union prp_conn_key *key, u32 tag,
				      bool ours)
{
	const u32 hash = prp_conn_key_hash(pn, key);
	struct prp_record *record;

	lockdep_assert_held(&pn->conn_lock);
	hlist_for_each_entry(record, record_bucket(pn, hash), node)
		if (record->key.all == key->all &&
		    (ours ? record->tag : record->peer_tag) == tag)
			return record;
	return NULL;
}

/**
 * prp_record_find() - is there a closed record?
 * @pn: namespace
 * @key: the two ends of the connection
 * @tag: a tag of it
 * @ours: it is our tag, not the peer's
 * @copy: where to copy it to
 *
 * Return: true if there is.
 */
bool prp_record_find(struct prp_net *pn, const union prp_conn_key *key, u32 tag,
		     bool ours, struct prp_record *copy)
{
	struct prp_record *record;

	if (!READ_ONCE(pn->record_count))
		return false;
	spin_lock_bh(&pn->conn_lock);
	record = record_look(pn, key, tag, ours);
	if (record)
		*copy = *record;
	spin_unlock_bh(&pn->conn_lock);
	return record;
}

/**
 * prp_record_end() - the peer's end has come, too
 * @pn: namespace
 * @copy: of a record that is half; becomes what that one becomes
 */
void prp_record_end(struct prp_net *pn, struct prp_record *copy)
{
	struct prp_record *record;

	copy->half = false;
	copy->nxt++;
	spin_lock_bh(&pn->conn_lock);
	record = record_look(pn, &copy->key, copy->tag, true);
	if (record) {
		record->half = false;
		record->nxt = copy->nxt;
	}
	spin_unlock_bh(&pn->conn_lock);
}

/**
 * prp_record_net_init() - prepare a namespace
 * @pn: namespace
 *
 * A record evicted before its time may turn a lost acknowledgment into a reset
 * at the peer. So there may be as many as are closed in 3 s, up to 0.4 % of the
 * machine's memory and 32 MiB for all namespaces; see share.h for what one may
 * have of it.
 *
 * Return: 0 or -ENOMEM.
 */
int prp_record_net_init(struct prp_net *pn)
{
	BUILD_BUG_ON(sizeof(struct prp_record) > 64);
	INIT_LIST_HEAD(&pn->record_fifo);
	INIT_DELAYED_WORK(&pn->record_work, record_expire);
	pn->record_bits = ilog2(records_limit() / 2 / RECORDS_A_BUCKET);
	pn->records = kvcalloc(BIT(pn->record_bits), sizeof(*pn->records),
			       GFP_KERNEL_ACCOUNT);
	return pn->records ? 0 : -ENOMEM;
}

/**
 * prp_record_net_exit() - forget a namespace's closed records
 * @pn: namespace without connections
 */
void prp_record_net_exit(struct prp_net *pn)
{
	cancel_delayed_work_sync(&pn->record_work);
	while (record_free_some(pn, true))
		;
	kvfree(pn->records);
}
