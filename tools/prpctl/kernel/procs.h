/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes hold a socket.
 */
#ifndef _PRPCTL_PROCS_H
#define _PRPCTL_PROCS_H

#include <stddef.h>
#include <sys/types.h>

#define PROC_NAME_LEN 16 /* with its final zero */

/**
 * struct proc - a descriptor of a process that is a socket
 * @inode: inode of the socket
 * @pid: number of the process
 * @fd: number of the descriptor
 * @name: name of the process
 */
struct proc {
	ino_t inode;
	pid_t pid;
	int fd;
	char name[PROC_NAME_LEN];
};

/**
 * struct procs - all that we may see, sorted by inode, process, descriptor
 * @proc: descriptors
 * @count: how many
 * @room: how many @proc has memory for
 */
struct procs {
	struct proc *proc;
	size_t count;
	size_t room;
};

int procs_fetch(struct procs *procs);
const struct proc *procs_find(const struct procs *procs, ino_t inode);

#endif /* _PRPCTL_PROCS_H */
