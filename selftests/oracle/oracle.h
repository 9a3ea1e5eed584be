/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oracle: TCP says what is right. A case makes its calls on sockets of the
 * flavour that it is run with and notes what it saw. It is run with TCP first;
 * what it noted then is what it has to note with sockets of PRP, but for what
 * is on the list of differences. See oracle.c.
 *
 * A case runs in a process of its own, with the two nodes of nodes.h. A hang
 * or a signal that kills it is an answer, too.
 */
#ifndef _SELFTESTS_ORACLE_H
#define _SELFTESTS_ORACLE_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>
#include <linux/tcp.h>

#include "../lib/nodes.h"
#include "../lib/slow.h"

/* What the C library calls on processors that never had the older ones */
#ifndef SYS_poll
#define SYS_poll SYS_ppoll
#define SYS_pause SYS_ppoll
#define SYS_epoll_wait SYS_epoll_pwait
#endif

enum flavour { TCP, IP, NATIVE, FLAVOURS };

#define PORTS 8 /* of each case and flavour, numbered from 0 */

/* ---- cases ---- */

struct oracle_case {
	const char *name; /* topic__case */
	void (*run)(void);
	bool native; /* makes sense with native sockets, too */
	struct oracle_case *next;
};

void oracle_add(struct oracle_case *one);

#define ORACLE_CASE(case_name, with_native) \
	static void case_name(void); \
	static struct oracle_case case_name##_entry = { \
		.name = #case_name, \
		.run = case_name, \
		.native = with_native, \
	}; \
	__attribute__((constructor)) static void case_name##_add(void) \
	{ \
		oracle_add(&case_name##_entry); \
	} \
	static void case_name(void)

/* For all flavours, or for those with addresses and options of IP */
#define CASE(name) ORACLE_CASE(name, true)
#define CASE_OF_IP(name) ORACLE_CASE(name, false)

/* ---- what was seen ---- */

void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
long saw(long ret);
void saw_events(int fd);
void saw_these(short events);
void saw_epoll(int epoll);
void saw_error(int fd);
void saw_bytes(const void *bytes, long len);
void saw_address(const void *address, socklen_t len);
void saw_option(int fd, int level, int name);
void need(bool it, const char *what);

/* ---- sockets ---- */

struct pair {
	int c; /* client, at node 1 */
	int s; /* server's end, at node 2 */
};

struct at {
	struct sockaddr_storage to;
	socklen_t len;
};

extern enum flavour flavour;
extern char scratch[4096]; /* for bytes that nobody looks at */

int sock(int node, int type_flags);
struct at at(int node, int port);
int bind_to(int fd, int node, int port);
int connect_to(int fd, int node, int port);
int listener(int port, int backlog);
int connected(int port);
struct pair pair(void);
struct pair small_pair(void);
struct pair pair_of(int listener, int port);
int connecting(void);
int slow_client(void);
bool as_asked(int fd);
int no_block(int fd);
void set_int(int fd, int name, int value);
void set_linger(int fd, int seconds);
void set_timeout(int fd, int name, int ms);
void reset(int fd);

/* ---- waiting for a state, never for a time ---- */

short wait_until(int fd, short events);
void saw_soon(int fd, short events);
void wait_arrived(int fd, int bytes);
long fill(int fd);
long drain(int fd, long len);
int queued(int fd, unsigned long command);

/* A call in a thread of its own */
struct doing {
	long (*call)(int fd);
	int fd;
	pthread_t thread;
	pid_t tid;
	bool ended;
	long ret;
	int error;
	int pipes;
};

void go(struct doing *doing, long (*call)(int fd), int fd);
void go_to_sleep(struct doing *doing, long (*call)(int fd), int fd,
		 long number);
long done(struct doing *doing);
bool sleeps(struct doing *doing, long number);
void wait_process(pid_t pid, long number);
void interrupt(struct doing *doing);
void saw_done(struct doing *doing);
void on_signal(int number, int flags);
extern volatile sig_atomic_t signals;
extern __thread volatile sig_atomic_t sigpipes;

/* Calls for go() */
long recv_one(int fd);
long send_much(int fd);
long accept_one(int fd);
long connect_silent(int fd);

#endif
