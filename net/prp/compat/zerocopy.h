/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is told that a frame does not need a program's pages any more: a function
 * in struct ubuf_info until 6.10, which has a table of them.
 */
#ifndef _PRP_COMPAT_ZEROCOPY_H
#define _PRP_COMPAT_ZEROCOPY_H

#include <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define prp_compat_ubuf_set(ubuf, function) ((ubuf)->callback = (function))

/* Is it a note of the kernel's, for who sends with MSG_ZEROCOPY? */
static inline bool prp_compat_is_note(const struct ubuf_info *ubuf)
{
	return ubuf->callback == msg_zerocopy_callback;
}

static inline void prp_compat_ubuf_done(struct sk_buff *skb,
					struct ubuf_info *ubuf, bool success)
{
	ubuf->callback(skb, ubuf, success);
}
#else
#define prp_compat_ubuf_set(ubuf, function) \
	do { \
		static const struct ubuf_info_ops ops = { \
			.complete = (function), \
		}; \
		(ubuf)->ops = &ops; \
	} while (0)

static inline bool prp_compat_is_note(const struct ubuf_info *ubuf)
{
	return ubuf->ops == &msg_zerocopy_ubuf_ops;
}

static inline void prp_compat_ubuf_done(struct sk_buff *skb,
					struct ubuf_info *ubuf, bool success)
{
	ubuf->ops->complete(skb, ubuf, success);
}
#endif

/* A note for who sends with MSG_ZEROCOPY; from 6.16 on it says, too, whether
 * the memory is a device's.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define prp_compat_zerocopy(sk, len) msg_zerocopy_realloc(sk, len, NULL)
#else
#define prp_compat_zerocopy(sk, len) msg_zerocopy_realloc(sk, len, NULL, false)
#endif

/* A sendmsg() whose pages may be kept, as splice() has it from 6.5 on; late 6.1
 * has the flag, too, which no program can set.
 */
#ifdef MSG_SPLICE_PAGES
#define PRP_COMPAT_MSG_SPLICE MSG_SPLICE_PAGES
#else
#define PRP_COMPAT_MSG_SPLICE 0
#endif

#endif /* _PRP_COMPAT_ZEROCOPY_H */
