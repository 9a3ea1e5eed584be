/* SPDX-License-Identifier: GPL-2.0 */
/* Frames that belong to no connection; stray.c. */
#ifndef _PRP_STRAY_H
#define _PRP_STRAY_H

struct prp_frame;
struct prp_net;

int prp_stray_frame(struct prp_net *pn, const struct prp_frame *frame);
int prp_stray_other(struct prp_net *pn, const struct prp_frame *frame);

#endif /* _PRP_STRAY_H */
