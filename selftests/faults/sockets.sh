#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A new namespace comes without the tunnels that the core kernel makes in each:
# they need two thirds of its allocations, and most of its time.
tunnels=/proc/sys/net/core/fb_tunnels_only_for_init_net
read -r before <$tunnels
trap 'echo "$before" >$tunnels' EXIT
echo 1 >$tunnels
"$(dirname "$0")/../fail_nth"
