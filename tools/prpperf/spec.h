/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one process is to do, and what it has seen, as words KEY=NUMBER of a
 * line: so two processes tell each other, here or over ssh.
 */
#ifndef _PRPPERF_SPEC_H
#define _PRPPERF_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPEC_LINE 4096 /* bytes of the longest line */
#define SPEC_SIZE_MAX 1048576 /* bytes of the longest message */

/**
 * struct spec - what a flow of messages is, and its sockets
 * @size: bytes of a message of the client
 * @reply: bytes of one of the server
 * @burst: messages that a round begins with
 * @per: messages that the server answers with one
 * @rounds: that are measured, 0: as many as go into @ms
 * @warm: rounds before those
 * @ms: how long, 0: until all rounds are done
 * @delay_us: the client sleeps so long before it looks for the reply
 * @wait_ms: after which an answer of datagrams is given up
 * @check: look at the bytes of all rounds, not of those before only
 * @nagle: leave Nagle's algorithm on
 * @sndbuf: SO_SNDBUF, 0 leaves it
 * @rcvbuf: SO_RCVBUF, 0 leaves it
 * @flows: that one server serves
 * @port: where the server is, in what the family takes for it
 * @hardware: its hardware address, of raw packets
 */
struct spec {
	uint64_t size;
	uint64_t reply;
	uint64_t burst;
	uint64_t per;
	uint64_t rounds;
	uint64_t warm;
	uint64_t ms;
	uint64_t delay_us;
	uint64_t wait_ms;
	uint64_t check;
	uint64_t nagle;
	uint64_t sndbuf;
	uint64_t rcvbuf;
	uint64_t flows;
	uint64_t port;
	uint64_t hardware;
};

/**
 * struct result - what one end has seen
 * @rounds: that were measured
 * @lost: also of those before: how many got no answer
 * @messages: that the client sent, or the server got
 * @bytes: of the messages of measured rounds at the client, of all at the
 *	server
 * @begun: when the first of them began, as all machines' clocks go: in ns
 * @ended: when the last one of which that is known was over, likewise
 * @avg: of a round, as all below in ns
 * @min: the shortest
 * @p1: percentiles of a round
 * @p50: the median
 * @p90: .
 * @p99: .
 * @p999: 99.9 percent
 * @max: the longest
 * @send: median of the time until all of a round was sent
 * @recv: median of the time from looking for the answer until it was there
 */
struct result {
	uint64_t rounds;
	uint64_t lost;
	uint64_t messages;
	uint64_t bytes;
	uint64_t begun;
	uint64_t ended;
	uint64_t avg;
	uint64_t min;
	uint64_t p1;
	uint64_t p50;
	uint64_t p90;
	uint64_t p99;
	uint64_t p999;
	uint64_t max;
	uint64_t send;
	uint64_t recv;
};

void spec_print(char *line, const struct spec *spec);
int spec_parse(const char *words, struct spec *spec);
void spec_print_result(char *line, const struct result *result);
int spec_parse_result(const char *words, struct result *result);

#endif
