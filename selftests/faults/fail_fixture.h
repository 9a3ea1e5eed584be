/* SPDX-License-Identifier: GPL-2.0 */
/* What the sweeps of fail.h start from: two nodes, failing allocations on. */
#ifndef _SELFTESTS_FAIL_FIXTURE_H
#define _SELFTESTS_FAIL_FIXTURE_H

#include "inet.h"

#include "fail.h"

#define SWEEP(...) \
	do { \
		const struct call call_ = { __VA_ARGS__ }; \
\
		ASSERT_LE(1, sweep(&self->nodes, &call_)); \
		EXPECT_TRUE(nodes_wait_freed(&self->nodes)); \
	} while (0)

FIXTURE(fail)
{
	struct nodes nodes;
};

FIXTURE_SETUP(fail)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_TRUE(faults_on())
	{
		TH_LOG("this kernel has no fault injection");
	}
}

FIXTURE_TEARDOWN(fail)
{
}

#endif
