/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a worker is told and tells, lines on its standard input and output, and
 * the beat on which it looks whether it is told something meanwhile.
 */
#ifndef _PRPPERF_CONTROL_H
#define _PRPPERF_CONTROL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_BEAT_MS 100

extern volatile sig_atomic_t control_beat;

uint64_t control_now(void);
bool control_line(char *line);
bool control_told(void);
void control_beats(bool on);
void control_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void control_die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif
