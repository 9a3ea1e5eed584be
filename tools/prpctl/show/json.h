/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One JSON object, held in memory until it is complete.
 */
#ifndef _PRPCTL_JSON_H
#define _PRPCTL_JSON_H

#include <stdbool.h>

void json_begin(bool pretty);
void json_restart(void);
void json_open(const char *key, const char *braces);
void json_close(void);
void json_string(const char *key, const char *value);
void json_word(const char *key, const char *word);
void json_print(void);

#endif /* _PRPCTL_JSON_H */
