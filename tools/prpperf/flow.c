// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of a flow. The bytes of a stream are those of one pattern without
 * end, from another place in each direction; each datagram has its beginning.
 * What arrives is compared with it in the rounds that are not measured, and in
 * all if that is wanted.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "flow.h"
#include "stats.h"

#define PATTERN (1024 * 1024 + 7)
#define SERVER_BEGINS 400009 /* where its bytes are in the pattern */
#define STREAM_CHUNK 65536 /* bytes that are read of a stream at once */
#define SAMPLES_MAX 1048576
#define SAMPLES_TIMED 65536 /* where no number of rounds is known */
#define LOST_MAX 5 /* rounds in a row after which no more are tried */

static char *pattern;
static char *buffer;

/*
 * When the rounds of the last call were over, and by how much the clock that
 * all machines have is ahead of this one's.
 */
static uint64_t *ends;
static size_t end_count;
static uint64_t ahead;

/**
 * struct call - the client's end
 * @end: its socket
 * @spec: what to do
 * @sent: bytes
 * @messages: of them
 * @got: bytes
 * @overlaps: answers may come before all of a round is sent
 * @stopped: no more is wanted
 * @lost: rounds in a row without an answer
 * @count: of measured rounds that have times
 * @samples: that there can be
 * @rounds: their times
 * @sends: how long sending took
 * @recvs: how long it took from looking for the answer until it was there
 * @result: rounds that were measured so far
 * @said: when somebody was told how many; 0 as long as none are measured
 * @said_rounds: those, and lost ones
 */
struct call {
	struct end *end;
	const struct spec *spec;
	struct result *result;
	uint64_t said;
	uint64_t said_rounds;
	uint64_t sent;
	uint64_t messages;
	uint64_t got;
	bool overlaps;
	bool stopped;
	unsigned int lost;
	size_t count;
	size_t samples;
	uint64_t *rounds;
	uint64_t *sends;
	uint64_t *recvs;
};

/**
 * struct served - one flow at the server
 * @end: its socket
 * @got: bytes
 * @sent: bytes
 * @messages: that are here whole
 * @pending: of them, since the last answer
 * @seen: those at the last beat
 * @over: the client has closed
 */
struct served {
	struct end *end;
	uint64_t got;
	uint64_t sent;
	uint64_t messages;
	uint64_t pending;
	uint64_t seen;
	bool over;
};

/**
 * flow_prepare() - make what all flows of this process use
 */
void flow_prepare(void)
{
	uint64_t x = 88172645463325252ull;

	pattern = malloc(PATTERN + SPEC_SIZE_MAX);
	buffer = malloc(SPEC_SIZE_MAX);
	/* none of it is there before it is written to */
	ends = calloc(SAMPLES_MAX, sizeof(*ends));
	if (!pattern || !buffer || !ends)
		control_die("%s", strerror(ENOMEM));
	for (size_t i = 0; i < PATTERN; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		pattern[i] = x;
	}
	/* so that any message lies in one piece */
	memcpy(pattern + PATTERN, pattern, SPEC_SIZE_MAX);
}

/**
 * flow_refuses() - can there be such a flow?
 * @family: over this
 * @spec: what is wanted
 *
 * Return: why not, or NULL
 */
const char *flow_refuses(const struct family *family, const struct spec *spec)
{
	if (spec->size < family->least || spec->reply < family->least)
		return "messages of this family are not empty";
	if (spec->size > family->largest || spec->reply > family->largest)
		return "such long messages do not go over this family";
	if (!spec->burst || !spec->per || spec->burst % spec->per)
		return "a round has no whole number of answers";
	if (!spec->reply && spec->burst != spec->per)
		return "a round has one empty answer";
	if (!spec->rounds && !spec->ms)
		return "no rounds are wanted";
	if (!spec->flows || spec->flows > 65535)
		return "so many flows cannot be";
	if (spec->flows > 1 && family->domain == AF_PACKET)
		return "a node has one flow of raw packets";
	return NULL;
}

static const char *pattern_at(const struct family *family, bool client,
			      uint64_t offset)
{
	if (family->datagrams)
		offset = 0;
	return pattern + (offset + (client ? 0 : SERVER_BEGINS)) % PATTERN;
}

static void compare(const struct family *family, bool client, uint64_t offset,
		    size_t len)
{
	if (memcmp(buffer, pattern_at(family, client, offset), len))
		control_die("wrong bytes, after %" PRIu64 " right ones",
			    offset);
}

/* What of a message is of use: short frames are padded. */
static uint64_t message_bytes(const struct end *end, uint64_t got,
			      uint64_t wanted)
{
	if (end->family->stream)
		return got;
	if (got < wanted || (got > wanted && end->family->domain != AF_PACKET))
		control_die("a message of %" PRIu64 " bytes, not %" PRIu64, got,
			    wanted);
	return wanted;
}

/* --- the client ----------------------------------------------------------- */

/* Once a second, if rounds have gone on */
static void tell_progress(struct call *call)
{
	const struct result *result = call->result;
	uint64_t rounds = result->rounds + result->lost;
	uint64_t now = control_now();

	if (!call->said || now - call->said < 1000000000 ||
	    rounds == call->said_rounds)
		return;
	call->said = now;
	call->said_rounds = rounds;
	control_say("progress %" PRIu64, result->rounds);
}

/* A beat, which comes while an answer is waited for more often than not */
static void look_around(struct call *call)
{
	if (control_told())
		call->stopped = true;
	tell_progress(call);
}

/* Takes an answer, or some bytes of it; false if there is none. */
static bool take(struct call *call, uint64_t left, bool check, int flags)
{
	const struct spec *spec = call->spec;
	bool stream = call->end->family->stream;
	ssize_t got;

	if (!stream)
		left = SPEC_SIZE_MAX; /* whatever is in the way shows */
	else if (left > STREAM_CHUNK)
		left = STREAM_CHUNK;
	got = family_recv(call->end, buffer, left, flags);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (got < 0)
		control_die("receive: %s", strerror(errno));
	if (!got && (stream || spec->reply))
		control_die("the server has closed");
	got = message_bytes(call->end, got, spec->reply);
	if (check)
		compare(call->end->family, false, call->got, got);
	call->got += got;
	return true;
}

/* Nothing more can be sent: takes answers that are in the way. */
static void make_room(struct call *call, uint64_t left, bool check)
{
	struct pollfd fd = { call->end->fd, POLLOUT, 0 };

	if (call->overlaps)
		fd.events |= POLLIN;
	/* a device's queue that is full does not say when it is not */
	poll(&fd, 1, call->end->family->datagrams ? 1 : -1);
	if (fd.revents & POLLIN)
		take(call, left, check, MSG_DONTWAIT);
	if (control_beat)
		look_around(call);
}

static bool goes_later(int error)
{
	return error == EAGAIN || error == ENOBUFS || error == EINTR;
}

/* Bytes that the answers to a round have; empty ones count for one. */
static uint64_t answers(const struct spec *spec)
{
	return spec->burst / spec->per * spec->reply;
}

static void send_message(struct call *call, uint64_t until, bool check)
{
	const struct family *family = call->end->family;
	uint64_t size = call->spec->size, sent = 0;
	int flags = call->overlaps ? MSG_DONTWAIT : 0;
	ssize_t put;

	call->messages++;
	do {
		put = family_send(call->end,
				  pattern_at(family, true, call->sent),
				  size - sent, flags);
		if (put < 0 && errno == EMSGSIZE) {
			call->stopped = true; /* longer than a buffer */
			return;
		}
		if (put < 0 && !goes_later(errno))
			control_die("send: %s", strerror(errno));
		if (put < 0) {
			make_room(call, until - call->got, check);
			continue;
		}
		sent += put;
		call->sent += put;
		if (!size)
			return;
	} while (sent < size && !call->stopped);
}

/* A datagram that is late must not answer the next round. */
static void settle(struct call *call)
{
	struct pollfd fd = { call->end->fd, POLLIN, 0 };
	int quiet = 0;

	while (quiet < 2) {
		quiet++;
		if (poll(&fd, 1, CONTROL_BEAT_MS / 2) <= 0)
			continue;
		family_drain(call->end, false);
		quiet = 0;
	}
}

/* Waits for the answers; false if a datagram was lost. */
static bool take_all(struct call *call, uint64_t until, bool check)
{
	uint64_t waited = 0;

	while (!call->stopped) {
		if (take(call, until - call->got, check, 0)) {
			waited = 0;
			if (call->got >= until)
				return true;
			continue;
		}
		if (!control_beat)
			continue;
		look_around(call);
		waited += CONTROL_BEAT_MS;
		if (call->end->family->datagrams &&
		    waited >= call->spec->wait_ms)
			return false;
	}
	return false;
}

static void delay(uint64_t us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	while (us && nanosleep(&ts, &ts))
		;
}

/* One round; measured is whether its times are kept. */
static bool call_round(struct call *call, bool measured)
{
	const struct spec *spec = call->spec;
	uint64_t until = call->got + answers(spec);
	bool check = !measured || spec->check;
	uint64_t start, sent, looked, end;

	start = control_now();
	for (uint64_t i = 0; i < spec->burst && !call->stopped; i++)
		send_message(call, until, check);
	sent = control_now();
	delay(spec->delay_us);
	looked = spec->delay_us ? control_now() : sent;
	/* an empty answer is one, too */
	if ((call->got < until || !spec->reply) &&
	    !take_all(call, until, check)) {
		call->got = until;
		if (call->stopped)
			return false;
		settle(call);
		call->stopped = ++call->lost == LOST_MAX;
		return false;
	}
	call->lost = 0;
	if (!measured)
		return true;
	end = control_now();
	if (end_count < SAMPLES_MAX)
		ends[end_count++] = end;
	if (call->count == call->samples)
		return true;
	call->sends[call->count] = sent - start;
	call->recvs[call->count] = end - looked;
	call->rounds[call->count++] = end - start;
	return true;
}

/* Rounds before those that are measured */
static void warm_up(struct call *call)
{
	for (uint64_t i = 0; i < call->spec->warm && !call->stopped; i++)
		if (!call_round(call, false) && call->lost)
			call->result->lost++;
}

/*
 * Waits until all flows begin together. That is the time which was told, even
 * if others had the processor then.
 */
static uint64_t begin(void)
{
	struct timespec ts;
	char line[SPEC_LINE];
	uint64_t now, at;

	clock_gettime(CLOCK_REALTIME, &ts);
	ahead = ts.tv_sec * 1000000000ull + ts.tv_nsec - control_now();
	end_count = 0;
	control_say("warm");
	if (!control_line(line))
		exit(0);
	at = strtoull(line + strcspn(line, " "), NULL, 10) - ahead;
	now = control_now();
	if ((int64_t)(at - now) <= 0)
		return now;
	ts.tv_sec = at / 1000000000;
	ts.tv_nsec = at % 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
	return at;
}

static void call_all(struct call *call)
{
	const struct spec *spec = call->spec;
	struct result *result = call->result;
	uint64_t start, end = UINT64_MAX;

	warm_up(call);
	start = begin();
	call->said = start;
	call->said_rounds = result->lost;
	if (spec->ms)
		end = start + spec->ms * 1000000;
	while (!call->stopped && control_now() < end) {
		if (spec->rounds &&
		    result->rounds + result->lost == spec->rounds)
			break;
		if (call_round(call, true))
			result->rounds++;
		else if (call->lost)
			result->lost++;
		if (control_beat)
			look_around(call);
	}
	end = control_now();
	result->begun = start + ahead;
	if (end_count == SAMPLES_MAX)
		end = ends[end_count - 1];
	result->ended = end + ahead;
}

static void summarize(struct call *call)
{
	struct result *result = call->result;
	const uint64_t *rounds = call->rounds;
	size_t n = call->count;
	double sum = 0;

	stats_sort(call->rounds, n);
	stats_sort(call->sends, n);
	stats_sort(call->recvs, n);
	for (size_t i = 0; i < n; i++)
		sum += rounds[i];
	result->messages = call->messages;
	result->bytes = result->rounds * call->spec->burst * call->spec->size;
	result->avg = n ? sum / n : 0;
	result->min = stats_part(rounds, n, 0);
	result->p1 = stats_part(rounds, n, 0.01);
	result->p50 = stats_part(rounds, n, 0.5);
	result->p90 = stats_part(rounds, n, 0.9);
	result->p99 = stats_part(rounds, n, 0.99);
	result->p999 = stats_part(rounds, n, 0.999);
	result->max = stats_part(rounds, n, 1);
	result->send = stats_part(call->sends, n, 0.5);
	result->recv = stats_part(call->recvs, n, 0.5);
}

/**
 * flow_call() - the client's end, until all rounds are done or it is stopped
 * @end: its socket, connected
 * @spec: what to do, that flow_refuses() does not refuse
 * @result: gets what was measured
 */
void flow_call(struct end *end, const struct spec *spec, struct result *result)
{
	size_t samples = spec->rounds ? spec->rounds : SAMPLES_TIMED;
	struct call call = {
		.end = end,
		.spec = spec,
		.result = result,
		.overlaps = spec->burst > 1 && spec->per < spec->burst,
	};

	if (samples > SAMPLES_MAX)
		samples = SAMPLES_MAX;
	call.samples = samples;
	call.rounds = calloc(3 * samples, sizeof(*call.rounds));
	if (!call.rounds)
		control_die("%s", strerror(ENOMEM));
	call.sends = call.rounds + samples;
	call.recvs = call.sends + samples;
	memset(result, 0, sizeof(*result));
	control_beats(true);
	call_all(&call);
	control_beats(false);
	summarize(&call);
	free(call.rounds);
}

/**
 * flow_within() - how many rounds of the last flow_call() a window has
 * @from: when it begins, as &struct result has times
 * @to: when it ends
 *
 * Return: those that were over in it
 */
uint64_t flow_within(uint64_t from, uint64_t to)
{
	return stats_within(ends, end_count, from - ahead, to - ahead);
}

/* --- the server ----------------------------------------------------------- */

static void answer(struct served *served, const struct spec *spec)
{
	const struct family *family = served->end->family;
	uint64_t left = spec->reply;
	ssize_t put;

	served->pending = 0;
	do {
		put = family_send(served->end,
				  pattern_at(family, false, served->sent), left,
				  0);
		if (put < 0 && family->datagrams && errno == ENOBUFS)
			return; /* it is lost */
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) { /* the client has gone, or will say why */
			served->over = true;
			return;
		}
		served->sent += put;
		left -= put;
	} while (left);
}

/* Takes what is there, or is told that it is over. */
static void serve_some(struct served *served, const struct spec *spec,
		       int flags)
{
	const struct family *family = served->end->family;
	bool check = spec->check || served->messages < spec->warm * spec->burst;
	size_t most = family->stream ? STREAM_CHUNK : SPEC_SIZE_MAX;
	uint64_t whole;
	ssize_t got;

	got = family_recv(served->end, buffer, most, flags);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got < 0 || (!got && !family->datagrams)) {
		served->over = true; /* if something is wrong the client says */
		return;
	}
	got = message_bytes(served->end, got, spec->size);
	if (check)
		compare(family, true, served->got, got);
	served->got += got;
	whole = spec->size ? served->got / spec->size : served->messages + 1;
	for (; served->messages < whole; served->messages++)
		if (++served->pending == spec->per)
			answer(served, spec);
}

/* A round of which a datagram was lost is not continued by the next one. */
static void forget_rounds(struct served *served, uint64_t flows)
{
	for (; flows; flows--, served++) {
		if (served->end->family->datagrams &&
		    served->seen == served->messages)
			served->pending = 0;
		served->seen = served->messages;
	}
}

/* All that come, in whatever order; returns when all are over. */
static void serve_many(struct served *served, const struct spec *spec)
{
	struct epoll_event events[64] = {};
	int poller = epoll_create1(EPOLL_CLOEXEC);
	uint64_t left = spec->flows;
	int ready;

	for (uint64_t i = 0; i < spec->flows; i++) {
		events[0].events = EPOLLIN;
		events[0].data.ptr = served + i;
		if (epoll_ctl(poller, EPOLL_CTL_ADD, served[i].end->fd, events))
			control_die("epoll: %s", strerror(errno));
	}
	while (left) {
		ready = epoll_wait(poller, events, 64, -1);
		for (int i = 0; i < ready; i++) {
			struct served *one = events[i].data.ptr;

			serve_some(one, spec, MSG_DONTWAIT);
			if (!one->over)
				continue;
			epoll_ctl(poller, EPOLL_CTL_DEL, one->end->fd, NULL);
			left--;
		}
		if (!control_beat)
			continue;
		if (control_told())
			break;
		forget_rounds(served, spec->flows);
	}
	close(poller);
}

static void serve_one(struct served *served, const struct spec *spec)
{
	while (!served->over) {
		serve_some(served, spec, 0);
		if (!control_beat)
			continue;
		if (control_told())
			break;
		forget_rounds(served, 1);
	}
}

/**
 * flow_serve() - the server's ends, until all clients have gone or it is told
 * @ends: of all flows
 * @spec: what to do, that flow_refuses() does not refuse, and how many flows
 * @result: gets what arrived
 */
void flow_serve(struct end *ends, const struct spec *spec,
		struct result *result)
{
	struct served *served = calloc(spec->flows, sizeof(*served));

	if (!served)
		control_die("%s", strerror(ENOMEM));
	for (uint64_t i = 0; i < spec->flows; i++)
		served[i].end = ends + i;
	memset(result, 0, sizeof(*result));
	control_beats(true);
	if (spec->flows == 1)
		serve_one(served, spec);
	else
		serve_many(served, spec);
	control_beats(false);
	for (uint64_t i = 0; i < spec->flows; i++) {
		result->messages += served[i].messages;
		result->bytes += served[i].got;
	}
	free(served);
}
