/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases that are scripts: steps with a semicolon behind each but the last, of
 * words with blanks between them. A test reads the words of a step one after
 * the other; a word that nobody reads fails the case.
 */
#ifndef _SELFTESTS_SCRIPT_H
#define _SELFTESTS_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#define SCRIPT_SET_MAX 1024

/* Numbers, "3 7..9", in this order, or "none" */
struct script_set {
	unsigned int count;
	uint32_t of[SCRIPT_SET_MAX];
};

/* What a step may expect: "name = 3" */
struct script_value {
	const char *name;
	uint32_t value;
};

void script_play(const char *text, void (*step)(void));
bool script_next(const char *word);
void script_take(const char *word);
bool script_is_number(void);
uint32_t script_number(void);
void script_read_set(struct script_set *set);
void script_expect(const char *what, uint32_t got, uint32_t expected);
void script_expect_value(const struct script_value *values, unsigned int count);
void script_expect_result(uint32_t got);
void script_fail(const char *why) __attribute__((noreturn));

#endif
