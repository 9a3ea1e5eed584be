/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every allocation, and every copy from or to a program, of a call fails
 * once: the kernel's fail-nth lets the n-th of a thread fail, for n = 1, 2,
 * 3 ... until the call needs fewer. A call that failed says so by a clean
 * errno and works when it is made again; one that succeeded all the same has
 * done what it says. Nothing may be left over. A sweep in which no failure
 * has reached the call proves nothing, so it fails; listen() needs no memory
 * and has none.
 *
 * Needs a kernel with fault injection: who runs these tests is in faults/.
 */
#ifndef _SELFTESTS_FAIL_H
#define _SELFTESTS_FAIL_H

#include "nodes.h"

#define BYTES 60000 /* in struct sweep */

/* What a call is made with. All that is open at its end is closed. */
struct sweep {
	struct nodes *nodes;
	int fd; /* what the call is about */
	int other; /* the other end, or a listener */
	int made; /* what the call has made */
	int more; /* what else it needs */
	char *bytes;
};

/* A call; what it makes must be right after a success, and after a retry. */
struct call {
	bool (*prepare)(struct sweep *sweep);
	long (*call)(struct sweep *sweep);
	bool (*check)(struct sweep *sweep, long ret);
	bool once; /* if it fails it has been done all the same */
	bool cached; /* most times it finds in store what it needs */
	bool foreign; /* others than PRP may fail, with an errno of theirs */
};

bool faults_on(void);
bool pages_fail(bool on);
int sweep(struct nodes *nodes, const struct call *call);

#endif
