/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The release, in the one place where it is written. A package made between
 * two releases has more in its version: see packaging/version.
 */
#ifndef _PRP_RELEASE_H
#define _PRP_RELEASE_H

#define PRP_RELEASE "0.9.0"

#endif /* _PRP_RELEASE_H */
