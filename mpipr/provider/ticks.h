/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The cheapest clock that there is */
#ifndef MPIPR_TICKS_H
#define MPIPR_TICKS_H

#include <stdint.h>
#include <time.h>

/**
 * mpipr_ticks() - what time it is, of a clock that costs next to nothing
 *
 * Return: ticks of whatever length since some moment.
 */
static inline uint64_t mpipr_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ull + at.tv_nsec;
#endif
}

#endif
