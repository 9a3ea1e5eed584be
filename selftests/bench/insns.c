// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts instructions by where they are: the guest's
 * program `mark` begins a count and ends it again, and each count is a file,
 * PREFIX.0, PREFIX.1 and so on, with a line "ADDRESS COUNT" for each place of
 * the kernel that was executed and one, address 0, for all of user space.
 *
 *	qemu-system-x86_64 -plugin insns.so,prefix=PREFIX ...
 *
 * It counts in translated code, without a call.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "qemu.h"

PLUGIN_API int qemu_plugin_version = 1;

/**
 * struct place - an instruction of the guest's kernel
 * @next: of those with the same hash
 * @address: where it is
 * @count: how often it was executed
 * @before: likewise, when the count began
 */
struct place {
	struct place *next;
	uint64_t address;
	uint64_t count;
	uint64_t before;
};

#define BUCKETS 65536

static struct place *places[BUCKETS];
static const char *prefix = "insns";
static bool counting;

/* Places are never freed: translated code points at their counters. */
static struct place *place_of(uint64_t address)
{
	struct place **bucket = &places[(address ^ address >> 16) % BUCKETS];
	struct place *place;

	for (place = *bucket; place; place = place->next)
		if (place->address == address)
			return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		abort();
	place->address = address;
	place->next = *bucket;
	*bucket = place;
	return place;
}

static void write_places(FILE *file)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct place *p = places[i]; p; p = p->next)
			if (p->count != p->before)
				fprintf(file, "%" PRIx64 " %" PRIu64 "\n",
					p->address, p->count - p->before);
}

static void on_mark(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	counting = !counting;
	if (counting) {
		for (unsigned int i = 0; i < BUCKETS; i++)
			for (struct place *p = places[i]; p; p = p->next)
				p->before = p->count;
		return;
	}
	write_file(prefix, write_places);
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		struct place *place;

		place = place_of(address >> 63 ? address : 0);
		count_inline(insn, ADD_U64, &place->count, 1);
		if (is_mark(insn))
			call_before(insn, on_mark, NO_REGISTERS, NULL);
	}
}

PLUGIN_API int qemu_plugin_install(plugin_id id, const void *info, int argc,
				   char **argv)
{
	(void)info;
	prefix = prefix_of(argc, argv, prefix);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
