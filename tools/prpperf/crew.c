// SPDX-License-Identifier: GPL-2.0
/*
 * Leads workers: a process for each flow's client and one for each node's
 * server, made here, in a network namespace or over ssh, and kept for the next
 * measurement. None of them outlives this process: each ends with its standard
 * input, and those on this machine with their parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "crew.h"
#include "worker.h"

#define STOP_MS 3000 /* who is told to stop has so long to say what it has */
#define AHEAD_MS 50 /* that flows are told when they begin, and 1 for each */

/**
 * struct worker - a process that works
 * @next: of the crew
 * @node: where it is
 * @server: it serves, others call
 * @busy: it has a part in this measurement
 * @flows: that it serves
 * @pid: of it, or of ssh
 * @to: its standard input
 * @from: its standard output
 * @have: bytes in @buffer
 * @buffer: what was read of the next lines
 * @word: that it is to say, NULL if nothing
 * @answer: what came behind that word, when it was said
 * @ports: of a server, of the flows that have none yet
 * @rounds: its progress
 */
struct worker {
	struct worker *next;
	const struct node *node;
	bool server;
	bool busy;
	unsigned int flows;
	pid_t pid;
	int to;
	int from;
	size_t have;
	char buffer[2 * SPEC_LINE];
	const char *word;
	char answer[SPEC_LINE];
	char *ports;
	uint64_t rounds;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
	interrupted = signal;
}

/**
 * crew_heed_signals() - have Ctrl-C end a measurement, and not all
 */
void crew_heed_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/**
 * crew_interrupted() - shall no more be measured?
 *
 * Return: whether a signal said so
 */
bool crew_interrupted(void)
{
	return interrupted;
}

/**
 * crew_node() - read who a node is
 * @text: ADDRESS, or with @netns:NAME or @ssh:HOST behind it
 * @node: gets it, and parts of the text
 *
 * Return: whether it can be one
 */
bool crew_node(char *text, struct node *node)
{
	char *at = strchr(text, '@');

	memset(node, 0, sizeof(*node));
	node->text = strdup(text);
	node->address = text;
	if (at) {
		*at++ = 0;
		if (!strncmp(at, "netns:", 6) && at[6])
			node->netns = at + 6;
		else if (!strncmp(at, "ssh:", 4) && at[4] && at[4] != '-')
			node->ssh = at + 4;
		else
			return false;
	}
	return *text && !strpbrk(text, " \t\n");
}

/* --- one worker ----------------------------------------------------------- */

static void enter_netns(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		control_die("%s: %s", path, strerror(errno));
	close(fd);
}

static void work(const struct node *node, int in, int out)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	setpgid(0, 0); /* Ctrl-C is for who leads */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (node->ssh) {
		execlp("ssh", "ssh", "-o", "BatchMode=yes", node->ssh,
		       "prpperf", WORKER_WORD, NULL);
		control_die("ssh: %s", strerror(errno));
	}
	if (node->netns)
		enter_netns(node->netns);
	_exit(worker_run());
}

static int hire(struct crew *crew, const struct node *node,
		struct worker **hired)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int in[2], out[2];

	if (!worker || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return -errno;
	worker->node = node;
	fflush(NULL); /* what is printed is no worker's */
	worker->pid = fork();
	if (worker->pid < 0)
		return -errno;
	if (!worker->pid)
		work(node, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	worker->to = in[1];
	worker->from = out[0];
	worker->next = crew->workers;
	crew->workers = worker;
	*hired = worker;
	return 0;
}

/* One that is free, or a new one */
static int find(struct crew *crew, const struct node *node, bool server,
		struct worker **found)
{
	int err;

	for (struct worker *w = crew->workers; w; w = w->next) {
		if (w->node != node || w->server != server ||
		    (w->busy && !server))
			continue;
		*found = w;
		w->busy = true;
		return 0;
	}
	err = hire(crew, node, found);
	if (err) {
		snprintf(crew->error, sizeof(crew->error), "a process: %s",
			 strerror(-err));
		return err;
	}
	(*found)->server = server;
	(*found)->busy = true;
	return 0;
}

/**
 * crew_dismiss() - end all workers
 * @crew: whose
 */
void crew_dismiss(struct crew *crew)
{
	struct worker *worker;

	while ((worker = crew->workers)) {
		crew->workers = worker->next;
		close(worker->to);
		close(worker->from);
		kill(worker->pid, SIGKILL);
		waitpid(worker->pid, NULL, 0);
		free(worker);
	}
}

/* Who has gone has said why, or is noticed by what it does not say. */
static void tell(struct worker *worker, const char *word, const char *words)
{
	char line[2 * SPEC_LINE];
	int len = snprintf(line, sizeof(line), "%s%s\n", word, words);

	while (write(worker->to, line, len) < 0 && errno == EINTR)
		;
}

/* --- what they say -------------------------------------------------------- */

static int fails(struct crew *crew, const struct worker *worker,
		 const char *why)
{
	snprintf(crew->error, sizeof(crew->error), "%s: %s", worker->node->text,
		 why);
	return -EIO;
}

static int hear_line(struct crew *crew, struct worker *worker, const char *line)
{
	size_t len = worker->word ? strlen(worker->word) : 0;

	if (!strncmp(line, "error ", 6))
		return fails(crew, worker, line + 6);
	if (!strncmp(line, "progress ", 9)) {
		worker->rounds = strtoull(line + 9, NULL, 10);
		crew->end = control_now() + crew->limit_ms * 1000000;
	} else if (len && !strncmp(line, worker->word, len)) {
		snprintf(worker->answer, sizeof(worker->answer), "%s",
			 line + len);
		worker->word = NULL;
	}
	return 0;
}

static int hear(struct crew *crew, struct worker *worker)
{
	ssize_t got;
	char *end;
	int err = 0;

	got = read(worker->from, worker->buffer + worker->have,
		   sizeof(worker->buffer) - worker->have);
	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0)
		return fails(crew, worker, "its process has ended");
	worker->have += got;
	while (!err &&
	       (end = memchr(worker->buffer, '\n', worker->have)) != NULL) {
		*end++ = 0;
		err = hear_line(crew, worker, worker->buffer);
		worker->have -= end - worker->buffer;
		memmove(worker->buffer, end, worker->have);
	}
	if (worker->have == sizeof(worker->buffer))
		return fails(crew, worker, "what it says has no end");
	return err;
}

static void show_progress(const struct crew *crew, const char *what)
{
	uint64_t rounds = 0;

	if (!crew->progress || !what)
		return;
	for (const struct worker *w = crew->workers; w; w = w->next)
		rounds += w->busy ? w->rounds : 0;
	fprintf(stderr, "prpperf: %s", what);
	if (rounds)
		fprintf(stderr, ", %" PRIu64 " rounds", rounds);
	fprintf(stderr, "\n");
}

/* Those whose word is still to come */
static unsigned int silent_ones(struct crew *crew, struct pollfd *fds,
				struct worker **workers)
{
	unsigned int count = 0;

	for (struct worker *w = crew->workers; w; w = w->next) {
		if (!w->word)
			continue;
		fds[count] = (struct pollfd){ w->from, POLLIN, 0 };
		workers[count++] = w;
	}
	return count;
}

static int hear_all(struct crew *crew, struct pollfd *fds,
		    struct worker **workers, unsigned int count, int wait_ms)
{
	int err = 0;

	poll(fds, count, wait_ms);
	for (unsigned int i = 0; !err && i < count; i++)
		if (fds[i].revents)
			err = hear(crew, workers[i]);
	return err;
}

static unsigned int crew_size(const struct crew *crew)
{
	unsigned int count = 0;

	for (const struct worker *w = crew->workers; w; w = w->next)
		count++;
	return count;
}

/*
 * Waits until all have said their word, or nothing is heard of any for long. A
 * signal ends that, or, where it makes sense to stop, has all told so and waits
 * on.
 */
static int await(struct crew *crew, uint64_t limit_ms, bool stops,
		 const char *what)
{
	uint64_t end = control_now() + limit_ms * 1000000, now, shown = 0;
	unsigned int size = crew_size(crew), count;
	struct pollfd *fds = calloc(size, sizeof(*fds));
	struct worker **silent = calloc(size, sizeof(*silent));
	bool stopped = false;
	int err = 0;

	crew->end = end;
	while (!err && (count = silent_ones(crew, fds, silent))) {
		now = control_now();
		if (!stopped && crew->end > end)
			end = crew->end; /* rounds go on */
		if (interrupted && !stops) {
			err = -EINTR;
		} else if (now > end) {
			err = fails(crew, silent[0], "no answer in time");
		} else if (interrupted && !stopped) {
			stopped = true;
			end = now + STOP_MS * 1000000ull;
			for (unsigned int i = 0; i < count; i++)
				tell(silent[i], "stop", "");
		} else {
			if (stops && now - shown > 1000000000) {
				shown = now;
				show_progress(crew, what);
			}
			err = hear_all(crew, fds, silent, count,
				       (end - now) / 1000000 < 1000 ?
					       (end - now) / 1000000 + 1 :
					       1000);
		}
	}
	free(fds);
	free(silent);
	return err;
}

/* --- a measurement -------------------------------------------------------- */

static void expect(struct worker *worker, const char *word)
{
	worker->word = word;
	worker->rounds = 0;
}

static int start_servers(struct crew *crew, const struct spec *spec,
			 struct flow *flows, unsigned int count)
{
	char line[SPEC_LINE], words[SPEC_LINE + 512];
	struct worker *worker;
	struct spec own;
	int err;

	for (unsigned int i = 0; i < count; i++) {
		err = find(crew, flows[i].server, true, &worker);
		if (err)
			return err;
		worker->flows++;
	}
	for (worker = crew->workers; worker; worker = worker->next) {
		if (!worker->server || !worker->busy)
			continue;
		own = *spec;
		own.flows = worker->flows;
		spec_print(line, &own);
		snprintf(words, sizeof(words), " %s %s%s", crew->family->name,
			 worker->node->address, line);
		expect(worker, "port ");
		tell(worker, "serve", words);
	}
	return await(crew, crew->limit_ms, false, NULL);
}

/* Where the server of a flow waits for it: each takes the next port. */
static int next_port(struct crew *crew, const struct flow *flow,
		     struct spec *spec)
{
	struct worker *server;
	int err;

	err = find(crew, flow->server, true, &server);
	if (err)
		return err;
	if (!server->ports)
		server->ports = strchr(server->answer, ' ');
	if (!server->ports)
		return fails(crew, server, "no port");
	spec->hardware = strtoull(server->answer, NULL, 10);
	spec->port = strtoull(server->ports, &server->ports, 10);
	return 0;
}

static int start_clients(struct crew *crew, const struct spec *spec,
			 struct flow *flows, unsigned int count)
{
	char line[SPEC_LINE], words[SPEC_LINE + 512];
	struct spec own = *spec;
	int err = 0;

	own.flows = 1;
	for (unsigned int i = 0; !err && i < count; i++) {
		err = next_port(crew, flows + i, &own) ?:
			      find(crew, flows[i].client, false,
				   &flows[i].worker);
		if (err)
			break;
		spec_print(line, &own);
		snprintf(words, sizeof(words), " %s %s %s%s",
			 crew->family->name, flows[i].server->address,
			 flows[i].client->address, line);
		expect(flows[i].worker, "connected");
		tell(flows[i].worker, "call", words);
	}
	for (struct worker *w = crew->workers; w; w = w->next)
		if (w->server && w->busy)
			expect(w, "accepted");
	return err ?: await(crew, crew->limit_ms, false, NULL);
}

static void tell_clients(struct flow *flows, unsigned int count,
			 const char *word, const char *words,
			 const char *answer)
{
	for (unsigned int i = 0; i < count; i++)
		expect(flows[i].worker, answer);
	for (unsigned int i = 0; i < count; i++)
		tell(flows[i].worker, word, words);
}

static int run_clients(struct crew *crew, const struct spec *spec,
		       struct flow *flows, unsigned int count, const char *what)
{
	uint64_t at = 0; /* at once: no two clocks have to agree */
	struct timespec now;
	char when[64];
	int err;

	tell_clients(flows, count, "warm", "", "warm");
	err = await(crew, crew->limit_ms, true, what);
	if (err)
		return err;
	clock_gettime(CLOCK_REALTIME, &now);
	if (count > 1)
		at = now.tv_sec * 1000000000ull + now.tv_nsec +
		     (AHEAD_MS + count) * 1000000ull;
	snprintf(when, sizeof(when), " %" PRIu64, at);
	tell_clients(flows, count, "go", when, "result");
	err = await(crew, crew->limit_ms + spec->ms, true, what);
	for (unsigned int i = 0; !err && i < count; i++)
		if (spec_parse_result(flows[i].worker->answer,
				      &flows[i].result))
			err = fails(crew, flows[i].worker, "no result");
	return err;
}

/* From when the last flow had begun until the first one ended */
static int ask_window(struct crew *crew, struct flow *flows, unsigned int count)
{
	uint64_t from = 0, to = UINT64_MAX;
	char words[64];
	int err;

	for (unsigned int i = 0; i < count; i++) {
		if (from < flows[i].result.begun)
			from = flows[i].result.begun;
		if (to > flows[i].result.ended)
			to = flows[i].result.ended;
	}
	crew->window_ns = from < to ? to - from : 0;
	snprintf(words, sizeof(words), " %" PRIu64 " %" PRIu64, from, to);
	tell_clients(flows, count, "within", words, "within ");
	err = await(crew, STOP_MS, true, NULL);
	for (unsigned int i = 0; !err && i < count; i++)
		flows[i].within = strtoull(flows[i].worker->answer, NULL, 10);
	return err;
}

static int end_servers(struct crew *crew)
{
	struct result one;
	int err;

	for (struct worker *w = crew->workers; w; w = w->next) {
		if (!w->server || !w->busy)
			continue;
		expect(w, "served");
		tell(w, "end", "");
	}
	err = await(crew, STOP_MS, true, NULL);
	memset(&crew->served, 0, sizeof(crew->served));
	for (struct worker *w = crew->workers; !err && w; w = w->next) {
		if (!w->server || !w->busy)
			continue;
		memset(&one, 0, sizeof(one));
		if (spec_parse_result(w->answer, &one))
			err = fails(crew, w, "no result");
		crew->served.messages += one.messages;
		crew->served.bytes += one.bytes;
	}
	return err;
}

/**
 * crew_measure() - have flows run, all at once
 * @crew: who works
 * @spec: what each flow does
 * @flows: between whom; get what was seen
 * @count: of them
 * @what: in words, for progress
 *
 * Return: 0, also if a signal has cut it short, -EINTR if one did before
 * anything was measured, another error with @crew->error
 */
int crew_measure(struct crew *crew, const struct spec *spec, struct flow *flows,
		 unsigned int count, const char *what)
{
	int err;

	for (struct worker *w = crew->workers; w; w = w->next) {
		w->busy = false;
		w->flows = 0;
		w->word = NULL;
		w->ports = NULL;
	}
	for (unsigned int i = 0; i < count; i++)
		memset(&flows[i].result, 0, sizeof(flows[i].result));
	err = start_servers(crew, spec, flows, count)		  ?:
		      start_clients(crew, spec, flows, count)	  ?:
		      run_clients(crew, spec, flows, count, what) ?:
		      ask_window(crew, flows, count)		  ?:
		      end_servers(crew);
	if (err)
		crew_dismiss(crew);
	return err;
}
