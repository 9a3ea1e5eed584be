// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/prp: sockets and connections in lines, for what reads nothing else.
 * It says no more than sock_diag does; list.c finds them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/sock.h>

#include "net.h"
#include "see/list.h"
#include "see/proc.h"

#define ALL_STATES (~0U)

/**
 * struct proc_reader - somebody who reads it
 * @p: the namespace
 * @pos: line that @entry is; 0 is the head
 * @at: how far the reader was before @entry
 * @next: and after it
 * @entry: what is said next
 */
struct proc_reader {
	struct seq_net_private p;
	loff_t pos;
	struct prp_list_cursor at;
	struct prp_list_cursor next;
	struct prp_list_entry entry;
};

/* Find what the line behind @at is. Return: the reader, or NULL at the end. */
static void *proc_find(struct seq_file *seq)
{
	struct proc_reader *reader = seq->private;

	reader->next = reader->at;
	return prp_list_next(prp_net(seq_file_net(seq)), &reader->next,
			     ALL_STATES, &reader->entry) ?
		       reader :
		       NULL;
}

static void *proc_next(struct seq_file *seq, void *v, loff_t *pos)
{
	struct proc_reader *reader = seq->private;

	if (v != SEQ_START_TOKEN)
		reader->at = reader->next;
	reader->pos = ++*pos;
	return proc_find(seq);
}

/* A reader goes on where he was, or begins anew and goes there. */
static void *proc_start(struct seq_file *seq, loff_t *pos)
{
	struct proc_reader *reader = seq->private;
	loff_t to = *pos, at = 0;
	void *v = SEQ_START_TOKEN;

	if (to && to == reader->pos)
		return proc_find(seq);
	reader->pos = 0;
	memset(&reader->at, 0, sizeof(reader->at));
	while (v && at < to)
		v = proc_next(seq, v, &at);
	return v;
}

static void proc_stop(struct seq_file *seq, void *v)
{
}

static void proc_put_end(struct seq_file *seq, __be16 node, __be16 port)
{
	seq_printf(seq, " %5u:%-5u", be16_to_cpu(node), be16_to_cpu(port));
}

static int proc_show(struct seq_file *seq, void *v)
{
	const struct proc_reader *reader = seq->private;
	const struct prp_list_entry *entry = &reader->entry;
	const struct prp_diag_msg *msg = &entry->msg;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq, "  sl local       remote      st     send-q");
		seq_puts(seq, "     recv-q        uid      inode ref\n");
		return 0;
	}
	seq_printf(seq, "%4llu", reader->pos - 1);
	proc_put_end(seq, msg->pdiag_node, msg->pdiag_port);
	proc_put_end(seq, msg->pdiag_peer_node, msg->pdiag_peer_port);
	seq_printf(seq, " %02X %10u %10u %10u %10u %3u\n", msg->pdiag_state,
		   msg->pdiag_wqueue, msg->pdiag_rqueue,
		   from_kuid_munged(seq_user_ns(seq), entry->uid),
		   msg->pdiag_inode, entry->refs);
	return 0;
}

static const struct seq_operations proc_ops = {
	.start = proc_start,
	.next = proc_next,
	.stop = proc_stop,
	.show = proc_show,
};

/**
 * prp_proc_net_init() - make the file of a namespace
 * @pn: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int prp_proc_net_init(struct prp_net *pn)
{
	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;
	return proc_create_net("prp", 0444, pn->net->proc_net, &proc_ops,
			       sizeof(struct proc_reader)) ?
		       0 :
		       -ENOMEM;
}

/**
 * prp_proc_net_exit() - remove it
 * @pn: namespace; nobody reads it any more when this returns
 */
void prp_proc_net_exit(struct prp_net *pn)
{
	remove_proc_entry("prp", pn->net->proc_net);
}
