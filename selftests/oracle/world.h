/* SPDX-License-Identifier: GPL-2.0 */
/* What the engine knows and cases need not. */
#ifndef _SELFTESTS_ORACLE_WORLD_H
#define _SELFTESTS_ORACLE_WORLD_H

#include "oracle.h"

#define ANSWER 512 /* room for what a case notes */

extern const struct nodes *world_nodes;
extern int world_port; /* first of those of this case and flavour */
extern char *world_answer; /* shared by who runs a case and who waits */

void world_slow(void);

int world_make(void);
int world_freed(void);
void world_run(const struct oracle_case *one, enum flavour of, int port,
	       char *answer);

#endif
