// SPDX-License-Identifier: GPL-2.0
/*
 * Whoever lets go of acknowledged segments takes his time, as on a processor
 * that is interrupted there: for sock_slots.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SLOW_NS 200000
#define TURNS 10000

static int turn(__u32 nr, __u64 *end)
{
	return bpf_ktime_get_ns() > *end;
}

SEC("kprobe/__prp_account_tx_free")
int slow_free(void *regs)
{
	__u64 end = bpf_ktime_get_ns() + SLOW_NS;

	bpf_loop(TURNS, turn, &end, 0);
	return 0;
}

char _license[] SEC("license") = "GPL";
