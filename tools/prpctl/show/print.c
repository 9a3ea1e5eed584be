// SPDX-License-Identifier: GPL-2.0
/*
 * Prints hosts and links the way prphosts(5) has them, and as JSON.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/print.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "show/out.h"

/**
 * print_mac() - print a hardware address
 * @text: where to
 * @mac: the address
 *
 * Return: @text.
 */
const char *print_mac(char text[MAC_LEN], const uint8_t *mac)
{
	snprintf(text, MAC_LEN, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
	return text;
}

/**
 * print_ip() - print an IP address
 * @text: where to
 * @ip: the address as struct prphosts_node has it
 *
 * Return: @text.
 */
const char *print_ip(char text[INET6_ADDRSTRLEN], const uint8_t *ip)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (memcmp(ip, mapped, sizeof(mapped)))
		inet_ntop(AF_INET6, ip, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET, ip + 12, text, INET6_ADDRSTRLEN);
	return text;
}

/**
 * print_macs() - print all hardware addresses as the file has them
 * @text: where to
 * @node: the host
 *
 * Return: @text.
 */
const char *print_macs(char text[PRPHOSTS_RAILS * MAC_LEN],
		       const struct prphosts_node *node)
{
	unsigned int r;
	char *at = text;

	*at = 0;
	for (r = 0; node->rails >> r; r++) {
		if (r)
			*at++ = ',';
		if (node->rails & 1 << r)
			print_mac(at, node->addr[r]);
		else
			strcpy(at, "-");
		at += strlen(at);
	}
	return text;
}

/**
 * print_widen() - make columns wide enough for a host
 * @w: columns
 * @node: the host
 */
void print_widen(struct widths *w, const struct prphosts_node *node)
{
	char macs[PRPHOSTS_RAILS * MAC_LEN];
	int len;

	len = strlen(node->name);
	w->name = len > w->name ? len : w->name;
	len = strlen(print_macs(macs, node));
	w->macs = len > w->macs ? len : w->macs;
}

static void show_macs(const struct prphosts_node *node)
{
	char mac[MAC_LEN];
	unsigned int r;

	out_array("addresses");
	for (r = 0; node->rails >> r; r++) {
		if (node->rails & 1 << r)
			out_string(NULL, print_mac(mac, node->addr[r]),
				   OUT_JSON_ONLY);
		else
			out_null(NULL);
	}
	out_end();
}

/**
 * print_host() - print a host: a line of the file, or an object
 * @key: key of the object, NULL in an array
 * @node: the host
 * @self: it is this machine
 * @w: columns
 */
void print_host(const char *key, const struct prphosts_node *node, bool self,
		const struct widths *w)
{
	char macs[PRPHOSTS_RAILS * MAC_LEN], ip[INET6_ADDRSTRLEN];
	unsigned int i;

	out_object(key);
	out_number("number", node->number, 5);
	out_string("name", node->name, w->name);
	out_text("%-*s", node->ip_count || self ? w->macs : 0,
		 print_macs(macs, node));
	show_macs(node);
	out_array("ips");
	for (i = 0; i < node->ip_count; i++) {
		out_text(i ? " %s" : "  %s", print_ip(ip, node->ip[i]));
		out_string(NULL, print_ip(ip, node->ip[i]), OUT_JSON_ONLY);
	}
	out_end();
	out_bool("self", self);
	out_text("%s\n", self ? "  # this machine" : "");
	out_end();
}

/**
 * print_link() - print a link: a line of the file, or an object
 * @key: key of the object, NULL in an array
 * @link: the link
 */
void print_link(const char *key, const struct prphosts_link *link)
{
	out_object(key);
	out_text("link %u %u", link->node, link->peer);
	out_number("node", link->node, OUT_JSON_ONLY);
	out_number("peer", link->peer, OUT_JSON_ONLY);
	if (link->rail == PRPHOSTS_ALL_RAILS) {
		out_null("rail");
	} else {
		out_text(" rail %d", link->rail);
		out_number("rail", link->rail, OUT_JSON_ONLY);
	}
	out_text("\n");
	out_end();
}

static void show_link_difference(const struct link_difference *d)
{
	out_object(NULL);
	out_string("change", d->old ? "removed" : "added", OUT_JSON_ONLY);
	out_text(d->old ? "- " : "+ ");
	print_link("link", d->old ? d->old : d->new);
	out_end();
}

static void show_difference(const struct difference *d, uint16_t self,
			    const struct widths *w)
{
	out_object(NULL);
	out_string("change",
		   !d->old ? "added" :
		   !d->new ? "removed" :
			     "changed",
		   OUT_JSON_ONLY);
	if (d->old) {
		out_text("- ");
		print_host("old", d->old, d->old->number == self, w);
	}
	if (d->new) {
		out_text("+ ");
		print_host("new", d->new, false, w);
	}
	out_end();
}

/**
 * print_diff() - print what is not the same in two tables
 * @diff: what
 * @self: number of this machine in the old one
 */
void print_diff(const struct diff *diff, uint16_t self)
{
	struct widths w = { 0 };
	size_t i;

	for (i = 0; i < diff->entries; i++) {
		if (diff->entry[i].old)
			print_widen(&w, diff->entry[i].old);
		if (diff->entry[i].new)
			print_widen(&w, diff->entry[i].new);
	}
	out_array("differences");
	for (i = 0; i < diff->entries; i++)
		show_difference(&diff->entry[i], self, &w);
	out_end();
	out_array("link_differences");
	for (i = 0; i < diff->links; i++)
		show_link_difference(&diff->link[i]);
	out_end();
}
