// SPDX-License-Identifier: GPL-2.0
/*
 * Which file a command means, and whether a library can be of use in it: a
 * static executable has no dynamic linker that would; a Go program
 * does not ask libraries for its sockets.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "image.h"

#include <fcntl.h>
#include <linux/elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPTS 5 /* that one may name another: the kernel's */
#define HEAD 256 /* of a file the kernel reads for "#!" */

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/**
 * image_find() - find the file that execvp(3) would execute
 * @command: name of a program, or a path
 * @path: filled in
 * @size: of @path, bytes
 *
 * Return: true if there is one.
 */
bool image_find(const char *command, char *path, size_t size)
{
	const char *folder = getenv("PATH");
	size_t len;
	int wanted;

	if (strchr(command, '/') || !folder) {
		wanted = snprintf(path, size, "%s", command);
		return wanted < (int)size && is_executable(path);
	}
	for (;; folder += len + 1) {
		len = strcspn(folder, ":");
		wanted = snprintf(path, size, "%.*s%s%s", (int)len, folder,
				  len ? "/" : "", command);
		if (wanted < (int)size && is_executable(path))
			return true;
		if (!folder[len])
			return false;
	}
}

/* What a script's first line names; false if this is no script */
static bool interpreter(const char *head, char *path)
{
	size_t len;

	if (strncmp(head, "#!", 2))
		return false;
	head += 2 + strspn(head + 2, " \t");
	len = strcspn(head, " \t\n");
	memcpy(path, head, len);
	path[len] = 0;
	return len;
}

/* An ELF file of 64 bits, as prprun's library is one; what happens to other
 * programs, the dynamic linker says itself.
 */
static bool elf_read(int fd, struct elf64_hdr *elf)
{
	return pread(fd, elf, sizeof(*elf), 0) == sizeof(*elf) &&
	       !memcmp(elf->e_ident, ELFMAG, SELFMAG) &&
	       elf->e_ident[EI_CLASS] == ELFCLASS64;
}

/* Does it ask for no dynamic linker? */
static bool elf_is_static(int fd, const struct elf64_hdr *elf)
{
	struct elf64_phdr part;
	int i;

	for (i = 0; i < elf->e_phnum; i++) {
		if (pread(fd, &part, sizeof(part),
			  elf->e_phoff + i * sizeof(part)) != sizeof(part) ||
		    part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

static bool section_read(int fd, const struct elf64_hdr *elf, int nr,
			 struct elf64_shdr *section)
{
	return pread(fd, section, sizeof(*section),
		     elf->e_shoff + nr * sizeof(*section)) == sizeof(*section);
}

/* Has Go's linker made it? A program that uses C as well has these, too. */
static bool elf_is_go(int fd, const struct elf64_hdr *elf)
{
	struct elf64_shdr names, section;
	char name[sizeof(".note.go.buildid")];
	ssize_t len;
	int i;

	if (!section_read(fd, elf, elf->e_shstrndx, &names))
		return false;
	for (i = 0; i < elf->e_shnum; i++) {
		if (!section_read(fd, elf, i, &section))
			return false;
		len = pread(fd, name, sizeof(name) - 1,
			    names.sh_offset + section.sh_name);
		name[len > 0 ? len : 0] = 0;
		if (!strcmp(name, ".note.go.buildid") ||
		    !strcmp(name, ".go.buildinfo"))
			return true;
	}
	return false;
}

static const char *elf_problem(int fd)
{
	struct elf64_hdr elf;

	if (!elf_read(fd, &elf))
		return NULL;
	if (elf_is_static(fd, &elf))
		return "static, nothing can be loaded into it";
	if (elf_is_go(fd, &elf))
		return "a Go program, which makes its system calls itself";
	return NULL;
}

/**
 * image_problem() - why does it get no sockets of ours?
 * @path: an executable, or a script, for which its interpreter is looked at
 *
 * Return: words for it, NULL if there is no problem or the file cannot be read.
 */
const char *image_problem(const char *path)
{
	char name[HEAD], head[HEAD];
	const char *problem;
	int depth, fd;
	ssize_t len;

	for (depth = 0; depth <= SCRIPTS; depth++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return NULL;
		len = pread(fd, head, sizeof(head) - 1, 0);
		head[len > 0 ? len : 0] = 0;
		if (!interpreter(head, name)) {
			problem = elf_problem(fd);
			close(fd);
			return problem;
		}
		close(fd);
		path = name;
	}
	return NULL;
}
