// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that tells which cache lines the kernels of two processors
 * both write: the guest's program `mark` begins a count and ends it again, and
 * each count is a file, PREFIX.0, PREFIX.1 and so on, with a line "LINE CPU
 * PLACE COUNT MOVES" for each processor and each of its instructions that
 * stored into such a line: how often it did, and how often another processor
 * had been the last to. A first line "lost COUNT" says how many stores found no
 * room.
 *
 *	qemu-system-x86_64 -plugin lines.so,prefix=PREFIX ...
 *
 * Each processor is a thread, which counts what it stores in a table of its
 * own.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "qemu.h"

#define CPUS 2
#define LINE_SHIFT 6
#define SLOTS 1048576 /* of each table: what is beyond that is lost */
#define TRIES 64 /* slots in a row that are looked at */

PLUGIN_API int qemu_plugin_version = 1;

/**
 * struct store - one instruction of a processor that stores into one line
 * @line: of virtual addresses; 0 if the slot is free
 * @place: address of the instruction
 * @count: how often it did
 * @moves: of these, how often another processor had stored there last
 */
struct store {
	uint64_t line;
	uint64_t place;
	uint64_t count;
	uint64_t moves;
};

/**
 * struct processor - of the guest; its thread alone writes it during a count
 * @inside: it is about to count, or does (atomic)
 * @lost: stores that found no slot
 * @stores: by line and place
 */
struct processor {
	atomic_bool inside;
	uint64_t lost;
	struct store stores[SLOTS];
};

/**
 * struct owner - who stored into a line last (both atomic); where two do at the
 *	same time, one of them is missed
 * @line: 0 if the slot is free; it is taken once in a count
 * @cpu: the processor, and one
 */
struct owner {
	_Atomic uint64_t line;
	_Atomic uint32_t cpu;
};

/**
 * struct found - a used slot
 * @store: what is in it
 * @cpu: whose it is
 */
struct found {
	const struct store *store;
	unsigned int cpu;
};

static struct processor processors[CPUS];
static struct owner owners[SLOTS];
static const char *prefix = "lines";
static atomic_bool counting;

static uint64_t slot_of(uint64_t line, uint64_t place)
{
	return (line ^ place * 0x9e3779b1) * 0x9e3779b97f4a7c15 >> 32;
}

static struct store *store_of(struct processor *own, uint64_t line,
			      uint64_t place)
{
	uint64_t slot = slot_of(line, place);

	for (unsigned int i = 0; i < TRIES; i++) {
		struct store *store = &own->stores[(slot + i) % SLOTS];

		if (store->line == line && store->place == place)
			return store;
		if (store->line)
			continue;
		store->line = line;
		store->place = place;
		return store;
	}
	return NULL;
}

static struct owner *owner_of(uint64_t line)
{
	uint64_t slot = slot_of(line, 0);

	for (unsigned int i = 0; i < TRIES; i++) {
		struct owner *owner = &owners[(slot + i) % SLOTS];
		uint64_t was = atomic_load(&owner->line);

		if (was == line ||
		    (!was &&
		     atomic_compare_exchange_strong(&owner->line, &was, line)))
			return owner;
		if (was == line) /* by the other one, just now */
			return owner;
	}
	return NULL;
}

static void note(unsigned int cpu, uint64_t line, uint64_t place)
{
	struct processor *own = &processors[cpu];
	struct store *store = store_of(own, line, place);
	struct owner *owner = owner_of(line);
	uint32_t last;

	if (!store || !owner) {
		own->lost++;
		return;
	}
	store->count++;
	last = atomic_load_explicit(&owner->cpu, memory_order_relaxed);
	if (last == cpu + 1)
		return;
	atomic_store_explicit(&owner->cpu, cpu + 1, memory_order_relaxed);
	if (last)
		store->moves++;
}

/* The kernel's own memory only: addresses of user space are of each program. */
static void on_store(unsigned int cpu, mem_info info, uint64_t address,
		     void *place)
{
	uint64_t line = address >> LINE_SHIFT, last;

	if (!atomic_load_explicit(&counting, memory_order_relaxed) ||
	    !(address >> 63) || !qemu_plugin_mem_is_store(info))
		return;
	if (cpu >= CPUS)
		abort();
	atomic_store(&processors[cpu].inside, true);
	if (atomic_load(&counting)) {
		last = address + (1U << qemu_plugin_mem_size_shift(info)) - 1;
		note(cpu, line, (uintptr_t)place);
		if (last >> LINE_SHIFT != line)
			note(cpu, last >> LINE_SHIFT, (uintptr_t)place);
	}
	atomic_store_explicit(&processors[cpu].inside, false,
			      memory_order_release);
}

/* By line, then by processor and place, so that equal counts are equal files */
static int order(const void *one, const void *two)
{
	const struct found *a = one, *b = two;

	if (a->store->line != b->store->line)
		return a->store->line < b->store->line ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->store->place < b->store->place ? -1 : 1;
}

static void write_common(FILE *file, const struct found *found, size_t count)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i; end < count; end++)
			if (found[end].store->line != found[i].store->line)
				break;
		if (found[i].cpu == found[end - 1].cpu)
			continue;
		for (size_t j = i; j < end; j++)
			fprintf(file,
				"%" PRIx64 " %u %" PRIx64 " %" PRIu64
				" %" PRIu64 "\n",
				found[j].store->line, found[j].cpu,
				found[j].store->place, found[j].store->count,
				found[j].store->moves);
	}
}

static void write_count(FILE *file)
{
	struct found *found = malloc(sizeof(*found) * CPUS * SLOTS);
	uint64_t lost = 0;
	size_t count = 0;

	if (!found)
		abort();
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		lost += processors[cpu].lost;
		for (size_t i = 0; i < SLOTS; i++)
			if (processors[cpu].stores[i].line)
				found[count++] = (struct found){
					&processors[cpu].stores[i], cpu
				};
	}
	qsort(found, count, sizeof(*found), order);
	fprintf(file, "lost %" PRIu64 "\n", lost);
	write_common(file, found, count);
	free(found);
}

/* Nobody is about to write a table: end_count() has waited for that. */
static void begin_count(void)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		processors[cpu].lost = 0;
		memset(processors[cpu].stores, 0,
		       sizeof(processors[cpu].stores));
	}
	memset(owners, 0, sizeof(owners));
	atomic_store(&counting, true);
}

/* No thread writes a table any more once none is inside: one that begins after
 * that sees that nothing is counted.
 */
static void end_count(void)
{
	atomic_store(&counting, false);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		while (atomic_load(&processors[cpu].inside))
			sched_yield();
}

static void on_mark(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!atomic_load(&counting)) {
		begin_count();
		return;
	}
	end_count();
	write_file(prefix, write_count);
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (address >> 63)
			call_stores(insn, on_store, NO_REGISTERS, MEM_W,
				    (void *)(uintptr_t)address);
		else if (is_mark(insn))
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
