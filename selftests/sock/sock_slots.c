// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of what is sent: who fills them and who lets go of them at the same
 * time, on two processors.
 */
#include "fixture.h"
#include "bpf.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OTHER_PORT 4001
#define TRIES 400
#define LEN 2900 /* two segments */
#define MORE 100 /* a third one: all for which there are slots at first */
#define ALL (LEN + MORE + LEN)
#define MOST_US 4000 /* until the second three are sent */

struct writer {
	int fd;
	int us;
	bool ok;
};

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static unsigned char byte_at(unsigned int at)
{
	return at % 251;
}

static void wait_us(int us)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000 +
			 (now.tv_nsec - begin.tv_nsec) / 1000 <
		 us);
}

/* All that there are slots for, then more: when the first are acknowledged, or
 * just not, or just now.
 */
static void *write_twice(void *arg)
{
	struct writer *writer = arg;
	unsigned char buf[ALL];

	run_on(0);
	for (int i = 0; i < ALL; i++)
		buf[i] = byte_at(i);
	writer->ok = send(writer->fd, buf, LEN, 0) == LEN &&
		     send(writer->fd, buf + LEN, MORE, 0) == MORE;
	wait_us(writer->us);
	writer->ok &= send(writer->fd, buf + LEN + MORE, LEN, 0) == LEN;
	writer->ok &= recv(writer->fd, buf, 1, 0) == 1;
	shutdown(writer->fd, SHUT_WR);
	return NULL;
}

TEST_F(pair, slots__are_not_filled_before_they_are_let_go_of)
{
	struct bpf_object *object;
	unsigned char buf[ALL];
	struct bpf_link *link;
	struct writer writer;
	pthread_t thread;
	ssize_t len;
	int at, bad, listener;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one processor");
	object = bpf_beside("slow.bpf.o");
	ASSERT_NE(NULL, object);
	link = bpf_attach(object, "slow_free");
	ASSERT_NE(NULL, link);
	run_on(1);
	listener = nodes_listen(&self->nodes, 2, OTHER_PORT, 1);
	ASSERT_GE(listener, 0);
	for (int i = 0; i < TRIES; i++) {
		at = 0;
		bad = 0;
		close(self->client);
		close(self->server);
		self->client = nodes_connect(&self->nodes, 1, 2, OTHER_PORT);
		self->server = accept(listener, NULL, NULL);
		ASSERT_GE(self->client, 0);
		ASSERT_GE(self->server, 0);
		writer.fd = self->client;
		writer.us = i * (MOST_US / TRIES);
		ASSERT_EQ(0,
			  pthread_create(&thread, NULL, write_twice, &writer));
		while ((len = recv(self->server, buf, sizeof(buf), 0)) > 0) {
			for (int j = 0; j < len; j++)
				bad += buf[j] != byte_at(at + j);
			at += len;
			/* what is sent back acknowledges all of that */
			if (at - len < LEN + MORE && at >= LEN + MORE)
				send(self->server, "", 1, MSG_NOSIGNAL);
		}
		pthread_join(thread, NULL);
		ASSERT_EQ(0, len);
		ASSERT_TRUE(writer.ok);
		ASSERT_EQ(0, bad);
		ASSERT_EQ(ALL, at);
	}
	close(listener);
	bpf_link__destroy(link);
	bpf_object__close(object);
}

TEST_HARNESS_MAIN
