// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes files of /sys and of /proc/sys/net.
 *
 * What is mounted at /sys has the devices of the namespace that it was mounted
 * in, whichever was entered since. So this one mounts its own, which nobody
 * else sees and which goes with its descriptor.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>

static int mounted = -1; /* root of ours */

/* Return: 0 or a negative errno. */
static int mount_own(void)
{
	int fs, err = 0;

	if (mounted >= 0)
		return 0;
	fs = fsopen("sysfs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mounted = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (mounted < 0)
		err = -errno;
	close(fs);
	return err;
}

/* Return: a descriptor or a negative errno. */
static int open_sysfs(const char *path, int flags)
{
	int err = mount_own(), fd;

	if (err)
		return err;
	fd = openat(mounted, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Where only the first network namespace has a file, that is entered to open
 * it. Return: a descriptor or a negative errno.
 */
static int open_sysctl(const char *path, int flags)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int first = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
	int fd = -1, err;

	if (own >= 0 && first >= 0 && !setns(first, CLONE_NEWNET))
		fd = open(path, flags | O_CLOEXEC);
	err = fd < 0 ? -errno : fd;
	if (own >= 0 && setns(own, CLONE_NEWNET))
		err = -errno;
	if (own >= 0)
		close(own);
	if (first >= 0)
		close(first);
	return err;
}

/* @fd: an open file, which is closed, or a negative errno. Return: 0 or a
 * negative errno.
 */
static int read_all(int fd, char *text, size_t room)
{
	ssize_t got;
	int err = 0;

	if (fd < 0)
		return fd;
	got = read(fd, text, room - 1);
	if (got < 0)
		err = -errno;
	text[got < 0 ? 0 : got] = 0;
	text[strcspn(text, "\n")] = 0;
	close(fd);
	return err;
}

static int write_all(int fd, const char *text)
{
	int err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * sysfs_read() - read a line of /sys
 * @path: name of the file, below /sys
 * @text: set to the line, without its end
 * @room: of @text
 *
 * Return: 0 or a negative errno.
 */
int sysfs_read(const char *path, char *text, size_t room)
{
	return read_all(open_sysfs(path, O_RDONLY), text, room);
}

/**
 * sysfs_write() - write a line of /sys
 * @path: name of the file, below /sys
 * @text: the line
 *
 * Return: 0 or a negative errno.
 */
int sysfs_write(const char *path, const char *text)
{
	return write_all(open_sysfs(path, O_WRONLY), text);
}

/**
 * sysfs_each() - look at what is in a folder of /sys
 * @path: name of the folder, below /sys
 * @each: called with each name; returns 0 to go on
 * @data: for it
 *
 * Return: what @each returned last, or a negative errno.
 */
int sysfs_each(const char *path, int (*each)(const char *name, void *data),
	       void *data)
{
	int fd = open_sysfs(path, O_RDONLY | O_DIRECTORY), err = 0;
	const struct dirent *entry;
	DIR *folder;

	if (fd < 0)
		return fd;
	folder = fdopendir(fd);
	if (!folder) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && (entry = readdir(folder)))
		err = each(entry->d_name, data);
	closedir(folder);
	return err;
}

/**
 * sysctl_read() - read a line of the machine's /proc/sys/net
 * @path: name of the file
 * @text: set to the line, without its end
 * @room: of @text
 *
 * Return: 0 or a negative errno.
 */
int sysctl_read(const char *path, char *text, size_t room)
{
	return read_all(open_sysctl(path, O_RDONLY), text, room);
}

/**
 * sysctl_write() - write a line of the machine's /proc/sys/net
 * @path: name of the file
 * @text: the line
 *
 * Return: 0 or a negative errno.
 */
int sysctl_write(const char *path, const char *text)
{
	return write_all(open_sysctl(path, O_WRONLY), text);
}
