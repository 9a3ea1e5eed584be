// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: the words of a verdict.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdarg.h>
#include <stdio.h>

#include "show/explain.h"

/**
 * decide() - there is a verdict
 * @x: what was found out
 * @verdict: its name
 * @format: its words, as printf() has it
 */
void decide(struct explain *x, const char *verdict, const char *format, ...)
{
	va_list args;

	x->verdict = verdict;
	va_start(args, format);
	vsnprintf(x->text, sizeof(x->text), format, args);
	va_end(args);
}

/**
 * advise() - what to do about it
 * @x: what was found out
 * @format: in words, as printf() has it
 */
void advise(struct explain *x, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(x->next, sizeof(x->next), format, args);
	va_end(args);
}
