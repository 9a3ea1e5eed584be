/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of a file whose file system, a process of ours that FUSE asks, fails to
 * read each of them as often as it is told, and then has it: a fault that is
 * over when it is tried again.
 */
#ifndef _SELFTESTS_LATE_PAGE_H
#define _SELFTESTS_LATE_PAGE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_PAGES 16
#define LATE_SIZE 4096

/**
 * struct late_told - what that process is told, and tells
 * @asked: how often each page was to be read
 * @fails: so many of those times fail
 */
struct late_told {
	int asked[LATE_PAGES];
	int fails;
};

/**
 * struct late_pages - such pages
 * @at: where they are; page i is full of the letter 'A' + i
 * @told: shared with the process
 * @server: the process that is asked
 * @path: the file, and what it is mounted on
 */
struct late_pages {
	char *at;
	struct late_told *told;
	pid_t server;
	char path[32];
};

static inline void late_answer(int fd, const struct fuse_in_header *in, int err,
			       const void *data, size_t len)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + (err ? 0 : len),
		.error = -err,
		.unique = in->unique,
	};
	char all[sizeof(out) + LATE_SIZE];

	memcpy(all, &out, sizeof(out));
	memcpy(all + sizeof(out), data, err ? 0 : len);
	if (write(fd, all, out.len) != (ssize_t)out.len)
		exit(1);
}

static inline void late_read(int fd, const struct fuse_in_header *in,
			     struct late_told *told)
{
	const struct fuse_read_in *read = (const void *)(in + 1);
	unsigned int nr = read->offset / LATE_SIZE;
	char page[LATE_SIZE];

	if (nr >= LATE_PAGES || read->size != LATE_SIZE ||
	    told->asked[nr]++ < told->fails) {
		late_answer(fd, in, EIO, NULL, 0);
		return;
	}
	memset(page, 'A' + nr, sizeof(page));
	late_answer(fd, in, 0, page, sizeof(page));
}

static inline void late_serve(int fd, struct late_told *told)
{
	static const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = LATE_SIZE,
	};
	static const struct fuse_open_out opened;
	static const struct fuse_attr_out attr = {
		.attr.ino = FUSE_ROOT_ID,
		.attr.mode = S_IFREG | 0644,
		.attr.nlink = 1,
		.attr.size = LATE_PAGES * LATE_SIZE,
	};
	static char room[FUSE_MIN_READ_BUFFER * 2];
	const struct fuse_in_header *in = (const void *)room;

	while (read(fd, room, sizeof(room)) > 0) {
		switch (in->opcode) {
		case FUSE_INIT:
			late_answer(fd, in, 0, &init, sizeof(init));
			break;
		case FUSE_GETATTR:
			late_answer(fd, in, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			late_answer(fd, in, 0, &opened, sizeof(opened));
			break;
		case FUSE_READ:
			late_read(fd, in, told);
			break;
		default:
			late_answer(fd, in, EOPNOTSUPP, NULL, 0);
		}
	}
	exit(0);
}

/* How often is a page asked for by one access that fails? */
static inline int late_asks(struct late_pages *pages)
{
	int ends[2], asked;

	if (pipe(ends))
		return -1;
	pages->told->fails = 1000;
	if (write(ends[1], pages->at, 100) != -1 || errno != EFAULT)
		return -1;
	asked = pages->told->asked[0];
	close(ends[0]);
	close(ends[1]);
	return asked;
}

/* Pages 1 and on fail once each: the first access to it. */
static inline bool late_pages_make(struct late_pages *pages)
{
	struct stat stat;
	char how[64];
	int fd, file;

	*pages = (struct late_pages){ .path = "/tmp/late-XXXXXX" };
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		return false;
	file = mkstemp(pages->path);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pages->told = mmap(NULL, sizeof(*pages->told), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(how, sizeof(how), "fd=%d,rootmode=100644,user_id=0,group_id=0",
		 fd);
	if (file < 0 || fd < 0 || close(file) ||
	    mount("late", pages->path, "fuse", MS_NOSUID | MS_NODEV, how))
		return false;
	pages->server = fork();
	if (!pages->server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		late_serve(fd, pages->told);
	}
	close(fd);
	file = open(pages->path, O_RDONLY | O_CLOEXEC);
	/* asks for its size */
	if (fstat(file, &stat) || stat.st_size != LATE_PAGES * LATE_SIZE)
		return false;
	pages->at = mmap(NULL, LATE_PAGES * LATE_SIZE, PROT_READ, MAP_SHARED,
			 file, 0);
	close(file);
	/* one at a time, and none ahead */
	if (pages->at == MAP_FAILED ||
	    madvise(pages->at, LATE_PAGES * LATE_SIZE, MADV_RANDOM))
		return false;
	pages->told->fails = late_asks(pages);
	return pages->told->fails > 0;
}

static inline void late_pages_free(struct late_pages *pages)
{
	munmap(pages->at, LATE_PAGES * LATE_SIZE);
	munmap(pages->told, sizeof(*pages->told));
	umount2(pages->path, MNT_DETACH);
	kill(pages->server, SIGKILL);
	waitpid(pages->server, NULL, 0);
	unlink(pages->path);
}

#endif /* _SELFTESTS_LATE_PAGE_H */
