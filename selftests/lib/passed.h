/* SPDX-License-Identifier: GPL-2.0 */
/* A byte that a control message is beside, and descriptors passed by one. */
#ifndef _SELFTESTS_PASSED_H
#define _SELFTESTS_PASSED_H

#include <string.h>
#include <sys/socket.h>

/* Send a byte, and beside it what this is, of SOL_SOCKET; at most 64 bytes. */
static inline ssize_t send_beside(int fd, int type, const void *what,
				  size_t bytes)
{
	char control[CMSG_SPACE(64)] = {}, byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = CMSG_SPACE(bytes),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(cmsg), what, bytes);
	return sendmsg(fd, &msg, 0);
}

/* Pass a descriptor to who reads from this Unix socket's other end. */
static inline bool fd_pass(int way, int fd)
{
	return send_beside(way, SCM_RIGHTS, &fd, sizeof(fd)) == 1;
}

/* Return: the descriptor that was passed, or -1 at the end. */
static inline int fd_take(int way)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(way, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

#endif
