/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often we answer what nothing asked for.
 */
#ifndef _PRP_LIMIT_H
#define _PRP_LIMIT_H

#include <linux/types.h>

struct prp_net;

bool prp_limit_may_answer(struct prp_net *pn, u16 node);
bool prp_limit_may_answer_all(struct prp_net *pn);
bool prp_limit_may_query(struct prp_net *pn);

#endif /* _PRP_LIMIT_H */
