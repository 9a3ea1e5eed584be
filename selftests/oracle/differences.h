/* SPDX-License-Identifier: GPL-2.0 */
/* The list of differences, and the table that is kept. */
#ifndef _SELFTESTS_ORACLE_DIFFERENCES_H
#define _SELFTESTS_ORACLE_DIFFERENCES_H

#include "oracle.h"

struct difference {
	char *name; /* of the case; with /ip or /native of that flavour alone,
		     * with <6.7 behind it of kernels before that one
		     */
	char *answer; /* what PRP gives */
	char *reason;
	bool applies; /* to this kernel */
	bool known; /* there is such a case */
	struct difference *next;
};

int differences_read(const char *folder);
struct difference *difference_find(const char *name, enum flavour of);
void difference_known(const char *name);
bool differences_all_known(void);

bool table_has(const char *name, const char *ip, const char *native);
void table_known(const char *name);
bool table_all_known(void);

#endif
