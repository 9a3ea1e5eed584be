/* SPDX-License-Identifier: GPL-2.0 */
/* What changes below mean for all connections of a namespace; changes.c. */
#ifndef _PRP_CHANGES_H
#define _PRP_CHANGES_H

#include <linux/types.h>

struct prp_net;
struct prp_table;

u32 prp_changes_table(struct prp_net *pn, const struct prp_table *old,
		      const struct prp_table *now);
void prp_changes_path(struct prp_net *pn);
void prp_changes_rails(struct prp_net *pn);
void prp_changes_exit(struct prp_net *pn);

#endif /* _PRP_CHANGES_H */
