/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file a command means, and whether a library can be of use in it.
 */
#ifndef _PRPRUN_IMAGE_H
#define _PRPRUN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

bool image_find(const char *command, char *path, size_t size);
const char *image_problem(const char *path);

#endif /* _PRPRUN_IMAGE_H */
