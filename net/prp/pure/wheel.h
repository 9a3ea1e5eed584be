/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots that take turns, as pure logic: one a tick, so that what is put into
 * one has its turn within PRP_WHEEL_SLOTS ticks. In line, because there is
 * little of it. The owner's lock protects it.
 */
#ifndef _PRP_WHEEL_H
#define _PRP_WHEEL_H

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define PRP_WHEEL_SLOTS 512 /* tick t is the turn of slot t % this */

/**
 * prp_wheel_next() - the next turn of a slot that has something in it
 * @filled: bit s is set if slot s has
 * @tick: turns up to this one are over
 *
 * Return: a later tick, U64_MAX if all slots are empty.
 */
static inline u64 prp_wheel_next(const unsigned long *filled, u64 tick)
{
	unsigned int first = (tick + 1) % PRP_WHEEL_SLOTS;
	unsigned int slot = find_next_bit_wrap(filled, PRP_WHEEL_SLOTS, first);

	if (slot >= PRP_WHEEL_SLOTS)
		return U64_MAX;
	return tick + 1 + (slot - first) % PRP_WHEEL_SLOTS;
}

#endif /* _PRP_WHEEL_H */
