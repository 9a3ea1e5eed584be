/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header: what the pure rooms use. */
#ifndef _UNIT_LINUX_STRING_H
#define _UNIT_LINUX_STRING_H

#include <stddef.h>
#include <string.h>

#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))

/* Behind a member */
#define memset_after(obj, v, member) \
	memset((char *)(obj) + offsetofend(typeof(*(obj)), member), v, \
	       sizeof(*(obj)) - offsetofend(typeof(*(obj)), member))

/* First byte that is not c, or NULL */
static inline void *memchr_inv(const void *from, int c, size_t len)
{
	const unsigned char *at = from;

	for (; len; len--, at++)
		if (*at != (unsigned char)c)
			return (void *)at;
	return NULL;
}

#endif
