// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: what is one, and what its segments' headers are.
 */
#include <string.h>

#include "pure/run.h"
#include "unit.h"

#define EACH 1464

static struct prp_hdr header(u16 len, u16 flags)
{
	return (struct prp_hdr){
		.version = PRP_VERSION,
		.seq = cpu_to_be32(0xfffffffe),
		.txno = cpu_to_be32(0xffffffff),
		.len = cpu_to_be16(len),
		.flags = cpu_to_be16(flags),
	};
}

static unsigned int segs(u16 flags, size_t payload)
{
	struct prp_hdr hdr = header(EACH, flags);

	return prp_run_segs(&hdr, sizeof(hdr) + payload, EACH);
}

UNIT(prp_run_segs__by_length)
{
	expect_eq(segs(PRP_F_SEG, 0), 1);
	expect_eq(segs(PRP_F_SEG, EACH - 1), 1);
	expect_eq(segs(PRP_F_SEG, EACH), 1);
	expect_eq(segs(PRP_F_SEG, EACH + 1), 2);
	expect_eq(segs(PRP_F_SEG, 2 * EACH), 2);
	expect_eq(segs(PRP_F_SEG, 2 * EACH + 1), 3);
	expect_eq(segs(PRP_F_SEG, 44 * EACH), 44);
	expect_eq(segs(PRP_F_SEG, PRP_RUN_BYTES), 45);
	expect_eq(segs(PRP_F_SEG, PRP_RUN_BYTES + 1), 1);
	expect_eq(segs(PRP_F_SEG, UINT32_MAX), 1);
}

UNIT(prp_run_segs__plain_data_only)
{
	u16 flag;

	expect_eq(segs(PRP_F_SEG | PRP_F_ACKNOW | PRP_F_RAIL, 2 * EACH), 2);
	expect_eq(segs(PRP_F_SEG | 3 << PRP_F_RAIL_SHIFT, 2 * EACH), 2);
	expect_eq(segs(0, 2 * EACH), 1);
	for (flag = 1; !(flag & PRP_F_RAIL); flag <<= 1)
		expect_eq(segs(PRP_F_SEG | flag, 2 * EACH),
			  flag & (PRP_F_SEG | PRP_RUN_LAST) ? 2 : 1);
}

UNIT(prp_run_segs__header_and_buffer_agree)
{
	struct prp_hdr hdr = header(EACH, PRP_F_SEG);

	expect_eq(prp_run_segs(&hdr, 10000, EACH - 1), 1);
	expect_eq(prp_run_segs(&hdr, 10000, EACH + 1), 1);
	expect_eq(prp_run_segs(&hdr, 10000, 0), 1);
	hdr.ext = 1; /* a checksum */
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 8 + EACH, EACH), 1);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 8 + EACH + 1, EACH), 2);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 8 + PRP_RUN_BYTES, EACH),
		  45);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 9 + PRP_RUN_BYTES, EACH), 1);
	hdr.ext = 2;
	expect_eq(prp_run_segs(&hdr, 10000, EACH), 1);
	hdr.ext = 255;
	expect_eq(prp_run_segs(&hdr, 10000, EACH), 1);
	hdr = header(0, PRP_F_SEG);
	expect_eq(prp_run_segs(&hdr, 10000, 0), 1);
	hdr = header(1, PRP_F_SEG);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 63, 1), 63);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 64, 1), 1);
	hdr = header(65535, PRP_F_SEG);
	expect_eq(prp_run_segs(&hdr, sizeof(hdr) + 65536, 65535), 1);
}

/* Numbers wrap, and only the last one asks, or is the end of a message. */
static void cut_each(u16 last)
{
	struct prp_hdr run =
		header(EACH, PRP_F_SEG | last | 5 << PRP_F_RAIL_SHIFT);
	struct prp_hdr hdr = run;

	prp_run_cut(&hdr, 0, EACH, false);
	run.flags = cpu_to_be16(PRP_F_SEG | 5 << PRP_F_RAIL_SHIFT);
	expect_true(!memcmp(&hdr, &run, sizeof(run)));
	run.flags |= cpu_to_be16(last);
	hdr = run;
	prp_run_cut(&hdr, 3, 7, true);
	run.seq = cpu_to_be32(1);
	run.txno = cpu_to_be32(2);
	run.len = cpu_to_be16(7);
	expect_true(!memcmp(&hdr, &run, sizeof(run)));
}

UNIT(prp_run_cut__each_its_own)
{
	cut_each(PRP_F_ACKNOW);
	cut_each(PRP_F_EOM);
	cut_each(PRP_F_ACKNOW | PRP_F_EOM);
}

UNIT(prp_run_starts__plain_data_without_padding)
{
	struct prp_hdr hdr = header(EACH, PRP_F_SEG | 3 << PRP_F_RAIL_SHIFT);
	u16 flag;

	expect_true(prp_run_starts(&hdr, EACH));
	expect_true(!prp_run_starts(&hdr, EACH + 1));
	expect_true(!prp_run_starts(&hdr, EACH - 1));
	for (flag = 1; !(flag & PRP_F_RAIL); flag <<= 1) {
		hdr.flags = cpu_to_be16(PRP_F_SEG ^ flag);
		expect_true(!prp_run_starts(&hdr, EACH));
	}
	hdr = header(EACH, PRP_F_SEG);
	hdr.ext = 1;
	expect_true(!prp_run_starts(&hdr, EACH));
	hdr = header(EACH, PRP_F_SEG);
	hdr.version++;
	expect_true(!prp_run_starts(&hdr, EACH));
	hdr = header(0, PRP_F_SEG);
	expect_true(!prp_run_starts(&hdr, 0));
	hdr = header(1, PRP_F_SEG);
	expect_true(prp_run_starts(&hdr, 1));
	hdr = header(65535, PRP_F_SEG);
	expect_true(prp_run_starts(&hdr, 65535));
}

/* What is cut from a run joins it again, and nothing else does. */
UNIT(prp_run_joins__what_was_cut)
{
	struct prp_hdr run = header(EACH, PRP_F_SEG), hdr;
	unsigned int nr;

	for (nr = 1; nr < 44; nr++) {
		hdr = run;
		hdr.flags |= cpu_to_be16(nr % 2 ? PRP_F_ACKNOW : PRP_F_EOM);
		prp_run_cut(&hdr, nr, EACH, nr == 43);
		expect_true(prp_run_joins(&run, nr, &hdr, EACH));
		expect_true(!prp_run_joins(&run, nr - 1, &hdr, EACH));
		expect_true(!prp_run_joins(&run, nr + 1, &hdr, EACH));
	}
	prp_run_cut(&hdr, 1, 1119, true);
	expect_true(prp_run_joins(&run, 44, &hdr, 1119));
	prp_run_cut(&hdr, 0, 1120, true);
	expect_true(!prp_run_joins(&run, 44, &hdr, 1120));
}

UNIT(prp_run_joins__most_and_least)
{
	struct prp_hdr run = header(2, PRP_F_SEG), hdr = run;

	prp_run_cut(&hdr, 62, 1, true);
	expect_true(prp_run_joins(&run, 62, &hdr, 1));
	expect_true(!prp_run_joins(&run, 62, &hdr, 2));
	hdr.len = 0;
	expect_true(!prp_run_joins(&run, 62, &hdr, 0));
	hdr = run;
	prp_run_cut(&hdr, 63, 1, true);
	expect_true(!prp_run_joins(&run, 63, &hdr, 1));
	hdr = run;
	prp_run_cut(&hdr, 1, 3, true);
	expect_true(!prp_run_joins(&run, 1, &hdr, 3));
}

/* No byte may differ but those of the numbers, the length and PRP_RUN_LAST;
 * nodes and ports are prp_run_same_conn()'s.
 */
UNIT(prp_run_joins__any_other_byte)
{
	const struct prp_hdr run = header(EACH, PRP_F_SEG);
	struct prp_hdr hdr;
	bool joins;
	size_t at;

	for (at = 0; at < sizeof(hdr) * 8; at++) {
		hdr = run;
		prp_run_cut(&hdr, 1, EACH, false);
		((u8 *)&hdr)[at / 8] ^= 1 << at % 8;
		joins = prp_run_same_conn(&run, &hdr) &&
			prp_run_joins(&run, 1, &hdr, EACH);
		expect_eq(joins,
			  hdr.flags == cpu_to_be16(PRP_F_SEG | PRP_F_ACKNOW) ||
				  hdr.flags ==
					  cpu_to_be16(PRP_F_SEG | PRP_F_EOM));
	}
}
