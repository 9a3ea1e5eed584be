/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections whose socket is closed while something is to be delivered.
 *
 * Copyright (C) 2026 The PRP authors
 */
#ifndef _PRP_ORPHAN_H
#define _PRP_ORPHAN_H

#include <linux/types.h>

struct prp_conn;

bool __prp_orphan_add(struct prp_conn *conn);
void __prp_orphan_end(struct prp_conn *conn);

#endif /* _PRP_ORPHAN_H */
