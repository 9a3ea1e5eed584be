/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/net/prp; see proc.c. */
#ifndef _PRP_PROC_H
#define _PRP_PROC_H

struct prp_net;

int prp_proc_net_init(struct prp_net *pn);
void prp_proc_net_exit(struct prp_net *pn);

#endif /* _PRP_PROC_H */
