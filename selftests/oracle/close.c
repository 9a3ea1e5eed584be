// SPDX-License-Identifier: GPL-2.0
/* close(), SO_LINGER, and processes that end. */
#include "oracle.h"

CASE(close__data_then_end)
{
	struct pair p = pair();

	send(p.c, "abc", 3, 0);
	saw(close(p.c));
	wait_until(p.s, POLLRDHUP);
	saw(recv(p.s, scratch, 8, 0));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
	saw_events(p.s);
	saw_error(p.s);
}

CASE(close__with_unread_data_resets)
{
	struct pair p = pair();

	send(p.c, "abc", 3, 0);
	wait_arrived(p.s, 3);
	saw(close(p.s));
	wait_until(p.c, POLLRDHUP);
	saw_events(p.c);
	saw(recv_one(p.c));
	saw(recv_one(p.c));
}

CASE(close__with_partly_read_data_resets)
{
	struct pair p = pair();

	send(p.c, "abc", 3, 0);
	saw(recv_one(p.s));
	saw(close(p.s));
	wait_until(p.c, POLLRDHUP);
	saw(recv_one(p.c));
}

CASE(close__with_unread_end)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw(close(p.s));
	wait_until(p.c, POLLRDHUP);
	saw_events(p.c);
	saw(recv_one(p.c));
}

CASE(close__with_unread_data_and_unsent)
{
	struct pair p = small_pair();

	send(p.s, "abc", 3, 0);
	wait_arrived(p.c, 3);
	fill(p.c);
	saw(close(p.c));
	wait_until(p.s, POLLRDHUP);
	saw_events(p.s);
}

CASE(close__with_a_full_queue)
{
	struct pair p = small_pair();
	long sum = fill(p.c);

	saw(close(p.c));
	note("%s", drain(p.s, 1 << 24) == sum ? "all" : "not all");
	saw(recv_one(p.s));
	saw_error(p.s);
}

CASE(close__linger_of_zero)
{
	struct pair p = pair();

	reset(p.c);
	wait_until(p.s, POLLRDHUP);
	saw_events(p.s);
	saw(recv_one(p.s));
	saw(recv_one(p.s));
	saw(send(p.s, "x", 1, 0));
}

/* What has arrived is there, then comes the error. */
CASE(close__linger_of_zero_behind_data)
{
	struct pair p = pair();

	send(p.c, "abc", 3, 0);
	wait_arrived(p.s, 3);
	reset(p.c);
	wait_until(p.s, POLLRDHUP);
	saw(queued(p.s, SIOCINQ));
	saw(recv(p.s, scratch, 8, 0));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

CASE(close__linger_of_zero_after_the_end)
{
	struct pair p = pair();

	send(p.c, "abc", 3, 0);
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	reset(p.c);
	saw(recv(p.s, scratch, 8, 0));
	wait_until(p.s, 0);
	saw(recv_one(p.s));
}

CASE(close__linger_off)
{
	struct linger off = { .l_linger = 0 };
	struct pair p = pair();

	saw(setsockopt(p.c, SOL_SOCKET, SO_LINGER, &off, sizeof(off)));
	send(p.c, "abc", 3, 0);
	saw(close(p.c));
	saw(recv(p.s, scratch, 3, MSG_WAITALL));
	saw(recv_one(p.s));
}

static long close_it(int fd)
{
	return close(fd);
}

CASE(close__linger_waits_for_the_reader)
{
	struct pair p = small_pair();
	struct doing doing;
	long sum = fill(p.c);

	set_linger(p.c, 60);
	go_to_sleep(&doing, close_it, p.c, SYS_close);
	note("%s", sleeps(&doing, SYS_close) ? "sleeps" : "has ended");
	note("%s", drain(p.s, 1 << 24) == sum ? "all" : "not all");
	close(p.s);
	saw(done(&doing));
}

CASE(close__linger_is_over)
{
	struct pair p = small_pair();
	long sum = fill(p.c);

	set_linger(p.c, 1);
	saw(close(p.c));
	note("%s", drain(p.s, 1 << 24) == sum ? "all" : "not all");
	saw(recv_one(p.s));
}

CASE(close__linger_signal)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	on_signal(SIGUSR1, 0);
	set_linger(p.c, 60);
	go_to_sleep(&doing, close_it, p.c, SYS_close);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(close__linger_without_data)
{
	struct pair p = pair();

	set_linger(p.c, 60);
	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(close(p.c));
}

CASE(close__linger_ended_by_reset)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	set_linger(p.c, 60);
	go_to_sleep(&doing, close_it, p.c, SYS_close);
	close(p.s);
	saw(done(&doing));
}

CASE(close__peer_writes_on)
{
	struct pair p = pair();

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(send(p.c, "x", 1, 0));
	wait_until(p.c, 0);
	saw_events(p.c);
	saw(send(p.c, "x", 1, 0));
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.c));
	saw_error(p.c);
}

CASE(close__pending)
{
	saw(close(connecting()));
}

CASE(close__in_a_child)
{
	struct pair p = pair();

	if (!fork()) {
		close(p.c);
		close(p.s);
		_exit(0);
	}
	wait(NULL);
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
	saw_events(p.s);
}

CASE(close__child_keeps_it)
{
	struct pair p = pair();
	int go_on[2];

	need(!pipe(go_on), "pipe");
	if (!fork()) {
		close(p.s);
		recv_one(p.c);
		if (read(go_on[0], &go_on, 1) == 1)
			_exit(send(p.c, "y", 1, 0));
	}
	close(p.c);
	saw(send(p.s, "x", 1, 0));
	wait_acked(p.s);
	saw_events(p.s);
	saw(write(go_on[1], "", 1));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

/* Return: a process that has the client's end alone, and sleeps */
static pid_t owner(struct pair p)
{
	pid_t pid = fork();

	if (!pid) {
		close(p.s);
		for (;;)
			pause();
	}
	close(p.c);
	wait_process(pid, SYS_pause);
	return pid;
}

CASE(close__killed)
{
	struct pair p = pair();
	pid_t pid = owner(p);

	kill(pid, SIGKILL);
	wait_until(p.s, POLLRDHUP);
	saw_events(p.s);
	saw(recv_one(p.s));
}

CASE(close__killed_with_unread_data)
{
	struct pair p = pair();
	pid_t pid = owner(p);

	send(p.s, "x", 1, 0);
	wait_acked(p.s);
	kill(pid, SIGKILL);
	wait_until(p.s, POLLRDHUP);
	saw_events(p.s);
	saw(recv_one(p.s));
}

CASE(close__killed_with_unsent_data)
{
	struct pair p = small_pair();
	long sum = fill(p.c);
	pid_t pid = owner(p);

	set_timeout(p.s, SO_RCVTIMEO, 5000);
	kill(pid, SIGKILL);
	note("%s", drain(p.s, 1 << 24) == sum ? "all" : "not all");
	saw(recv_one(p.s));
}

/* A process that ends does not linger. */
CASE(close__killed_with_linger)
{
	struct pair p = small_pair();
	int status;
	pid_t pid;

	fill(p.c);
	set_linger(p.c, 60);
	pid = owner(p);
	kill(pid, SIGKILL);
	saw(waitpid(pid, &status, 0) == pid);
}

CASE(close__while_another_reads)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	saw(close(p.s));
	note("%s", sleeps(&doing, SYS_recvfrom) ? "sleeps on" : "has ended");
	saw(send(p.c, "x", 1, 0));
	saw(done(&doing));
	saw(recv_one(p.c));
}

CASE(close__while_another_writes)
{
	struct pair p = small_pair();
	struct doing doing;

	go_to_sleep(&doing, send_much, p.c, SYS_sendto);
	saw(close(p.c));
	saw(drain(p.s, 1 << 24));
	saw(done(&doing));
}

CASE(close__twice)
{
	struct pair p = pair();

	saw(close(p.c));
	saw(close(p.c));
	saw(recv_one(p.c));
	saw(recv_one(p.s));
}

CASE(close__many)
{
	int listening = listener(0, 5);

	for (int i = 0; i < 20; i++) {
		struct pair p = pair_of(listening, 0);

		send(p.c, "x", 1, 0);
		close(p.c);
		if (recv_one(p.s) != 1 || recv_one(p.s))
			note("not so");
		close(p.s);
	}
	note("done");
}
