// SPDX-License-Identifier: GPL-2.0
/*
 * The module's counters without a program, prpctl, which would take longer than
 * many a case.
 */
#include <err.h>
#include <string.h>

#include "counters.h"
#include "genl.h"

struct asked {
	const char *const *names;
	long *values;
	int count;
};

static int take_counters(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *counter, *attr;
	struct asked *asked = data;

	mnl_attr_for_each(counter, nlh, sizeof(struct genlmsghdr)) {
		const char *name = "";
		long value = -1;

		if (mnl_attr_get_type(counter) != PRP_A_STATS_COUNTER)
			continue;
		mnl_attr_for_each_nested(attr, counter)
			if (mnl_attr_get_type(attr) == PRP_A_COUNTER_NAME)
				name = mnl_attr_get_str(attr);
			else if (mnl_attr_get_type(attr) == PRP_A_COUNTER_VALUE)
				value = mnl_attr_get_u64(attr);
		for (int i = 0; i < asked->count; i++)
			if (!strcmp(asked->names[i], name))
				asked->values[i] = value;
	}
	return MNL_CB_OK;
}

/* Those so named of the network namespace that this is in; -1 for one of which
 * nothing is said.
 */
void counters_ask(const char *const *names, long *values, int count)
{
	struct asked asked = { names, values, count };
	struct mnl_socket *nl;
	char room[64];
	int family;

	for (int i = 0; i < count; i++)
		values[i] = -1;
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl)
		err(1, "netlink");
	family = genl_family(nl, NULL, NULL);
	if (family)
		genl_talk(nl,
			  genl_put(room, family, PRP_CMD_STATS_GET, NLM_F_DUMP),
			  take_counters, &asked);
	mnl_socket_close(nl);
}
