// SPDX-License-Identifier: GPL-2.0
/* The parser of prphosts(5): any bytes as a file. */
#include <string.h>

#include "fuzz.h"
#include "hosts/parse.h"

static void check_errors(const struct prphosts *hosts, size_t size)
{
	for (size_t i = 0; i < hosts->errors; i++) {
		const struct prphosts_error *error = &hosts->error[i];

		must(error->line >= 1 && error->line <= size + 1);
		must(error->column >= 1 && error->column <= size + 1);
		must(*error->text && strlen(error->text) < PRPHOSTS_TEXT_LEN);
		for (const char *c = error->text; *c; c++)
			must(*c >= ' ' && *c <= '~');
		must(!i || error[-1].line <= error->line);
	}
}

static void check_node(const struct prphosts_node *node)
{
	static const uint8_t none[6];
	size_t len = strnlen(node->name, PRPHOSTS_NAME_LEN);

	must(node->number >= 1 && node->number <= PRPHOSTS_NUMBER_MAX);
	must(len && len < PRPHOSTS_NAME_LEN);
	must(node->name[strspn(node->name, "0123456789")]);
	must(node->rails && node->ip_count <= PRPHOSTS_IPS);
	for (int rail = 0; rail < PRPHOSTS_RAILS; rail++) {
		if (!(node->rails & 1 << rail))
			continue;
		must(memcmp(node->addr[rail], none, 6));
		must(!(node->addr[rail][0] & 1)); /* no multicast */
	}
}

static const struct prphosts_node *find(const struct prphosts *hosts,
					unsigned int number)
{
	for (size_t i = 0; i < hosts->nodes; i++)
		if (hosts->node[i].number == number)
			return hosts->node + i;
	return NULL;
}

static void check_good(const struct prphosts *hosts)
{
	for (size_t i = 0; i < hosts->nodes; i++) {
		check_node(hosts->node + i);
		must(!i || hosts->node[i - 1].number < hosts->node[i].number);
		must(prphosts_same(hosts->node + i, hosts->node + i));
	}
	for (size_t i = 0; i < hosts->links; i++) {
		const struct prphosts_link *link = hosts->link + i;

		must(link->node < link->peer);
		must(link->rail >= PRPHOSTS_ALL_RAILS &&
		     link->rail < PRPHOSTS_RAILS);
		must(find(hosts, link->node) && find(hosts, link->peer));
		must(!i || prphosts_link_compare(link - 1, link) < 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* not an empty allocation, and nothing behind its end */
	char *text = size ? malloc(size) : NULL;
	struct prphosts hosts;

	if (size)
		memcpy(text, data, size);
	must(!prphosts_parse(&hosts, text, size));
	free(text);
	check_errors(&hosts, size);
	if (!hosts.errors)
		check_good(&hosts);
	prphosts_free(&hosts);
	return 0;
}
