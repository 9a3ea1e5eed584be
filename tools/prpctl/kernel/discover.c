// SPDX-License-Identifier: GPL-2.0
/*
 * Discovery: what this machine says is the kernel's to tell; the question is
 * asked from here, on a packet socket.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/discover.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/if_packet.h>
#include <linux/prp_netlink.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "hosts/parse.h"
#include "kernel/clock.h"
#include "kernel/device.h"
#include "show/print.h"

#define ETHERTYPE 0x88B6 /* net/prp/network/discover.h */
#define VERSION 1
#define KIND_QUESTION 1
#define KIND_ANSWER 2
#define QUESTIONS 3 /* one may be lost, and an answer */
#define WAIT_MS 250 /* after each */
#define BUFFER_LEN 1048576

/**
 * struct message - a question or an answer, as on the wire
 * @version: VERSION
 * @kind: KIND_QUESTION or KIND_ANSWER
 * @len: bytes of @text, big-endian
 * @cookie: of the question
 * @text: of a question zeroes, of an answer what is said
 */
struct message {
	uint8_t version;
	uint8_t kind;
	uint16_t len;
	uint32_t cookie;
	char text[DISCOVER_TEXT];
};

#define HEAD offsetof(struct message, text)

/* ---- what this machine says ---- */

/**
 * discover_on() - have the kernel say on a device who this machine is
 * @nl: socket from nl_open_prp()
 * @ifindex: the device
 * @text: what is said
 *
 * Return: 0 or a negative errno.
 */
int discover_on(struct nl *nl, unsigned int ifindex, const char *text)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_DISCOVER_ON, NLM_F_ACK);
	mnl_attr_put_u32(nlh, PRP_A_DISCOVER_IFINDEX, ifindex);
	mnl_attr_put_strz(nlh, PRP_A_DISCOVER_TEXT, text);
	return nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
}

/**
 * discover_off() - have it say nothing any more
 * @nl: socket from nl_open_prp()
 * @ifindex: on this device; 0: on any
 *
 * Return: 0 or a negative errno.
 */
int discover_off(struct nl *nl, unsigned int ifindex)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_DISCOVER_OFF, NLM_F_ACK);
	if (ifindex)
		mnl_attr_put_u32(nlh, PRP_A_DISCOVER_IFINDEX, ifindex);
	return nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
}

/* Who is told of what the kernel says */
struct listener {
	discover_took took;
	void *data;
};

static int take_said(const struct nlmsghdr *nlh, void *data)
{
	const char *ifname = "", *text = "";
	struct listener *listener = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == PRP_A_DISCOVER_IFNAME)
			ifname = mnl_attr_get_str(attr);
		else if (mnl_attr_get_type(attr) == PRP_A_DISCOVER_TEXT)
			text = mnl_attr_get_str(attr);
	}
	listener->took(ifname, text, listener->data);
	return 0;
}

/**
 * discover_fetch() - get what the kernel says, and on which devices
 * @nl: socket from nl_open_prp()
 * @took: called for each device
 * @data: for @took
 *
 * Return: 0 or a negative errno.
 */
int discover_fetch(struct nl *nl, discover_took took, void *data)
{
	struct listener listener = { .took = took, .data = data };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_DISCOVER_GET, NLM_F_DUMP);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_said, &listener);
}

/* ---- its line ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* An address that others can use, as a host file has it */
static bool address_text(const struct sockaddr *address,
			 char text[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in4 = (const void *)address;

	if (address && address->sa_family == AF_INET)
		return inet_ntop(AF_INET, &in4->sin_addr, text,
				 INET6_ADDRSTRLEN);
	if (address && address->sa_family == AF_INET6 &&
	    !IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
		return inet_ntop(AF_INET6, &in6->sin6_addr, text,
				 INET6_ADDRSTRLEN);
	return false;
}

static void add_ips(char *text, size_t len, const char *const *ifname,
		    size_t count)
{
	struct ifaddrs *all, *one;
	char ip[INET6_ADDRSTRLEN];
	unsigned int ips = 0;

	if (getifaddrs(&all))
		return;
	for (one = all; one && ips < PRPHOSTS_IPS; one = one->ifa_next) {
		if (!is_one_of(one->ifa_name, ifname, count) ||
		    !address_text(one->ifa_addr, ip) ||
		    len + strlen(ip) + 1 >= DISCOVER_TEXT)
			continue;
		len += sprintf(text + len, " %s", ip);
		ips++;
	}
	freeifaddrs(all);
}

/**
 * discover_line() - this machine as a line of a host file, without its number
 * @text: where to
 * @name: its name, or NULL for the host's
 * @ifname: its devices, by rail
 * @count: how many, at most PRPHOSTS_RAILS
 *
 * Return: 0; -ENODEV if one is no Ethernet device; another negative errno.
 */
int discover_line(char text[DISCOVER_TEXT], const char *name,
		  const char *const *ifname, size_t count)
{
	char host[HOST_NAME_MAX + 1], mac[MAC_LEN];
	const struct device *device;
	struct devices devices;
	size_t i, len;
	int err;

	if (!name) {
		if (gethostname(host, sizeof(host)))
			return -errno;
		host[strcspn(host, ".")] = 0;
		name = host;
	}
	err = device_fetch(&devices);
	len = snprintf(text, DISCOVER_TEXT, "%.63s ", name);
	for (i = 0; i < count && !err; i++) {
		device = device_named(&devices, ifname[i]);
		if (device)
			len += sprintf(text + len, "%s%s", i ? "," : "",
				       print_mac(mac, device->mac));
		else
			err = -ENODEV;
	}
	device_free(&devices);
	if (!err)
		add_ips(text, len, ifname, count);
	return err;
}

/* ---- the question ---- */

static void take_answer(const struct message *message, size_t got,
			uint32_t cookie, const uint8_t *mac,
			const struct listener *listener)
{
	char text[DISCOVER_TEXT], where[MAC_LEN];
	size_t len;

	if (got < HEAD)
		return;
	len = ntohs(message->len);
	if (message->version != VERSION || message->kind != KIND_ANSWER ||
	    message->cookie != cookie || len > got - HEAD ||
	    len >= sizeof(text))
		return;
	memcpy(text, message->text, len);
	text[len] = 0;
	listener->took(print_mac(where, mac), text, listener->data);
}

static int collect(int fd, uint32_t cookie, const struct listener *listener)
{
	int64_t until = clock_ms() + WAIT_MS, left;
	struct sockaddr_ll from;
	struct message message;
	ssize_t got;

	while ((left = until - clock_ms()) > 0) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		socklen_t len = sizeof(from);

		if (poll(&poll_fd, 1, left) < 0)
			return -errno;
		got = recvfrom(fd, &message, sizeof(message), MSG_DONTWAIT,
			       (void *)&from, &len);
		if (got > 0)
			take_answer(&message, got, cookie, from.sll_addr,
				    listener);
	}
	return 0;
}

/**
 * discover_ask() - ask on a device who is there
 * @ifindex: the device
 * @took: called for each answer, of which there are several of a machine
 * @data: for @took
 *
 * Return: 0, -EPERM without CAP_NET_RAW, or another negative errno.
 */
int discover_ask(unsigned int ifindex, discover_took took, void *data)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETHERTYPE),
				  .sll_ifindex = ifindex,
				  .sll_halen = 6,
				  .sll_addr = { 255, 255, 255, 255, 255,
						255 } };
	struct listener listener = { .took = took, .data = data };
	struct message message = { .version = VERSION,
				   .kind = KIND_QUESTION,
				   .len = htons(DISCOVER_TEXT) };
	int fd, i, err = 0, room = BUFFER_LEN;

	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETHERTYPE));
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (getrandom(&message.cookie, sizeof(message.cookie), 0) < 0 ||
	    bind(fd, (const void *)&to, sizeof(to)))
		err = -errno;
	for (i = 0; i < QUESTIONS && !err; i++) {
		if (sendto(fd, &message, sizeof(message), 0, (const void *)&to,
			   sizeof(to)) < 0)
			err = -errno;
		else
			err = collect(fd, message.cookie, &listener);
	}
	close(fd);
	return err;
}
