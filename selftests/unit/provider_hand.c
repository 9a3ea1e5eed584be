// SPDX-License-Identifier: GPL-2.0
/* A peer that a test speaks for: its words and its connections. */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "provider_hand.h"

struct mpipr_wire hello_of(const union mpipr_addr *addr)
{
	return (struct mpipr_wire){ .type = MPIPR_WIRE_HELLO,
				    .tag = addr->half[0],
				    .data = addr->half[1],
				    .id = SESSION };
}

void say(int fd, const struct mpipr_wire *wire)
{
	uint8_t bytes[MPIPR_WIRE_HEADER];

	mpipr_wire_put(wire, bytes);
	expect_eq(send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
}

void hear(struct hand *hand, int fd, uint8_t *to, size_t len)
{
	ssize_t ret;

	while (len) {
		mpipr_progress(ep_of(hand->end)->domain, 0);
		ret = recv(fd, to, len, MSG_DONTWAIT);
		if (ret < 0) {
			expect_eq(errno, EAGAIN);
			continue;
		}
		expect_true(ret > 0);
		to += ret;
		len -= ret;
	}
}

struct mpipr_wire hear_header(struct hand *hand, int fd, uint8_t type)
{
	uint8_t bytes[MPIPR_WIRE_HEADER];
	struct mpipr_wire wire;

	hear(hand, fd, bytes, sizeof(bytes));
	expect_true(mpipr_wire_get(&wire, bytes));
	expect_eq(wire.type, type);
	return wire;
}

static int hand_socket(void)
{
	const int room = 65536, on = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	expect_true(fd >= 0);
	expect_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)),
		  0);
	/* What it says has left when it dies. */
	expect_eq(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
	return fd;
}

void take_address(struct hand *hand, struct end *place, int backlog)
{
	hand->addr = ep_of(place)->addr;
	hand->end = other(place);
	hand->left = -1;
	hand->kept = -1;
	hand->out = filled(TRANSFER_SIZE, 3);
	close_end(place);
	hand->listener = hand_socket();
	expect_eq(bind(hand->listener, &hand->addr.sa, sizeof(hand->addr)), 0);
	expect_eq(listen(hand->listener, backlog), 0);
}

void be_connected_to(struct hand *hand, struct end *place)
{
	take_address(hand, place, 1);
	expect_eq(fi_tsend(hand->end->ep, hand->out, TRANSFER_SIZE, NULL,
			   hand->end->peer, 7, hand),
		  0);
	hand->left = accept(hand->listener, NULL, NULL);
}

struct mpipr_conn *take_place(struct hand *hand, struct end *place)
{
	struct mpipr_wire hello;

	be_connected_to(hand, place);
	hello = hello_of(&hand->addr);
	hear_header(hand, hand->left, MPIPR_WIRE_HELLO);
	say(hand->left, &hello);
	return peer_of(hand->end)->tx;
}

int hand_connect(struct hand *hand)
{
	int fd = hand_socket();

	expect_eq(connect(fd, &ep_of(hand->end)->addr.sa, sizeof(hand->addr)),
		  0);
	while (!ep_of(hand->end)->nameless)
		mpipr_progress(ep_of(hand->end)->domain, 0);
	return fd;
}

void make_move(struct hand *hand)
{
	const struct mpipr_wire hello = hello_of(&hand->addr);

	hand->kept = hand_connect(hand);
	say(hand->kept, &hello);
	hear_header(hand, hand->kept, MPIPR_WIRE_HELLO);
	hear_header(hand, hand->kept, MPIPR_WIRE_AWAIT);
}

void want_a_lot(struct hand *hand, struct mpipr_conn *conn)
{
	struct mpipr_wire ready = { .type = MPIPR_WIRE_READY,
				    .id = TRANSFER_ID,
				    .len = TRANSFER_SIZE };
	const int room = 65536;

	expect_eq(setsockopt(conn->source.fd, SOL_SOCKET, SO_SNDBUF, &room,
			     sizeof(room)),
		  0);
	ready.peer_id = hear_header(hand, hand->left, MPIPR_WIRE_REQUEST).id;
	say(hand->left, &ready);
}

void reset(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	expect_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once,
			     sizeof(at_once)),
		  0);
	close(fd);
}

void part_unanswered(struct hand *hand)
{
	close_end(hand->end);
	close(hand->left);
	close(hand->kept);
	close(hand->listener);
	free(hand->out);
}

void part(struct hand *hand)
{
	farewell(hand->end);
	part_unanswered(hand);
}
