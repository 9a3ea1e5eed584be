/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_BITMAP_H
#define _UNIT_LINUX_BITMAP_H

#include <linux/bitops.h>

#define BITS_TO_LONGS(bits) (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

static inline unsigned long find_next_bit_wrap(const unsigned long *map,
					       unsigned long size,
					       unsigned long from)
{
	unsigned long tried, bit = from;

	for (tried = 0; tried < size; tried++, bit++)
		if (map[bit % size / BITS_PER_LONG] &
		    BIT(bit % size % BITS_PER_LONG))
			return bit % size;
	return size;
}

#endif
