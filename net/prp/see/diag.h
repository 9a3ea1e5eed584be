/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sock_diag tells of sockets and connections.
 */
#ifndef _PRP_DIAG_H
#define _PRP_DIAG_H

int prp_diag_init(void);
void prp_diag_exit(void);

#endif /* _PRP_DIAG_H */
