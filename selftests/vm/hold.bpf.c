// SPDX-License-Identifier: GPL-2.0
/* Changes nothing: for vm/hold.sh, which wants an XDP program on a device. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int hold(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
