/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PLANTED_CIRCLE_H
#define _PLANTED_CIRCLE_H

int one(void);
int two(void);
int three(void);

#endif
