// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what the kernel tells of its access list.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/access.h"

#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

/**
 * access_take() - read an entry
 * @nlh: message that tells of it
 * @entry: filled in
 */
void access_take(const struct nlmsghdr *nlh, struct access_entry *entry)
{
	const struct nlattr *attr;

	memset(entry, 0, sizeof(*entry));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case PRP_A_ACCESS_PORT:
			entry->low = mnl_attr_get_u16(attr);
			break;
		case PRP_A_ACCESS_PORT_END:
			entry->high = mnl_attr_get_u16(attr);
			break;
		case PRP_A_ACCESS_NODE:
			entry->node = mnl_attr_get_u16(attr);
			break;
		case PRP_A_ACCESS_REMOVED:
			entry->removed = true;
			break;
		case PRP_A_ACCESS_DIRECTION:
			entry->direction = mnl_attr_get_u8(attr);
			break;
		case PRP_A_ACCESS_PASSED:
			entry->passed = mnl_attr_get_u64(attr);
			break;
		case PRP_A_ACCESS_REFUSED:
			entry->refused = mnl_attr_get_u64(attr);
			break;
		}
	}
	if (!entry->high)
		entry->high = entry->low;
}
