// SPDX-License-Identifier: GPL-2.0
/*
 * Planted for floors.py: it calls up, by name and through a table, includes the
 * header, and has a name that is not its own.
 */
#include "transport/high.h"

struct ops {
	int (*told)(void);
};

static const struct ops hidden = { prp_high_told };
const struct ops *prp_low_ops = &hidden;

int planted_name(void)
{
	return prp_high_do() + prp_low_ops->told();
}
