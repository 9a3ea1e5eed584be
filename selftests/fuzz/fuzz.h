/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzing targets share: a target is given bytes, does something
 * with them, and calls must() of what has to be true whatever they are.
 */
#ifndef _SELFTESTS_FUZZ_H
#define _SELFTESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(what) \
	do { \
		if (!(what)) \
			fuzz_failed(__FILE__, __LINE__, #what); \
	} while (0)

void fuzz_failed(const char *file, int line, const char *what)
	__attribute__((noreturn));

/**
 * struct bytes - what is left of the input
 * @at: next byte
 * @left: how many there are
 */
struct bytes {
	const uint8_t *at;
	size_t left;
};

/* The next byte, 0 behind the end */
static inline uint8_t take8(struct bytes *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline uint16_t take16(struct bytes *in)
{
	uint16_t high = take8(in);

	return high << 8 | take8(in);
}

static inline uint32_t take32(struct bytes *in)
{
	uint32_t high = take16(in);

	return high << 16 | take16(in);
}

#endif
