/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A prphosts(5) file on disk or on standard input.
 */
#ifndef _PRPCTL_FILE_H
#define _PRPCTL_FILE_H

#include "hosts/parse.h"

int file_load(const char *path, struct prphosts *hosts);

#endif /* _PRPCTL_FILE_H */
