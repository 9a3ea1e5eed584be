// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: peers that die, leave, come again, or are none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "provider_hand.h"

/* As the kernel does for a process that is killed: no word of farewell */
UNIT(provider__peer_dies)
{
	enum { SIZE = 1000000 };
	struct fi_cq_tagged_entry entry;
	int in, any, out = 1;
	uint8_t *large = calloc(1, SIZE);

	open_both();
	pass(100, false);
	expect_eq(fi_tsend(one.ep, large, SIZE, NULL, one.peer, 5, large), 0);
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, &in),
		  0);
	expect_eq(fi_trecv(one.ep, &any, sizeof(any), NULL, FI_ADDR_UNSPEC, 6,
			   0, &any),
		  0);
	shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == large);
	expect_eq(fi_cntr_readerr(one.cntr), 1);
	expect_eq(fi_cntr_read(one.cntr), 0);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &in);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &any);
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 5),
		  -FI_ECONNRESET);
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, &in),
		  0);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	close_both();
	free(large);
}

static void lose_two(void)
{
	shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
	while (!peer_of(&one)->err)
		mpipr_progress(ep_of(&one)->domain, 0);
}

/* What a look for any message says, of this peer's or of anybody's */
static int look_says(fi_addr_t from)
{
	const struct fi_msg_tagged msg = { .addr = from, .ignore = ~0ull };
	struct fi_cq_tagged_entry entry;

	expect_eq(fi_trecvmsg(one.ep, &msg, FI_PEEK), 0);
	return next_alone(&one, &entry);
}

static void receive_any(int *in)
{
	expect_eq(fi_trecv(one.ep, in, sizeof(*in), NULL, FI_ADDR_UNSPEC, 0,
			   ~0ull, in),
		  0);
}

UNIT(provider__look_for_a_message_of_a_dead_peer)
{
	open_both();
	pass(100, false);
	lose_two();
	for (int i = 0; i < 2; i++)
		expect_eq(look_says(one.peer), FI_ECONNRESET);
	/* Who looks for anybody's is told once. */
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ECONNRESET);
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ENOMSG);
	expect_eq(look_says(one.peer), FI_ECONNRESET);
	close_both();
}

/* Nobody waits for anybody when it dies; what it has sent comes first. */
UNIT(provider__death_is_told_later)
{
	struct fi_cq_tagged_entry entry;
	int in = 0, out = 1;

	open_both();
	pass(100, false);
	expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5), 0);
	settle();
	lose_two();
	receive_any(&in);
	expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
	expect_eq(in, 1);
	receive_any(&in);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAVAIL);
	expect_eq(next_alone(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &in);
	receive_any(&in);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_both();
}

UNIT(provider__death_is_told_once)
{
	struct fi_cq_tagged_entry entry;
	int in;

	open_both();
	pass(100, false);
	receive_any(&in);
	lose_two();
	expect_eq(next_alone(&one, &entry), FI_ECONNRESET);
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ENOMSG);
	close_both();
}

static void insert_again(void)
{
	fi_addr_t number = one.peer; /* not const in 1.17 */

	expect_eq(fi_av_remove(one.av, &number, 1, 0), 0);
	insert(&one, &two);
}

UNIT(provider__address_of_a_dead_peer_is_inserted_again)
{
	int out = 1;

	open_both();
	pass(100, false);
	lose_two();
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 5),
		  -FI_ECONNRESET);
	insert_again();
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 5), 0);
	settle();
	expect_eq(peer_of(&two)->err, 0);
	close_both();
}

/* Each of its deaths is told of once to who receives from anybody. */
UNIT(provider__death_is_told_though_its_address_is_of_use_again)
{
	struct fi_cq_tagged_entry entry;
	int in, out = 1;

	open_both();
	pass(100, false);
	lose_two();
	insert_again();
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ECONNRESET);
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ENOMSG);
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 5), 0);
	settle();
	receive_any(&in);
	lose_two();
	expect_eq(next_alone(&one, &entry), FI_ECONNRESET);
	expect_eq(look_says(FI_ADDR_UNSPEC), FI_ENOMSG);
	close_both();
}

/* Only those that ask for it are told of their end; failures are told all. */
UNIT(provider__failure_is_told_though_nobody_asked)
{
	enum { SIZE = 100000 };
	uint8_t *large = calloc(1, SIZE);
	struct fi_cq_tagged_entry entry;

	open_both();
	pass(100, false);
	ep_of(&one)->tx.selective = true;
	expect_eq(fi_tsend(one.ep, large, SIZE, NULL, one.peer, 5, large), 0);
	lose_two();
	expect_eq(fi_cntr_readerr(one.cntr), 1);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAVAIL);
	expect_eq(next_alone(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == large);
	close_both();
	free(large);
}

UNIT(provider__peer_closes_and_all_of_it_comes)
{
	struct fi_cq_tagged_entry entry;
	int in, waiting;

	open_both();
	pass(100, false);
	expect_eq(fi_trecv(one.ep, &waiting, sizeof(waiting), NULL, one.peer, 6,
			   0, &waiting),
		  0);
	for (int i = 0; i < 50; i++)
		expect_eq(fi_tinject(two.ep, &i, sizeof(i), two.peer, 5), 0);
	close_end(&two);
	for (int i = 0; i < 50; i++) {
		expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5,
				   0, NULL),
			  0);
		expect_eq(next_alone(&one, &entry), 0);
		expect_eq(in, i);
	}
	/* What waits for it is not told that it died, for it did not. */
	for (int i = 0; i < 10; i++)
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_end(&one);
}

/* What is left of who was there before is nothing to who is there now. */
static void come_again(bool connects)
{
	struct fi_cq_tagged_entry entry;
	enum { SIZE = 100000 };
	uint8_t *large = calloc(1, SIZE);
	union mpipr_addr addr;
	int in = 0, out = 1;

	open_both();
	addr = ep_of(&two)->addr;
	expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5), 0);
	expect_eq(fi_tsend(two.ep, large, SIZE, NULL, two.peer, 5, large), 0);
	settle();
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 5), 0);
	settle();
	farewell(&two);
	close_end(&two);
	while (peer_of(&one)->tx)
		mpipr_progress(ep_of(&one)->domain, 0);
	open_end(&two, &addr);
	insert(&two, &one);
	if (connects)
		expect_eq(fi_tinject(two.ep, NULL, 0, two.peer, 6), 0);
	else
		expect_eq(fi_tinject(one.ep, NULL, 0, one.peer, 6), 0);
	settle();
	expect_eq(peer_of(&one)->credit,
		  MPIPR_WIRE_CREDIT - (connects ? 0 : mpipr_wire_cost(0)));
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, NULL),
		  0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(in, 1);
	expect_eq(fi_trecv(one.ep, large, SIZE, NULL, one.peer, 5, 0, large),
		  0);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == large);
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 7), 0);
	settle();
	pass(100, false);
	close_both();
	free(large);
}

UNIT(provider__endpoint_comes_again)
{
	come_again(true);
}

UNIT(provider__endpoint_is_there_again)
{
	come_again(false);
}

/* It has said what it wants and what it has, and says no farewell either. */
UNIT(provider__peer_answers_nothing)
{
	const struct mpipr_wire request = { .type = MPIPR_WIRE_REQUEST,
					    .flags = MPIPR_WIRE_TAGGED,
					    .len = TRANSFER_SIZE,
					    .id = TRANSFER_ID };
	uint8_t *in = malloc(TRANSFER_SIZE);
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST);
	expect_eq(fi_trecv(hand.end->ep, in, TRANSFER_SIZE, NULL,
			   hand.end->peer, 0, 0, in),
		  0);
	say(hand.left, &request);
	hear_header(&hand, hand.left, MPIPR_WIRE_READY);
	part_unanswered(&hand);
	free(in);
}

static void say_message(int fd, uint64_t tag)
{
	const struct mpipr_wire eager = { .type = MPIPR_WIRE_EAGER,
					  .flags = MPIPR_WIRE_TAGGED,
					  .tag = tag };

	say(fd, &eager);
}

/* Messages with these tags, and nothing else, one after the other */
static void expect_messages(struct end *end, uint64_t count)
{
	struct fi_cq_tagged_entry entry;

	for (uint64_t tag = 0; tag < count; tag++) {
		expect_eq(fi_trecv(end->ep, NULL, 0, NULL, end->peer, 0, ~0ull,
				   NULL),
			  0);
		expect_eq(next_alone(end, &entry), 0);
		expect_eq(entry.tag, tag);
	}
}

/*
 * Who is there now says hello before it is read that who was there before said
 * farewell: on the connection that was made to it, or that it made.
 */
static void succeed(bool low, bool crosses, bool moves)
{
	const struct mpipr_wire moved = { .type = MPIPR_WIRE_MOVED };
	const struct mpipr_wire await = { .type = MPIPR_WIRE_AWAIT };
	const struct mpipr_wire bye = { .type = MPIPR_WIRE_BYE };
	struct fi_cq_tagged_entry entry;
	struct mpipr_wire hello;
	struct hand hand;
	int tag = 0, successor, last;

	open_both();
	take_place(&hand, low ? keeper() : other(keeper()));
	hello = hello_of(&hand.addr);
	hand.kept = -1;
	if (crosses) {
		hand.kept = hand_connect(&hand);
		say(hand.kept, &hello);
		while (ep_of(hand.end)->nameless)
			mpipr_progress(ep_of(hand.end)->domain, 0);
	}
	successor = hand_connect(&hand);
	hello.id++;
	say(successor, &hello);
	if (moves) {
		say_message(hand.kept, tag++);
		say(hand.kept, &moved);
		say(hand.left, &await);
	}
	last = crosses && !moves ? hand.kept : hand.left;
	say_message(last, tag++);
	say(last, &bye);
	shutdown(hand.left, SHUT_WR);
	shutdown(hand.kept, SHUT_WR);
	say_message(successor, tag++);
	expect_eq(next_alone(hand.end, &entry), FI_ESHUTDOWN);
	expect_true(entry.op_context == &hand);
	expect_messages(hand.end, tag);
	expect_eq(fi_tinject(hand.end->ep, NULL, 0, hand.end->peer, 1), 0);
	hear_header(&hand, successor, MPIPR_WIRE_HELLO);
	hear_header(&hand, successor, MPIPR_WIRE_EAGER);
	expect_eq(conns(hand.end), 1);
	part(&hand);
	close(successor);
}

UNIT(provider__successor_of_a_lower_peer)
{
	succeed(true, false, false);
}

UNIT(provider__successor_of_a_lower_peer_that_crossed)
{
	succeed(true, true, false);
}

UNIT(provider__successor_of_a_higher_peer)
{
	succeed(false, false, false);
}

UNIT(provider__successor_of_a_higher_peer_that_crossed)
{
	succeed(false, true, false);
}

UNIT(provider__successor_of_a_higher_peer_that_moved)
{
	succeed(false, true, true);
}

/* Says messages, counted by their tags, as long as they find room. */
static void say_what_fits(int fd)
{
	struct mpipr_wire eager = { .type = MPIPR_WIRE_EAGER,
				    .flags = MPIPR_WIRE_TAGGED };
	uint8_t bytes[MPIPR_WIRE_HEADER];

	do
		mpipr_wire_put(&eager, bytes);
	while (++eager.tag * MPIPR_WIRE_COST < MPIPR_WIRE_CREDIT &&
	       send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) == sizeof(bytes));
}

/* Some of them come, and then this one. */
static void expect_some_and(struct end *end, uint64_t last)
{
	struct fi_cq_tagged_entry entry;
	uint64_t count = 0;

	do {
		expect_eq(fi_trecv(end->ep, NULL, 0, NULL, end->peer, 0, ~0ull,
				   NULL),
			  0);
		expect_eq(next_alone(end, &entry), 0);
		expect_true(entry.tag == last || entry.tag == count++);
	} while (entry.tag != last);
	expect_true(count > 0);
}

/*
 * Who is there now says hello, and that who was there before is gone has not
 * come: of what it said more is left than there is room for.
 */
static void succeed_unheard(bool low, bool greeted)
{
	const uint64_t last = ~0ull;
	const int room = 4096;
	struct fi_cq_tagged_entry entry;
	struct mpipr_wire hello, next;
	struct mpipr_conn *conn;
	struct hand hand;

	open_both();
	be_connected_to(&hand, low ? keeper() : other(keeper()));
	hello = hello_of(&hand.addr);
	next = hello;
	next.id++;
	conn = peer_of(hand.end)->tx;
	expect_eq(setsockopt(conn->source.fd, SOL_SOCKET, SO_RCVBUF, &room,
			     sizeof(room)),
		  0);
	hand.kept = hand_connect(&hand);
	/* The one that speaks first is read first. */
	if (!greeted)
		say(hand.kept, &next);
	say(hand.left, &hello);
	say_what_fits(hand.left);
	if (greeted)
		say(hand.kept, &next);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &hand);
	say_message(hand.kept, last);
	expect_eq(fi_tinject(hand.end->ep, NULL, 0, hand.end->peer, 1), 0);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	hear_header(&hand, hand.kept, MPIPR_WIRE_EAGER);
	expect_some_and(hand.end, last);
	expect_eq(conns(hand.end), 1);
	part(&hand);
}

UNIT(provider__successor_of_a_lower_peer_that_spoke)
{
	succeed_unheard(true, true);
}

UNIT(provider__successor_of_a_lower_peer_that_nobody_heard)
{
	succeed_unheard(true, false);
}

UNIT(provider__successor_of_a_higher_peer_that_spoke)
{
	succeed_unheard(false, true);
}

UNIT(provider__successor_of_a_higher_peer_that_nobody_heard)
{
	succeed_unheard(false, false);
}

static void expect_end(struct hand *hand, int err)
{
	struct fi_cq_tagged_entry entry;

	expect_eq(next_alone(hand->end, &entry), err);
	expect_true(entry.op_context == hand);
	expect_eq(conns(hand->end), 0);
	part(hand);
}

/* It crosses, in one session, and answers in another. */
static void answer_as_another(struct end *place)
{
	struct mpipr_wire hello;
	struct hand hand;

	be_connected_to(&hand, place);
	hello = hello_of(&hand.addr);
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	hello.id++;
	say(hand.left, &hello);
	expect_end(&hand, FI_ECONNRESET);
}

UNIT(provider__lower_peer_answers_as_another)
{
	open_both();
	answer_as_another(keeper());
}

UNIT(provider__higher_peer_answers_as_another)
{
	open_both();
	answer_as_another(other(keeper()));
}

UNIT(provider__peer_does_not_say_who_it_is)
{
	struct hand hand;

	open_both();
	be_connected_to(&hand, keeper());
	say_message(hand.left, 0);
	expect_end(&hand, FI_EIO);
}

UNIT(provider__peer_says_twice_who_it_is)
{
	struct mpipr_wire hello;
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	hello = hello_of(&hand.addr);
	say(hand.left, &hello);
	expect_end(&hand, FI_EIO);
}

/* What waits for an answer fails, as if it had not answered. */
static void expect_broken(struct hand *hand)
{
	struct fi_cq_tagged_entry entry;

	expect_eq(next_alone(hand->end, &entry), FI_EIO);
	expect_true(entry.op_context == hand);
	while (conns(hand->end))
		mpipr_progress(ep_of(hand->end)->domain, 0);
	part(hand);
}

/* From the connection that is kept, and wants by the other one what it left. */
UNIT(provider__peer_moves_from_the_connection_that_is_kept)
{
	const struct mpipr_wire moved = { .type = MPIPR_WIRE_MOVED };
	struct mpipr_wire ready = { .type = MPIPR_WIRE_READY,
				    .id = TRANSFER_ID,
				    .len = TRANSFER_SIZE };
	struct mpipr_wire hello;
	struct hand hand;

	open_both();
	take_place(&hand, other(keeper()));
	hello = hello_of(&hand.addr);
	ready.peer_id = hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST).id;
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	say(hand.left, &moved);
	while (peer_of(hand.end)->tx)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	say(hand.kept, &ready);
	expect_broken(&hand);
}

/* It says that on the only connection, which it has made. */
static void say_on_the_only_one(uint8_t type)
{
	const struct mpipr_wire move = { .type = type };
	struct mpipr_wire hello;
	struct hand hand;

	open_both();
	take_address(&hand, keeper(), 1);
	hello = hello_of(&hand.addr);
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	expect_eq(fi_tsend(hand.end->ep, hand.out, TRANSFER_SIZE, NULL,
			   hand.end->peer, 7, &hand),
		  0);
	hear_header(&hand, hand.kept, MPIPR_WIRE_REQUEST);
	say(hand.kept, &move);
	expect_broken(&hand);
}

UNIT(provider__peer_moves_to_nowhere)
{
	say_on_the_only_one(MPIPR_WIRE_MOVED);
}

UNIT(provider__peer_moves_from_nowhere)
{
	say_on_the_only_one(MPIPR_WIRE_AWAIT);
}

/* Offers messages without payload until so many wait. */
static void offer(struct hand *hand, int fd, size_t count, size_t waiting)
{
	const struct mpipr_wire request = { .type = MPIPR_WIRE_REQUEST,
					    .flags = MPIPR_WIRE_TAGGED };
	struct mpipr_ep *ep = ep_of(hand->end);
	uint8_t *bytes, *at;
	size_t left = count * MPIPR_WIRE_HEADER;
	ssize_t sent;

	bytes = malloc(left);
	for (size_t i = 0; i < count; i++)
		mpipr_wire_put(&request, bytes + i * MPIPR_WIRE_HEADER);
	for (at = bytes; left || ep->tagged.offers.count != waiting;) {
		mpipr_progress(ep->domain, 0);
		expect_eq(conns(hand->end), 1);
		if (!left)
			continue;
		sent = send(fd, at, left, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent > 0) {
			at += sent;
			left -= sent;
		}
	}
	free(bytes);
}

/* So may two endpoints at its address, one after the other, but no more. */
UNIT(provider__peer_offers_too_many_messages)
{
	const struct mpipr_wire request = { .type = MPIPR_WIRE_REQUEST };
	struct fi_cq_tagged_entry entry;
	struct mpipr_wire hello;
	struct hand hand;

	open_both();
	take_place(&hand, keeper());
	hello = hello_of(&hand.addr);
	hear_header(&hand, hand.left, MPIPR_WIRE_REQUEST);
	offer(&hand, hand.left, MPIPR_TX_SIZE, MPIPR_TX_SIZE);
	reset(hand.left);
	hand.left = -1;
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	hello.id++;
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	offer(&hand, hand.kept, MPIPR_TX_SIZE, MPIPR_WIRE_OFFERS);
	/* Where one is wanted another one may wait. */
	expect_eq(fi_trecv(hand.end->ep, NULL, 0, NULL, hand.end->peer, 0, 0,
			   NULL),
		  0);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	offer(&hand, hand.kept, 1, MPIPR_WIRE_OFFERS);
	say(hand.kept, &request);
	while (conns(hand.end) && !ep_of(hand.end)->plain.offers.count)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_eq(conns(hand.end), 0);
	part(&hand);
}

/* A session has one connection, and one that crosses. */
static void connect_again(bool crosses, bool low)
{
	struct mpipr_wire hello;
	struct hand hand;
	uint8_t byte;
	int third;

	open_both();
	if (crosses)
		take_place(&hand, low ? keeper() : other(keeper()));
	else
		take_address(&hand, keeper(), 1);
	hello = hello_of(&hand.addr);
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	third = hand_connect(&hand);
	say(third, &hello);
	while (ep_of(hand.end)->nameless)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_true(recv(third, &byte, 1, 0) <= 0);
	expect_eq(conns(hand.end), crosses ? 2 : 1);
	part(&hand);
	close(third);
}

UNIT(provider__peer_connects_again)
{
	connect_again(false, true);
}

UNIT(provider__lower_peer_that_crossed_connects_again)
{
	connect_again(true, true);
}

UNIT(provider__higher_peer_that_crossed_connects_again)
{
	connect_again(true, false);
}

/* What somebody says who is no peer; returns how much of it there is */
static size_t strange_words(int i, uint8_t *words, size_t size)
{
	union mpipr_addr addr = ep_of(&two)->addr;
	struct mpipr_wire wire = { .type = i / 2 };

	for (size_t b = 0; b < size; b++)
		words[b] = unit_random();
	switch (i) {
	case 0: /* as from another machine */
		addr.in.sin_addr.s_addr ^= htonl(1 << 8);
		break;
	case 2: /* as from no endpoint */
		addr.in.sin_port = 0;
		break;
	case 4: /* as from what is no address */
		addr.half[1] = 1;
		break;
	case 6: /* in other words */
	case 8: /* in another language */
		break;
	default:
		if (i % 2)
			mpipr_wire_put(&wire, words);
		return size;
	}
	wire = hello_of(&addr);
	if (i == 6)
		wire.type = MPIPR_WIRE_EAGER;
	mpipr_wire_put(&wire, words);
	if (i == 8)
		words[offsetof(struct mpipr_wire, version)]++;
	return MPIPR_WIRE_HEADER;
}

/* What is no peer is shown the door, whatever it says, and nobody else is. */
UNIT(provider__strangers)
{
	uint8_t words[300];
	int fds[20];
	size_t size;

	open_both();
	pass(100, false);
	for (int i = 0; i < 20; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		expect_eq(connect(fds[i], &ep_of(&one)->addr.sa,
				  sizeof(union mpipr_addr)),
			  0);
		size = strange_words(i, words, sizeof(words));
		expect_eq(send(fds[i], words, size, MSG_NOSIGNAL), size);
	}
	settle();
	for (int i = 0; i < 20; i++) {
		expect_true(recv(fds[i], words, 1, 0) <= 0);
		close(fds[i]);
	}
	expect_eq(conns(&one), 1);
	expect_eq(ep_of(&one)->nameless, 0);
	pass(100, false);
	close_both();
}

#define SECRET "0123456789abcdef1032547698badcfe"

/* A hello that bears it */
static struct mpipr_wire secret_hello_of(const union mpipr_addr *addr)
{
	struct mpipr_wire hello = hello_of(addr);

	hello.len = 0x0123456789abcdef;
	hello.peer_id = 0x1032547698badcfe;
	return hello;
}

/* Says what the other end of one would say, were it another one. */
static int say_as_two(const struct mpipr_wire *hello)
{
	const union mpipr_addr *addr = &ep_of(&one)->addr;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	expect_eq(connect(fd, &addr->sa, sizeof(*addr)), 0);
	say(fd, hello);
	return fd;
}

/* Who does not know it takes nobody's place, whatever half of it he knows. */
UNIT(provider__stranger_does_not_know_the_secret)
{
	struct mpipr_wire hello;
	uint8_t byte;
	int fd[3];

	setenv("FI_PRP_SECRET", SECRET, 1);
	open_both();
	pass(100, false);
	for (int i = 0; i < 3; i++) {
		hello = secret_hello_of(&ep_of(&two)->addr);
		if (i != 1)
			hello.len = 0;
		if (i != 2)
			hello.peer_id = 0;
		fd[i] = say_as_two(&hello);
	}
	for (int i = 0; i < 3; i++) {
		while (recv(fd[i], &byte, 1, MSG_DONTWAIT) < 0 &&
		       errno == EAGAIN)
			mpipr_progress(ep_of(&one)->domain, 0);
		close(fd[i]);
	}
	expect_eq(conns(&one), 1);
	expect_eq(peer_of(&one)->err, 0);
	pass(100, false);
	close_both();
}

UNIT(provider__peer_knows_the_secret)
{
	struct mpipr_wire hello, heard;
	struct hand hand;

	setenv("FI_PRP_SECRET", SECRET, 1);
	open_both();
	take_address(&hand, keeper(), 1);
	hello = secret_hello_of(&hand.addr);
	hand.kept = hand_connect(&hand);
	say(hand.kept, &hello);
	heard = hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	expect_eq(heard.len, hello.len);
	expect_eq(heard.peer_id, hello.peer_id);
	part(&hand);
}

/* Who listens at a peer's address may be a stranger, too. */
UNIT(provider__who_answers_does_not_know_the_secret)
{
	struct mpipr_wire hello;
	struct hand hand;

	setenv("FI_PRP_SECRET", SECRET, 1);
	open_both();
	be_connected_to(&hand, keeper());
	hello = hello_of(&hand.addr);
	say(hand.left, &hello);
	while (conns(hand.end) && !peer_of(hand.end)->tx->greeted)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_eq(conns(hand.end), 0);
	expect_end(&hand, FI_EIO);
}

/* A job that was to have one has no endpoint without it. */
UNIT(provider__secret_that_is_none)
{
	static const char *const none[] = {
		"", "0123", SECRET "0", "0123456789abcdef-032547698badcfe"
	};
	struct fi_info *info;

	setenv("FI_PRP_TRANSPORT", "tcp", 1);
	setenv("FI_PRP_DEVICE", "lo", 1);
	for (int i = 0; i < 4; i++) {
		setenv("FI_PRP_SECRET", none[i], 1);
		expect_eq(fi_prov_ini()->getinfo(FI_VERSION(1, 17), NULL, NULL,
						 0, NULL, &info),
			  -FI_ENODATA);
	}
}

enum way { SENDS, WANTS, ACCESSES, ANSWERS, TRANSFERS, FLUSHES };

/* Returns how many errors come of it. */
static int send_to_the_dead(struct hand *hand, enum way way, void *in)
{
	struct fi_msg_tagged one_of_it = { .addr = hand->end->peer,
					   .tag = 100 };
	struct iovec iov = { in, TRANSFER_SIZE };

	one_of_it.msg_iov = &iov;
	one_of_it.iov_count = 1;
	switch (way) {
	case SENDS:
		expect_true(fi_tinject(hand->end->ep, "", 1, hand->end->peer,
				       1) < 0);
		return 1;
	case WANTS:
		expect_eq(fi_trecvmsg(hand->end->ep, &one_of_it, 0), 0);
		return 2;
	case ACCESSES:
		expect_eq(fi_write(hand->end->ep, "", 1, NULL, hand->end->peer,
				   0, KEY, in),
			  0);
		return 2;
	default:
		return 1;
	}
}

/*
 * It speaks and dies. That is seen by sending, in one of these ways, before
 * what it has said is read, or while it is.
 */
static void die_after_words(enum way way)
{
	const struct mpipr_wire write = { .type = MPIPR_WIRE_WRITE };
	const struct mpipr_wire request = { .type = MPIPR_WIRE_REQUEST,
					    .flags = MPIPR_WIRE_TAGGED,
					    .tag = 100,
					    .len = TRANSFER_SIZE,
					    .id = TRANSFER_ID };
	uint8_t *in = malloc(TRANSFER_SIZE);
	struct fi_cq_tagged_entry entry;
	struct mpipr_conn *conn;
	struct mpipr_ep *ep;
	struct hand hand;
	int errors;

	open_both();
	conn = take_place(&hand, keeper());
	ep = ep_of(hand.end);
	if (way == WANTS)
		say(hand.left, &request);
	while (!conn->greeted || (way == WANTS && !ep->tagged.offers.count))
		mpipr_progress(ep->domain, 0);
	if (way == ANSWERS)
		say(hand.left, &write);
	if (way == TRANSFERS || way == FLUSHES)
		want_a_lot(&hand, conn);
	while (way == FLUSHES && mpipr_list_empty(&conn->queue))
		mpipr_progress(ep->domain, 0);
	for (int tag = 0; tag < 3; tag++)
		say_message(hand.left, tag);
	reset(hand.left);
	hand.left = -1;
	errors = send_to_the_dead(&hand, way, in);
	while (peer_of(hand.end)->tx)
		mpipr_progress(ep->domain, 0);
	while (errors--)
		expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_messages(hand.end, 3);
	part(&hand);
	free(in);
}

UNIT(provider__last_words_are_heard_by_who_sends)
{
	die_after_words(SENDS);
}

UNIT(provider__last_words_are_heard_by_who_wants_a_message)
{
	die_after_words(WANTS);
}

UNIT(provider__last_words_are_heard_by_who_accesses_memory)
{
	die_after_words(ACCESSES);
}

UNIT(provider__last_words_are_heard_by_who_answers)
{
	die_after_words(ANSWERS);
}

UNIT(provider__last_words_are_heard_by_who_begins_a_transfer)
{
	die_after_words(TRANSFERS);
}

UNIT(provider__last_words_are_heard_by_who_waits_for_room)
{
	die_after_words(FLUSHES);
}
