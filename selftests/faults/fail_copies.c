// SPDX-License-Identifier: GPL-2.0
/*
 * Failing copies where nothing else can fail: needs FAULT_INJECTION_USERCOPY,
 * which not every kernel with failing allocations has.
 */
#include "fail_fixture.h"

#include <string.h>

static char byte_at(size_t at)
{
	return at ^ at >> 8 ^ at >> 16;
}

static bool prepare_arrived(struct sweep *sweep)
{
	for (size_t i = 0; i < BYTES; i++)
		sweep->bytes[i] = byte_at(i);
	if (nodes_pair(sweep->nodes, &sweep->fd, &sweep->other) ||
	    !send_all(sweep->fd, sweep->bytes, BYTES))
		return false;
	memset(sweep->bytes, 0, BYTES);
	return wait_events(sweep->other, POLLIN) == POLLIN;
}

static long call_recv(struct sweep *sweep)
{
	return recv(sweep->other, sweep->bytes, BYTES, 0);
}

/* What one call did not get the next one does: of a message, too. */
static bool check_received(struct sweep *sweep, long ret)
{
	if (ret < BYTES &&
	    !recv_all(sweep->other, sweep->bytes + ret, BYTES - ret))
		return false;
	for (size_t i = 0; i < BYTES; i++)
		if (sweep->bytes[i] != byte_at(i))
			return false;
	return true;
}

TEST_F(fail, fail_copies__recv)
{
	SWEEP(.prepare = prepare_arrived, .call = call_recv,
	      .check = check_received);
}

static bool prepare_message(struct sweep *sweep)
{
	sweep->nodes->type = SOCK_SEQPACKET;
	return prepare_arrived(sweep);
}

TEST_F(fail, fail_copies__recv_of_a_message)
{
	SWEEP(.prepare = prepare_message, .call = call_recv,
	      .check = check_received);
}

static long call_options(struct sweep *sweep)
{
	const struct timeval timeout = { .tv_sec = 5 };
	unsigned int ms = 2000, path;
	struct sockaddr_prp at;
	struct prp_info info;
	socklen_t len;

	if (setsockopt(sweep->fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms)) ||
	    setsockopt(sweep->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout,
		       sizeof(timeout)))
		return -1;
	len = sizeof(info);
	if (getsockopt(sweep->fd, SOL_PRP, PRP_INFO, &info, &len))
		return -1;
	len = sizeof(path);
	if (getsockopt(sweep->fd, SOL_PRP, PRP_PATH, &path, &len))
		return -1;
	len = sizeof(at);
	return getpeername(sweep->fd, SA(at), &len);
}

TEST_F(fail, fail_copies__options)
{
	SWEEP(.prepare = prepare_arrived, .call = call_options);
}

TEST_HARNESS_MAIN
