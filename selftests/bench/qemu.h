/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of QEMU's plugins, its version 1, as far as insns.c and lines.c
 * use it: Debian has no package of the header.
 */
#ifndef _BENCH_QEMU_H
#define _BENCH_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_API __attribute__((visibility("default")))
#define ADD_U64 0 /* the one operation that is done inline */
#define NO_REGISTERS 0 /* of the guest are read or written by a callback */
#define MEM_W 2 /* tell of stores; 7.2 tells of loads, too */

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t plugin_id;
typedef uint32_t mem_info;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t at);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
typedef void (*on_tb)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*on_insn)(unsigned int cpu, void *data);
typedef void (*on_mem)(unsigned int cpu, mem_info info, uint64_t address,
		       void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, on_tb seen);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						int operation, void *counter,
						uint64_t by);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*seen)(unsigned int cpu,
							 void *data),
					    int registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      on_mem seen, int registers, int kinds,
				      void *data);
bool qemu_plugin_mem_is_store(mem_info info);
unsigned int qemu_plugin_mem_size_shift(mem_info info);

#define count_inline qemu_plugin_register_vcpu_insn_exec_inline
#define call_before qemu_plugin_register_vcpu_insn_exec_cb
#define call_stores qemu_plugin_register_vcpu_mem_cb

#endif
