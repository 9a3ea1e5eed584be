/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The access list out of a file.
 */
#ifndef _PRPCTL_ACCESS_SETUP_H
#define _PRPCTL_ACCESS_SETUP_H

#include <getopt.h>

extern const struct option access_setup_options[];

int access_setup(int argc, char **argv);

#endif /* _PRPCTL_ACCESS_SETUP_H */
