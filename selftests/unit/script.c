// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "unit.h"

static const char *begin, *at; /* of the step, of the next word */

void script_fail(const char *why)
{
	unit_fail(__FILE__, __LINE__, "%.*s: %s", (int)strcspn(begin, ";"),
		  begin, why);
}

void script_expect(const char *what, uint32_t got, uint32_t expected)
{
	if (got != expected)
		unit_fail(__FILE__, __LINE__,
			  "%.*s: %s: got %" PRIu32 ", expected %" PRIu32,
			  (int)strcspn(begin, ";"), begin, what, got, expected);
}

static size_t word_length(void)
{
	at += strspn(at, " ");
	return strcspn(at, " ;");
}

/* Take the next word if it is this one */
bool script_next(const char *word)
{
	size_t length = word_length();

	if (length != strlen(word) || strncmp(at, word, length))
		return false;
	at += length;
	return true;
}

void script_take(const char *word)
{
	if (!script_next(word))
		unit_fail(__FILE__, __LINE__, "%.*s: no \"%s\"",
			  (int)strcspn(begin, ";"), begin, word);
}

bool script_is_number(void)
{
	return word_length() && strchr("-0123456789", *at) &&
	       strncmp(at, "->", 2);
}

static uint32_t number_before(const char *end)
{
	bool is_number = script_is_number();
	char *read;
	int64_t number = strtoll(at, &read, 0);

	if (!is_number || read != end || number < INT32_MIN ||
	    number > UINT32_MAX)
		script_fail("no number");
	at = end;
	return number;
}

uint32_t script_number(void)
{
	size_t length = word_length();

	return number_before(at + length);
}

static void add_range(struct script_set *set, uint32_t from, uint32_t to)
{
	if (to < from || to - from >= SCRIPT_SET_MAX - set->count)
		script_fail("no range, or too many");
	while (from <= to)
		set->of[set->count++] = from++;
}

void script_read_set(struct script_set *set)
{
	set->count = 0;
	if (script_next("none"))
		return;
	do {
		size_t length = word_length();
		const char *end = at + length;
		uint32_t from;

		from = number_before(at + strcspn(at, ". ;"));
		if (at == end) {
			add_range(set, from, from);
			continue;
		}
		if (strncmp(at, "..", 2))
			script_fail("no range");
		at += 2;
		add_range(set, from, number_before(end));
	} while (script_is_number());
}

/* "-> 3" */
void script_expect_result(uint32_t got)
{
	script_take("->");
	script_expect("result", got, script_number());
}

void script_expect_value(const struct script_value *values, unsigned int count)
{
	for (; count; count--, values++) {
		if (!script_next(values->name))
			continue;
		script_take("=");
		script_expect("value", values->value, script_number());
		return;
	}
	script_fail("no such step");
}

void script_play(const char *text, void (*step)(void))
{
	at = text;
	do {
		begin = at + strspn(at, " ");
		step();
		if (word_length())
			script_fail("more than the step takes");
	} while (*at++);
}
