/* SPDX-License-Identifier: GPL-2.0 */
/* Becoming somebody with other privileges, for the rest of a test. */
#ifndef _SELFTESTS_WHO_H
#define _SELFTESTS_WHO_H

#include <grp.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

#define NOBODY 65534

static inline bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

/* With all capabilities, but none over the network namespace it is in */
static inline bool become_root_of_a_user_namespace(void)
{
	return become_nobody() && !unshare(CLONE_NEWUSER);
}

static inline bool become_root_of_all_of_its_own(void)
{
	return become_nobody() && !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

#endif
