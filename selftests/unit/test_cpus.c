// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of sets of processors, tools/prpctl/kernel/cpus.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <string.h>

#include "kernel/cpus.h"
#include "unit.h"

static char list[CPUS_LIST_LEN];
static char mask[CPUS_MASK_LEN];
static struct cpus cpus;

/* A list, as it is written and as a mask, and back */
static void both(const char *given, const char *written, const char *as_mask)
{
	struct cpus back;

	expect_true(cpus_parse_list(&cpus, given));
	expect_true(!strcmp(cpus_print_list(&cpus, list), written));
	expect_true(!strcmp(cpus_print_mask(&cpus, mask), as_mask));
	expect_true(cpus_parse_mask(&back, mask));
	expect_true(!memcmp(&back, &cpus, sizeof(back)));
}

UNIT(cpus__lists)
{
	both("0", "0", "1");
	both("0-3,8", "0-3,8", "10f");
	both("8,3,2,1,0,0-1", "0-3,8", "10f");
	both("31", "31", "80000000");
	both("32", "32", "1,00000000");
	both("0-63", "0-63", "ffffffff,ffffffff");
	both("5-5", "5", "20");
}

UNIT(cpus__what_is_no_list)
{
	static const char *const none[] = {
		"",
		",",
		"0,",
		",0",
		"-",
		"0-",
		"-1",
		"3-1",
		"0-1-2",
		"x",
		"0x1",
		" 0",
		"0 ",
		"+1",
		"8192",
		"0-8192",
		"99999999999999999999",
		"0-3;5",
		"1,,2",
	};
	unsigned int i;

	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (cpus_parse_list(&cpus, none[i]))
			unit_fail(__FILE__, __LINE__, "\"%s\" is taken",
				  none[i]);
}

/* The largest number, and the longest texts */
UNIT(cpus__as_many_as_there_may_be)
{
	unsigned int cpu;

	expect_true(cpus_parse_list(&cpus, "8191"));
	expect_true(cpus_has(&cpus, CPUS_MAX - 1));
	expect_true(!cpus_has(&cpus, CPUS_MAX));
	expect_eq(strlen(cpus_print_mask(&cpus, mask)), CPUS_MASK_LEN - 2);
	expect_true(cpus_parse_mask(&cpus, mask));
	expect_true(!strcmp(cpus_print_list(&cpus, list), "8191"));
	expect_true(cpus_parse_list(&cpus, "0-8191"));
	expect_true(!strcmp(cpus_print_list(&cpus, list), "0-8191"));
	for (cpu = 0; cpu < CPUS_MAX; cpu += 2)
		cpus.word[cpu / CPUS_WORD] &= ~(UINT32_C(1) << cpu % CPUS_WORD);
	expect_true(strlen(cpus_print_list(&cpus, list)) < sizeof(list));
	expect_true(cpus_parse_list(&cpus, list));
}

UNIT(cpus__masks)
{
	expect_true(cpus_parse_mask(&cpus, "00000000,0000000f"));
	expect_true(!strcmp(cpus_print_list(&cpus, list), "0-3"));
	expect_true(cpus_parse_mask(&cpus, "0"));
	expect_true(!strcmp(cpus_print_list(&cpus, list), ""));
	expect_true(!strcmp(cpus_print_mask(&cpus, mask), "0"));
	expect_true(!cpus_parse_mask(&cpus, ""));
	expect_true(!cpus_parse_mask(&cpus, "g"));
	expect_true(!cpus_parse_mask(&cpus, "1,"));
	expect_true(!cpus_parse_mask(&cpus, "100000000"));
}

UNIT(cpus__beyond)
{
	struct cpus of;

	expect_true(cpus_parse_list(&cpus, "0-3,9"));
	expect_true(cpus_parse_list(&of, "0-7"));
	expect_eq(cpus_beyond(&cpus, &of), 9);
	expect_eq(cpus_beyond(&of, &cpus), 4);
	expect_eq(cpus_beyond(&of, &of), -1);
}
