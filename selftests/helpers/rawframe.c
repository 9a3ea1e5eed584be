// SPDX-License-Identifier: GPL-2.0
/*
 * Puts frames of any content on a wire:
 *
 *	rawframe NETNS DEV [KEY=VALUE]...
 *
 * KEY is hex (a whole frame to start from, as `wire ... frame` prints it),
 * dst or src (hardware address), type, or a field of the header: version,
 * hops, net, dst_node, src_node, src_port, dst_port, seq, ack, len, flags,
 * trans, window, marks, tag. Further: ext (extensions in hex; their length is
 * filled in), extlen (another length for it), payload (so many bytes; len
 * is filled in), cut (send only so many bytes), count (send so often;
 * vary=KEY, also more than once, adds 1 to that field each time).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <kselftest.h>

#include "frame.h"
#include "netns.h"

struct field {
	const char *name;
	size_t offset;
	size_t size;
};

/* clang-format off */
#define FIELD(f) \
	{ .name = #f, .offset = offsetof(struct frame, prp.f), \
	  .size = sizeof(((struct frame *)NULL)->prp.f) }
/* clang-format on */

static const struct field fields[] = {
	FIELD(version),	 FIELD(hops),
	FIELD(net),	 FIELD(dst_node),
	FIELD(src_node), FIELD(src_port),
	FIELD(dst_port), FIELD(seq),
	FIELD(ack),	 FIELD(len),
	FIELD(flags),	 FIELD(trans),
	FIELD(window),	 FIELD(marks),
	FIELD(tag),	 { "type", offsetof(struct frame, eth.type), 2 },
};

static union {
	struct frame frame;
	unsigned char bytes[9100];
} buf;
static size_t length = sizeof(struct frame);
static size_t ext_len;
static bool len_given;

static const struct field *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].name, name))
			return fields + i;
	return NULL;
}

static unsigned long get(const struct field *field)
{
	unsigned long value = 0;

	for (size_t i = 0; i < field->size; i++)
		value = value << 8 | buf.bytes[field->offset + i];
	return value;
}

static void put(const struct field *field, unsigned long value)
{
	for (size_t i = field->size; i--; value >>= 8)
		buf.bytes[field->offset + i] = value;
}

static size_t parse_hex(unsigned char *to, const char *hex)
{
	size_t n = 0;
	unsigned int byte;

	for (; hex[0] && hex[1]; hex += 2) {
		if (sscanf(hex, "%2x", &byte) != 1 || n == 512)
			errx(1, "%s: no hex", hex);
		to[n++] = byte;
	}
	return n;
}

static void parse_mac(unsigned char *to, const char *mac)
{
	unsigned int b[6];

	if (sscanf(mac, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3, b + 4,
		   b + 5) != 6)
		errx(1, "%s: no hardware address", mac);
	for (int i = 0; i < 6; i++)
		to[i] = b[i];
}

/* The words that are not fields of the header */
static bool parse_special(const char *key, const char *value)
{
	unsigned long number = strtoul(value, NULL, 0);

	if (!strcmp(key, "hex")) {
		length = parse_hex(buf.bytes, value);
		ext_len = length - sizeof(struct frame);
		len_given = true;
	} else if (!strcmp(key, "dst")) {
		parse_mac(buf.frame.eth.dst, value);
	} else if (!strcmp(key, "src")) {
		parse_mac(buf.frame.eth.src, value);
	} else if (!strcmp(key, "ext")) {
		ext_len = parse_hex(buf.bytes + sizeof(struct frame), value);
		length = sizeof(struct frame) + ext_len;
		buf.frame.prp.ext = ext_len / 8;
	} else if (!strcmp(key, "extlen")) {
		buf.frame.prp.ext = number;
	} else if (!strcmp(key, "payload")) {
		length = sizeof(struct frame) + ext_len + number;
		if (length > sizeof(buf))
			errx(1, "payload too long");
		memset(buf.bytes + sizeof(struct frame) + ext_len, 'x', number);
		if (!len_given)
			buf.frame.prp.len = htons(number);
	} else {
		return false;
	}
	return true;
}

static void vary_field(bool *vary, const char *name)
{
	const struct field *field = find(name);

	if (!field)
		errx(1, "%s: no field", name);
	vary[field - fields] = true;
}

static void parse(char **words, unsigned int *count, bool *vary)
{
	for (; *words; words++) {
		char *value = strchr(*words, '=');
		const struct field *field;

		if (!value)
			errx(1, "%s: no value", *words);
		*value++ = 0;
		field = find(*words);
		if (!strcmp(*words, "count"))
			*count = atoi(value);
		else if (!strcmp(*words, "vary"))
			vary_field(vary, value);
		else if (!strcmp(*words, "cut"))
			length = atoi(value);
		else if (field)
			put(field, strtoul(value, NULL, 0));
		else if (!parse_special(*words, value))
			errx(1, "%s: unknown", *words);
		if (!strcmp(*words, "len"))
			len_given = true;
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	bool vary[ARRAY_SIZE(fields)] = {};
	unsigned int count = 1;
	int fd;

	if (argc < 3)
		errx(2, "usage: rawframe NETNS DEV [KEY=VALUE]...");
	netns_enter(argv[1]);
	to.sll_ifindex = if_nametoindex(argv[2]);
	if (!to.sll_ifindex)
		err(1, "%s", argv[2]);

	buf.frame.eth.type = htons(PRP_ETHERTYPE);
	buf.frame.prp.version = FRAME_VERSION;
	buf.frame.prp.hops = 16;
	buf.frame.prp.window = htons(64);
	parse(argv + 3, &count, vary);

	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0)
		err(1, "socket");
	for (; count; count--) {
		if (sendto(fd, buf.bytes, length, 0, (void *)&to, sizeof(to)) !=
		    length)
			err(1, "send");
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			if (vary[i])
				put(fields + i, get(fields + i) + 1);
	}
	return 0;
}
