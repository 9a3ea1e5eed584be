/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that end what goes on until it is interrupted.
 */
#ifndef _PRPCTL_SIGNALS_H
#define _PRPCTL_SIGNALS_H

int signals_watch(void);
void signals_hold(void);

#endif /* _PRPCTL_SIGNALS_H */
