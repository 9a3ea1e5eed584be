// SPDX-License-Identifier: GPL-2.0
/* MPIPR's provider: what it sends while a peer's kernel does not answer yet. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "provider_hand.h"

enum { MESSAGES = 3 };

/* Takes the place of one, where nobody answers until there is room again. */
static int fall_silent(struct hand *hand, struct end *place)
{
	int filler = socket(AF_INET, SOCK_STREAM, 0);

	take_address(hand, place, 0);
	expect_eq(connect(filler, &hand->addr.sa, sizeof(hand->addr)), 0);
	return filler;
}

static void make_room(struct hand *hand)
{
	close(accept(hand->listener, NULL, NULL));
}

static void send_some(struct hand *hand)
{
	for (int i = 0; i < MESSAGES; i++)
		expect_eq(fi_tinject(hand->end->ep, &i, sizeof(i),
				     hand->end->peer, 1),
			  0);
}

/* Of those who did not say who they are */
static void accepted_at(struct mpipr_ep *ep, int64_t ms)
{
	struct mpipr_list *link, *after;
	struct mpipr_conn *conn;

	mpipr_list_for_each(link, after, &ep->conns)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		if (!conn->peer)
			conn->accepted_ms = ms;
	}
}

static struct mpipr_conn *send_some_in_vain(struct hand *hand)
{
	send_some(hand);
	expect_true(peer_of(hand->end)->tx->connecting);
	return peer_of(hand->end)->tx;
}

static void hear_some(struct hand *hand, int fd)
{
	int in;

	for (int i = 0; i < MESSAGES; i++) {
		hear_header(hand, fd, MPIPR_WIRE_EAGER);
		hear(hand, fd, (uint8_t *)&in, sizeof(in));
		expect_eq(in, i);
	}
}

/* As if its time were over */
static void give_up(struct mpipr_conn *conn)
{
	shutdown(conn->source.fd, SHUT_RDWR);
}

/* The next time that its kernel asks */
static void be_refused(struct hand *hand, const struct mpipr_conn *conn)
{
	struct pollfd refused = { .fd = conn->source.fd };

	close(hand->listener);
	hand->listener = -1;
	expect_eq(poll(&refused, 1, -1), 1);
}

static void end_of(struct hand *hand, int filler)
{
	part(hand);
	close(filler);
}

/* Both connect; returns the endpoint's connection, which is not made. */
static struct mpipr_conn *connect_both(struct hand *hand, bool hand_keeps,
				       int *filler)
{
	struct mpipr_conn *conn;
	struct mpipr_wire hello;

	open_both();
	*filler = fall_silent(hand, hand_keeps ? keeper() : other(keeper()));
	hello = hello_of(&hand->addr);
	conn = send_some_in_vain(hand);
	hand->kept = hand_connect(hand);
	say(hand->kept, &hello);
	return conn;
}

/* It need not move, for it was nowhere. */
UNIT(provider__what_waits_goes_by_the_connection_that_is_kept)
{
	struct hand hand;
	int filler;

	connect_both(&hand, true, &filler);
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	hear_some(&hand, hand.kept);
	expect_eq(conns(hand.end), 1);
	end_of(&hand, filler);
}

static void know_each_other(const struct hand *hand)
{
	while (ep_of(hand->end)->nameless)
		mpipr_progress(ep_of(hand->end)->domain, 0);
}

/* The endpoint gives up before, or after, it knows whose the other one is. */
static void give_up_with_another(bool before)
{
	struct mpipr_conn *conn;
	struct hand hand;
	int filler;

	conn = connect_both(&hand, false, &filler);
	if (before)
		be_refused(&hand, conn);
	know_each_other(&hand);
	if (!before) {
		expect_true(peer_of(hand.end)->tx == conn);
		give_up(conn);
	}
	hear_header(&hand, hand.kept, MPIPR_WIRE_HELLO);
	hear_some(&hand, hand.kept);
	expect_eq(conns(hand.end), 1);
	end_of(&hand, filler);
}

UNIT(provider__what_waits_goes_by_the_only_connection)
{
	give_up_with_another(false);
}

UNIT(provider__what_waits_is_not_buried)
{
	give_up_with_another(true);
}

UNIT(provider__peer_dies_before_it_answers)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;
	int filler, in;

	connect_both(&hand, false, &filler);
	know_each_other(&hand);
	expect_eq(fi_trecv(hand.end->ep, &in, sizeof(in), NULL, hand.end->peer,
			   1, 0, &in),
		  0);
	close(hand.kept);
	hand.kept = -1;
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &in);
	expect_eq(conns(hand.end), 0);
	end_of(&hand, filler);
}

UNIT(provider__who_does_not_answer_may_be_asked_again)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;
	int filler, small = 1;

	open_both();
	filler = fall_silent(&hand, keeper());
	expect_eq(fi_tsend(hand.end->ep, &small, sizeof(small), NULL,
			   hand.end->peer, 1, &small),
		  0);
	expect_eq(fi_tsend(hand.end->ep, hand.out, TRANSFER_SIZE, NULL,
			   hand.end->peer, 1, hand.out),
		  0);
	give_up(peer_of(hand.end)->tx);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &small);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == hand.out);
	expect_eq(conns(hand.end), 0);
	make_room(&hand);
	send_some(&hand);
	hand.left = accept(hand.listener, NULL, NULL);
	hear_header(&hand, hand.left, MPIPR_WIRE_HELLO);
	hear_some(&hand, hand.left);
	end_of(&hand, filler);
}

UNIT(provider__who_refuses_is_told_of_at_once)
{
	struct hand hand;
	int out = 1;

	open_both();
	take_address(&hand, keeper(), 1);
	close(hand.listener);
	expect_eq(fi_tinject(hand.end->ep, &out, sizeof(out), hand.end->peer,
			     1),
		  -FI_ECONNREFUSED);
	hand.listener = -1;
	part(&hand);
}

UNIT(provider__what_waits_is_sent_before_the_end)
{
	enum {
		BYTES = (2 + MESSAGES) * MPIPR_WIRE_HEADER +
			MESSAGES * sizeof(int)
	};
	uint8_t in[BYTES];
	struct mpipr_wire wire;
	struct hand hand;
	int filler;

	open_both();
	filler = fall_silent(&hand, keeper());
	send_some_in_vain(&hand);
	make_room(&hand);
	farewell(hand.end);
	close_end(hand.end);
	hand.left = accept(hand.listener, NULL, NULL);
	expect_eq(recv(hand.left, in, BYTES, MSG_WAITALL), BYTES);
	expect_true(mpipr_wire_get(&wire, in));
	expect_eq(wire.type, MPIPR_WIRE_HELLO);
	expect_true(mpipr_wire_get(&wire, in + BYTES - MPIPR_WIRE_HEADER));
	expect_eq(wire.type, MPIPR_WIRE_BYE);
	expect_eq(recv(hand.left, in, 1, 0), 0);
	close(hand.left);
	close(hand.listener);
	close(filler);
	free(hand.out);
}

enum { PLACES = 256 };

/* They say nothing. */
static void connect_many(struct mpipr_ep *ep, int *fd, int count)
{
	for (int i = 0; i < count; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM, 0);
		expect_eq(connect(fd[i], &ep->addr.sa, sizeof(ep->addr)), 0);
	}
}

static void close_many(const int *fd, int count)
{
	for (int i = 0; i < count; i++)
		close(fd[i]);
}

static void expect_not_ended(const int *fd, int count)
{
	char in;

	for (int i = 0; i < count; i++) {
		expect_eq(recv(fd[i], &in, 1, MSG_DONTWAIT), -1);
		expect_eq(errno, EAGAIN);
	}
}

static void fill_places(struct mpipr_ep *ep)
{
	while (ep->nameless < PLACES)
		mpipr_progress(ep->domain, 0);
}

/* As many as no rank expects, before it looks: none of them is sent away. */
UNIT(provider__who_finds_no_place_waits_for_one)
{
	enum { MANY = 300, GO = 100 };
	struct mpipr_ep *ep;
	struct hand hand;
	int fd[MANY];

	open_both();
	take_address(&hand, keeper(), 1);
	ep = ep_of(hand.end);
	connect_many(ep, fd, MANY);
	fill_places(ep);
	/* Whatever time it is, they have just come. */
	accepted_at(ep, INT64_MAX);
	mpipr_progress(ep->domain, 0);
	expect_eq(ep->nameless, PLACES);
	expect_not_ended(fd, MANY);
	for (int i = 0; i < GO; i++)
		close(fd[i]);
	while (ep->nameless != MANY - GO)
		mpipr_progress(ep->domain, 0);
	close_many(fd + GO, MANY - GO);
	part(&hand);
}

/* Who says nothing has its place for a while, and then for nobody's loss. */
UNIT(provider__silent_ones_keep_nobody_out)
{
	int fd[PLACES];

	open_both();
	connect_many(ep_of(&one), fd, PLACES);
	fill_places(ep_of(&one));
	pass(100, false);
	expect_eq(ep_of(&one)->nameless, PLACES - 1);
	expect_not_ended(fd + 1, PLACES - 1);
	close_many(fd, PLACES);
	close_both();
}

/* One more comes when they had their time, and the first one speaks. */
UNIT(provider__who_has_spoken_need_not_go)
{
	struct mpipr_wire hello;
	int fd[PLACES + 1];
	struct mpipr_ep *ep;
	struct hand hand;

	open_both();
	take_address(&hand, keeper(), 1);
	hello = hello_of(&hand.addr);
	ep = ep_of(hand.end);
	connect_many(ep, fd, PLACES);
	fill_places(ep);
	accepted_at(ep, 0);
	connect_many(ep, fd + PLACES, 1);
	say(fd[0], &hello);
	hear_header(&hand, fd[0], MPIPR_WIRE_HELLO);
	fill_places(ep);
	expect_not_ended(fd + 1, PLACES);
	close_many(fd, PLACES + 1);
	part(&hand);
}

/* It has said nothing, and the peer has ended that before it looks. */
static void be_sent_away(struct hand *hand, const struct mpipr_conn *conn)
{
	struct pollfd ended = { .fd = conn->source.fd, .events = POLLRDHUP };

	close(accept(hand->listener, NULL, NULL));
	expect_eq(poll(&ended, 1, -1), 1);
	mpipr_progress(ep_of(hand->end)->domain, 0);
}

UNIT(provider__who_was_sent_away_unheard_comes_again)
{
	struct mpipr_conn *conn;
	struct hand hand;
	int filler;

	open_both();
	filler = fall_silent(&hand, keeper());
	conn = send_some_in_vain(&hand);
	make_room(&hand);
	be_sent_away(&hand, conn);
	expect_eq(conns(hand.end), 1);
	hand.left = accept(hand.listener, NULL, NULL);
	hear_header(&hand, hand.left, MPIPR_WIRE_HELLO);
	hear_some(&hand, hand.left);
	end_of(&hand, filler);
}

UNIT(provider__who_is_sent_away_each_time_is_told)
{
	struct fi_cq_tagged_entry entry;
	struct mpipr_conn *conn;
	struct hand hand;
	int filler, in, times = 0;

	open_both();
	filler = fall_silent(&hand, keeper());
	expect_eq(fi_trecv(hand.end->ep, &in, sizeof(in), NULL, hand.end->peer,
			   1, 0, &in),
		  0);
	conn = send_some_in_vain(&hand);
	make_room(&hand);
	for (; conns(hand.end); times++)
		be_sent_away(&hand, conn);
	expect_true(times > 1 && times < 10);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &in);
	end_of(&hand, filler);
}

/* As of an endpoint that closes: it is no death, and another one may come. */
UNIT(provider__who_closes_without_a_word_is_not_dead)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;
	int in;

	open_both();
	take_address(&hand, keeper(), 1);
	expect_eq(fi_trecv(hand.end->ep, &in, sizeof(in), NULL, FI_ADDR_UNSPEC,
			   1, 0, &in),
		  0);
	send_some(&hand);
	reset(accept(hand.listener, NULL, NULL));
	while (peer_of(hand.end)->tx)
		mpipr_progress(ep_of(hand.end)->domain, 0);
	expect_eq(fi_cq_read(hand.end->cq, &entry, 1), -FI_EAGAIN);
	send_some(&hand);
	hand.left = accept(hand.listener, NULL, NULL);
	hear_header(&hand, hand.left, MPIPR_WIRE_HELLO);
	hear_some(&hand, hand.left);
	part(&hand);
}

/* And if it is @hard no more of them, whoever asks */
static void allow_descriptors(int count, bool hard)
{
	struct rlimit limit;

	expect_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = count;
	if (hard)
		limit.rlim_max = count;
	expect_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Nothing more comes, but what a timer tells of now and then. */
static bool falls_silent(struct mpipr_domain *domain)
{
	for (int i = 0; i < 100000; i++)
		if (!mpipr_progress(domain, 0))
			return true;
	return false;
}

static int connect_to_one(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	expect_eq(connect(fd, &ep_of(&one)->addr.sa, sizeof(union mpipr_addr)),
		  0);
	return fd;
}

/* Connects, and is not let in: the only descriptor that is free is @spare. */
static int stay_outside(struct mpipr_domain *domain, int *spare)
{
	int fd = connect_to_one();

	*spare = dup(fd);
	expect_true(*spare >= 0);
	allow_descriptors(*spare + 1, true);
	mpipr_progress(domain, 0);
	expect_true(falls_silent(domain));
	expect_eq(ep_of(&one)->nameless, 0);
	return fd;
}

/* What is printed from now on can be read there. */
static int hear_errors(void)
{
	int ends[2];

	expect_eq(pipe2(ends, O_NONBLOCK), 0);
	expect_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	return ends[0];
}

/*
 * Who cannot be let in for want of a descriptor waits for one, in silence but
 * for one word to the user.
 */
UNIT(provider__no_descriptor_for_who_connects)
{
	const char told[] =
		"fi_prp: cannot let peers in: Too many open files\n";
	struct mpipr_domain *domain;
	int fd, spare, errors;
	char said[1000];

	open_both();
	pass(100, false);
	settle();
	domain = ep_of(&one)->domain;
	errors = hear_errors();
	fd = stay_outside(domain, &spare);
	shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
	while (peer_of(&one)->tx)
		mpipr_progress(domain, 0);
	mpipr_progress(domain, 0);
	expect_eq(ep_of(&one)->nameless, 1);
	expect_eq(read(errors, said, sizeof(said)), sizeof(told) - 1);
	expect_true(!memcmp(said, told, sizeof(told) - 1));
	close(fd);
	close(spare);
	close_both();
}

/* As many as the process may have if it asks: who connects, and who is asked */
UNIT(provider__descriptors_beyond_the_soft_limit)
{
	int fd, out = 1;

	open_both();
	settle();
	fd = connect_to_one();
	allow_descriptors(fd + 1, false);
	expect_true(falls_silent(ep_of(&one)->domain));
	expect_eq(ep_of(&one)->nameless, 1);
	allow_descriptors(fd + 1, false);
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 1), 0);
	close(fd);
	close_both();
}

/* The program itself gives one back, and then polls, or sleeps. */
static void give_back(bool sleeps)
{
	struct pollfd come = { .events = POLLIN };
	struct fi_cq_tagged_entry entry;
	struct fid *fid;
	int fd, spare;

	open_both();
	settle();
	fid = &one.cq->fid;
	expect_eq(fi_control(fid, FI_GETWAIT, &come.fd), 0);
	fd = stay_outside(ep_of(&one)->domain, &spare);
	close(spare);
	while (!ep_of(&one)->nameless) {
		if (sleeps && !fi_trywait(one.fabric, &fid, 1))
			expect_eq(poll(&come, 1, 10000), 1);
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	}
	close(fd);
	close_both();
}

UNIT(provider__descriptor_of_a_program_that_polls)
{
	give_back(false);
}

UNIT(provider__descriptor_of_a_program_that_sleeps)
{
	give_back(true);
}
