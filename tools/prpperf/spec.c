// SPDX-License-Identifier: GPL-2.0
/* Writes and reads struct spec and struct result as words KEY=NUMBER. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

struct number {
	const char *name;
	size_t offset;
};

/* clang-format off */
#define SPEC(f) { .name = #f, .offset = offsetof(struct spec, f) }
#define RESULT(f) { .name = #f, .offset = offsetof(struct result, f) }
/* clang-format on */

static const struct number of_spec[] = {
	SPEC(size),   SPEC(reply),   SPEC(burst), SPEC(per),
	SPEC(rounds), SPEC(warm),    SPEC(ms),	  SPEC(delay_us),
	SPEC(check),  SPEC(wait_ms), SPEC(nagle), SPEC(sndbuf),
	SPEC(rcvbuf), SPEC(flows),   SPEC(port),  SPEC(hardware),
	{},
};

static const struct number of_result[] = {
	RESULT(rounds),
	RESULT(lost),
	RESULT(messages),
	RESULT(bytes),
	RESULT(begun),
	RESULT(ended),
	RESULT(avg),
	RESULT(min),
	RESULT(p1),
	RESULT(p50),
	RESULT(p90),
	RESULT(p99),
	RESULT(p999),
	RESULT(max),
	RESULT(send),
	RESULT(recv),
	{},
};

static void print(char *line, const struct number *numbers, const void *from)
{
	*line = 0;
	for (; numbers->name; numbers++)
		line += sprintf(line, " %s=%" PRIu64, numbers->name,
				*(const uint64_t *)(from + numbers->offset));
}

/* One word; the number of a key is up to the next space or the end. */
static int parse_word(const char *word, const struct number *numbers, void *to)
{
	size_t len = strcspn(word, "=");
	char *end;

	for (; numbers->name; numbers++) {
		if (strlen(numbers->name) != len ||
		    strncmp(numbers->name, word, len))
			continue;
		errno = 0;
		*(uint64_t *)(to + numbers->offset) =
			strtoull(word + len + 1, &end, 10);
		return errno || end == word + len + 1 || (*end && *end != ' ') ?
			       -EINVAL :
			       0;
	}
	return -EINVAL;
}

static int parse(const char *words, const struct number *numbers, void *to)
{
	int err = 0;

	while (!err && *(words += strspn(words, " "))) {
		size_t len = strcspn(words, " ");

		err = memchr(words, '=', len) ? parse_word(words, numbers, to) :
						-EINVAL;
		words += len;
	}
	return err;
}

/**
 * spec_print() - write what is to be done
 * @line: gets words, each with a space before it; of SPEC_LINE bytes
 * @spec: what
 */
void spec_print(char *line, const struct spec *spec)
{
	print(line, of_spec, spec);
}

/**
 * spec_parse() - read what spec_print() wrote
 * @words: up to the end of the string
 * @spec: gets the numbers that are there, and keeps the others
 *
 * Return: 0, or -EINVAL
 */
int spec_parse(const char *words, struct spec *spec)
{
	return parse(words, of_spec, spec);
}

/**
 * spec_print_result() - write what was seen
 * @line: gets words, each with a space before it; of SPEC_LINE bytes
 * @result: what
 */
void spec_print_result(char *line, const struct result *result)
{
	print(line, of_result, result);
}

/**
 * spec_parse_result() - read what spec_print_result() wrote
 * @words: up to the end of the string
 * @result: gets the numbers that are there, and keeps the others
 *
 * Return: 0, or -EINVAL
 */
int spec_parse_result(const char *words, struct result *result)
{
	return parse(words, of_result, result);
}
