/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pool: memory for what connections hold beyond their reserves. There is
 * one for the whole machine, of which each namespace has a share.
 */
#ifndef _PRP_POOL_H
#define _PRP_POOL_H

#include <linux/atomic.h>
#include <linux/types.h>

#define PRP_POOL_NO_LIMIT ULONG_MAX

struct prp_net;

/**
 * struct prp_pool - a namespace's share
 * @part: of share.h [const after init]
 * @user: it is of a user namespace, whose user may have any number of them
 *	[const after init]
 * @bytes: what its connections have taken
 * @limit: bound of @bytes that the administrator has set, besides that of
 *	share.h; PRP_POOL_NO_LIMIT if he has not
 */
struct prp_pool {
	u8 part;
	bool user;
	atomic_long_t bytes;
	unsigned long limit;
};

/**
 * struct prp_pool_info - the pool as a namespace sees it, bytes
 * @machine_limit: what all namespaces may take together
 * @machine_bytes: what they have taken
 * @limit: prp_pool.limit
 * @most: what this one may have as things stand
 * @bytes: what it has
 */
struct prp_pool_info {
	unsigned long machine_limit;
	unsigned long machine_bytes;
	unsigned long limit;
	unsigned long most;
	unsigned long bytes;
};

bool prp_pool_take(struct prp_net *pn, unsigned long bytes);
void prp_pool_give(struct prp_net *pn, unsigned long bytes);
bool prp_pool_has(const struct prp_net *pn, unsigned long bytes);
bool prp_pool_has_plenty(const struct prp_net *pn, unsigned long bytes);
void prp_pool_get(const struct prp_net *pn, struct prp_pool_info *info);
void prp_pool_set_limit(struct prp_net *pn, unsigned long limit);
bool prp_pool_machine_may(unsigned long limit);
void prp_pool_set_machine_limit(unsigned long limit);
void prp_pool_net_init(struct prp_net *pn);
void prp_pool_net_exit(struct prp_net *pn);
void prp_pool_init(void);

#endif /* _PRP_POOL_H */
