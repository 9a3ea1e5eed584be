#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Holds on, from before the first test to the end, what tests switch on and off
# and the kernel keeps in jumps that it patches for all network namespaces: an
# emulated processor may stand still for ever at one that is patched while
# frames come through. One processor never waits for another there. Runs in the
# folder of the kselftests. Fails if a stock kernel does not have all of it; of
# others it says what is missing.
[ "$(nproc)" != 1 ] || exit 0
missing=

# hold WHAT COMMAND...
hold() {
	"${@:2}" || missing+=" $1"
}

nft_hooks() {
	nft -f - <<-EOF
	table netdev hold {
		chain ingress {
			type filter hook ingress device hold0 priority 0
		}
		chain egress {
			type filter hook egress device hold0 priority 0
		}
	}
	table bridge hold {
		chain prerouting {
			type filter hook prerouting priority 0
		}
		chain forward {
			type filter hook forward priority 0
		}
		chain postrouting {
			type filter hook postrouting priority 0
		}
	}
	table inet hold {
		chain prerouting {
			type filter hook prerouting priority 0
		}
		chain input {
			type filter hook input priority 0
		}
		chain output {
			type filter hook output priority 0
		}
		chain postrouting {
			type filter hook postrouting priority 0
		}
	}
	EOF
}

# Two, for the step from one that traces to two is patched as well; nothing is
# written
tracepoints() {
	local nr trace

	for nr in 1 2; do
		trace=/sys/kernel/tracing/instances/hold$nr
		mkdir $trace &&
			echo 0 >$trace/tracing_on &&
			echo 1 >$trace/events/prp/enable || return
	done
}

hold device ip link add hold0 type dummy
hold clsact tc qdisc add dev hold0 clsact
for way in ingress egress; do
	hold $way tc filter add dev hold0 $way matchall action ok
done
hold netem tc qdisc add dev hold0 root netem
hold XDP ip link set dev hold0 xdpgeneric obj prp/hold.bpf.o sec xdp
hold netfilter nft_hooks
hold tracepoints tracepoints
[ -n "$missing" ] || exit 0
echo "# Not held on:$missing"
[ ! -d "/lib/modules/$(uname -r)" ]
