// SPDX-License-Identifier: GPL-2.0
/*
 * Which file a command means, and whether a library can be of use in it: a
 * static executable has no dynamic linker that would; that of an executable of
 * 32 bits takes none of 64; one that gets other privileges takes none of ours;
 * a Go program does not ask libraries for its sockets.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "image.h"

#include <fcntl.h>
#include <linux/elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS 5 /* that one may name another: the kernel's */
#define HEAD 256 /* of a file the kernel reads for "#!" */

/* That of prprun, and so of its library */
#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

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

/* Has it a dynamic linker that takes no library of ours? */
static bool elf_is_foreign(int fd)
{
	unsigned char ident[EI_CLASS + 1];

	return pread(fd, ident, sizeof(ident), 0) == sizeof(ident) &&
	       !memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] != OWN_CLASS;
}

/* Those of 64 bits are looked into. */
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

	if (elf_is_foreign(fd))
		return "not of as many bits as prprun's library";
	if (!elf_read(fd, &elf))
		return NULL;
	if (elf_is_static(fd, &elf))
		return "static, nothing can be loaded into it";
	if (elf_is_go(fd, &elf))
		return "a Go program, which makes its system calls itself";
	return NULL;
}

/*
 * Would it run with other privileges than we have? Then the dynamic linker
 * loads nothing that a user names. Root gets none by a file's capabilities.
 */
static bool changes_privileges(const char *path)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) || statvfs(path, &fs) || fs.f_flag & ST_NOSUID ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	if (st.st_mode & 04000 && st.st_uid != getuid())
		return true;
	/* Without the right to execute it, the group's bit means nothing. */
	if ((st.st_mode & 02010) == 02010 && st.st_gid != getgid())
		return true;
	return getuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

static const char *privileges_problem(const char *path)
{
	if (!changes_privileges(path))
		return NULL;
	return "it changes its privileges, and nothing is loaded into it";
}

/**
 * image_problem() - why does it get no sockets of ours?
 * @path: an executable, or a script, for which its interpreter is looked at
 *
 * Return: words for it, NULL if there is no problem. Of a file that cannot be
 * read only its privileges are known.
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
			return privileges_problem(path);
		len = pread(fd, head, sizeof(head) - 1, 0);
		head[len > 0 ? len : 0] = 0;
		if (!interpreter(head, name)) {
			problem = elf_problem(fd);
			close(fd);
			return problem ? problem : privileges_problem(path);
		}
		close(fd);
		path = name;
	}
	return NULL;
}
