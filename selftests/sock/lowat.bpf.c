// SPDX-License-Identifier: GPL-2.0
/*
 * Sets SO_RCVLOWAT whenever a connection of TCP's changes its state, for
 * sock_inet.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SOL_SOCKET 1
#define SO_RCVLOWAT 18

SEC("sockops")
int lowat(struct bpf_sock_ops *ctx)
{
	int one = 1;

	switch (ctx->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
		bpf_sock_ops_cb_flags_set(ctx, BPF_SOCK_OPS_STATE_CB_FLAG);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		break;
	default:
		return 1;
	}
	bpf_setsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	return 1;
}

char _license[] SEC("license") = "GPL";
