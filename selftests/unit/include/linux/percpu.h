/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_PERCPU_H
#define _UNIT_LINUX_PERCPU_H

#define __percpu
#define this_cpu_inc(x) ((x)++)
#define this_cpu_add(x, n) ((x) += (n))

#endif
