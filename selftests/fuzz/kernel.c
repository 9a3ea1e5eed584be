// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel that answers prpctl with what it was given: messages that are well
 * formed, with attributes of the lengths that the specification says, in any
 * number and order and with any values. Now and then it refuses.
 */
#include "kernel.h"

#include <errno.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_diag.h>
#include <linux/prp_netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include "kernel/nl.h"
#include "kernel/sysfs.h"

#define MESSAGES 8 /* of an answer, at most */
#define ATTRIBUTES 16 /* of a message, at most */
#define NESTED 4 /* in an attribute */
#define STRING_LEN 64
#define DIAG_LEN sizeof(struct prp_diag_msg)
#define REFUSES 0xf0 /* first byte of an answer, from here on */

struct bytes kernel_knows;

/* Attributes of an answer by their numbers, from 1 on: 1, 2, 4 and 8 bytes,
 * a [f]lag, a [s]tring, a [m]ac, an [i]p address, one with its [p]ort, an
 * [I]nfo, or nested: [A]ddress and [C]ounter.
 */
#define TABLE "44422f4444444"
#define NODE "2sAif"
#define RAIL "1m4s4ff"
#define LINK "221"
#define ROUTE "224f1s44"
#define PEER "244f11441242fC"
#define ACCESS "222f1f88"
#define FAULT "222224ff888888"

static const char *const answers[] = {
	[PRP_CMD_TABLE_GET] = TABLE,   [PRP_CMD_TABLE_COMMIT] = TABLE,
	[PRP_CMD_NODE_GET] = NODE,     [PRP_CMD_RAIL_GET] = RAIL,
	[PRP_CMD_STATS_GET] = "C",     [PRP_CMD_LINK_GET] = LINK,
	[PRP_CMD_ROUTE_GET] = ROUTE,   [PRP_CMD_PEER_GET] = PEER,
	[PRP_CMD_ACCESS_GET] = ACCESS, [PRP_CMD_FAULT_GET] = FAULT,
};

/* ---- one attribute ---- */

static void take(void *to, size_t len)
{
	for (uint8_t *at = to; len; len--)
		*at++ = take8(&kernel_knows);
}

static void put_bytes(struct nlmsghdr *nlh, unsigned int number, size_t len)
{
	uint8_t value[sizeof(struct prp_info)];

	take(value, len);
	mnl_attr_put(nlh, number, len, value);
}

static void put_string(struct nlmsghdr *nlh, unsigned int number)
{
	char text[STRING_LEN];
	size_t len = take8(&kernel_knows) % sizeof(text);

	take(text, len);
	text[len] = 0;
	mnl_attr_put_strz(nlh, number, text);
}

static void put_end(struct nlmsghdr *nlh, unsigned int number)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (take8(&kernel_knows) % 2) {
		take(&in.sin_port, 6);
		mnl_attr_put(nlh, number, sizeof(in), &in);
	} else {
		take(&in6.sin6_port, 22);
		mnl_attr_put(nlh, number, sizeof(in6), &in6);
	}
}

static void put_attributes(struct nlmsghdr *nlh, const char *layout,
			   unsigned int most);

static void put_nest(struct nlmsghdr *nlh, unsigned int number,
		     const char *layout)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, number);

	put_attributes(nlh, layout, NESTED);
	mnl_attr_nest_end(nlh, nest);
}

static void put_attribute(struct nlmsghdr *nlh, unsigned int number, char kind)
{
	switch (kind) {
	case 'f':
		mnl_attr_put(nlh, number, 0, NULL);
		break;
	case 's':
		put_string(nlh, number);
		break;
	case 'm':
		put_bytes(nlh, number, 6);
		break;
	case 'i':
		put_bytes(nlh, number, take8(&kernel_knows) % 2 ? 4 : 16);
		break;
	case 'p':
		put_end(nlh, number);
		break;
	case 'I':
		put_bytes(nlh, number, sizeof(struct prp_info));
		break;
	case 'A':
		put_nest(nlh, number, "1m");
		break;
	case 'C':
		put_nest(nlh, number, "fs8");
		break;
	default:
		put_bytes(nlh, number, kind - '0');
	}
}

static void put_attributes(struct nlmsghdr *nlh, const char *layout,
			   unsigned int most)
{
	unsigned int count = take8(&kernel_knows) % most;
	size_t kinds = strlen(layout), which;

	while (count--) {
		which = take8(&kernel_knows) % kinds;
		put_attribute(nlh, which + 1, layout[which]);
	}
}

/* ---- one message ---- */

static const char *put_head(struct nlmsghdr *nlh, const struct nlmsghdr *asked)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(asked);
	struct ifinfomsg *link;

	nlh->nlmsg_type = asked->nlmsg_type;
	switch (asked->nlmsg_type) {
	case RTM_GETLINK:
		link = mnl_nlmsg_put_extra_header(nlh, sizeof(*link));
		link->ifi_type = take8(&kernel_knows) % 4 ? ARPHRD_ETHER :
							    ARPHRD_LOOPBACK;
		return "mfs";
	case SOCK_DIAG_BY_FAMILY:
		take(mnl_nlmsg_put_extra_header(nlh, DIAG_LEN), DIAG_LEN);
		return "Ippf4";
	}
	mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	return genl->cmd < sizeof(answers) / sizeof(*answers) ?
		       answers[genl->cmd] :
		       NULL;
}

static int answer(const struct nlmsghdr *asked, nl_message message, void *data)
{
	static uint32_t room[ATTRIBUTES * 128];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	const char *layout = put_head(nlh, asked);

	if (!layout)
		return 0;
	put_attributes(nlh, layout, ATTRIBUTES);
	return message(nlh, data);
}

/* Return: a negative errno, with a text or without. */
static int refuse(struct nl *nl, const struct nlmsghdr *asked)
{
	static const int errors[] = { EPERM, ENOENT, EINTR, EEXIST };
	unsigned int how = take8(&kernel_knows);

	nl->refused = asked->nlmsg_seq;
	if (how & 4)
		snprintf(nl->text, sizeof(nl->text), "no \"such\" thing");
	return -errors[how % 4];
}

/* ---- what nl.c does with the real one ---- */

int nl_open(struct nl *nl, int bus)
{
	(void)bus;
	memset(nl, 0, sizeof(*nl));
	return 0;
}

int nl_open_prp(struct nl *nl)
{
	return nl_open(nl, 0);
}

void nl_close(struct nl *nl)
{
	(void)nl;
}

struct nlmsghdr *nl_request(struct nl *nl, void *buffer, uint16_t type,
			    uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = ++nl->seq;
	return nlh;
}

struct nlmsghdr *nl_request_genl(struct nl *nl, void *buffer, uint8_t command,
				 uint16_t flags)
{
	struct nlmsghdr *nlh = nl_request(nl, buffer, 0, flags);
	struct genlmsghdr *genl;

	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	return nlh;
}

int nl_listen(struct nl *nl, uint32_t group)
{
	(void)nl;
	(void)group;
	return -ENOENT;
}

int nl_receive(struct nl *nl, nl_message message, void *data)
{
	(void)nl;
	(void)message;
	(void)data;
	return -ENOENT;
}

int nl_talk(struct nl *nl, const void *requests, size_t len, nl_message message,
	    void *data)
{
	const struct nlmsghdr *nlh = requests, *last = requests;
	unsigned int count = take8(&kernel_knows);
	int left = len, err = 0;

	/* what would be sent is a row of whole messages */
	while (left) {
		must(mnl_nlmsg_ok(nlh, left));
		last = nlh;
		nlh = mnl_nlmsg_next(nlh, &left);
	}
	nl->refused = 0;
	nl->text[0] = 0;
	if (count >= REFUSES)
		return refuse(nl, last);
	for (count %= MESSAGES; message && count && !err; count--)
		err = answer(last, message, data);
	return err;
}

/* ---- what stands for /sys ---- */

int sysfs_read(const char *path, char *text, size_t room)
{
	size_t len = take8(&kernel_knows);

	must(path && room);
	if (len >= REFUSES)
		return -ENOENT;
	len %= room;
	take(text, len);
	text[len] = 0;
	return 0;
}

int sysfs_write(const char *path, const char *text)
{
	must(path && *text);
	return take8(&kernel_knows) >= REFUSES ? -EINVAL : 0;
}

int sysfs_each(const char *path, int (*each)(const char *name, void *data),
	       void *data)
{
	static const char *const names[] = { "rx-0", "lower_p0", "p1" };
	unsigned int count = take8(&kernel_knows);
	int err = 0;

	must(path);
	if (count >= REFUSES)
		return -EPERM;
	for (count %= MESSAGES; count && !err; count--)
		err = each(names[take8(&kernel_knows) % 3], data);
	return err;
}

int sysctl_read(const char *path, char *text, size_t room)
{
	return sysfs_read(path, text, room);
}

int sysctl_write(const char *path, const char *text)
{
	return sysfs_write(path, text);
}
