/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_KERNEL_H
#define _UNIT_LINUX_KERNEL_H

#include <linux/types.h>
#include <linux/build_bug.h>
#include <stdlib.h>

#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
/* Of one type, as older kernels want it: later ones take what has one sign. */
#define __of_one_type(a, b, what) \
	({ \
		_Static_assert(__builtin_types_compatible_p(typeof(a), \
							    typeof(b)), \
			       "types differ: see min_t() and max_t()"); \
		what; \
	})
#define min(a, b) __of_one_type(a, b, (a) < (b) ? (a) : (b))
#define max(a, b) __of_one_type(a, b, (a) > (b) ? (a) : (b))
#define clamp(x, lo, hi) min(max(x, lo), hi)
#define clamp_t(type, x, lo, hi) min_t(type, max_t(type, x, lo), hi)

#define U8_MAX ((u8)~0)
#define U16_MAX ((u16)~0U)
#define U32_MAX (~0U)
#define U64_MAX (~0ULL)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define ALIGN(x, a) (((x) + (a)-1) & ~((typeof(x))(a)-1))
#define round_up(x, a) ALIGN(x, a)
#define round_down(x, a) ((x) & ~((typeof(x))(a)-1))
#define lower_32_bits(n) ((u32)(n))
#define upper_32_bits(n) ((u32)((u64)(n) >> 32))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr)-offsetof(type, member)))

#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define noinline __attribute__((noinline))
#define fallthrough __attribute__((__fallthrough__))

/* In the kernel a complaint, here the end of the test. */
#define WARN_ON_ONCE(x) \
	({ \
		bool _warn = !!(x); \
		if (_warn) \
			abort(); \
		_warn; \
	})
#define WARN_ON(x) WARN_ON_ONCE(x)

#endif
