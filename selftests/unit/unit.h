/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A unit test: UNIT(function__case) { ... expect_eq(got, expected); }. Each
 * runs in a process of its own, so that a crash or a sanitizer's report
 * fails one test and not the file. The output is KTAP.
 */
#ifndef _SELFTESTS_UNIT_H
#define _SELFTESTS_UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

struct unit {
	const char *name;
	void (*run)(void);
	void (*play)(const char *script); /* instead of run() */
	const char *script;
	struct unit *next;
};

/* A case of many that differ in what happens only */
struct unit_row {
	const char *name;
	const char *script;
};

void unit_add(struct unit *unit);
void unit_add_rows(const struct unit_row *rows, unsigned int count,
		   void (*play)(const char *script));
void unit_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

#define UNIT(test) \
	static void test(void); \
	__attribute__((constructor)) static void test##_add(void) \
	{ \
		static struct unit unit = { .name = #test, .run = test }; \
\
		unit_add(&unit); \
	} \
	static void test(void)

/* Each row of a table is a case: play() its script. */
#define UNIT_ROWS(rows, play) \
	__attribute__((constructor)) static void rows##_add(void) \
	{ \
		unit_add_rows(rows, sizeof(rows) / sizeof(*rows), play); \
	}

#define expect_true(what) \
	do { \
		if (!(what)) \
			unit_fail(__FILE__, __LINE__, \
				  "%s: expected to be true", #what); \
	} while (0)

#define expect_eq(got, expected) \
	do { \
		int64_t got_ = (got), expected_ = (expected); \
\
		if (got_ != expected_) \
			unit_fail(__FILE__, __LINE__, \
				  "%s: got %" PRId64 " (%#" PRIx64 \
				  "), expected %" PRId64 " (%#" PRIx64 ")", \
				  #got, got_, got_, expected_, expected_); \
	} while (0)

/* A pseudo-random number, the same ones in each run of a test */
uint64_t unit_random(void);

#endif
