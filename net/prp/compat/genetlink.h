/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the generator makes of our specification, and old kernels lack: split
 * operations came with 6.2, NLA_POLICY_MAX_LEN with 6.13.
 */
#ifndef _PRP_COMPAT_GENETLINK_H
#define _PRP_COMPAT_GENETLINK_H

#include <linux/version.h>
#include <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define NLA_POLICY_MAX_LEN(_len) \
	{ \
		.type = NLA_BINARY, .len = _len \
	}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)

#define PRP_COMPAT_GENL_OPS 32

struct genl_split_ops {
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct nla_policy *policy;
	unsigned int maxattr;
	u8 cmd;
	u8 flags;
};

/* The two halves of a command follow each other and share one policy. */
static inline void prp_compat_genl_set_ops(struct genl_family *family,
					   const struct genl_split_ops *split,
					   unsigned int count)
{
	static struct genl_ops ops[PRP_COMPAT_GENL_OPS];
	struct genl_ops *op = ops - 1;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!i || split[i].cmd != split[i - 1].cmd)
			op++;
		if (WARN_ON(op == ops + PRP_COMPAT_GENL_OPS))
			return;
		op->cmd = split[i].cmd;
		op->flags = split[i].flags &
			    (GENL_ADMIN_PERM | GENL_UNS_ADMIN_PERM);
		if (split[i].doit)
			op->doit = split[i].doit;
		if (split[i].dumpit)
			op->dumpit = split[i].dumpit;
		if (split[i].policy) {
			op->policy = split[i].policy;
			op->maxattr = split[i].maxattr;
		}
	}
	family->ops = ops;
	family->n_ops = op - ops + 1;
}

#else

static inline void prp_compat_genl_set_ops(struct genl_family *family,
					   const struct genl_split_ops *split,
					   unsigned int count)
{
	family->split_ops = split;
	family->n_split_ops = count;
}

#endif

#endif /* _PRP_COMPAT_GENETLINK_H */
