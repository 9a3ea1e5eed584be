// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What this provider is called, and what its users can set. */
#include <stdlib.h>
#include <string.h>

#include "mpipr.h"

#define MPIPR_EAGER_DEFAULT 65536
#define MPIPR_POLLS_DEFAULT 64
/* Hexadecimal digits of half of a secret */
#define MPIPR_SECRET_HALF 16

struct mpipr_param mpipr_param = {
	.family = AF_PRP,
	.eager = MPIPR_EAGER_DEFAULT,
	.polls = MPIPR_POLLS_DEFAULT,
};

struct fi_provider mpipr_provider = {
	.version = MPIPR_FI_VERSION,
	/* At least what any libfabric asks for: the calls have not changed. */
	.fi_version = FI_VERSION(2, 99),
	.name = MPIPR_FI_NAME,
};

static void define_params(void)
{
	fi_param_define(&mpipr_provider, "eager", FI_PARAM_SIZE_T,
			"Largest message, in bytes, that is sent before its "
			"receiver asks for it, at most %u (default: %u)",
			MPIPR_WIRE_EAGER_MAX, MPIPR_EAGER_DEFAULT);
	fi_param_define(&mpipr_provider, "polls", FI_PARAM_SIZE_T,
			"Polls in vain before a poll sleeps until something "
			"comes, at most a millisecond (default: %u)",
			MPIPR_POLLS_DEFAULT);
	fi_param_define(&mpipr_provider, "transport", FI_PARAM_STRING,
			"What carries the messages: prp, or tcp to compare "
			"with; the same on all machines (default: prp)");
	fi_param_define(&mpipr_provider, "device", FI_PARAM_STRING,
			"With transport tcp: the network device whose IPv4 "
			"address is used (default: the first that is up)");
	fi_param_define(&mpipr_provider, "double_write", FI_PARAM_BOOL,
			"Send header and data with a write each, as MPICH's "
			"ch_p4 did, to compare with; the same on all machines "
			"(default: no)");
	fi_param_define(&mpipr_provider, "secret", FI_PARAM_STRING,
			"What all processes of a job show each other, %u "
			"hexadecimal digits; who does not is not heard "
			"(default: none)",
			2 * MPIPR_SECRET_HALF);
}

/* libfabric would have what it reads in its log. */
static void get_secret(void)
{
	const char *digits = getenv("FI_PRP_SECRET");
	char half[MPIPR_SECRET_HALF + 1] = "";
	int i;

	if (!digits)
		return;
	if (strlen(digits) != 2 * MPIPR_SECRET_HALF ||
	    digits[strspn(digits, "0123456789abcdefABCDEF")]) {
		mpipr_param.bad_secret = true;
		return;
	}
	for (i = 0; i < 2; i++) {
		memcpy(half, digits + i * MPIPR_SECRET_HALF, MPIPR_SECRET_HALF);
		mpipr_param.secret[i] = strtoull(half, NULL, 16);
	}
}

static void get_params(void)
{
	char *transport = NULL;
	int on = 0;

	fi_param_get_size_t(&mpipr_provider, "eager", &mpipr_param.eager);
	if (mpipr_param.eager > MPIPR_WIRE_EAGER_MAX)
		mpipr_param.eager = MPIPR_WIRE_EAGER_MAX;
	fi_param_get_size_t(&mpipr_provider, "polls", &mpipr_param.polls);
	if (!fi_param_get_str(&mpipr_provider, "transport", &transport)) {
		if (!strcmp(transport, "tcp"))
			mpipr_param.family = AF_INET;
		else if (strcmp(transport, "prp"))
			MPIPR_WARN(FI_LOG_CORE,
				   "FI_PRP_TRANSPORT is prp or tcp, not %s\n",
				   transport);
	}
	fi_param_get_str(&mpipr_provider, "device", &mpipr_param.device);
	if (!fi_param_get_bool(&mpipr_provider, "double_write", &on))
		mpipr_param.double_write = on;
	get_secret();
}

/**
 * mpipr_param_read() - read what the environment says
 */
void mpipr_param_read(void)
{
	define_params();
	get_params();
}
