// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's frames below the socket: so many may be on a rail, each is
 * counted until its device frees it, and a connection that had stopped for them
 * goes on then, in a softirq of its own.
 */
#include <linux/interrupt.h>

#include "transport/below.h"
#include "transport/lot.h"
#include "transport/watch.h"

/**
 * struct kick - connections whose devices have room again
 * @list: of prp_below.kick_node, each with a reference
 * @tasklet: lets them go on
 */
struct kick {
	struct llist_head list;
	struct tasklet_struct tasklet;
};

static DEFINE_PER_CPU(struct kick, kicks);
/* sends what there is room for; it stands above us */
static void (*go_on)(struct prp_conn *conn) __ro_after_init;

/* Let connections go on that had stopped for frames below them. */
static void kick_run(struct tasklet_struct *tasklet)
{
	struct kick *kick = container_of(tasklet, struct kick, tasklet);
	struct llist_node *list = llist_del_all(&kick->list);
	struct prp_conn *conn, *next;

	llist_for_each_entry_safe(conn, next, list, below.kick_node) {
		/* what was read of its place in the list was read before */
		clear_bit_unlock(0, &conn->below.kicked);
		/* Pairs with test_and_set_bit() in prp_below_kick(), a full
		 * barrier: who finds the bit set there is seen here to have
		 * freed its frame.
		 */
		smp_mb__after_atomic();
		go_on(conn);
		prp_conn_put(conn);
	}
}

/**
 * prp_below_kick() - go on with a connection in a softirq of its own
 * @conn: connection; nothing is done if only its memory is left
 */
void prp_below_kick(struct prp_conn *conn)
{
	struct kick *kick;

	if (test_and_set_bit(0, &conn->below.kicked) ||
	    !refcount_inc_not_zero(&conn->ref))
		return;
	kick = get_cpu_ptr(&kicks);
	if (llist_add(&conn->below.kick_node, &kick->list))
		tasklet_schedule(&kick->tasklet);
	put_cpu_ptr(&kicks);
}

/* A frame has left that was counted with a connection, segments and a rail in
 * one word. Segments are counted, not bytes: whoever makes room in a frame
 * changes its truesize.
 */
static void below_left(unsigned long arg)
{
	struct prp_conn *conn = (void *)(arg & ~(PRP_BELOW_ALIGN - 1UL));
	int segs = arg % PRP_BELOW_ALIGN / PRP_RAILS;
	int left, room;

	left = atomic_sub_return(segs, &conn->below.frames[arg % PRP_RAILS]);
	room = READ_ONCE(conn->below.room); /* behind it: __prp_below_full() */
	if (left < room && left + segs >= room)
		prp_below_kick(conn);
	prp_conn_mem_put(conn);
}

/**
 * prp_below_freed() - the destructor of frames that are counted
 * @skb: frame that a device has freed, or handed to another host in this
 *	machine
 */
void prp_below_freed(struct sk_buff *skb)
{
	below_left((unsigned long)skb_shinfo(skb)->destructor_arg);
}

static const struct prp_lot_counts below_counts = {
	.left = below_left,
	.freed = prp_below_freed,
};

/**
 * __prp_below_count() - count a frame until its device frees it
 * @conn: connection, its lock held
 * @skb: frame that is about to be handed down
 * @rail: rail that it goes to
 * @segs: segments that it has, up to PRP_RUN_MAX
 */
void __prp_below_count(struct prp_conn *conn, struct sk_buff *skb, u8 rail,
		       unsigned int segs)
{
	unsigned long arg = (unsigned long)conn | segs * PRP_RAILS | rail;

	lockdep_assert_held(&conn->lock);
	if (unlikely(skb_zcopy(skb))) {
		prp_lot_count(skb, &below_counts, arg);
	} else {
		skb_shinfo(skb)->destructor_arg = (void *)arg;
		skb->destructor = prp_below_freed;
	}
	atomic_add(segs, &conn->below.frames[rail]);
	refcount_inc(&conn->mem);
}

/**
 * __prp_below_full() - a queue below the socket is full
 * @conn: connection, its lock held, a segment of which was dropped there
 *
 * What is there of ours is all that there may be, until it is time to try for
 * more: one goes down when one has left. Nobody tells when others have made
 * room, and an end of a frame that was refused lets nothing go on: else it
 * would be refused again, and again.
 */
void __prp_below_full(struct prp_conn *conn)
{
	atomic_t *count = &conn->below.frames[conn->rail];
	int below;

	lockdep_assert_held(&conn->lock);
	do {
		below = atomic_read(count);
		WRITE_ONCE(conn->below.room, below);
		/* Pairs with atomic_sub_return() in below_left(): what
		 * leaves either sees the room or is seen to have left.
		 */
		smp_mb();
	} while (atomic_read(count) != below);
	__prp_watch_retry(conn, PRP_TICKS_MS);
}

/**
 * prp_below_init() - make the kick lists
 * @kicked: lets a connection go on; called with BH off and without its lock
 */
void prp_below_init(void (*kicked)(struct prp_conn *conn))
{
	int cpu;

	go_on = kicked;
	for_each_possible_cpu(cpu) {
		struct kick *kick = per_cpu_ptr(&kicks, cpu);

		init_llist_head(&kick->list);
		tasklet_setup(&kick->tasklet, kick_run);
	}
}

/**
 * prp_below_exit() - stop the tasklets; no connection is left by now
 */
void prp_below_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tasklet_kill(&per_cpu_ptr(&kicks, cpu)->tasklet);
}
