/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets that wait for others to give memory back to the pool.
 */
#ifndef _PRP_STARVE_H
#define _PRP_STARVE_H

#include <linux/types.h>

struct prp_conn;
struct prp_sock;

/* What poll() takes for room: of a stream a batch's overhead and some bytes. */
#define PRP_STARVE_LEAST 4096

bool prp_starve_is_fed(const struct prp_sock *psk, const struct prp_conn *conn);
bool prp_starve_wait(struct prp_sock *psk, const struct prp_conn *conn);
void prp_starve_forget(struct prp_sock *psk);
void prp_starve_wake(void);
void prp_starve_exit(void);

#endif /* _PRP_STARVE_H */
