// SPDX-License-Identifier: GPL-2.0
/* MSG_ZEROCOPY: what arrives, and what is told of memory that is free again. */
#include "inet.h"
#include "slow.h"

#include <liburing.h>
#include <linux/errqueue.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define PIECE 65536
#define PIECES 24

struct note {
	int level;
	int type;
	size_t len;
	unsigned int first;
	unsigned int last;
	bool copied;
};

/* The next note, or -1 and why there is none. */
static int take_note(int fd, struct note *note)
{
	char control[CMSG_SPACE(sizeof(struct sock_extended_err) +
				sizeof(struct sockaddr_in6))];
	struct msghdr msg = {
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct sock_extended_err err;
	struct cmsghdr *cmsg;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		return -1;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!(msg.msg_flags & MSG_ERRQUEUE) || !cmsg)
		return -1;
	note->level = cmsg->cmsg_level;
	note->type = cmsg->cmsg_type;
	note->len = cmsg->cmsg_len;
	memcpy(&err, CMSG_DATA(cmsg), sizeof(err));
	if (err.ee_errno || err.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
		return -1;
	note->first = err.ee_info;
	note->last = err.ee_data;
	note->copied = err.ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
	return 0;
}

/* Waits for notes until so many calls are told of; whether each was, once, and
 * as copied or not.
 */
static bool told_as(int fd, int level, int type, size_t more, unsigned int from,
		    unsigned int calls, bool copied)
{
	struct pollfd pollfd = { .fd = fd };
	unsigned int end = from + calls;
	struct note note;

	while (from != end) {
		if (poll(&pollfd, 1, LIMIT_MS) != 1 ||
		    !(pollfd.revents & POLLERR) || take_note(fd, &note) ||
		    note.level != level || note.type != type ||
		    note.len !=
			    CMSG_LEN(sizeof(struct sock_extended_err) + more) ||
		    note.first != from || note.copied != copied)
			return false;
		from = note.last + 1;
	}
	return take_note(fd, &note) < 0 && errno == EAGAIN;
}

static bool told(int fd, unsigned int from, unsigned int calls, bool copied)
{
	return told_as(fd, SOL_PRP, PRP_ERRQUEUE, 0, from, calls, copied);
}

static int want_zerocopy(int fd)
{
	unsigned int on = 1;

	return setsockopt(fd, SOL_PRP, PRP_ZEROCOPY, &on, sizeof(on));
}

static char *map_bytes(size_t len, unsigned int seed)
{
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	for (i = 0; at != MAP_FAILED && i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		at[i] = seed >> 24;
	}
	return at;
}

/* Is this what comes next? */
static bool comes(int fd, const char *bytes, size_t len)
{
	static char in[PIECE];

	while (len) {
		ssize_t got = recv(fd, in, len < PIECE ? len : PIECE, 0);

		if (got <= 0 || memcmp(in, bytes, got))
			return false;
		bytes += got;
		len -= got;
	}
	return true;
}

/* Waits until so many bytes have arrived that nobody has read. */
static bool holds(int fd, int bytes)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int unread = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) ||
	    poll(&pollfd, 1, LIMIT_MS) != 1 || ioctl(fd, SIOCINQ, &unread))
		return false;
	return unread == bytes;
}

TEST_F(pair, zerocopy__option)
{
	unsigned int on = 2;
	socklen_t len = sizeof(on);

	ASSERT_ERRNO(EINVAL, setsockopt(self->client, SOL_PRP, PRP_ZEROCOPY,
					&on, sizeof(on)));
	ASSERT_EQ(0,
		  getsockopt(self->client, SOL_PRP, PRP_ZEROCOPY, &on, &len));
	ASSERT_EQ(0, on);
	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(0,
		  getsockopt(self->client, SOL_PRP, PRP_ZEROCOPY, &on, &len));
	ASSERT_EQ(1, on);
}

/* From all offsets in a page, and by all lengths about that of a segment. */
TEST_F(pair, zerocopy__bytes_are_the_same)
{
	char *bytes = map_bytes(PIECE, 1);
	unsigned int calls = 0;
	size_t at, len;

	ASSERT_NE(MAP_FAILED, bytes);
	ASSERT_EQ(0, want_zerocopy(self->client));
	for (at = 0; at < 8192; at += 517) {
		for (len = 1; len <= 8192; len = len * 3 + at % 7) {
			ASSERT_EQ(len, send(self->client, bytes + at, len,
					    MSG_ZEROCOPY));
			ASSERT_TRUE(comes(self->server, bytes + at, len));
			calls++;
		}
	}
	ASSERT_TRUE(told(self->client, 0, calls, true));
}

/* More than the buffers hold, in turns with what is copied. */
TEST_F(pair, zerocopy__order_is_kept)
{
	char *bytes = map_bytes(PIECES * PIECE, 2);
	int i;

	ASSERT_NE(MAP_FAILED, bytes);
	ASSERT_EQ(0, want_zerocopy(self->client));
	if (!fork()) {
		for (i = 0; i < PIECES; i++)
			if (send(self->client, bytes + i * PIECE, PIECE,
				 i % 3 ? MSG_ZEROCOPY : 0) != PIECE)
				_exit(1);
		_exit(!told(self->client, 0, PIECES * 2 / 3, true));
	}
	ASSERT_TRUE(comes(self->server, bytes, PIECES * PIECE));
	ASSERT_GT(wait(&i), 0);
	ASSERT_EQ(0, i);
}

/* What is told to be free may be written to: it was delivered, though nobody
 * has read it.
 */
TEST_F(pair, zerocopy__memory_is_free)
{
	char *bytes = map_bytes(PIECE, 3), *same = map_bytes(PIECE, 3);

	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(PIECE, send(self->client, bytes, PIECE, MSG_ZEROCOPY));
	ASSERT_TRUE(told(self->client, 0, 1, true));
	memset(bytes, 0, PIECE);
	ASSERT_TRUE(comes(self->server, same, PIECE));
}

TEST_F(pair, zerocopy__memory_is_unmapped)
{
	char *bytes = map_bytes(PIECE, 4), *same = map_bytes(PIECE, 4);

	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(PIECE, send(self->client, bytes, PIECE, MSG_ZEROCOPY));
	ASSERT_EQ(0, munmap(bytes, PIECE));
	ASSERT_TRUE(comes(self->server, same, PIECE));
	ASSERT_TRUE(told(self->client, 0, 1, true));
}

TEST_F(pair, zerocopy__nobody_is_told_of_nothing)
{
	struct note note;

	ASSERT_EQ(1, send(self->client, "x", 1, MSG_ZEROCOPY));
	ASSERT_TRUE(comes(self->server, "x", 1));
	ASSERT_ERRNO(EAGAIN, take_note(self->client, &note));
	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(0, send(self->client, "", 0, MSG_ZEROCOPY));
	ASSERT_ERRNO(EFAULT, send(self->client, (void *)8, 1, MSG_ZEROCOPY));
	ASSERT_ERRNO(EAGAIN, take_note(self->client, &note));
	ASSERT_EQ(1, send(self->client, "y", 1, MSG_ZEROCOPY));
	ASSERT_TRUE(comes(self->server, "y", 1));
	ASSERT_TRUE(told(self->client, 0, 1, true));
}

/* What never arrives is told of, too. */
TEST_F(pair, zerocopy__after_a_reset)
{
	const int flags = MSG_ZEROCOPY | MSG_DONTWAIT;
	char *bytes = map_bytes(PIECE, 5);
	unsigned int calls = 0;

	ASSERT_EQ(0, want_zerocopy(self->client));
	while (send(self->client, bytes, PIECE, flags) > 0)
		calls++;
	ASSERT_EQ(EAGAIN, errno);
	close(self->server);
	ASSERT_TRUE(told(self->client, 0, calls, true));
	ASSERT_EQ(-1, send(self->client, bytes, 1, MSG_ZEROCOPY));
}

/* Nobody is told before it has arrived, and what is sent again is the same. */
TEST_F(pair, zerocopy__is_sent_again)
{
	const char *repeats = "segs_retransmitted";
	char *bytes = map_bytes(PIECE, 8);
	struct note note;

	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_EQ(PIECE, send(self->client, bytes, PIECE, MSG_ZEROCOPY));
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 1, "probes_out", 3));
	ASSERT_ERRNO(EAGAIN, take_note(self->client, &note));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(comes(self->server, bytes, PIECE));
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 1, repeats, 1));
	ASSERT_EQ(POLLERR, POLLERR & wait_events(self->client, POLLERR));
	ASSERT_EQ(0, take_note(self->client, &note));
	ASSERT_EQ(0, note.first);
	ASSERT_EQ(0, note.last);
}

TEST_F(pair, zerocopy__before_a_close)
{
	char *bytes = map_bytes(PIECE, 6);

	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(PIECE, send(self->client, bytes, PIECE, MSG_ZEROCOPY));
	close(self->client);
	ASSERT_TRUE(comes(self->server, bytes, PIECE));
}

/* As many calls as the buffer has room for, none of which was told of yet:
 * more than the memory for notes would do, one a call.
 */
TEST_F(pair, zerocopy__calls_share_notes)
{
	const int flags = MSG_ZEROCOPY | MSG_DONTWAIT;
	unsigned int i, calls = 0, size = 4 << 20;
	char *bytes = map_bytes(PIECE, 9);
	struct note note;

	ASSERT_EQ(0, want_zerocopy(self->client));
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_SNDBUFFORCE, &size,
				sizeof(size)));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	while (send(self->client, bytes, 4096, flags) == 4096)
		calls++;
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_GT(calls, 100);
	ASSERT_ERRNO(EAGAIN, take_note(self->client, &note));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	for (i = 0; i < calls; i++)
		ASSERT_TRUE(comes(self->server, bytes, 4096));
	ASSERT_TRUE(told(self->client, 0, calls, true));
}

/* Bytes in so many pages that they are better copied, before and behind such
 * that are not.
 */
TEST_F(pair, zerocopy__of_many_small_parts)
{
	char *bytes = map_bytes(PIECE, 10);
	struct iovec iov[40];
	int i, round;

	ASSERT_EQ(0, want_zerocopy(self->client));
	for (round = 0; round < 3; round++) {
		size_t sum = 0;

		for (i = 0; i < 40; i++) {
			iov[i].iov_base = bytes + i * 1500;
			iov[i].iov_len = i % 20 == round * 9 ? 40000 / (i + 2) :
							       1 + i % 3;
			sum += iov[i].iov_len;
		}
		struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 40 };

		ASSERT_EQ(sum, sendmsg(self->client, &msg, MSG_ZEROCOPY));
		for (i = 0; i < 40; i++)
			ASSERT_TRUE(comes(self->server, iov[i].iov_base,
					  iov[i].iov_len));
	}
	ASSERT_TRUE(told(self->client, 0, 3, true));
}

/* The notes of both ends are where TCP has them. */
TEST_F(inet, zerocopy__as_tcp_tells)
{
	char *bytes = map_bytes(PIECE, 11);
	int v6;

	for (v6 = 0; v6 < 2; v6++) {
		int level = v6 ? SOL_IPV6 : SOL_IP, end, i, fd[2];
		int type = v6 ? IPV6_RECVERR : IP_RECVERR;
		size_t offender = ip_len(v6 ? KNOWN6 : KNOWN);
		int listener =
			ip_listen(&self->nodes, v6 ? "::" : "0.0.0.0", PORT);

		ASSERT_EQ(0, set_int(listener, SOL_SOCKET, SO_ZEROCOPY, 1));
		fd[0] = ip_client(&self->nodes, v6 ? KNOWN6 : KNOWN, PORT);
		fd[1] = accept(listener, NULL, NULL);
		ASSERT_EQ(PRP_PATH_PRP, path_of(fd[0]));
		ASSERT_EQ(PRP_PATH_PRP, path_of(fd[1]));
		ASSERT_EQ(0, set_int(fd[0], SOL_SOCKET, SO_ZEROCOPY, 1));
		for (end = 0; end < 2; end++) {
			for (i = 0; i < 3; i++) {
				ASSERT_EQ(PIECE, send(fd[end], bytes, PIECE,
						      MSG_ZEROCOPY));
				ASSERT_TRUE(comes(fd[!end], bytes, PIECE));
			}
			ASSERT_TRUE(told_as(fd[end], level, type, offender, 0,
					    3, true));
		}
		close(fd[0]);
		close(fd[1]);
		close(listener);
	}
}

/* A frame has what a sum is made of in several pages. */
TEST_F(sock, zerocopy__with_a_checksum)
{
	int client = nodes_socket(&self->nodes, 1, 0), server, listener;
	struct sockaddr_prp to = prp_at(2, PORT);
	char *bytes = map_bytes(PIECE, 12);
	unsigned int on = 1;

	listener = nodes_listen(&self->nodes, 2, PORT, 1);
	ASSERT_EQ(0,
		  setsockopt(client, SOL_PRP, PRP_CHECKSUM, &on, sizeof(on)));
	ASSERT_EQ(0, connect(client, SA(to), sizeof(to)));
	server = accept(listener, NULL, NULL);
	ASSERT_EQ(0, want_zerocopy(client));
	ASSERT_EQ(PIECE - 1000,
		  send(client, bytes + 1000, PIECE - 1000, MSG_ZEROCOPY));
	ASSERT_TRUE(comes(server, bytes + 1000, PIECE - 1000));
	ASSERT_TRUE(told(client, 0, 1, true));
}

/* io_uring tells by itself: whether it has sent a piece. */
static bool sent_by_io_uring(int from, int to)
{
	char *bytes = map_bytes(PIECE, 13);
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	struct note note;
	bool well;
	int i;

	if (io_uring_queue_init(4, &ring, 0))
		return false;
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_send_zc(sqe, from, bytes, PIECE, MSG_WAITALL, 0);
	well = io_uring_submit(&ring) == 1;
	for (i = 0; well && i < 2; i++) {
		well = !io_uring_wait_cqe(&ring, &cqe) &&
		       cqe->res == (i ? 0 : PIECE) &&
		       cqe->flags ==
			       (i ? IORING_CQE_F_NOTIF : IORING_CQE_F_MORE) &&
		       (i || comes(to, bytes, PIECE));
		if (!well)
			printf("# of %d: %d, flags %#x\n", i, cqe->res,
			       cqe->flags);
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
	return well && take_note(from, &note) && errno == EAGAIN;
}

TEST_F(pair, zerocopy__by_io_uring)
{
	ASSERT_TRUE(sent_by_io_uring(self->client, self->server));
}

/* Both ends, over PRP and over TCP */
TEST_F(inet, zerocopy__by_io_uring)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), tcp, fd[2];

	for (tcp = 0; tcp < 2; tcp++) {
		fd[0] = ip_client(&self->nodes, tcp ? UNKNOWN : KNOWN, PORT);
		fd[1] = accept(listener, NULL, NULL);
		ASSERT_EQ(tcp ? PRP_PATH_TCP : PRP_PATH_PRP, path_of(fd[0]));
		ASSERT_TRUE(sent_by_io_uring(fd[0], fd[1]));
		ASSERT_TRUE(sent_by_io_uring(fd[1], fd[0]));
		close(fd[0]);
		close(fd[1]);
	}
	close(listener);
}

/* What is there to be read, as io_uring tells it from Linux 6.7 on. Return:
 * bytes, or a negative errno.
 */
static int unread_by_io_uring(int fd)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	int ret = -EIO;

	if (io_uring_queue_init(4, &ring, 0))
		return ret;
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, NULL, 0, 0);
	sqe->cmd_op = 0; /* SOCKET_URING_OP_SIOCINQ */
	if (io_uring_submit(&ring) == 1 && !io_uring_wait_cqe(&ring, &cqe))
		ret = cqe->res;
	io_uring_queue_exit(&ring);
	return ret;
}

/* By who accepted: of who connects it asks TCP. */
TEST_F(inet, io_uring__tells_what_is_unread)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int server = accept(listener, NULL, NULL);
	int tcp = tcp_socket(&self->nodes, 1, KNOWN);
	int none = unread_by_io_uring(tcp);
	char word[4];

	ASSERT_TRUE(none == 0 || none == -EOPNOTSUPP);
	ASSERT_TRUE(send_all(client, "some", 4));
	ASSERT_EQ(4, recv(server, word, 4, MSG_PEEK | MSG_WAITALL));
	ASSERT_EQ(none ?: 4, unread_by_io_uring(server));
	close(client);
	close(server);
	close(listener);
	close(tcp);
}

TEST_F(sock, zerocopy__messages_are_copied)
{
	int client, server;

	self->nodes.type = SOCK_SEQPACKET;
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	ASSERT_EQ(0, want_zerocopy(client));
	ASSERT_EQ(3, send(client, "abc", 3, MSG_ZEROCOPY));
	ASSERT_TRUE(comes(server, "abc", 3));
	ASSERT_TRUE(told(client, 0, 1, true));
}

TEST_F(pair, sendfile__bytes_are_the_same)
{
	char *bytes = map_bytes(PIECES * PIECE, 7);
	int fd = memfd_create("file", 0), status;

	ASSERT_EQ(PIECES * PIECE, write(fd, bytes, PIECES * PIECE));
	if (!fork()) {
		off_t at = 0;

		while (at < PIECES * PIECE)
			if (sendfile(self->client, fd, &at,
				     PIECES * PIECE - at) <= 0)
				_exit(1);
		_exit(0);
	}
	ASSERT_TRUE(comes(self->server, bytes, PIECES * PIECE));
	ASSERT_GT(wait(&status), 0);
	ASSERT_EQ(0, status);
}

/* Bytes of a file by way of a pipe. Return: as sendfile(). */
static ssize_t splice_file(int to, int fd, size_t len)
{
	loff_t at = 0;
	int pipes[2];
	ssize_t sent;

	if (pipe(pipes))
		return -1;
	sent = splice(fd, &at, pipes[1], NULL, len, 0);
	if (sent > 0)
		sent = splice(pipes[0], NULL, to, NULL, sent, 0);
	close(pipes[0]);
	close(pipes[1]);
	return sent;
}

/* All but what may fill up a header is the file's own pages until it is read:
 * who writes to the file changes it. Where there is a checksum it is a copy.
 */
TEST_F(sock, sendfile__what_is_unread_is_the_file)
{
	char *before = map_bytes(PIECE, 14), *after = map_bytes(PIECE, 15);
	int fd = memfd_create("file", 0), listener, i;
	struct sockaddr_prp to = prp_at(2, PORT);
	char in[PIECE];

	listener = nodes_listen(&self->nodes, 2, PORT, 4);
	for (i = 0; i < 4; i++) {
		int client = nodes_socket(&self->nodes, 1, 0), server;
		unsigned int sums = i / 2;
		off_t at = 0;

		ASSERT_EQ(0, setsockopt(client, SOL_PRP, PRP_CHECKSUM, &sums,
					sizeof(sums)));
		ASSERT_EQ(0, connect(client, SA(to), sizeof(to)));
		server = accept(listener, NULL, NULL);
		ASSERT_EQ(PIECE, pwrite(fd, before, PIECE, 0));
		ASSERT_EQ(PIECE, i % 2 ? splice_file(client, fd, PIECE) :
					 sendfile(client, fd, &at, PIECE));
		ASSERT_TRUE(holds(server, PIECE));
		ASSERT_EQ(PIECE, pwrite(fd, after, PIECE, 0));
		ASSERT_EQ(PIECE, recv(server, in, PIECE, MSG_WAITALL));
		EXPECT_EQ(0, memcmp(in + 4096, (sums ? before : after) + 4096,
				    PIECE - 4096));
		close(client);
		close(server);
	}
	close(listener);
}

/* Behind a header, from anywhere in a page, and of any length: what is too
 * little to refer to a page for, what ends a page or a buffer of segments, what
 * is more than one.
 */
TEST_F(pair, sendfile__pieces_from_anywhere)
{
	static const unsigned int from[] = { 0, 1, 1000, 2048, 4095 };
	static const unsigned int lengths[] = {
		1,     100,   1023,  1024,  1463,  1464,   1465,
		4096,  4097,  8192,  62560, 64415, 64416,  64417,
		65535, 65536, 65537, 66000, 69632, 131072, 200000,
	};
	static const unsigned int headers[] = { 0, 1, 250, 1463, 1464, 3000 };
	char *bytes = map_bytes(PIECES * PIECE, 8);
	int fd = memfd_create("file", 0), status;
	unsigned int f, l, h;

	ASSERT_EQ(PIECES * PIECE, write(fd, bytes, PIECES * PIECE));
	if (!fork()) {
		for (l = 0; l < ARRAY_SIZE(lengths); l++) {
			for (f = 0; f < ARRAY_SIZE(from); f++) {
				off_t at = from[f], end = at + lengths[l];

				h = headers[(l + f) % ARRAY_SIZE(headers)];
				if (h &&
				    send(self->client, bytes, h, MSG_MORE) != h)
					_exit(1);
				while (at < end)
					if (sendfile(self->client, fd, &at,
						     end - at) <= 0)
						_exit(2);
			}
		}
		_exit(0);
	}
	for (l = 0; l < ARRAY_SIZE(lengths); l++) {
		for (f = 0; f < ARRAY_SIZE(from); f++) {
			h = headers[(l + f) % ARRAY_SIZE(headers)];
			if (h)
				ASSERT_TRUE(comes(self->server, bytes, h));
			ASSERT_TRUE(comes(self->server, bytes + from[f],
					  lengths[l]));
		}
	}
	ASSERT_GT(wait(&status), 0);
	ASSERT_EQ(0, status);
}

/* Frames that the device of a node has sent */
static long frames_of(const struct nodes *nodes, int nr)
{
	long packets = -1;
	char line[256];
	FILE *file;

	nodes_enter(nodes, nr);
	file = fopen("/proc/thread-self/net/dev", "r");
	while (file && packets < 0 && fgets(line, sizeof(line), file))
		sscanf(line, " p0: %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld",
		       &packets);
	if (file)
		fclose(file);
	return packets;
}

/* A connection whose reader has a buffer of so many bytes */
static bool pair_with(const struct nodes *nodes, int rcvbuf, int *client,
		      int *server)
{
	int listener = nodes_listen(nodes, 2, PORT, 1);

	if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
		       sizeof(rcvbuf)))
		return false;
	*client = nodes_connect(nodes, 1, 2, PORT);
	if (*client < 0)
		return false;
	*server = accept(listener, NULL, NULL);
	close(listener);
	return *server >= 0;
}

/* A segment that leaves alone, as the window has room for no other, says
 * nothing of those that follow, and where their bytes are is all the same. All
 * wait for the reader here. Where that is stopped in between, what it has made
 * room for leaves as a shorter run, so the best of five transfers counts.
 */
TEST_F(sock, sendfile__in_runs_behind_one_that_goes_alone)
{
	char *bytes = map_bytes(PIECES * PIECE, 10);
	int fd = memfd_create("file", 0), client, server, tries = 5;
	const struct nodes *nodes = &self->nodes;
	long frames, segs;

	ASSERT_EQ(PIECES * PIECE, write(fd, bytes, PIECES * PIECE));
	do {
		off_t at = 0;

		ASSERT_TRUE(pair_with(nodes, 4 * PIECE, &client, &server));
		ASSERT_EQ(0, fcntl(client, F_SETFL, O_NONBLOCK));
		while (sendfile(client, fd, &at, PIECES * PIECE - at) > 0)
			;
		ASSERT_GT(at, 8 * PIECE);
		segs = info_of(client).prpi_segs_out;
		frames = frames_of(nodes, 1);
		ASSERT_TRUE(comes(server, bytes, at));
		segs = info_of(client).prpi_segs_out - segs;
		frames = frames_of(nodes, 1) - frames;
		close(client);
		close(server);
	} while (frames >= segs / 16 && --tries);
	EXPECT_LT(frames, segs / 16)
	{
		TH_LOG("%ld frames of %ld segments", frames, segs);
	}
}

/* Bytes by way of a pipe, a KiB of a page each. Return: how many. */
static ssize_t send_parts(int fd, char *bytes)
{
	struct iovec iov[16];
	int pipes[2], i;
	ssize_t sent;

	if (pipe(pipes))
		return -1;
	for (i = 0; i < 16; i++) {
		iov[i].iov_base = bytes + i * 4096;
		iov[i].iov_len = 1024;
	}
	if (vmsplice(pipes[1], iov, 16, 0) != 16 * 1024)
		return -1;
	sent = splice(pipes[0], NULL, fd, NULL, 16 * 1024, SPLICE_F_MORE);
	close(pipes[0]);
	close(pipes[1]);
	return sent;
}

/* Copies, pages of a file, small parts of pages, and pages of which somebody is
 * told are in segments behind each other, which wait for the reader.
 */
TEST_F(sock, zerocopy__all_kinds_in_a_run)
{
	static const unsigned int copies[] = { 1, 250, 1464, 3000, 9000 };
	static const unsigned int lengths[] = { 1500, 5000, 64417, 65536 };
	int fd = memfd_create("file", 0), client, server, mtu, i, k;
	char *bytes = map_bytes(2 * PIECE, 12);

	ASSERT_EQ(2 * PIECE, write(fd, bytes, 2 * PIECE));
	for (mtu = 1500; mtu <= 9000; mtu += 7500) {
		ASSERT_EQ(0, nodes_mtu(&self->nodes, mtu));
		ASSERT_TRUE(pair_with(&self->nodes, PIECE, &client, &server));
		ASSERT_EQ(0, want_zerocopy(client));
		for (i = 0; i < 9; i++) {
			unsigned int c = copies[i % ARRAY_SIZE(copies)];
			unsigned int len = lengths[i % ARRAY_SIZE(lengths)];
			off_t at = 1000 * i + 1;

			ASSERT_EQ(c, send(client, bytes + i, c, MSG_MORE));
			ASSERT_EQ(len, sendfile(client, fd, &at, len));
			for (k = 0; k < 3; k++)
				ASSERT_EQ(16 * 1024,
					  send_parts(client, bytes + i));
			if (i % 3 == 0)
				ASSERT_EQ(10000, send(client, bytes, 10000,
						      MSG_ZEROCOPY));
		}
		for (i = 0; i < 9; i++) {
			unsigned int c = copies[i % ARRAY_SIZE(copies)];
			unsigned int len = lengths[i % ARRAY_SIZE(lengths)];

			ASSERT_TRUE(comes(server, bytes + i, c));
			ASSERT_TRUE(comes(server, bytes + 1000 * i + 1, len));
			for (k = 0; k < 3 * 16; k++)
				ASSERT_TRUE(comes(server,
						  bytes + i + k % 16 * 4096,
						  1024));
			if (i % 3 == 0)
				ASSERT_TRUE(comes(server, bytes, 10000));
		}
		close(client);
		close(server);
	}
}

/* Behind those of a file a frame has none of which somebody is told: he may
 * write to them, once he is, though the reader has not read.
 */
TEST_F(sock, zerocopy__behind_a_file_is_free_to_write)
{
	char *bytes = map_bytes(PIECE, 13), *kept = map_bytes(PIECE, 13);
	int fd = memfd_create("file", 0), client, server, i;

	ASSERT_EQ(PIECE, write(fd, bytes, PIECE));
	ASSERT_TRUE(pair_with(&self->nodes, PIECE, &client, &server));
	ASSERT_EQ(0, want_zerocopy(client));
	for (i = 0; i < 20; i++) {
		off_t at = 0;

		ASSERT_EQ(6 * 1464, sendfile(client, fd, &at, 6 * 1464));
		ASSERT_EQ(6 * 1464,
			  send(client, bytes, 6 * 1464, MSG_ZEROCOPY));
	}
	for (i = 0; i < 36; i++)
		ASSERT_TRUE(comes(server, kept, 6 * 1464));
	ASSERT_TRUE(told(client, 0, 20, true));
	memset(bytes, 0, PIECE);
	for (; i < 40; i++)
		ASSERT_TRUE(comes(server, kept, 6 * 1464));
	close(client);
	close(server);
}

/* Where others want the processor, too, a connection is looked at while the
 * kernel has given some pages of a file and not the next one. What waits for
 * that is nothing that the peer owes, also where nothing was sent before.
 */
TEST_F(sock, sendfile__on_new_connections_beside_others)
{
	int fd = memfd_create("file", 0), listener, nr;
	struct sockaddr_prp to = prp_at(2, PORT);
	char *bytes = map_bytes(PIECE, 9);
	unsigned int ms = 2000;
	pid_t busy[4];

	ASSERT_EQ(PIECE, write(fd, bytes, PIECE));
	listener = nodes_listen(&self->nodes, 2, PORT, 1);
	for (nr = 0; nr < 4; nr++) {
		busy[nr] = fork();
		if (!busy[nr])
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!busy[nr])
			;
	}
	for (nr = 0; nr < 400; nr++) {
		int client = nodes_socket(&self->nodes, 1, 0), server;
		off_t at = 0;

		ASSERT_EQ(0, setsockopt(client, SOL_PRP, PRP_USER_TIMEOUT, &ms,
					sizeof(ms)));
		ASSERT_EQ(0, connect(client, SA(to), sizeof(to)));
		ASSERT_EQ(PIECE, sendfile(client, fd, &at, PIECE));
		server = accept(listener, NULL, NULL);
		ASSERT_TRUE(comes(server, bytes, PIECE));
		close(client);
		close(server);
	}
	for (nr = 0; nr < 4; nr++) {
		kill(busy[nr], SIGKILL);
		waitpid(busy[nr], NULL, 0);
	}
}

TEST_HARNESS_MAIN
