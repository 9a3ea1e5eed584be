#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Queues below the socket, and what is handed down to them at once.
. "$(dirname "$0")/../lib.sh"

SIZE=2000000

# What is handed down under one hold of a connection's lock: whoever receives
# a frame of it waits for that. The lock is taken before each call.
queues__are_filled_in_short_bursts() {
	local trace=/sys/kernel/tracing/instances/$NODE longest

	[ "$SLOW" = 1 ] || grep -qw function "${trace%/*/*}/available_tracers" ||
		skip "functions cannot be traced here"
	two_nodes
	mkdir "$trace"
	echo 4096 >"$trace/buffer_size_kb"
	echo __prp_send_push >"$trace/set_ftrace_filter"
	echo 'len > 0' >"$trace/events/prp/prp_transmit/filter"
	echo 1 >"$trace/events/prp/prp_transmit/enable"
	echo function >"$trace/current_tracer"
	xfer -z $SIZE
	echo 0 >"$trace/tracing_on"
	longest=$(awk '
		/: __prp_send_push / { burst[$2] = 0; pushes++ }
		/: prp_transmit:/ && ++burst[$2] > longest { longest++ }
		END { print pushes ? longest + 0 : "none" }' "$trace/trace")
	rmdir "$trace"
	expect "segments in a burst" "$longest" -le 8
	expect "segments in a burst" "$longest" -gt 1
}

run_cases
