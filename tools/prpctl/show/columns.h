/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A list in columns that are as wide as what is in them.
 */
#ifndef _PRPCTL_COLUMNS_H
#define _PRPCTL_COLUMNS_H

#include <stdbool.h>

#include "show/out.h"

void columns_begin(const char *const *heads, unsigned int kept, bool headed,
		   bool color);
void columns_cell(const char *text, enum paint paint);
void columns_note(const char *text);
void columns_end(void);
void columns_drop(void);

#endif /* _PRPCTL_COLUMNS_H */
