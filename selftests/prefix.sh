#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In place of kselftest's prefix.pl, which reads and writes each character by
# itself: that takes an emulated machine 2 ms a line, and more where somebody
# waits for each. This writes lines.
exec stdbuf -oL sed 's/^/# /'
