/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors that forwarders tell.
 */
#ifndef _PRP_TOLD_H
#define _PRP_TOLD_H

struct prp_frame;
struct prp_net;

int prp_told_error(struct prp_net *pn, const struct prp_frame *frame);

#endif /* _PRP_TOLD_H */
