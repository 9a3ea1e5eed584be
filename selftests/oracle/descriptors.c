// SPDX-License-Identifier: GPL-2.0
/* Sockets as files: duplicated, passed on, spliced, and what files cannot. */
#include "oracle.h"
#include "../lib/passed.h"

#include <sys/sendfile.h>
#include <sys/stat.h>

#define SIZE 30000

static char bytes[SIZE], back[SIZE];

/* A file that has these bytes */
static int file(void)
{
	int fd = memfd_create("bytes", 0);

	for (int i = 0; i < SIZE; i++)
		bytes[i] = i * 31 >> 3;
	need(write(fd, bytes, SIZE) == SIZE && !lseek(fd, 0, SEEK_SET), "file");
	return fd;
}

static void saw_equal(int fd, int len)
{
	saw(recv(fd, back, len, MSG_WAITALL));
	note("%s", memcmp(back, bytes, len) ? "differs" : "equal");
}

CASE(files__sendfile)
{
	struct pair p = pair();

	saw(sendfile(p.c, file(), NULL, SIZE));
	saw_equal(p.s, SIZE);
}

CASE(files__sendfile_offset)
{
	off_t offset = 0;
	struct pair p = pair();
	int fd = file();

	saw(sendfile(p.c, fd, &offset, 1000));
	note("%d", (int)offset);
	saw(sendfile(p.c, fd, &offset, SIZE));
	note("%d", (int)offset);
	saw(sendfile(p.c, fd, &offset, SIZE));
	saw_equal(p.s, SIZE);
	offset = -1;
	saw(sendfile(p.c, fd, &offset, 1));
}

CASE(files__sendfile_nowhere)
{
	struct pair p = pair();
	int fd = file();

	saw(sendfile(sock(1, 0), fd, NULL, 10));
	saw(sendfile(p.c, p.s, NULL, 10));
	saw(sendfile(fd, p.s, NULL, 10));
	shutdown(p.c, SHUT_WR);
	saw(sendfile(p.c, fd, NULL, 10));
	saw(sendfile(p.c, fd, NULL, 0));
}

CASE(files__sendfile_full)
{
	struct pair p = small_pair();

	fill(p.c);
	no_block(p.c);
	saw(sendfile(p.c, file(), NULL, 10));
	set_timeout(p.c, SO_SNDTIMEO, 50);
	fcntl(p.c, F_SETFL, 0);
	saw(sendfile(p.c, file(), NULL, 10));
}

CASE(files__splice_to_a_socket)
{
	struct pair p = pair();
	int ends[2];

	need(!pipe(ends), "pipe");
	saw(write(ends[1], "abc", 3));
	saw(splice(ends[0], NULL, p.c, NULL, 100, SPLICE_F_MORE));
	saw(splice(ends[0], NULL, p.c, NULL, 100, SPLICE_F_NONBLOCK));
	saw(recv(p.s, back, 3, MSG_WAITALL));
	saw_bytes(back, 3);
}

CASE(files__splice_from_a_socket)
{
	struct pair p = pair();
	int ends[2];

	need(!pipe(ends), "pipe");
	no_block(p.s);
	saw(splice(p.s, NULL, ends[1], NULL, 100, SPLICE_F_NONBLOCK));
	fcntl(p.s, F_SETFL, 0);
	send(p.c, "abc", 3, 0);
	wait_arrived(p.s, 3);
	saw(splice(p.s, NULL, ends[1], NULL, 2, 0));
	saw(splice(p.s, NULL, ends[1], NULL, 100, 0));
	saw(read(ends[0], back, 10));
	saw_bytes(back, 3);
	shutdown(p.c, SHUT_WR);
	saw(splice(p.s, NULL, ends[1], NULL, 100, 0));
}

CASE(files__splice_at_an_offset)
{
	struct pair p = pair();
	loff_t offset = 0;
	int ends[2];

	need(!pipe(ends), "pipe");
	saw(splice(p.s, &offset, ends[1], NULL, 100, 0));
	saw(splice(ends[0], NULL, p.c, &offset, 100, 0));
	saw(splice(p.s, NULL, p.c, NULL, 100, 0));
}

CASE(files__splice_unconnected)
{
	int ends[2], fd = sock(1, 0);

	need(!pipe(ends), "pipe");
	saw(splice(fd, NULL, ends[1], NULL, 100, 0));
	write(ends[1], "abc", 3);
	saw(splice(ends[0], NULL, fd, NULL, 100, 0));
}

CASE(files__splice_of_a_reset)
{
	struct pair p = pair();
	int ends[2];

	need(!pipe(ends), "pipe");
	send(p.c, "abc", 3, 0);
	wait_arrived(p.s, 3);
	reset(p.c);
	wait_until(p.s, 0);
	saw(splice(p.s, NULL, ends[1], NULL, 100, 0));
	saw(splice(p.s, NULL, ends[1], NULL, 100, 0));
	saw(splice(p.s, NULL, ends[1], NULL, 100, 0));
}

CASE(files__splice_through)
{
	struct pair one, two;
	int ends[2], listening = listener(0, 5);
	long moved = 0, got;

	one = pair_of(listening, 0);
	two = pair_of(listening, 0);
	need(!pipe(ends), "pipe");
	saw(sendfile(one.c, file(), NULL, SIZE));
	while (moved < SIZE) {
		got = splice(one.s, NULL, ends[1], NULL, SIZE, SPLICE_F_MOVE);
		need(got > 0, "spliced");
		moved += got;
		while (got > 0)
			got -= splice(ends[0], NULL, two.c, NULL, got, 0);
	}
	saw_equal(two.s, SIZE);
}

CASE(files__tee_and_splice)
{
	struct pair p = pair();
	int one[2], two[2];

	need(!pipe(one) && !pipe(two), "pipes");
	write(one[1], "abc", 3);
	saw(tee(one[0], two[1], 100, 0));
	saw(splice(one[0], NULL, p.c, NULL, 100, 0));
	saw(splice(two[0], NULL, p.c, NULL, 100, 0));
	saw(recv(p.s, back, 6, MSG_WAITALL));
	saw_bytes(back, 6);
	saw(tee(one[0], p.c, 100, 0));
}

CASE(files__vmsplice)
{
	struct iovec iov = { "abc", 3 };
	struct pair p = pair();
	int ends[2];

	need(!pipe(ends), "pipe");
	saw(vmsplice(ends[1], &iov, 1, 0));
	saw(splice(ends[0], NULL, p.c, NULL, 100, 0));
	saw(recv(p.s, back, 3, MSG_WAITALL));
	saw_bytes(back, 3);
	saw(vmsplice(p.c, &iov, 1, 0));
}

CASE(files__what_they_cannot)
{
	struct pair p = pair();
	struct stat status;

	saw(lseek(p.c, 0, SEEK_SET));
	saw(pread(p.c, back, 1, 0));
	saw(pwrite(p.c, back, 1, 0));
	saw(ftruncate(p.c, 0));
	saw(fsync(p.c));
	saw(fallocate(p.c, 0, 0, 1));
	saw(mmap(NULL, 4096, PROT_READ, MAP_SHARED, p.c, 0) == MAP_FAILED ? -1 :
									    0);
	saw(copy_file_range(p.s, NULL, p.c, NULL, 1, 0));
	saw(fstat(p.c, &status));
	note("%o", status.st_mode & S_IFMT);
	saw(fcntl(p.c, F_GETFL));
}

CASE(files__dup_shares_flags)
{
	struct pair p = pair();
	int other = dup(p.c);

	no_block(other);
	saw(recv_one(p.c));
	saw(close(p.c));
	saw(send(other, "x", 1, 0));
	saw(recv_one(p.s));
	saw_events(p.s);
	close(other);
	saw(recv_one(p.s));
}

CASE(files__nonblocking_by_ioctl)
{
	int on = 1, off = 0;
	struct pair p = pair();

	saw(ioctl(p.c, FIONBIO, &on));
	saw(recv_one(p.c));
	saw(fcntl(p.c, F_GETFL) & O_NONBLOCK);
	saw(ioctl(p.c, FIONBIO, &off));
	saw(fcntl(p.c, F_GETFL) & O_NONBLOCK);
	saw(ioctl(p.c, FIONBIO, NULL));
}

CASE(files__passed_to_another_process)
{
	struct pair p = pair();
	int ends[2], status;

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	need(fd_pass(ends[0], p.c), "pass");
	close(p.c);
	if (!fork()) {
		int fd = fd_take(ends[1]);

		close(p.s);
		_exit(send(fd, "x", 1, 0) != 1);
	}
	close(ends[0]);
	close(ends[1]);
	wait(&status);
	saw(WEXITSTATUS(status));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

/* One that is on its way is open; when the way is gone it is closed. */
CASE(files__passed_to_nobody)
{
	struct pair p = pair();
	int ends[2];

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	need(fd_pass(ends[0], p.c), "pass");
	close(p.c);
	saw_events(p.s);
	close(ends[0]);
	close(ends[1]);
	saw_these(wait_until(p.s, POLLIN | POLLRDHUP));
	saw(recv_one(p.s));
}

CASE(files__listener_passed)
{
	int ends[2], listening = listener(0, 5);

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	need(fd_pass(ends[0], listening), "pass");
	close(listening);
	connected(0);
	saw(accept_one(fd_take(ends[1])));
}

CASE(ioctl__in_each_state)
{
	struct pair p;
	int fd = sock(1, 0);

	saw(queued(fd, SIOCINQ));
	saw(queued(fd, SIOCOUTQ));
	saw(queued(fd, SIOCOUTQNSD));
	p = pair();
	saw(queued(p.c, SIOCINQ));
	saw(queued(p.c, SIOCOUTQNSD));
	send(p.c, "abc", 3, 0);
	wait_acked(p.c);
	saw(queued(p.s, SIOCINQ));
	saw(queued(p.s, FIONREAD));
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw(queued(p.s, SIOCINQ));
	drain(p.s, 3);
	saw(queued(p.s, SIOCINQ));
}

CASE(ioctl__out_queue_with_the_end)
{
	struct pair p = small_pair();
	int sum;

	fill(p.c);
	sum = queued(p.c, SIOCOUTQ);
	shutdown(p.c, SHUT_WR);
	saw(queued(p.c, SIOCOUTQ) - sum);
	drain(p.s, 1 << 24);
	wait_acked(p.c);
	saw(queued(p.c, SIOCOUTQ));
}

CASE(ioctl__bad)
{
	struct pair p = pair();

	saw(ioctl(p.c, SIOCINQ, NULL));
	saw(ioctl(p.c, SIOCOUTQ, 16));
	saw(ioctl(p.c, 0x12345678, NULL));
	saw(ioctl(p.c, TCGETS, scratch));
	saw(queued(p.c, SIOCATMARK));
	saw(ioctl(p.c, SIOCGSTAMP, scratch));
}

CASE(ioctl__of_devices)
{
	char request[64] = "p0";
	struct pair p = pair();

	saw(ioctl(p.c, SIOCGIFINDEX, request) ? -1 : 0);
	saw(ioctl(p.c, SIOCGIFFLAGS, request) ? -1 : 0);
	saw(ioctl(p.c, SIOCGIFMTU, request) ? -1 : 0);
	saw(ioctl(p.c, SIOCGIFADDR, request) ? -1 : 0);
}
