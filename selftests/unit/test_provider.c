// SPDX-License-Identifier: GPL-2.0
/*
 * MPIPR's provider, all of it, between endpoints of one process: over TCP, so
 * that it needs neither a module nor a machine, and under the sanitizers. The
 * test calls what libfabric would call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "tx.h"
#include "unit.h"

struct fi_provider *fi_prov_ini(void);

struct end {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_cq *cq;
	struct fid_cntr *cntr;
	struct fid_av *av;
	struct fid_ep *ep;
	fi_addr_t peer; /* number of the other one */
};

static struct end one, two;

static struct prp_ep *ep_of(struct end *end)
{
	return prp_ep_of(end->ep);
}

static struct prp_peer *peer_of(struct end *end)
{
	struct prp_peer *peer;

	expect_eq(prp_peer_get(ep_of(end), end->peer, &peer), 0);
	return peer;
}

static struct end *other(struct end *end)
{
	return end == &one ? &two : &one;
}

/* At an address of ours, or at that of an endpoint that was there before */
static void open_end(struct end *end, const union prp_addr *addr)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_provider *provider = fi_prov_ini();

	expect_eq(provider->getinfo(FI_VERSION(1, 17), NULL, NULL, 0, NULL,
				    &end->info),
		  0);
	if (addr)
		memcpy(end->info->src_addr, addr, sizeof(*addr));
	expect_eq(provider->fabric(end->info->fabric_attr, &end->fabric, NULL),
		  0);
	expect_eq(fi_domain(end->fabric, end->info, &end->domain, NULL), 0);
	expect_eq(fi_cq_open(end->domain, &cq, &end->cq, NULL), 0);
	expect_eq(fi_cntr_open(end->domain, NULL, &end->cntr, NULL), 0);
	expect_eq(fi_av_open(end->domain, &av, &end->av, NULL), 0);
	expect_eq(fi_endpoint(end->domain, end->info, &end->ep, NULL), 0);
	expect_eq(fi_ep_bind(end->ep, &end->av->fid, 0), 0);
	expect_eq(fi_ep_bind(end->ep, &end->cq->fid, FI_SEND | FI_RECV), 0);
	expect_eq(fi_ep_bind(end->ep, &end->cntr->fid, FI_SEND), 0);
	expect_eq(fi_enable(end->ep), 0);
}

static void insert(struct end *at, struct end *whom)
{
	union prp_addr addr;
	size_t len = sizeof(addr);

	expect_eq(fi_getname(&whom->ep->fid, &addr, &len), 0);
	expect_eq(fi_av_insert(at->av, &addr, 1, &at->peer, 0, NULL), 1);
}

static void open_both(void)
{
	/* A fault may show as a wait without end. */
	alarm(60);
	setenv("FI_PRP_TRANSPORT", "tcp", 1);
	/* Other devices may come and go with other tests. */
	setenv("FI_PRP_DEVICE", "lo", 1);
	open_end(&one, NULL);
	open_end(&two, NULL);
	insert(&one, &two);
	insert(&two, &one);
}

static void close_end(struct end *end)
{
	expect_eq(fi_close(&end->ep->fid), 0);
	expect_eq(fi_close(&end->av->fid), 0);
	expect_eq(fi_close(&end->cq->fid), 0);
	expect_eq(fi_close(&end->cntr->fid), 0);
	expect_eq(fi_close(&end->domain->fid), 0);
	expect_eq(fi_close(&end->fabric->fid), 0);
	fi_freeinfo(end->info);
}

/* One thread cannot take leave for both, so they need not wait for it. */
static void farewell(struct end *end)
{
	struct prp_list *link, *after;

	prp_list_for_each(link, after, &ep_of(end)->peers)
		prp_list_entry(link, struct prp_peer, link)
			->bye = true;
}

static void close_both(void)
{
	farewell(&one);
	farewell(&two);
	close_end(&one);
	close_end(&two);
}

/* The last error that a completion told of */
static struct fi_cq_err_entry failure;

/* What a read of the completion queue found: 0, or an error that it tells of */
static int completion(struct end *end, ssize_t ret,
		      struct fi_cq_tagged_entry *entry)
{
	if (ret == 1)
		return 0;
	expect_eq(ret, -FI_EAVAIL);
	expect_eq(fi_cq_readerr(end->cq, &failure, 0), 1);
	entry->op_context = failure.op_context;
	entry->len = failure.len;
	return failure.err;
}

/* One end polls until it has a completion, or an error. */
static int next_alone(struct end *end, struct fi_cq_tagged_entry *entry)
{
	ssize_t ret;

	do
		ret = fi_cq_read(end->cq, entry, 1);
	while (ret == -FI_EAGAIN);
	return completion(end, ret, entry);
}

/* Both ends poll until one of them has a completion, or an error. */
static int next(struct end *end, struct fi_cq_tagged_entry *entry)
{
	ssize_t ret;

	do {
		prp_progress(ep_of(other(end))->domain, 0);
		ret = fi_cq_read(end->cq, entry, 1);
	} while (ret == -FI_EAGAIN);
	return completion(end, ret, entry);
}

static void settle(void)
{
	for (int i = 0; i < 200; i++) {
		prp_progress(ep_of(&one)->domain, 0);
		prp_progress(ep_of(&two)->domain, 0);
	}
}

/* Other ones in each piece of a transfer */
static uint8_t byte_of(size_t i, int salt)
{
	return i * 131 + (i >> 8) * 17 + i / PRP_TX_PIECE * 29 + salt;
}

static uint8_t *filled(size_t size, int salt)
{
	uint8_t *bytes = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_of(i, salt);
	return bytes;
}

static bool is_filled(const uint8_t *bytes, size_t size, int salt)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != byte_of(i, salt))
			return false;
	return true;
}

/* A message from two to one; its receive is there before, or only after */
static void pass(size_t size, bool early)
{
	uint8_t *out = filled(size, size), *in = calloc(1, size + 1);
	struct fi_cq_tagged_entry entry;
	int sent, received;

	if (!early)
		expect_eq(fi_trecv(one.ep, in, size, NULL, one.peer, 7, 0,
				   &received),
			  0);
	expect_eq(fi_tsenddata(two.ep, out, size, NULL, 99, two.peer, 7, &sent),
		  0);
	if (early) {
		settle();
		expect_eq(fi_trecv(one.ep, in, size, NULL, FI_ADDR_UNSPEC, 0,
				   ~0ull, &received),
			  0);
	}
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == &received);
	expect_eq(entry.len, size);
	expect_eq(entry.tag, 7);
	expect_eq(entry.data, 99);
	expect_eq(entry.flags, FI_TAGGED | FI_RECV | FI_REMOTE_CQ_DATA);
	expect_eq(next(&two, &entry), 0);
	expect_true(entry.op_context == &sent);
	expect_true(is_filled(in, size, size));
	free(out);
	free(in);
}

static void pass_all_sizes(void)
{
	static const size_t sizes[] = { 0,     1,     8,       464,
					465,   976,   1024,    1025,
					4048,  4049,  4096,    16384,
					65536, 65537, 1 << 20, 3000001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		pass(sizes[i], false);
		pass(sizes[i], true);
	}
}

UNIT(provider__all_sizes)
{
	open_both();
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_in_double_writes)
{
	open_both();
	prp_param.double_write = true;
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_by_rendezvous)
{
	open_both();
	prp_param.eager = 0;
	pass_all_sizes();
	close_both();
}

UNIT(provider__all_sizes_to_itself)
{
	struct fi_cq_tagged_entry entry;
	fi_addr_t self;
	uint8_t *out = filled(100000, 5), *in = malloc(100000);

	open_both();
	insert(&one, &one);
	self = one.peer;
	for (size_t size = 0; size <= 100000; size += 50000) {
		expect_eq(fi_trecv(one.ep, in, size, NULL, self, 1, 0, in), 0);
		expect_eq(fi_tsend(one.ep, out, size, NULL, self, 1, out), 0);
		expect_eq(next(&one, &entry), 0);
		expect_eq(next(&one, &entry), 0);
		expect_true(is_filled(in, size, 5));
	}
	close_both();
	free(out);
	free(in);
}

/* Nobody receives: what is not allowed to come waits at its sender. */
UNIT(provider__flood_is_bounded_and_in_order)
{
	enum { COUNT = 5000, SIZE = 1000 };
	struct fi_cq_tagged_entry entry;
	uint8_t in[SIZE + sizeof(int)];
	struct prp_peer *peer;

	open_both();
	for (int i = 0; i < COUNT; i++) {
		memset(in, i, sizeof(in));
		memcpy(in, &i, sizeof(i));
		expect_eq(fi_tinject(two.ep, in, i % SIZE + sizeof(i), two.peer,
				     3),
			  0);
		prp_progress(ep_of(&one)->domain, 0);
	}
	/* Another tag comes through all the same. */
	expect_eq(fi_tinject(two.ep, in, 4, two.peer, 4), 0);
	expect_eq(fi_trecv(one.ep, in, 4, NULL, one.peer, 4, 0, NULL), 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.tag, 4);
	peer = peer_of(&one);
	expect_true(peer->taken <= PRP_WIRE_CREDIT);
	expect_true(peer->taken > PRP_WIRE_CREDIT / 2);
	for (int i = 0; i < COUNT; i++) {
		int number;

		expect_eq(fi_trecv(one.ep, in, sizeof(in), NULL, one.peer, 3, 0,
				   NULL),
			  0);
		expect_eq(next(&one, &entry), 0);
		expect_eq(entry.len, i % SIZE + sizeof(i));
		memcpy(&number, in, sizeof(number));
		expect_eq(number, i);
	}
	expect_true(peer->taken < PRP_WIRE_CREDIT / 2);
	close_both();
}

static unsigned int conns(struct end *end)
{
	struct prp_list *link, *after;
	unsigned int count = 0;

	prp_list_for_each(link, after, &ep_of(end)->conns) count++;
	return count;
}

/* Both connect before either has looked; the order holds, one is kept. */
UNIT(provider__connections_cross)
{
	struct fi_cq_tagged_entry entry;
	int in;

	open_both();
	for (int i = 0; i < 100; i++) {
		expect_eq(fi_tinject(one.ep, &i, sizeof(i), one.peer, 1), 0);
		expect_eq(fi_tinject(two.ep, &i, sizeof(i), two.peer, 1), 0);
	}
	expect_eq(conns(&one), 1);
	expect_eq(conns(&two), 1);
	for (int i = 0; i < 200; i++) {
		struct end *ends[] = { &one, &two };

		for (int e = 0; e < 2; e++) {
			expect_eq(fi_trecv(ends[e]->ep, &in, sizeof(in), NULL,
					   ends[e]->peer, 1, 0, NULL),
				  0);
			expect_eq(next(ends[e], &entry), 0);
			expect_eq(in, i);
		}
		if (i >= 100)
			continue;
		in = i + 100;
		expect_eq(fi_tinject(one.ep, &in, sizeof(in), one.peer, 1), 0);
		expect_eq(fi_tinject(two.ep, &in, sizeof(in), two.peer, 1), 0);
	}
	settle();
	expect_eq(conns(&one), 1);
	expect_eq(conns(&two), 1);
	close_both();
}

/* When connections cross, its own is kept, and the other one moves there. */
static struct end *keeper(void)
{
	return prp_addr_compare(&ep_of(&one)->addr, &ep_of(&two)->addr) < 0 ?
		       &one :
		       &two;
}

/*
 * The keeper finds what was sent after the move before it has even accepted
 * the connection on which the rest came.
 */
static void find_moved_first(int after)
{
	enum { BEFORE = 100, BYTES = sizeof(int) };
	const ssize_t size =
		PRP_WIRE_HEADER + after * (PRP_WIRE_HEADER + BYTES);
	uint8_t *seen = malloc(size);
	struct fi_cq_tagged_entry entry;
	struct end *low, *high;
	struct prp_peer *peer;
	int i, in, kept;

	open_both();
	low = keeper();
	high = other(low);
	expect_eq(fi_tinject(low->ep, NULL, 0, low->peer, 1), 0);
	for (i = 0; i < BEFORE; i++)
		expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer, 1), 0);
	while (peer_of(high)->tx->outgoing)
		prp_progress(ep_of(high)->domain, 0);
	for (; i < BEFORE + after; i++)
		expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer, 1), 0);
	peer = peer_of(low);
	kept = peer->tx->source.fd;
	expect_eq(recv(kept, seen, size, MSG_PEEK | MSG_WAITALL), size);
	prp_progress(ep_of(low)->domain, 0);
	expect_true(recv(kept, seen, size, MSG_PEEK | MSG_DONTWAIT) < size);
	expect_true(!peer->moved);
	for (i = 0; i <= BEFORE + after; i++) {
		expect_eq(fi_trecv(low->ep, &in, BYTES, NULL, low->peer, 1, 0,
				   NULL),
			  0);
		/* This one comes when nothing is left to wait for. */
		if (i == BEFORE + after)
			expect_eq(fi_tinject(high->ep, &i, BYTES, high->peer,
					     1),
				  0);
		expect_eq(next(low, &entry), 0);
		expect_eq(in, i);
	}
	close_both();
	free(seen);
}

UNIT(provider__what_was_sent_before_the_move_comes_first)
{
	find_moved_first(10);
}

UNIT(provider__more_was_sent_after_the_move_than_is_read_at_once)
{
	find_moved_first(PRP_STAGE / PRP_WIRE_HEADER);
}

/*
 * A peer that the test speaks for, in the place of the keeper. It does what no
 * endpoint does: it asks for a transfer on the connection that was made to it,
 * and then makes one of its own.
 */
struct hand {
	union prp_addr addr;
	struct end *end; /* whose peer it is */
	int listener;
	int left; /* connection that the endpoint made, and left */
	int kept; /* connection to the endpoint */
	uint8_t *out; /* what the endpoint sends */
};

enum { MOVED_SIZE = PRP_TX_PIECE + 100000, MOVED_ID = 12 };

static struct prp_wire hello_of(const union prp_addr *addr)
{
	return (struct prp_wire){ .type = PRP_WIRE_HELLO,
				  .tag = addr->half[0],
				  .data = addr->half[1] };
}

static void say(int fd, const struct prp_wire *wire)
{
	uint8_t bytes[PRP_WIRE_HEADER];

	prp_wire_put(wire, bytes);
	expect_eq(send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
}

static void hear(struct hand *hand, int fd, uint8_t *to, size_t len)
{
	ssize_t ret;

	while (len) {
		prp_progress(ep_of(hand->end)->domain, 0);
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

static struct prp_wire hear_header(struct hand *hand, int fd, uint8_t type)
{
	uint8_t bytes[PRP_WIRE_HEADER];
	struct prp_wire wire;

	hear(hand, fd, bytes, sizeof(bytes));
	expect_true(prp_wire_get(&wire, bytes));
	expect_eq(wire.type, type);
	return wire;
}

static void hear_piece(struct hand *hand, int fd, size_t at, size_t len)
{
	struct prp_wire wire = hear_header(hand, fd, PRP_WIRE_DATA);
	uint8_t *in = malloc(len);

	expect_eq(wire.peer_id, MOVED_ID);
	expect_eq(wire.len, len);
	hear(hand, fd, in, len);
	expect_true(!memcmp(in, hand->out + at, len));
	free(in);
}

static int hand_socket(void)
{
	const int room = 65536;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	expect_true(fd >= 0);
	expect_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)),
		  0);
	return fd;
}

/* Takes the keeper's place; returns the other one's connection to it. */
static struct prp_conn *take_place(struct hand *hand)
{
	struct end *place = keeper();

	hand->addr = ep_of(place)->addr;
	hand->end = other(place);
	hand->out = filled(MOVED_SIZE, 3);
	close_end(place);
	hand->listener = hand_socket();
	expect_eq(bind(hand->listener, &hand->addr.sa, sizeof(hand->addr)), 0);
	expect_eq(listen(hand->listener, 1), 0);
	expect_eq(fi_tsend(hand->end->ep, hand->out, MOVED_SIZE, NULL,
			   hand->end->peer, 7, hand),
		  0);
	hand->left = accept(hand->listener, NULL, NULL);
	hear_header(hand, hand->left, PRP_WIRE_HELLO);
	return peer_of(hand->end)->tx;
}

/* Connects, too, and so the other one moves. */
static void make_move(struct hand *hand)
{
	const struct prp_wire hello = hello_of(&hand->addr);

	hand->kept = hand_socket();
	expect_eq(connect(hand->kept, &ep_of(hand->end)->addr.sa,
			  sizeof(hand->addr)),
		  0);
	say(hand->kept, &hello);
	hear_header(hand, hand->kept, PRP_WIRE_AWAIT);
}

/* The other one moves when it has sent a part of a transfer's first piece. */
static void move_within_piece(struct hand *hand)
{
	struct prp_wire ready = { .type = PRP_WIRE_READY,
				  .id = MOVED_ID,
				  .len = MOVED_SIZE };
	struct prp_conn *left = take_place(hand);
	const int room = 65536;

	expect_eq(setsockopt(left->source.fd, SOL_SOCKET, SO_SNDBUF, &room,
			     sizeof(room)),
		  0);
	ready.peer_id = hear_header(hand, hand->left, PRP_WIRE_REQUEST).id;
	say(hand->left, &ready);
	while (prp_list_empty(&left->queue))
		prp_progress(ep_of(hand->end)->domain, 0);
	make_move(hand);
}

static void part(struct hand *hand)
{
	farewell(hand->end);
	close_end(hand->end);
	close(hand->left);
	close(hand->kept);
	close(hand->listener);
	free(hand->out);
}

UNIT(provider__transfer_goes_on_where_its_sender_moved)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;

	open_both();
	move_within_piece(&hand);
	hear_piece(&hand, hand.left, 0, PRP_TX_PIECE);
	hear_header(&hand, hand.left, PRP_WIRE_MOVED);
	hear_piece(&hand, hand.kept, PRP_TX_PIECE, MOVED_SIZE - PRP_TX_PIECE);
	expect_eq(next_alone(hand.end, &entry), 0);
	expect_true(entry.op_context == &hand);
	part(&hand);
}

UNIT(provider__transfer_ends_when_its_peer_does_after_the_move)
{
	struct fi_cq_tagged_entry entry;
	struct hand hand;

	open_both();
	move_within_piece(&hand);
	shutdown(hand.kept, SHUT_WR);
	while (peer_of(hand.end)->tx)
		prp_progress(ep_of(hand.end)->domain, 0);
	hear_piece(&hand, hand.left, 0, PRP_TX_PIECE);
	expect_eq(next_alone(hand.end, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &hand);
	part(&hand);
}

/* A piece of what was asked for comes where the other one left. */
static void move_within_own_piece(struct hand *hand, uint8_t *in,
				  struct prp_wire *data)
{
	const struct prp_wire request = { .type = PRP_WIRE_REQUEST,
					  .flags = PRP_WIRE_TAGGED,
					  .len = MOVED_SIZE,
					  .id = MOVED_ID };
	struct prp_conn *left = take_place(hand);

	hear_header(hand, hand->left, PRP_WIRE_REQUEST);
	expect_eq(fi_trecv(hand->end->ep, in, MOVED_SIZE, NULL, hand->end->peer,
			   0, 0, in),
		  0);
	say(hand->left, &request);
	data->type = PRP_WIRE_DATA;
	data->len = MOVED_SIZE;
	data->peer_id = hear_header(hand, hand->left, PRP_WIRE_READY).id;
	say(hand->left, data);
	while (!left->in)
		prp_progress(ep_of(hand->end)->domain, 0);
	make_move(hand);
	hear_header(hand, hand->left, PRP_WIRE_MOVED);
}

/* The other one has lost it, and goes on to look at what it left. */
static void expect_loss(struct hand *hand, int err, void *in)
{
	struct fi_cq_tagged_entry entry;
	uint8_t byte;

	while (peer_of(hand->end)->tx)
		prp_progress(ep_of(hand->end)->domain, 0);
	for (int i = 0; i < 2; i++) {
		expect_eq(next_alone(hand->end, &entry), err);
		expect_true(entry.op_context == hand || entry.op_context == in);
	}
	send(hand->left, hand->out, 1000, MSG_NOSIGNAL);
	do
		prp_progress(ep_of(hand->end)->domain, 0);
	while (recv(hand->left, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	expect_eq(conns(hand->end), 0);
}

UNIT(provider__piece_ends_when_its_peer_does_after_the_move)
{
	uint8_t *in = malloc(MOVED_SIZE);
	struct prp_wire data = { 0 };
	struct hand hand;

	open_both();
	move_within_own_piece(&hand, in, &data);
	shutdown(hand.kept, SHUT_WR);
	expect_loss(&hand, FI_ECONNRESET, in);
	part(&hand);
	free(in);
}

UNIT(provider__pieces_do_not_come_two_at_a_time)
{
	uint8_t *in = malloc(MOVED_SIZE);
	struct prp_wire data = { 0 };
	struct hand hand;
	struct prp_cq *cq;
	size_t sent = 0;
	ssize_t ret;

	open_both();
	move_within_own_piece(&hand, in, &data);
	cq = prp_list_entry(hand.end->cq, struct prp_cq, fid);
	say(hand.kept, &data);
	while (cq->head == cq->tail) {
		ret = send(hand.kept, hand.out, MOVED_SIZE - sent,
			   MSG_DONTWAIT | MSG_NOSIGNAL);
		if (ret > 0)
			sent += ret;
		prp_progress(ep_of(hand.end)->domain, 0);
	}
	send(hand.left, hand.out, 1000, MSG_NOSIGNAL);
	expect_loss(&hand, FI_EIO, in);
	part(&hand);
	free(in);
}

static void truncate_to(size_t room, size_t size, bool early)
{
	uint8_t in[64], *out = filled(size, 1);
	struct fi_cq_tagged_entry entry;

	memset(in, 0xee, sizeof(in));
	if (!early)
		expect_eq(fi_trecv(one.ep, in, room, NULL, one.peer, 7, 0, in),
			  0);
	expect_eq(fi_tsend(two.ep, out, size, NULL, two.peer, 7, out), 0);
	settle();
	if (early)
		expect_eq(fi_trecv(one.ep, in, room, NULL, one.peer, 7, 0, in),
			  0);
	expect_eq(next(&one, &entry), FI_ETRUNC);
	expect_true(entry.op_context == in);
	expect_eq(entry.len, room);
	expect_eq(failure.olen, size - room);
	expect_true(is_filled(in, room, 1));
	expect_eq(in[room], 0xee);
	expect_eq(next(&two, &entry), 0);
	expect_true(entry.op_context == out);
	free(out);
	pass(100, false);
}

UNIT(provider__truncation_leaves_the_rest_alone)
{
	static const size_t sizes[] = { 100, 5000, 200000 };

	open_both();
	for (int i = 0; i < 3; i++) {
		for (int early = 0; early < 2; early++) {
			truncate_to(32, sizes[i], early);
			truncate_to(0, sizes[i], early);
		}
	}
	close_both();
}

/* The receive, or its refusal, comes when half of the message is there. */
static void want_half_come(size_t room)
{
	enum { SIZE = 1000, HALF = SIZE / 2 };
	const size_t len = room < SIZE ? room : SIZE;
	const struct prp_wire eager = { .type = PRP_WIRE_EAGER,
					.flags = PRP_WIRE_TAGGED,
					.len = SIZE };
	const struct fi_msg_tagged any = { .addr = FI_ADDR_UNSPEC };
	struct fi_cq_tagged_entry entry;
	struct prp_conn *conn;
	uint8_t in[SIZE] = { 0 };
	struct hand hand;

	open_both();
	conn = take_place(&hand);
	say(hand.left, &eager);
	expect_eq(send(hand.left, hand.out, HALF, MSG_NOSIGNAL), HALF);
	while (!conn->in || conn->left != SIZE - HALF)
		prp_progress(ep_of(hand.end)->domain, 0);
	if (room)
		expect_eq(fi_trecv(hand.end->ep, in, room, NULL, hand.end->peer,
				   0, 0, NULL),
			  0);
	else
		expect_eq(fi_trecvmsg(hand.end->ep, &any, FI_PEEK | FI_DISCARD),
			  0);
	expect_eq(send(hand.left, hand.out + HALF, SIZE - HALF, MSG_NOSIGNAL),
		  SIZE - HALF);
	expect_eq(next_alone(hand.end, &entry),
		  len && len < SIZE ? FI_ETRUNC : 0);
	if (room)
		expect_eq(entry.len, len);
	expect_true(!memcmp(in, hand.out, len));
	while (conn->left)
		prp_progress(ep_of(hand.end)->domain, 0);
	expect_eq(peer_of(hand.end)->owed, prp_wire_cost(SIZE));
	hand.kept = -1;
	part(&hand);
}

UNIT(provider__receive_comes_within_its_message)
{
	want_half_come(1000);
}

UNIT(provider__receive_of_more_than_came_and_less_than_comes)
{
	want_half_come(700);
}

UNIT(provider__receive_of_less_than_came)
{
	want_half_come(300);
}

UNIT(provider__refusal_comes_within_its_message)
{
	want_half_come(0);
}

static void post_several(void *buf, size_t size, size_t least)
{
	const struct iovec iov = { buf, size };
	const struct fi_msg msg = { .msg_iov = &iov,
				    .iov_count = 1,
				    .addr = FI_ADDR_UNSPEC,
				    .context = buf };

	expect_eq(fi_setopt(&one.ep->fid, FI_OPT_ENDPOINT,
			    FI_OPT_MIN_MULTI_RECV, &least, sizeof(least)),
		  0);
	expect_eq(fi_recvmsg(one.ep, &msg, FI_MULTI_RECV), 0);
}

UNIT(provider__buffer_for_several_messages)
{
	enum { ROOM = 1000, LEAST = 200, SIZE = 150 };
	struct fi_cq_tagged_entry entry;
	uint8_t in[ROOM], next_one[ROOM], out[SIZE];

	open_both();
	for (int early = 0; early < 2; early++) {
		if (!early) {
			post_several(in, ROOM, LEAST);
			post_several(next_one, ROOM, LEAST);
		}
		for (int i = 0; i < 8; i++) {
			memset(out, i, SIZE);
			expect_eq(fi_inject(two.ep, out, SIZE, two.peer), 0);
		}
		settle();
		if (early) {
			post_several(in, ROOM, LEAST);
			post_several(next_one, ROOM, LEAST);
		}
		/* After six of 150 bytes 100 are left, too few. */
		for (int i = 0; i < 8; i++) {
			uint8_t *at = i < 6 ? in + SIZE * i :
					      next_one + SIZE * (i - 6);

			memset(out, i, SIZE);
			expect_eq(next(&one, &entry), 0);
			expect_eq(entry.len, SIZE);
			expect_true(entry.op_context ==
				    (i < 6 ? in : next_one));
			expect_true(entry.buf == at);
			expect_true(!memcmp(at, out, SIZE));
			expect_eq(!!(entry.flags & FI_MULTI_RECV), i == 5);
		}
		expect_eq(fi_cancel(&one.ep->fid, next_one), 0);
		expect_eq(next(&one, &entry), FI_ECANCELED);
		expect_true(entry.op_context == next_one);
	}
	close_both();
}

/* The second one leaves no room for more when the first one is on its way. */
UNIT(provider__buffer_is_given_back_after_its_last_message)
{
	enum { FIRST = 600000, SECOND = 400000, ROOM = FIRST + SECOND };
	uint8_t *in = malloc(ROOM), *out = filled(FIRST, 1);
	struct fi_cq_tagged_entry entry;

	open_both();
	post_several(in, ROOM, 64);
	expect_eq(fi_send(two.ep, out, FIRST, NULL, two.peer, NULL), 0);
	expect_eq(fi_send(two.ep, out, SECOND, NULL, two.peer, NULL), 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, FIRST);
	expect_eq(entry.flags & FI_MULTI_RECV, 0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, SECOND);
	expect_true(entry.flags & FI_MULTI_RECV);
	expect_true(is_filled(in, FIRST, 1));
	expect_true(is_filled(in + FIRST, SECOND, 1));
	close_both();
	free(in);
	free(out);
}

/* Of messages that cannot be fetched, as is known, or seen by asking for one */
static void post_for_the_lost(bool known)
{
	enum { SIZE = 100000 };
	uint8_t *in = malloc(2 * SIZE), *out = calloc(1, SIZE);
	struct fi_cq_tagged_entry entry;

	open_both();
	pass(100, false);
	expect_eq(fi_send(two.ep, out, SIZE, NULL, two.peer, NULL), 0);
	expect_eq(fi_send(two.ep, out, SIZE, NULL, two.peer, NULL), 0);
	settle();
	if (known) {
		shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
		while (!peer_of(&one)->err)
			prp_progress(ep_of(&one)->domain, 0);
	} else {
		shutdown(peer_of(&one)->tx->source.fd, SHUT_WR);
	}
	post_several(in, 2 * SIZE, 64);
	if (!known)
		/* the message */
		expect_eq(next(&one, &entry), EPIPE);
	expect_eq(next(&one, &entry), known ? FI_ECONNRESET : EPIPE);
	expect_true(entry.op_context == in);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_both();
	free(in);
	free(out);
}

UNIT(provider__buffer_for_messages_of_a_lost_peer)
{
	post_for_the_lost(true);
}

UNIT(provider__buffer_for_messages_of_a_peer_just_lost)
{
	post_for_the_lost(false);
}

/* Pieces of other lengths here and there, and what is whole there */
static void pass_pieces(size_t size, bool early)
{
	enum { OUT = PRP_IOV_LIMIT, IN = 3 };
	uint8_t *out = filled(size, 9), *in = calloc(1, size + 1);
	struct iovec out_iov[OUT], in_iov[IN];
	struct fi_cq_tagged_entry entry;

	for (size_t i = 0; i < OUT; i++) {
		out_iov[i].iov_base = out + i * size / OUT;
		out_iov[i].iov_len = (i + 1) * size / OUT - i * size / OUT;
	}
	for (size_t i = 0; i < IN; i++) {
		in_iov[i].iov_base = in + i * size / IN;
		in_iov[i].iov_len = (i + 1) * size / IN - i * size / IN;
	}
	if (!early)
		expect_eq(fi_trecvv(one.ep, in_iov, NULL, IN, one.peer, 7, 0,
				    in),
			  0);
	expect_eq(fi_tsendv(two.ep, out_iov, NULL, OUT, two.peer, 7, out), 0);
	if (early) {
		settle();
		expect_eq(fi_trecvv(one.ep, in_iov, NULL, IN, one.peer, 7, 0,
				    in),
			  0);
	}
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, size);
	expect_true(is_filled(in, size, 9));
	expect_eq(next(&two, &entry), 0);
	free(out);
	free(in);
}

static void pass_all_pieces(void)
{
	static const size_t sizes[] = { 5, 400, 30000, 3000001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		pass_pieces(sizes[i], false);
		pass_pieces(sizes[i], true);
	}
}

UNIT(provider__vectors)
{
	open_both();
	pass_all_pieces();
	close_both();
}

UNIT(provider__vectors_in_double_writes)
{
	open_both();
	prp_param.double_write = true;
	pass_all_pieces();
	close_both();
}

enum { CHOOSERS = 4 };

static void post_choosers(const fi_addr_t *from, int *in)
{
	static const uint64_t tags[] = { 0x12, 0x10, 0x12, 0x12 };
	static const uint64_t ignores[] = { 0, 0xf, 0, 0 };

	for (int i = 0; i < CHOOSERS; i++)
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(*in), NULL, from[i],
				   tags[i], ignores[i], &in[i]),
			  0);
}

static void send_choices(fi_addr_t self)
{
	for (int i = 1; i <= CHOOSERS; i++) {
		struct end *end = i == 3 ? &one : &two;
		fi_addr_t to = i == 3 ? self : two.peer;

		/* Nobody wants this one. */
		expect_eq(fi_tinject(end->ep, NULL, 0, to, 0x22), 0);
		expect_eq(fi_tinject(end->ep, &i, sizeof(i), to, 0x12), 0);
		settle();
	}
}

/* The first receive that fits has a message, and the first one that fits. */
UNIT(provider__source_and_tag_choose)
{
	static const int expected[] = { 3, 1, 2, 4 };
	struct fi_cq_tagged_entry entry;
	fi_addr_t self, from;
	int in[CHOOSERS];

	open_both();
	from = one.peer;
	insert(&one, &one);
	self = one.peer;
	one.peer = from;
	for (int early = 0; early < 2; early++) {
		const fi_addr_t whom[] = { self, one.peer, FI_ADDR_UNSPEC,
					   one.peer };

		if (!early)
			post_choosers(whom, in);
		send_choices(self);
		if (early)
			post_choosers(whom, in);
		for (int i = 0; i < CHOOSERS; i++) {
			int *got;

			expect_eq(fi_cq_readfrom(one.cq, &entry, 1, &from), 1);
			got = entry.op_context;
			expect_eq(*got, expected[got - in]);
			expect_eq(from, got == in ? self : one.peer);
			expect_eq(entry.tag, 0x12);
		}
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	}
	close_both();
}

/* What is copied for senders is bounded; none is lost that was taken. */
UNIT(provider__sender_has_to_wait)
{
	enum {
		SIZE = PRP_INJECT_SIZE,
		MOST = (PRP_TX_COPIES + PRP_WIRE_CREDIT) / SIZE
	};
	static uint8_t in[MOST][SIZE];
	struct fi_cq_tagged_entry entry;
	uint8_t *out = malloc(SIZE);
	struct prp_cq *cq;
	ssize_t ret;
	int sent = 0, i;

	open_both();
	cq = prp_list_entry(one.cq, struct prp_cq, fid);
	pass(100, false);
	for (; sent < MOST; sent++) {
		memset(out, sent, SIZE);
		ret = fi_tinject(two.ep, out, SIZE, two.peer, 3);
		if (ret)
			break;
	}
	expect_eq(ret, -FI_EAGAIN);
	expect_eq(fi_inject(two.ep, out, SIZE + 1, two.peer), -FI_EMSGSIZE);
	for (i = 0; i < sent; i++)
		expect_eq(fi_trecv(one.ep, in[i], SIZE, NULL, one.peer, 3, 0,
				   in[i]),
			  0);
	while (cq->tail - cq->head < sent) {
		prp_progress(ep_of(&one)->domain, 0);
		prp_progress(ep_of(&two)->domain, 0);
	}
	for (i = 0; i < sent; i++) {
		expect_eq(next(&one, &entry), 0);
		expect_eq(((uint8_t *)entry.op_context)[SIZE - 1],
			  (uint8_t)((uint8_t(*)[SIZE])entry.op_context - in));
	}
	expect_eq(fi_tinject(two.ep, out, SIZE, two.peer, 3), 0);
	close_both();
	free(out);
}

static void look(uint64_t flags, int *context)
{
	struct fi_msg_tagged msg = { .addr = FI_ADDR_UNSPEC,
				     .tag = 5,
				     .context = context };

	expect_eq(fi_trecvmsg(one.ep, &msg, flags), 0);
}

UNIT(provider__peek_claim_discard)
{
	struct fi_cq_tagged_entry entry;
	int a, b, in = 0;
	struct iovec iov = { &in, sizeof(in) };
	struct fi_msg_tagged msg = { .msg_iov = &iov,
				     .iov_count = 1,
				     .context = &a };

	open_both();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), FI_ENOMSG);
	for (int i = 1; i <= 4; i++)
		expect_eq(fi_tinject(two.ep, &i, sizeof(i), two.peer, 5), 0);
	settle();
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), 0);
	expect_eq(entry.len, sizeof(int));
	look(FI_PEEK | FI_CLAIM, &a);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_DISCARD, &b);
	expect_eq(next(&one, &entry), 0);
	look(FI_PEEK | FI_CLAIM, &b);
	expect_eq(next(&one, &entry), 0);
	/* 1 and 3 are claimed, 2 is gone */
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, NULL),
		  0);
	expect_eq(next(&one, &entry), 0);
	expect_eq(in, 4);
	look(FI_CLAIM | FI_DISCARD, &b);
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == &b);
	expect_eq(entry.len, 0);
	expect_eq(fi_trecvmsg(one.ep, &msg, FI_CLAIM), 0);
	expect_eq(next(&one, &entry), 0);
	expect_true(entry.op_context == &a);
	expect_eq(in, 1);
	expect_eq(fi_trecvmsg(one.ep, &msg, FI_CLAIM), -FI_EINVAL);
	look(FI_PEEK, &a);
	expect_eq(next(&one, &entry), FI_ENOMSG);
	close_both();
}

UNIT(provider__cancel)
{
	struct fi_cq_tagged_entry entry;
	int in = 0, out = 4, other;

	open_both();
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 5, 0, &in),
		  0);
	expect_eq(fi_cancel(&one.ep->fid, &other), -FI_ENOENT);
	expect_eq(fi_cancel(&one.ep->fid, &in), 0);
	expect_eq(next(&one, &entry), FI_ECANCELED);
	expect_true(entry.op_context == &in);
	expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5), 0);
	settle();
	expect_eq(in, 0);
	close_both();
}

UNIT(provider__counter_counts_injected_ones)
{
	enum { SIZE = 100000 };
	uint8_t *in = malloc(SIZE), *large = calloc(1, SIZE);
	int out = 4;

	open_both();
	for (int i = 0; i < 10; i++)
		expect_eq(fi_tinject(two.ep, &out, sizeof(out), two.peer, 5),
			  0);
	expect_eq(fi_cntr_read(two.cntr), 10);
	expect_eq(fi_cntr_wait(two.cntr, 10, 0), 0);
	expect_eq(fi_cntr_wait(two.cntr, 11, 1), -FI_ETIMEDOUT);
	/* What it waits for takes more than a poll. */
	insert(&two, &two);
	expect_eq(fi_trecv(two.ep, in, SIZE, NULL, two.peer, 5, 0, in), 0);
	expect_eq(fi_tsend(two.ep, large, SIZE, NULL, two.peer, 5, large), 0);
	expect_eq(fi_cntr_wait(two.cntr, 11, -1), 0);
	close_both();
	free(in);
	free(large);
}

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
	union prp_addr addr;
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
		prp_progress(ep_of(&one)->domain, 0);
	open_end(&two, &addr);
	insert(&two, &one);
	if (connects)
		expect_eq(fi_tinject(two.ep, NULL, 0, two.peer, 6), 0);
	else
		expect_eq(fi_tinject(one.ep, NULL, 0, one.peer, 6), 0);
	settle();
	expect_eq(peer_of(&one)->credit,
		  PRP_WIRE_CREDIT - (connects ? 0 : prp_wire_cost(0)));
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

/* What somebody says who is no peer; returns how much of it there is */
static size_t strange_words(int i, uint8_t *words, size_t size)
{
	union prp_addr addr = ep_of(&two)->addr;
	struct prp_wire wire = { .type = i / 2 };

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
			prp_wire_put(&wire, words);
		return size;
	}
	wire = hello_of(&addr);
	if (i == 6)
		wire.type = PRP_WIRE_EAGER;
	prp_wire_put(&wire, words);
	if (i == 8)
		words[offsetof(struct prp_wire, version)]++;
	return PRP_WIRE_HEADER;
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
				  sizeof(union prp_addr)),
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
