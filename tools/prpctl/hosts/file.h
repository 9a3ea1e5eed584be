/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file on disk or on standard input; a prphosts(5) file among them.
 */
#ifndef _PRPCTL_FILE_H
#define _PRPCTL_FILE_H

#include "hosts/parse.h"

char *file_read(const char *path, size_t *len);
int file_parse(const char *path, struct prphosts *hosts, const char *text,
	       size_t len);
int file_load(const char *path, struct prphosts *hosts);

#endif /* _PRPCTL_FILE_H */
