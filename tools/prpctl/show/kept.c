// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps counters from one call to the next one, as text in a file that nobody
 * but its owner reads or writes.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "show/out.h"

/* Where users keep what may be gone when the machine starts again */
static const char *folder(char path[PATH_MAX])
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (given && given[0] == '/' && strlen(given) < PATH_MAX / 2)
		return strcpy(path, given);
	snprintf(path, PATH_MAX, "/run/user/%u", geteuid());
	if (stat(path, &st) && !geteuid())
		strcpy(path, "/run");
	return path;
}

/* Return: a file that is the user's alone, or NULL. */
static FILE *open_file(const char *scope)
{
	char path[PATH_MAX], name[PATH_MAX + 64];
	struct stat ns, st;
	FILE *file;
	int fd;

	if (stat("/proc/self/ns/net", &ns)) {
		out_fail(EXIT_KERNEL, "/proc: %s", strerror(errno));
		return NULL;
	}
	snprintf(name, sizeof(name), "%s/prpctl-stats-%ju%s", folder(path),
		 (uintmax_t)ns.st_ino, scope);
	fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		  0600);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && st.st_nlink == 1) {
		flock(fd, LOCK_EX);
		file = fdopen(fd, "r+");
		if (file)
			return file;
	}
	out_fail(EXIT_KERNEL, "%s: %s", name,
		 fd < 0 ? strerror(errno) : "not a file of this user alone");
	if (fd >= 0)
		close(fd);
	return NULL;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* What is not as this wrote it counts as nothing. */
static void read_file(FILE *file, struct counters *old, uint64_t *then_ms)
{
	char name[COUNTER_NAME_LEN];
	uint64_t value;

	*then_ms = UINT64_MAX;
	if (fscanf(file, "ms %" SCNu64, then_ms) != 1)
		return;
	while (fscanf(file, "%47s %" SCNu64, name, &value) == 2)
		if (counters_add(old, name, value))
			return;
}

static int write_file(FILE *file, const struct counters *counters, uint64_t ms)
{
	size_t i;

	rewind(file);
	if (ftruncate(fileno(file), 0))
		return -1;
	fprintf(file, "ms %" PRIu64 "\n", ms);
	for (i = 0; i < counters->count; i++)
		fprintf(file, "%s %" PRIu64 "\n", counters->counter[i].name,
			counters->counter[i].value);
	return fflush(file);
}

/* A counter that is smaller than it was has begun again. */
static void subtract(struct counters *counters, const struct counters *old)
{
	size_t i, j;

	for (i = 0; i < counters->count; i++) {
		struct counter *now = &counters->counter[i];

		for (j = 0; j < old->count && !counter_is_gauge(now); j++) {
			const struct counter *was = &old->counter[j];

			if (strcmp(now->name, was->name))
				continue;
			if (now->value >= was->value)
				now->value -= was->value;
			break;
		}
	}
}

/**
 * kept_exchange() - take what was kept off from counters, and keep these
 * @scope: of what they are: part of the name of a file
 * @counters: counters; those that are no gauges become differences
 * @since_ms: set to the time since these were kept, -1 if there were none
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int kept_exchange(const char *scope, struct counters *counters,
		  int64_t *since_ms)
{
	struct counters old = { 0 };
	uint64_t then, now = now_ms();
	int status = EXIT_OK;
	FILE *file;

	file = open_file(scope);
	if (!file)
		return EXIT_KERNEL;
	read_file(file, &old, &then);
	if (write_file(file, counters, now))
		status = out_fail(EXIT_KERNEL, "keeping the counters: %s",
				  strerror(errno));
	fclose(file);
	*since_ms = then <= now ? (int64_t)(now - then) : -1;
	if (then <= now)
		subtract(counters, &old);
	counters_free(&old);
	return status;
}
