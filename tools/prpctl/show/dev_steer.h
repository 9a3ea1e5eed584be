/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prpctl dev steer, a command of prpctl dev.
 */
#ifndef _PRPCTL_DEV_STEER_H
#define _PRPCTL_DEV_STEER_H

int dev_steer(int argc, char **argv);

#endif /* _PRPCTL_DEV_STEER_H */
