/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the command prprun and its two libraries share.
 */
#ifndef _PRPRUN_H
#define _PRPRUN_H

/* Replaces socket() */
#define PRPRUN_LIBRARY "libprprun.so"

/* Loaded with -v only: tells what carries each connection */
#define PRPRUN_LIBRARY_VERBOSE "libprprun-verbose.so"

/* In the environment with -r: sockets are to be PRP's or nobody's */
#define PRPRUN_REQUIRE "PRPRUN_REQUIRE"

/* In the libraries: what the dynamic linker is to see */
#define PRPRUN_EXPORT __attribute__((visibility("default")))

#endif /* _PRPRUN_H */
