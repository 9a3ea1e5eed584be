// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets and connections as sock_diag dumps them, in the format of
 * include/uapi/linux/prp_diag.h; list.c finds them.
 *
 * There is no alias that loads the module for a dump, for the reason that
 * main.c gives: where it is not loaded there is nothing to see.
 */
#include <net/netlink.h>
#include <uapi/linux/prp_diag.h>

#include "compat/diag.h"
#include "net.h"
#include "see/diag.h"
#include "see/list.h"

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
		    const struct prp_list_entry *entry)
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

static int diag_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct prp_diag_req *req = nlmsg_data(cb->nlh);
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	struct prp_list_cursor *cursor = (void *)cb->ctx;
	struct prp_list_cursor next = *cursor;
	struct prp_list_entry entry;
	int err = 0;

	BUILD_BUG_ON(sizeof(*cursor) > sizeof(cb->ctx));

	while (!err && prp_list_next(pn, &next, req->states, &entry)) {
		/* as the reader of the dump sees him */
		entry.msg.pdiag_uid =
			from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk),
					 entry.uid);
		err = diag_put(skb, cb, &entry);
		if (!err)
			*cursor = next;
	}
	if (!err)
		*cursor = next;
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

static const struct sock_diag_handler diag_handler =
	PRP_COMPAT_DIAG_HANDLER(AF_PRP, diag_request);

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
