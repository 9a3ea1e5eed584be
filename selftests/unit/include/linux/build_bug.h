/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_BUILD_BUG_H
#define _UNIT_LINUX_BUILD_BUG_H

#undef static_assert
#define static_assert(expr, ...) _Static_assert(expr, #expr)
#define BUILD_BUG_ON(expr) _Static_assert(!(expr), #expr)

#endif
