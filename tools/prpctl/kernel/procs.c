// SPDX-License-Identifier: GPL-2.0
/*
 * Searches /proc for descriptors that are sockets.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/procs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(const void *left, const void *right)
{
	const struct proc *a = left, *b = right;

	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->fd - b->fd;
}

static int add(struct procs *procs, const struct proc *proc)
{
	struct proc *bigger;

	if (procs->count == procs->room) {
		procs->room = procs->room ? procs->room * 2 : 256;
		bigger =
			reallocarray(procs->proc, procs->room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		procs->proc = bigger;
	}
	procs->proc[procs->count++] = *proc;
	return 0;
}

/* A process calls itself what it likes: what a terminal would act on, too. */
static void read_name(int dir, struct proc *proc)
{
	int fd = openat(dir, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t got;
	char *c;

	got = fd < 0 ? -1 : read(fd, proc->name, sizeof(proc->name) - 1);
	if (fd >= 0)
		close(fd);
	proc->name[got < 0 ? 0 : got] = 0;
	proc->name[strcspn(proc->name, "\n")] = 0;
	for (c = proc->name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* A process may end at any time; then it has no descriptors any more. */
static int scan_process(struct procs *procs, int dir, struct proc *proc)
{
	const struct dirent *entry;
	unsigned long long inode;
	int fds, err = 0;
	char text[64];
	ssize_t len;
	DIR *list;

	fds = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list = fds < 0 ? NULL : fdopendir(fds);
	if (!list) {
		if (fds >= 0)
			close(fds);
		return 0;
	}
	while (!err && (entry = readdir(list))) {
		len = readlinkat(fds, entry->d_name, text, sizeof(text) - 1);
		text[len < 0 ? 0 : len] = 0;
		if (sscanf(text, "socket:[%llu]", &inode) != 1)
			continue;
		proc->inode = inode;
		proc->fd = atoi(entry->d_name);
		err = add(procs, proc);
	}
	closedir(list);
	return err;
}

static int scan(struct procs *procs, int root, const char *name)
{
	struct proc proc = { .pid = atoi(name) };
	int dir, err;

	dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return 0;
	read_name(dir, &proc);
	err = scan_process(procs, dir, &proc);
	close(dir);
	return err;
}

/**
 * procs_fetch() - look at all processes
 * @procs: filled in; free @procs->proc whatever this returns
 *
 * Return: 0 or a negative errno.
 */
int procs_fetch(struct procs *procs)
{
	const struct dirent *entry;
	int err = 0;
	DIR *list;

	memset(procs, 0, sizeof(*procs));
	list = opendir("/proc");
	if (!list)
		return -errno;
	while (!err && (entry = readdir(list)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = scan(procs, dirfd(list), entry->d_name);
	closedir(list);
	if (procs->count)
		qsort(procs->proc, procs->count, sizeof(*procs->proc), compare);
	return err;
}

/**
 * procs_find() - find who holds a socket
 * @procs: what procs_fetch() filled in
 * @inode: inode of the socket
 *
 * Return: the first descriptor; others with this inode follow. NULL if there
 * is none.
 */
const struct proc *procs_find(const struct procs *procs, ino_t inode)
{
	size_t low = 0, high = procs->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (procs->proc[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < procs->count && procs->proc[low].inode == inode ?
		       &procs->proc[low] :
		       NULL;
}
