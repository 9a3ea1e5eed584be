// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes sets of processors: lists as 0-3,8 and masks as
 * 00000001,0000000f.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/cpus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (CPUS_MAX / CPUS_WORD)

/**
 * cpus_has() - is a processor in a set
 * @cpus: the set
 * @cpu: number of the processor
 *
 * Return: whether it is.
 */
bool cpus_has(const struct cpus *cpus, unsigned int cpu)
{
	return cpu < CPUS_MAX &&
	       cpus->word[cpu / CPUS_WORD] >> cpu % CPUS_WORD & 1;
}

/* Return: what follows the number, or NULL if that is none. */
static const char *take_cpu(const char *text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*cpu = strtoul(text, &end, 10);
	return *cpu < CPUS_MAX ? end : NULL;
}

/**
 * cpus_parse_list() - read a list
 * @cpus: set to what is in it
 * @text: numbers, and ranges of them, between commas
 *
 * Return: false if that is none, or has nobody in it.
 */
bool cpus_parse_list(struct cpus *cpus, const char *text)
{
	unsigned long first, last;

	memset(cpus, 0, sizeof(*cpus));
	for (;; text++) {
		text = take_cpu(text, &first);
		last = first;
		if (text && *text == '-')
			text = take_cpu(text + 1, &last);
		if (!text || last < first)
			return false;
		for (; first <= last; first++)
			cpus->word[first / CPUS_WORD] |= UINT32_C(1)
							 << first % CPUS_WORD;
		if (*text != ',')
			return !*text;
	}
}

/**
 * cpus_parse_mask() - read a mask
 * @cpus: set to what is in it
 * @text: words of eight hexadecimal digits between commas, the highest first
 *
 * Return: false if that is none.
 */
bool cpus_parse_mask(struct cpus *cpus, const char *text)
{
	unsigned long value;
	char *end;

	memset(cpus, 0, sizeof(*cpus));
	for (;; text = end + 1) {
		if (!isxdigit((unsigned char)*text) || cpus->word[WORDS - 1])
			return false;
		value = strtoul(text, &end, 16);
		if (value > UINT32_MAX)
			return false;
		memmove(cpus->word + 1, cpus->word,
			sizeof(cpus->word) - sizeof(*cpus->word));
		cpus->word[0] = value;
		if (*end != ',')
			return !*end;
	}
}

/**
 * cpus_print_list() - write a list
 * @cpus: who is in it
 * @text: for the list
 *
 * Return: @text.
 */
const char *cpus_print_list(const struct cpus *cpus, char text[CPUS_LIST_LEN])
{
	unsigned int cpu, last;
	char *at = text;

	*at = 0;
	for (cpu = 0; cpu < CPUS_MAX; cpu = last + 1) {
		last = cpu;
		if (!cpus_has(cpus, cpu))
			continue;
		while (cpus_has(cpus, last + 1))
			last++;
		at += sprintf(at, "%s%u", at == text ? "" : ",", cpu);
		if (last > cpu)
			at += sprintf(at, "-%u", last);
	}
	return text;
}

/**
 * cpus_print_mask() - write a mask
 * @cpus: who is in it
 * @text: for the mask
 *
 * Return: @text.
 */
const char *cpus_print_mask(const struct cpus *cpus, char text[CPUS_MASK_LEN])
{
	unsigned int word = WORDS - 1;
	char *at = text;

	while (word && !cpus->word[word])
		word--;
	at += sprintf(at, "%x", cpus->word[word]);
	while (word--)
		at += sprintf(at, ",%08x", cpus->word[word]);
	return text;
}

/**
 * cpus_beyond() - is a set part of another one
 * @cpus: the set
 * @of: the other one
 *
 * Return: the first processor that is not in @of, or -1.
 */
int cpus_beyond(const struct cpus *cpus, const struct cpus *of)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(cpus, cpu) && !cpus_has(of, cpu))
			return cpu;
	return -1;
}
