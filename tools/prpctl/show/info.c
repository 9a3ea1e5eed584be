// SPDX-License-Identifier: GPL-2.0
/*
 * Names the numbers of a connection.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/info.h"

#include <stdbool.h>
#include <string.h>

#include "prpctl.h"

/* clang-format off */
#define INFO_32(field) \
	{ .name = #field, .offset = offsetof(struct prp_info, prpi_##field) }
#define INFO_64(field) \
	{ .name = #field, .offset = offsetof(struct prp_info, prpi_##field), \
	  .wide = true }
/* clang-format on */

static const struct {
	const char *name;
	size_t offset;
	bool wide;
} fields[] = {
	INFO_32(seg_size),
	INFO_32(path_size),
	INFO_32(rtt_us),
	INFO_32(rttvar_us),
	INFO_32(cwnd),
	INFO_32(in_flight),
	INFO_32(in_flight_max),
	INFO_32(snd_wnd),
	INFO_32(rcv_wnd),
	INFO_32(queued),
	INFO_32(reorder),
	INFO_64(segs_out),
	INFO_64(segs_retransmitted),
	INFO_64(segs_in),
	INFO_64(segs_dup_in),
	INFO_64(acks_out),
	INFO_64(acks_in),
	INFO_64(probes_out),
	INFO_64(bytes_out),
	INFO_64(bytes_in),
	INFO_32(min_rtt_us),
	INFO_32(mode),
	INFO_64(pace),
};

const size_t info_count = ARRAY_SIZE(fields);

/**
 * info_name() - name of a number
 * @i: which, below info_count
 *
 * Return: its name.
 */
const char *info_name(size_t i)
{
	return fields[i].name;
}

/**
 * info_value() - a number of a connection
 * @info: the numbers
 * @i: which, below info_count
 *
 * Return: its value.
 */
uint64_t info_value(const struct prp_info *info, size_t i)
{
	const char *at = (const char *)info + fields[i].offset;
	uint64_t wide;
	uint32_t narrow;

	memcpy(&wide, at, fields[i].wide ? sizeof(wide) : 0);
	memcpy(&narrow, at, sizeof(narrow));
	return fields[i].wide ? wide : narrow;
}
