/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time, for how long something takes.
 */
#ifndef _PRPCTL_CLOCK_H
#define _PRPCTL_CLOCK_H

#include <stdint.h>
#include <time.h>

/**
 * clock_us() - the monotonic time
 *
 * Return: microseconds since some moment.
 */
static inline uint64_t clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/**
 * clock_ms() - the same, coarser
 *
 * Return: milliseconds since some moment.
 */
static inline int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

#endif /* _PRPCTL_CLOCK_H */
