/* SPDX-License-Identifier: GPL-2.0 */
/* Programs of BPF, which are in the folder of the program that loads them. */
#ifndef _SELFTESTS_BPF_H
#define _SELFTESTS_BPF_H

#include <bpf/libbpf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* The object of this name, loaded, or NULL */
static inline struct bpf_object *bpf_beside(const char *name)
{
	char self[PATH_MAX] = {}, path[PATH_MAX];
	struct bpf_object *object;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    snprintf(path, sizeof(path), "%s/%s", dirname(self), name) >=
		    (int)sizeof(path))
		return NULL;
	object = bpf_object__open_file(path, NULL);
	return object && !bpf_object__load(object) ? object : NULL;
}

/* One of its programs where it says itself, or NULL */
static inline struct bpf_link *bpf_attach(struct bpf_object *object,
					  const char *name)
{
	struct bpf_program *program;

	program = bpf_object__find_program_by_name(object, name);
	return bpf_program__attach(program);
}

#endif
