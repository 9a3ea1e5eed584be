/* SPDX-License-Identifier: GPL-2.0 */
/* PRP's family of generic netlink, for programs that do without prpctl */
#ifndef _SELFTESTS_GENL_H
#define _SELFTESTS_GENL_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

struct nlmsghdr *genl_put(void *room, int family, int cmd, int flags);
void genl_put_node(struct nlmsghdr *nlh, int number, const char *name,
		   const unsigned char *mac);
int genl_talk(struct mnl_socket *nl, const struct nlmsghdr *nlh, mnl_cb_t cb,
	      void *data);
int genl_family(struct mnl_socket *nl, const char *group, int *id);

#endif
