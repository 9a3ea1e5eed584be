/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file whose lines are commands.
 */
#ifndef _PRPCTL_BATCH_H
#define _PRPCTL_BATCH_H

int batch_run(const char *path, int (*run)(int argc, char **argv));

#endif /* _PRPCTL_BATCH_H */
