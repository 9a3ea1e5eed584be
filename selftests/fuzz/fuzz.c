// SPDX-License-Identifier: GPL-2.0
/* A target's end, with a word that says why. */
#include "fuzz.h"

#include <stdio.h>

void fuzz_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: must be true: %s\n", file, line, what);
	abort();
}
