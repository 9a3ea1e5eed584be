// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl monitor: what each line begins with.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <time.h>

#include "show/monitor.h"
#include "show/out.h"

static void show_time(void)
{
	char date[32], zone[8], text[64];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(text, sizeof(text), "%s.%06ld%s", date, now.tv_nsec / 1000,
		 zone);
	out_text("%s ", text);
	out_string("time", text, OUT_JSON_ONLY);
}

/**
 * monitor_line() - begin a line
 * @m: what is watched
 * @event: its kind
 */
void monitor_line(const struct monitor *m, const char *event)
{
	if (m->stamps)
		show_time();
	out_string("event", event, OUT_JSON_ONLY);
}
