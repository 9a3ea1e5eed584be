/* SPDX-License-Identifier: GPL-2.0 */
/* What the linker's --wrap calls instead of a function, and the function */
#ifndef _SELFTESTS_UNIT_WRAPPED_H
#define _SELFTESTS_UNIT_WRAPPED_H

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *at);
int __wrap_clock_gettime(clockid_t clock, struct timespec *at);
int __real_epoll_ctl(int epoll, int operation, int fd,
		     struct epoll_event *event);
int __wrap_epoll_ctl(int epoll, int operation, int fd,
		     struct epoll_event *event);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max,
		      int timeout_ms);
int __wrap_epoll_pwait2(int epoll, struct epoll_event *events, int max,
			const struct timespec *timeout, const sigset_t *mask);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_ppoll(struct pollfd *fds, nfds_t count,
		 const struct timespec *timeout, const sigset_t *mask);
int __wrap_sched_yield(void);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
int __real_setsockopt(int fd, int level, int option, const void *value,
		      socklen_t len);
int __wrap_setsockopt(int fd, int level, int option, const void *value,
		      socklen_t len);
int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);

#endif
