// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl monitor: what each line begins with, and whether there is one.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "show/monitor.h"
#include "show/out.h"

static const char *const names[MONITOR_EVENTS] = {
	[MONITOR_TABLE] = "table", [MONITOR_HOST] = "host",
	[MONITOR_LINK] = "link",   [MONITOR_RAIL] = "rail",
	[MONITOR_WAY] = "way",	   [MONITOR_ROUTE] = "route",
	[MONITOR_PEER] = "peer",   [MONITOR_ACCESS] = "access",
	[MONITOR_FAULT] = "fault", [MONITOR_CONNECTION] = "connection",
};

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
 *
 * Return: false if nobody wants it.
 */
bool monitor_line(const struct monitor *m, enum monitor_event event)
{
	if (!(m->wanted & 1U << event))
		return false;
	if (m->stamps)
		show_time();
	out_string("event", names[event], OUT_JSON_ONLY);
	return true;
}

/**
 * monitor_event() - find a kind of lines
 * @name: its name
 *
 * Return: enum monitor_event, or -1.
 */
int monitor_event(const char *name)
{
	int event;

	for (event = 0; event < MONITOR_EVENTS; event++)
		if (!strcmp(names[event], name))
			return event;
	return -1;
}
