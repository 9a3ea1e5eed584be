// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what the kernel tells of the faults that it injects.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/fault.h"

#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

static void take_asked(const struct nlattr *attr, struct fault *fault)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_FAULT_NUMBER:
		fault->node = mnl_attr_get_u16(attr);
		break;
	case PRP_A_FAULT_LOSS:
		fault->loss = mnl_attr_get_u16(attr);
		break;
	case PRP_A_FAULT_DUPLICATE:
		fault->duplicate = mnl_attr_get_u16(attr);
		break;
	case PRP_A_FAULT_CORRUPT:
		fault->corrupt = mnl_attr_get_u16(attr);
		break;
	case PRP_A_FAULT_DELAY:
		fault->delay_ms = mnl_attr_get_u16(attr);
		break;
	case PRP_A_FAULT_SEED:
		fault->seed = mnl_attr_get_u32(attr);
		break;
	case PRP_A_FAULT_REMOVED:
		fault->removed = true;
		break;
	}
}

static void take_done(const struct nlattr *attr, struct fault *fault)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_FAULT_FRAMES:
		fault->frames = mnl_attr_get_u64(attr);
		break;
	case PRP_A_FAULT_LOST:
		fault->lost = mnl_attr_get_u64(attr);
		break;
	case PRP_A_FAULT_DUPLICATED:
		fault->duplicated = mnl_attr_get_u64(attr);
		break;
	case PRP_A_FAULT_CORRUPTED:
		fault->corrupted = mnl_attr_get_u64(attr);
		break;
	case PRP_A_FAULT_DELAYED:
		fault->delayed = mnl_attr_get_u64(attr);
		break;
	case PRP_A_FAULT_OVERFLOWED:
		fault->overflowed = mnl_attr_get_u64(attr);
		break;
	}
}

/**
 * fault_take() - read what is injected into frames of a host
 * @nlh: message that tells of it
 * @fault: filled in
 */
void fault_take(const struct nlmsghdr *nlh, struct fault *fault)
{
	const struct nlattr *attr;

	memset(fault, 0, sizeof(*fault));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		take_asked(attr, fault);
		take_done(attr, fault);
	}
}
