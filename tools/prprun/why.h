/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why TCP carries a connection, in words.
 */
#ifndef _PRPRUN_WHY_H
#define _PRPRUN_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/prp.h>

void why_text(const struct prp_why *why, char *text, size_t size);
bool why_module_is_missing(void);

#endif /* _PRPRUN_WHY_H */
