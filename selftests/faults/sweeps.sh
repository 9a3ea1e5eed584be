#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every allocation of every call fails once: see fail_nth.c.
exec "$(dirname "$0")/../fail_nth"
