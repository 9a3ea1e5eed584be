// SPDX-License-Identifier: GPL-2.0
/*
 * MPIPR's provider: calls that are not made often keep their word; and a
 * kernel that has no memory for a moment is asked again.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "provider_ends.h"
#include "wrapped.h"

static unsigned int failures; /* so many sends fail, */
static int failure_errno; /* and say why */
static size_t most; /* or 0; bytes that they take, then they are full */

static bool fails(void)
{
	if (!failures)
		return false;
	failures--;
	errno = failure_errno;
	return true;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	if (fails())
		return -1;
	return __real_send(fd, bytes, most && most < len ? most : len, flags);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return fails() ? -1 : __real_sendmsg(fd, msg, flags);
}

/* There is no memory for what has so many bytes. */
static size_t too_much = SIZE_MAX;

static bool is_too_much(size_t size)
{
	if (size < too_much)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return is_too_much(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_too_much(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return is_too_much(size) ? NULL : __real_realloc(old, size);
}

/* The message before it was received, and is not received once more. */
UNIT(provider_calls__no_memory_for_an_early_message)
{
	enum { SIZE = 50000 };
	uint8_t *large = calloc(1, SIZE);
	struct fi_cq_tagged_entry entry;

	open_both();
	pass(100, false);
	expect_eq(fi_tsend(two.ep, large, SIZE, NULL, two.peer, 8, large), 0);
	too_much = SIZE;
	while (peer_of(&one)->tx)
		mpipr_progress(ep_of(&one)->domain, 0);
	too_much = SIZE_MAX;
	expect_eq(peer_of(&one)->err, FI_ENOMEM);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	close_both();
	free(large);
}

/* Without memory to keep it, credit that does not go out is not lost. */
UNIT(provider_calls__no_memory_for_a_header)
{
	struct mpipr_wire wire = { .type = MPIPR_WIRE_GRANT };
	struct mpipr_peer *peer;
	uint32_t owed;

	open_both();
	pass(100, false);
	peer = peer_of(&one);
	owed = peer->owed;
	expect_true(owed > 0);
	failure_errno = EAGAIN;
	failures = 1;
	too_much = sizeof(struct mpipr_tx);
	expect_eq(mpipr_tx_control(peer->tx, &wire), -FI_ENOMEM);
	too_much = SIZE_MAX;
	expect_eq(peer->owed, owed);
	pass(100, false);
	close_both();
}

/* Half a header is out: nothing that makes sense can follow. */
UNIT(provider_calls__no_memory_for_half_a_header)
{
	struct mpipr_wire wire = { .type = MPIPR_WIRE_GRANT };
	struct mpipr_peer *peer;

	open_both();
	pass(100, false);
	peer = peer_of(&one);
	most = MPIPR_WIRE_HEADER / 2;
	too_much = sizeof(struct mpipr_tx);
	expect_eq(mpipr_tx_control(peer->tx, &wire), -FI_ENOMEM);
	too_much = SIZE_MAX;
	most = 0;
	settle();
	expect_true(!peer->tx);
	expect_eq(conns(&two), 0);
	close_both();
}

static int option_of(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value;

	expect_eq(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* Both ends ask after each other's machine, also if nothing is sent. */
UNIT(provider_calls__silent_machines_are_asked_after)
{
	struct end *ends[] = { &one, &two };

	open_both();
	pass(100, false);
	for (int i = 0; i < 2; i++) {
		const int fd = peer_of(ends[i])->tx->source.fd;

		expect_eq(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
		expect_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 10);
		expect_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
		expect_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPCNT), 4);
	}
	close_both();
}

static unsigned int timeouts; /* so many sockets take one, then one does not */

int __wrap_setsockopt(int fd, int level, int option, const void *value,
		      socklen_t len)
{
	if (option == SO_RCVTIMEO && timeouts && !--timeouts) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return __real_setsockopt(fd, level, option, value, len);
}

/* Who would sleep in the read of it for ever is not connected. */
UNIT(provider_calls__socket_without_a_timeout)
{
	struct fi_cq_tagged_entry entry;
	int in, out = 1;

	open_both();
	timeouts = 1;
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 7),
		  -ENOPROTOOPT);
	expect_eq(conns(&one), 0);
	settle();
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 7, 0, &in),
		  0);
	timeouts = 2;
	expect_eq(fi_tinject(one.ep, &out, sizeof(out), one.peer, 7), 0);
	expect_eq(next(&one, &entry), FI_ECONNRESET);
	expect_true(entry.op_context == &in);
	expect_eq(conns(&two), 0);
	close_both();
}

static unsigned int controls;
static int socket_errno, control_errno; /* why there is none, or 0 */

int __wrap_socket(int family, int type, int protocol)
{
	errno = socket_errno;
	return errno ? -1 : __real_socket(family, type, protocol);
}

int __wrap_epoll_ctl(int epoll, int operation, int fd,
		     struct epoll_event *event)
{
	controls++;
	errno = control_errno;
	if (errno)
		return -1;
	return __real_epoll_ctl(epoll, operation, fd, event);
}

/* Epoll is told of what waits for room, and of nothing else. */
UNIT(provider_calls__transfer_that_the_socket_takes)
{
	const int room = 200000;

	open_both();
	pass(100, false);
	settle();
	expect_eq(setsockopt(peer_of(&two)->tx->source.fd, SOL_SOCKET,
			     SO_SNDBUF, &room, sizeof(room)),
		  0);
	controls = 0;
	pass(mpipr_param.eager + 1, false);
	expect_eq(controls, 0);
	close_both();
}

static ssize_t connect_by_sending(void)
{
	return fi_tinject(two.ep, "", 0, two.peer, 7);
}

/* What was called finds no memory: the program may call it again. */
static void expect_again(ssize_t ret)
{
	socket_errno = 0;
	control_errno = 0;
	too_much = SIZE_MAX;
	expect_eq(ret, -FI_EAGAIN);
}

UNIT(provider_calls__connect_without_memory_is_retried)
{
	static const int reasons[] = { ENOMEM, ENOBUFS };

	open_both();
	for (int i = 0; i < 2; i++) {
		socket_errno = reasons[i];
		expect_again(connect_by_sending());
		control_errno = reasons[i];
		expect_again(connect_by_sending());
	}
	too_much = sizeof(struct mpipr_conn);
	expect_again(connect_by_sending());
	/* Of descriptors there are not more the next time. */
	socket_errno = ENFILE;
	expect_eq(connect_by_sending(), -ENFILE);
	socket_errno = 0;
	pass(100, false);
	close_both();
}

UNIT(provider_calls__offer_without_memory_is_retried)
{
	enum { SIZE = 200000, FLOWS = 1000 };
	uint8_t *large = calloc(1, SIZE);

	_Static_assert(sizeof(struct mpipr_tx) < FLOWS, "it finds memory");
	open_both();
	pass(100, false);
	too_much = FLOWS;
	expect_again(fi_tsend(two.ep, large, SIZE, NULL, two.peer, 7, large));
	expect_eq(ep_of(&two)->tx_count, 0);
	pass(SIZE, false);
	close_both();
	free(large);
}

UNIT(provider_calls__access_without_memory_is_retried)
{
	uint8_t in = 0, there = 9;

	open_both();
	pass(100, false);
	registered(&there, 1, FI_REMOTE_READ);
	too_much = 1;
	expect_again(fi_read(one.ep, &in, 1, NULL, one.peer, 0, KEY, &in));
	expect_eq(peer_of(&one)->asks, 0);
	expect_eq(fi_read(one.ep, &in, 1, NULL, one.peer, 0, KEY, &in), 0);
	ends_with(0, &in, FI_RMA | FI_READ);
	expect_eq(in, 9);
	close_all();
}

/* First the hello that a connection begins with, then of each way to write */
UNIT(provider_calls__send_without_memory_is_retried)
{
	static const int reasons[] = { ENOMEM, ENOBUFS };
	static const size_t sizes[] = { 8, 2000, 200000 };

	for (int i = 0; i < 2; i++) {
		open_both();
		failure_errno = reasons[i];
		for (int size = 0; size < 3; size++) {
			failures = 3;
			pass(sizes[size], false);
			expect_eq(failures, 0);
		}
		close_both();
	}
}

/* Two has said something, and is gone; one sees that by sending. */
static void send_in_vain(int reason)
{
	int said = 5;

	pass(100, false);
	settle();
	expect_eq(fi_tinject(two.ep, &said, sizeof(said), two.peer, 9), 0);
	shutdown(peer_of(&two)->tx->source.fd, SHUT_RDWR);
	failure_errno = reason;
	failures = 1;
	expect_eq(fi_tinject(one.ep, "", 0, one.peer, 9), -reason);
}

/* Whatever its kernel says of a peer that is gone, its last words are heard. */
UNIT(provider_calls__peer_is_gone_for_some_reason)
{
	static const int reasons[] = { ETIMEDOUT, EHOSTUNREACH, ENETDOWN };
	struct fi_cq_tagged_entry entry;
	int in;

	for (int i = 0; i < 3; i++) {
		in = 0;
		open_both();
		send_in_vain(reasons[i]);
		failure_errno = EPIPE;
		failures = 1;
		expect_eq(fi_tinject(one.ep, "", 0, one.peer, 9), -EPIPE);
		while (peer_of(&one)->tx)
			mpipr_progress(ep_of(&one)->domain, 0);
		expect_eq(peer_of(&one)->err, reasons[i]);
		expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 9,
				   0, &in),
			  0);
		expect_eq(next_alone(&one, &entry), 0);
		expect_eq(in, 5);
		close_both();
	}
}

/* It is not the peer's fault, who would never end the connection for it. */
UNIT(provider_calls__buffer_that_is_none)
{
	open_both();
	send_in_vain(EFAULT);
	expect_true(!peer_of(&one)->tx);
	expect_eq(peer_of(&one)->err, EFAULT);
	close_both();
}

UNIT(provider_calls__event_queue_waits_its_time)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fid_eq *eq;
	uint32_t event;
	int64_t begun;
	char buf[64];

	open_both();
	expect_eq(fi_eq_open(one.fabric, &attr, &eq, NULL), 0);
	begun = mpipr_now_ms();
	expect_eq(fi_eq_sread(eq, &event, buf, sizeof(buf), 20, 0), -FI_EAGAIN);
	expect_true(mpipr_now_ms() - begun >= 19);
	expect_eq(fi_eq_sread(eq, &event, buf, sizeof(buf), 0, 0), -FI_EAGAIN);
	expect_eq(fi_close(&eq->fid), 0);
	close_both();
}

/* The sender of a transfer does nothing but look for errors. */
UNIT(provider_calls__counter_of_errors_makes_progress)
{
	const size_t size = 200000;
	uint8_t *out = filled(size, 1), *in = calloc(1, size);
	struct fi_cq_tagged_entry entry;

	open_both();
	expect_eq(fi_trecv(one.ep, in, size, NULL, one.peer, 7, 0, in), 0);
	expect_eq(fi_tsend(two.ep, out, size, NULL, two.peer, 7, out), 0);
	for (int i = 0; i < 100000; i++) {
		expect_eq(fi_cntr_readerr(two.cntr), 0);
		if (fi_cq_read(one.cq, &entry, 1) == 1)
			break;
	}
	expect_true(entry.op_context == in);
	expect_true(is_filled(in, size, 1));
	expect_eq(fi_cntr_read(two.cntr), 1);
	expect_eq(fi_cntr_adderr(two.cntr, 3), 0);
	expect_eq(fi_cntr_readerr(two.cntr), 3);
	close_both();
	free(out);
	free(in);
}

/* A node, as fi_getinfo() tells of it where nobody says which port */
UNIT(provider_calls__address_without_a_port)
{
	struct fi_provider *provider = fi_prov_ini();
	union mpipr_addr addr, there;
	size_t len = sizeof(there);
	fi_addr_t node, again;
	struct fi_info *info;
	int out = 1;

	open_both();
	expect_eq(provider->getinfo(FI_VERSION(1, 17), "127.0.0.1", NULL, 0,
				    NULL, &info),
		  0);
	memcpy(&addr, info->dest_addr, sizeof(addr));
	fi_freeinfo(info);
	expect_eq(addr.in.sin_port, 0);
	expect_eq(fi_av_insert(one.av, &addr, 1, &node, 0, NULL), 1);
	expect_true(node != one.peer);
	expect_eq(fi_av_lookup(one.av, node, &there, &len), 0);
	expect_true(!memcmp(&there, &addr, sizeof(addr)));
	expect_eq(fi_av_insertsvc(one.av, "127.0.0.1", NULL, &again, 0, NULL),
		  1);
	expect_eq(again, node);
	/* Nobody is there, and the endpoints of that node are others. */
	for (int i = 0; i < 2; i++)
		expect_eq(fi_tinject(one.ep, &out, sizeof(out), node, 1),
			  -FI_ECONNREFUSED);
	expect_eq(fi_cntr_readerr(one.cntr), 0);
	expect_eq(fi_trecv(one.ep, &out, sizeof(out), NULL, node, 7, ~0ull,
			   &out),
		  0);
	pass(100, false);
	expect_eq(fi_cancel(&one.ep->fid, &out), 0);
	expect_eq(fi_av_remove(one.av, &node, 1, 0), 0);
	expect_eq(fi_av_remove(one.av, &node, 1, 0), 0);
	expect_eq(fi_av_remove(one.av, &node, 1, 0), -FI_EINVAL);
	/* An address of no node is none. */
	addr.in.sin_addr.s_addr = 0;
	expect_eq(fi_av_insert(one.av, &addr, 1, &node, 0, NULL), 0);
	expect_eq(node, FI_ADDR_NOTAVAIL);
	close_both();
}
