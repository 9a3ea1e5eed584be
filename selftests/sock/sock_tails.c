// SPDX-License-Identifier: GPL-2.0
/*
 * Short segments: a few leave at once, the next one waits behind them, and what
 * lets it go. The way is so long that nothing is acknowledged meanwhile, where
 * the case does not wait for that; and who must not sleep, not even for a
 * moment, is a real-time program: what runs when it sleeps cannot run then.
 */
#include "fixture.h"
#include "slow.h"

#include <netinet/tcp.h>
#include <sched.h>

#define FEW 4 /* that leave at once */
#define LONGS 3 /* in front of these */
#define FULL 1464 /* bytes of a segment */
#define LONG_MS 300 /* one way, on a kernel that is not slow */
#define SHORT_MS 20
#define MOST 6000 /* bytes of a block */
#define BLOCKS 2000
#define NOT_LAST 0x20000 /* what the kernel says of a file's page, up to 6.4 */

static int long_ms(void)
{
	return LONG_MS * slow();
}

static bool may_sleep(bool may)
{
	struct sched_param param = { .sched_priority = !may };

	return !sched_setscheduler(0, may ? SCHED_OTHER : SCHED_FIFO, &param);
}

/* So many writes of a byte, counted from a number on */
static bool write_bytes(int fd, int from, int count)
{
	for (; count--; from++) {
		char c = from;

		if (send(fd, &c, 1, MSG_DONTWAIT) != 1)
			return false;
	}
	return true;
}

/* One write of so many bytes */
static bool write_block(int fd, int from, int count, int flags)
{
	char data[MOST];

	for (int i = 0; i < count; i++)
		data[i] = from + i;
	return send(fd, data, count, flags) == count;
}

static bool read_bytes(int fd, int from, int count)
{
	char data[4096];

	if (!recv_all(fd, data, count))
		return false;
	for (int i = 0; i < count; i++)
		if (data[i] != (char)(from + i))
			return false;
	return true;
}

static int queued(int fd)
{
	return info_of(fd).prpi_queued;
}

static int sent(int fd)
{
	return info_of(fd).prpi_segs_out;
}

static int set_nodelay(int fd, int on)
{
	return setsockopt(fd, SOL_PRP, PRP_NODELAY, &on, sizeof(on));
}

static int get_nodelay(int fd)
{
	socklen_t len = sizeof(int);
	int on = -1;

	return getsockopt(fd, SOL_PRP, PRP_NODELAY, &on, &len) ? -1 : on;
}

/* The pair on a long way. One that was made on a short one would ask again and
 * again why nothing arrives, and make its window smaller.
 */
static bool far_apart(FIXTURE_DATA(pair) * self)
{
	close(self->client);
	close(self->server);
	return !nodes_delay(&self->nodes, long_ms()) &&
	       !nodes_pair(&self->nodes, &self->client, &self->server);
}

/* A few are in flight, and one waits behind them. */
#define HOLD_BACK(more) \
	do { \
		ASSERT_TRUE(far_apart(self)); \
		ASSERT_TRUE(may_sleep(false)); \
		ASSERT_TRUE(write_bytes(self->client, 0, FEW + (more))); \
		ASSERT_EQ(1, queued(self->client)); \
		ASSERT_EQ(FEW, sent(self->client)); \
	} while (0)

/* It has left, and nothing was acknowledged. */
#define HAS_LEFT(more) \
	do { \
		ASSERT_EQ(0, queued(self->client)); \
		ASSERT_EQ(FEW + 1, sent(self->client)); \
		ASSERT_EQ(FEW + 1, info_of(self->client).prpi_in_flight); \
		ASSERT_TRUE(may_sleep(true)); \
		ASSERT_TRUE(read_bytes(self->server, 0, FEW + (more))); \
	} while (0)

TEST_F(pair, tails__a_few_leave_at_once)
{
	ASSERT_EQ(0, nodes_delay(&self->nodes, long_ms()));
	ASSERT_TRUE(may_sleep(false));
	for (int i = 0; i < FEW; i++) {
		ASSERT_TRUE(write_bytes(self->client, i, 1));
		ASSERT_EQ(0, queued(self->client));
	}
	ASSERT_EQ(FEW, sent(self->client));
	ASSERT_TRUE(may_sleep(true));
	ASSERT_TRUE(read_bytes(self->server, 0, FEW));
}

TEST_F(pair, tails__full_ones_leave_at_once)
{
	HOLD_BACK(1);
	ASSERT_TRUE(write_bytes(self->client, FEW + 1, FULL - 2));
	ASSERT_EQ(FEW, sent(self->client));
	ASSERT_TRUE(write_bytes(self->client, FEW + FULL - 1, 1));
	HAS_LEFT(FULL);
}

TEST_F(pair, tails__are_filled_up_by_what_is_long)
{
	HOLD_BACK(1);
	ASSERT_TRUE(write_block(self->client, FEW + 1, 5000, MSG_DONTWAIT));
	ASSERT_EQ(FEW + 5001 / FULL, sent(self->client));
	ASSERT_EQ(1, queued(self->client));
	ASSERT_TRUE(may_sleep(true));
	ASSERT_TRUE(read_bytes(self->server, 0, 4096));
	ASSERT_TRUE(read_bytes(self->server, 4096, FEW + 5001 - 4096));
}

/* Blocks of all lengths, of which some promise that more comes at once, and
 * the last one does, too: it is sent all the same.
 */
TEST_F(pair, tails__of_blocks_that_promise_more)
{
	const int flags[] = { 0, MSG_MORE, NOT_LAST, MSG_MORE | NOT_LAST };
	unsigned int from = 0, got = 0, len;

	srand(1);
	for (int i = 0; i < BLOCKS; i++) {
		len = 1 + rand() % (i % 2 ? MOST : 700);
		ASSERT_TRUE(write_block(self->client, from, len,
					flags[rand() / 8 % 4] |
						(i == BLOCKS - 1) * NOT_LAST));
		for (from += len; from - got > 20000; got += 4096)
			ASSERT_TRUE(read_bytes(self->server, got, 4096));
	}
	for (; got < from; got += len) {
		len = from - got < 4096 ? from - got : 4096;
		ASSERT_TRUE(read_bytes(self->server, got, len));
	}
}

TEST_F(pair, tails__leave_when_the_program_sleeps)
{
	HOLD_BACK(300);
	ASSERT_TRUE(may_sleep(true));
	while (queued(self->client))
		usleep(1000);
	HAS_LEFT(300);
}

TEST_F(pair, tails__leave_when_nothing_is_there_to_be_read)
{
	char in;

	HOLD_BACK(7);
	ASSERT_ERRNO(EAGAIN, recv(self->client, &in, 1, MSG_DONTWAIT));
	HAS_LEFT(7);
}

TEST_F(pair, tails__leave_when_the_program_polls_for_an_answer)
{
	struct pollfd fd = { .fd = self->client, .events = POLLOUT };

	HOLD_BACK(7);
	ASSERT_EQ(1, poll(&fd, 1, 0)); /* it wants to go on writing */
	ASSERT_EQ(1, queued(self->client));
	fd.events = POLLIN;
	ASSERT_EQ(0, poll(&fd, 1, 0));
	HAS_LEFT(7);
}

TEST_F(pair, tails__leave_with_the_end)
{
	HOLD_BACK(7);
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	HAS_LEFT(7);
}

TEST_F(pair, tails__leave_with_close)
{
	HOLD_BACK(7);
	ASSERT_EQ(0, close(self->client));
	self->client = -1;
	ASSERT_TRUE(may_sleep(true));
	ASSERT_TRUE(read_bytes(self->server, 0, FEW + 7));
	ASSERT_EQ(0, recv(self->server, &(char){ 0 }, 1, 0));
}

TEST_F(pair, tails__leave_when_delay_is_switched_off)
{
	HOLD_BACK(7);
	ASSERT_EQ(0, set_nodelay(self->client, 1));
	HAS_LEFT(7);
}

TEST_F(pair, tails__leave_when_nothing_more_is_promised)
{
	HOLD_BACK(7);
	ASSERT_EQ(1, send(self->client, &(char){ FEW + 7 }, 1, MSG_MORE));
	ASSERT_EQ(1, queued(self->client));
	ASSERT_EQ(0, send(self->client, NULL, 0, 0));
	HAS_LEFT(8);
}

/* One who goes on computing: the acknowledgment lets it go. */
TEST_F(pair, tails__leave_when_the_others_have_arrived)
{
	HOLD_BACK(7);
	while (queued(self->client))
		;
	ASSERT_EQ(FEW + 1, sent(self->client));
	ASSERT_TRUE(may_sleep(true));
	ASSERT_TRUE(read_bytes(self->server, 0, FEW + 7));
}

/* Another connection on a long way. Before it is heard that it was accepted the
 * peer takes 8 segments, see PRP_RCVBUF_CHILD.
 */
static bool next_pair(const struct nodes *nodes, int listener, int *client,
		      int *server)
{
	*client = nodes_connect(nodes, 1, 2, PORT);
	*server = accept(listener, NULL, NULL);
	return *client >= 0 && *server >= 0;
}

/* Long ones in flight hold nothing back: what comes last may be urgent. Who is
 * kept from running asks why nothing arrives, and has a smaller window then:
 * that tells nothing, and is done again.
 */
TEST_F(sock, tails__behind_long_ones_leave_at_once)
{
	const struct nodes *nodes = &self->nodes;
	int listener = nodes_listen(nodes, 2, PORT, 1), client, server;
	static char data[LONGS * FULL], in[LONGS * FULL];
	struct prp_info then;

	ASSERT_LE(0, listener);
	memset(data, 'b', sizeof(data));
	ASSERT_EQ(0, nodes_delay(nodes, long_ms()));
	do {
		ASSERT_TRUE(next_pair(nodes, listener, &client, &server));
		ASSERT_TRUE(may_sleep(false));
		ASSERT_EQ(sizeof(data), send(client, data, sizeof(data), 0));
		ASSERT_TRUE(write_bytes(client, 0, FEW + 7));
		then = info_of(client);
		ASSERT_TRUE(may_sleep(true));
		ASSERT_TRUE(recv_all(server, in, sizeof(in)));
		ASSERT_EQ(0, memcmp(data, in, sizeof(in)));
		ASSERT_TRUE(read_bytes(server, 0, FEW + 7));
		close(client);
		close(server);
	} while (then.prpi_cwnd < LONGS + FEW + 1);
	ASSERT_EQ(LONGS + FEW, then.prpi_segs_out);
	ASSERT_EQ(1, then.prpi_queued);
	close(listener);
	ASSERT_TRUE(nodes_wait_freed(nodes));
}

TEST_F(sock, tails__none_without_delay)
{
	const struct nodes *nodes = &self->nodes;
	int listener = nodes_listen(nodes, 2, PORT, 1), client, server;
	struct prp_info then;

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, nodes_delay(nodes, long_ms()));
	do { /* again for the same reason */
		ASSERT_TRUE(next_pair(nodes, listener, &client, &server));
		ASSERT_EQ(0, get_nodelay(client));
		ASSERT_EQ(0, set_nodelay(client, 1));
		ASSERT_EQ(1, get_nodelay(client));
		ASSERT_ERRNO(EINVAL, set_nodelay(client, 2));
		ASSERT_TRUE(may_sleep(false));
		ASSERT_TRUE(write_bytes(client, 0, FEW + 3));
		then = info_of(client);
		ASSERT_TRUE(may_sleep(true));
		ASSERT_TRUE(read_bytes(server, 0, FEW + 3));
		close(client);
		close(server);
	} while (then.prpi_cwnd < FEW + 3);
	ASSERT_EQ(0, then.prpi_queued);
	ASSERT_EQ(FEW + 3, then.prpi_segs_out);
	close(listener);
	ASSERT_TRUE(nodes_wait_freed(nodes));
}

/* The last byte of a message is in the segment, its end is not forgotten. */
TEST_F(sock, tails__of_messages)
{
	static const char text[] = "0123456789";
	int client, server;
	char in[20];

	self->nodes.type = SOCK_SEQPACKET;
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	ASSERT_EQ(0, nodes_delay(&self->nodes, long_ms()));
	ASSERT_TRUE(may_sleep(false));
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(i % 10, send(client, text, i % 10, MSG_DONTWAIT));
	ASSERT_TRUE(may_sleep(true));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(i % 10, recv(server, in, sizeof(in), 0));
		ASSERT_EQ(0, memcmp(text, in, i % 10));
	}
	/* a message without a byte has a segment of its own */
	ASSERT_GT(30, sent(client));
	close(client);
	close(server);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

/* A child has what its listener has. */
TEST_F(sock, tails__nodelay_is_inherited)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	int listener, client, server;

	listener = nodes_listen(&self->nodes, 2, PORT, 1);
	ASSERT_LE(0, listener);
	ASSERT_EQ(0, set_nodelay(listener, 1));
	client = nodes_socket(&self->nodes, 1, 0);
	ASSERT_LE(0, client);
	ASSERT_EQ(0, connect(client, SA(at), sizeof(at)));
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(1, get_nodelay(server));
	ASSERT_EQ(0, get_nodelay(client));
	ASSERT_EQ(0, nodes_delay(&self->nodes, long_ms()));
	ASSERT_TRUE(may_sleep(false));
	ASSERT_TRUE(write_bytes(server, 0, FEW + 6));
	ASSERT_EQ(FEW + 6, sent(server));
	ASSERT_TRUE(may_sleep(true));
	ASSERT_TRUE(read_bytes(client, 0, FEW + 6));
	close(listener);
	close(client);
	close(server);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_HARNESS_MAIN
