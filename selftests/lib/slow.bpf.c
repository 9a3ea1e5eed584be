// SPDX-License-Identifier: GPL-2.0
/*
 * Who comes to one of these places takes his time, as on a processor that is
 * interrupted there: for tests of what meets on two of them.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SLOW_NS 200000
#define TURNS 10000

static int turn(__u32 nr, __u64 *end)
{
	return bpf_ktime_get_ns() > *end;
}

static int take_time(void)
{
	__u64 end = bpf_ktime_get_ns() + SLOW_NS;

	bpf_loop(TURNS, turn, &end, 0);
	return 0;
}

/* Whoever lets go of acknowledged segments */
SEC("kprobe/__prp_account_tx_free")
int slow_free(void *regs)
{
	return take_time();
}

/* A child that has been found a place in the accept queue, and takes it */
SEC("kprobe/prp_accept_add_child")
int slow_child(void *regs)
{
	return take_time();
}

char _license[] SEC("license") = "GPL";
