/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_BITOPS_H
#define _UNIT_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define BITS_PER_LONG 64

#define hweight8(w) ((unsigned int)__builtin_popcount((u8)(w)))
#define hweight16(w) ((unsigned int)__builtin_popcount((u16)(w)))
#define hweight32(w) ((unsigned int)__builtin_popcount((u32)(w)))
#define hweight64(w) ((unsigned int)__builtin_popcountll((u64)(w)))

/* Undefined for 0, as in the kernel; UBSan sees it. */
#define __ffs(w) ((unsigned long)__builtin_ctzl(w))
#define __ffs64(w) ((unsigned long)__builtin_ctzll(w))
#define __fls(w) (63UL - __builtin_clzl(w))
#define ffz(w) __ffs(~(w))

static inline int fls64(u64 w)
{
	return w ? 64 - __builtin_clzll(w) : 0;
}

static inline int fls(unsigned int w)
{
	return w ? 32 - __builtin_clz(w) : 0;
}

#endif
