/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The objects that libfabric knows, as this provider has them, and what its
 * rooms want from each other.
 *
 * The way of a message: send.c asks out.c to write header and payload with one
 * sendmsg() on the connection that conn_open.c made; what finds no room waits
 * in tx.c. On the other side progress.c finds it readable, read.c reads the
 * header, rx.c finds the receive, and read.c reads the payload to where
 * inflow.c says; what nobody waits for yet waits in early.c. side.c keeps the
 * completion until the program reads it from cq.c. What is larger goes by
 * rndv.c: header first, payload when it is wanted. access.c asks for what is
 * to be done with a peer's memory, region.c, and serve.c of that peer does it.
 *
 * The rooms from below; each calls those on its own line and before it:
 *	list, match, op, p4, wire, addr, bell
 *	param, fid, side, wait, region
 *	peer, av, conn
 *	out, tx, rx, inflow
 *	rndv, conn_end, early, serve
 *	read, conn_hello, conn_open
 *	send, recv, access, progress, conn_leave
 *	msg, tagged, rma, atomic, cq, cntr, eq, ep
 *	poll, domain, attr, init
 *
 * Locking: the program uses a domain from one thread at a time
 * (FI_THREAD_DOMAIN); if it asked for more, each call takes the domain's
 * lock, which protects all that the domain has.
 */
#ifndef MPIPR_H
#define MPIPR_H

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#include "addr.h"
#include "bell.h"
#include "list.h"
#include "match.h"
#include "p4.h"
#include "ticks.h"
#include "wire.h"

#define MPIPR_FI_NAME "prp"
#define MPIPR_FI_VERSION FI_VERSION(1, 0)

/* Vectors of a send or a receive; MPI's derived data types make them. */
#define MPIPR_IOV_LIMIT 16
/* Payload that a program may reuse as soon as a call returns */
#define MPIPR_INJECT_SIZE 16384
/* Sends of an endpoint that are not complete; then -FI_EAGAIN */
#define MPIPR_TX_SIZE 65536
_Static_assert(2 * MPIPR_TX_SIZE <= MPIPR_WIRE_OFFERS,
	       "all of them may be offered to one peer");
/* Lists that the regions of a domain are dealt out to, by key; a power of 2 */
#define MPIPR_REGION_LISTS 256

extern struct fi_provider mpipr_provider;

#define MPIPR_WARN(subsystem, ...) \
	FI_WARN(&mpipr_provider, subsystem, __VA_ARGS__)
#define MPIPR_INFO_LOG(subsystem, ...) \
	FI_INFO(&mpipr_provider, subsystem, __VA_ARGS__)

/**
 * struct mpipr_param - what the environment says, see fi_prp(7)
 * @family: AF_PRP, or AF_INET to compare
 * @double_write: send as MPICH's ch_p4 did, to compare
 * @device: for AF_INET: network device, or NULL
 * @eager: largest payload that is sent without being asked for
 * @polls: polls in vain before a poll sleeps
 * @secret: what peers must know to be heard, or 0
 * @bad_secret: it could not be read, so there is nothing to offer
 */
struct mpipr_param {
	int family;
	bool double_write;
	char *device;
	size_t eager;
	size_t polls;
	uint64_t secret[2];
	bool bad_secret;
};

extern struct mpipr_param mpipr_param;

void mpipr_param_read(void);

struct mpipr_conn;
struct mpipr_flows;
struct mpipr_peer;

int mpipr_getinfo(uint32_t version, const char *node, const char *service,
		  uint64_t flags, const struct fi_info *hints,
		  struct fi_info **info);
int mpipr_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		      void *context);

/**
 * struct mpipr_wait - polls in vain, one after the other, and what they tell
 * @polls: how many
 * @waits: how often one began, or may have
 * @trust: watched ones, one after the other, that had better slept at once
 * @slept: polls that slept at once since trust is full
 * @watched: this one is
 * @nap_us: how long it sleeps next
 * @budget_ns: how long it may sleep in all, for others had the processor
 * @counted: @polls when the count began
 * @used_ns: processor time of the process then
 * @at_ns: what time it was then
 * @poll_ns: who takes longer from poll to poll does something else
 * @apart: ticks that four polls take, the quickest that were measured; 0: none
 *	were
 * @left: ticks when the program left the provider the last time
 * @worked: since something came it was away for longer than @apart
 * @looks: looks for a message in vain, one after the other
 */
struct mpipr_wait {
	size_t polls;
	unsigned int waits;
	unsigned int trust;
	uint64_t slept;
	bool watched;
	unsigned int nap_us;
	uint64_t budget_ns;
	size_t counted;
	uint64_t used_ns;
	uint64_t at_ns;
	uint64_t poll_ns;
	uint64_t apart;
	uint64_t left;
	bool worked;
	size_t looks;
};

/**
 * struct mpipr_source - what epoll tells of, first in what it is part of
 * @ready: called when events came, with the domain's lock
 * @fd: its socket
 */
struct mpipr_source {
	void (*ready)(struct mpipr_source *source, uint32_t events);
	int fd;
};

/**
 * struct mpipr_domain - everything that makes progress together
 * @fid: for libfabric
 * @lock: protects all of the domain, if @locked
 * @locked: the program's threads share the domain
 * @epoll: all sockets of the domain's endpoints
 * @ear: a timer, after which deaf endpoints listen again
 * @refs: what is open in it
 * @eps: endpoints, by mpipr_ep.link
 * @dead: connections that this round of progress ended, by mpipr_conn.link
 * @corked: connections on which something waits for more, by mpipr_conn.corked
 * @polls: rounds of progress
 * @looks: of the polls that follow so many do not wait: the program looks for a
 *	message
 * @wait: polls in vain
 * @regions: memory that peers may access, by mpipr_region.link
 */
struct mpipr_domain {
	struct fid_domain fid;
	pthread_mutex_t lock;
	bool locked;
	int epoll;
	struct mpipr_source ear;
	unsigned int refs;
	struct mpipr_list eps;
	struct mpipr_list dead;
	struct mpipr_list corked;
	uint64_t polls;
	unsigned int looks;
	struct mpipr_wait wait;
	struct mpipr_list regions[MPIPR_REGION_LISTS];
};

int mpipr_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		      struct fid_domain **domain, void *context);

/*
 * A look for a message is followed by a poll, and by another one where there is
 * none.
 */
#define MPIPR_LOOK_POLLS 2

/**
 * mpipr_domain_lock() - keep the program's other threads out, if there are any
 * @domain: domain
 *
 * If there are none it is seen how long the program was away.
 */
static inline void mpipr_domain_lock(struct mpipr_domain *domain)
{
	if (domain->locked)
		pthread_mutex_lock(&domain->lock);
	else if (mpipr_ticks() - domain->wait.left > domain->wait.apart)
		domain->wait.worked = true;
}

/**
 * mpipr_domain_unlock() - let them in again
 * @domain: domain
 */
static inline void mpipr_domain_unlock(struct mpipr_domain *domain)
{
	if (domain->locked)
		pthread_mutex_unlock(&domain->lock);
	else
		domain->wait.left = mpipr_ticks();
}

/**
 * mpipr_domain_get() - something is of a domain
 * @domain: domain, which cannot be closed now
 */
static inline void mpipr_domain_get(struct mpipr_domain *domain)
{
	mpipr_domain_lock(domain);
	domain->refs++;
	mpipr_domain_unlock(domain);
}

/**
 * mpipr_domain_put() - it is closed
 * @domain: domain
 */
static inline void mpipr_domain_put(struct mpipr_domain *domain)
{
	mpipr_domain_lock(domain);
	domain->refs--;
	mpipr_domain_unlock(domain);
}

/**
 * struct mpipr_av - addresses by number
 * @fid: for libfabric
 * @domain: its domain
 * @refs: endpoints bound to it
 * @addr: addresses; family 0 where one was removed
 * @uses: how often each was inserted
 * @count: numbers given
 * @room: for how many there is memory
 * @slots: hash table of numbers plus one, 0 where free; open addressing
 * @slot_count: its size, a power of 2, at least twice @count
 */
struct mpipr_av {
	struct fid_av fid;
	struct mpipr_domain *domain;
	unsigned int refs;
	union mpipr_addr *addr;
	uint32_t *uses;
	size_t count;
	size_t room;
	uint32_t *slots;
	size_t slot_count;
};

int mpipr_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		  struct fid_av **av, void *context);
fi_addr_t mpipr_av_find(const struct mpipr_av *av,
			const union mpipr_addr *addr);

/**
 * struct mpipr_done - a completion
 * @context: the operation's
 * @flags: FI_SEND or FI_RECV, FI_MSG or FI_TAGGED, and others
 * @len: bytes sent or received
 * @buf: where they are; for buffers of several messages
 * @data: what the sender gave
 * @tag: tag
 * @from: the sender's number, or FI_ADDR_NOTAVAIL
 * @olen: bytes that found no room
 * @err: 0, or an error of libfabric's, above 0
 */
struct mpipr_done {
	void *context;
	uint64_t flags;
	size_t len;
	void *buf;
	uint64_t data;
	uint64_t tag;
	fi_addr_t from;
	size_t olen;
	int err;
};

/**
 * struct mpipr_cq - completions in their order
 * @fid: for libfabric
 * @domain: its domain
 * @refs: endpoints bound to it, and poll sets that look at it
 * @size: bytes of an entry as the program wants it
 * @ring: completions; grows when full, so none is ever lost
 * @room: its size, a power of 2
 * @head: next one to read, counted from the beginning
 * @tail: next one to write, likewise
 * @signaled: fi_cq_signal() wants a waiting reader to return
 * @bell: rung with each completion
 */
struct mpipr_cq {
	struct fid_cq fid;
	struct mpipr_domain *domain;
	unsigned int refs;
	size_t size;
	struct mpipr_done *ring;
	size_t room;
	size_t head;
	size_t tail;
	bool signaled;
	struct mpipr_bell bell;
};

int mpipr_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		  struct fid_cq **cq, void *context);
int mpipr_cq_trywait(struct fid *fid);

/**
 * mpipr_cq_is_empty() - whether there is nothing to read
 * @cq: completion queue; its domain's lock is held
 *
 * Return: whether there is neither a completion nor an error.
 */
static inline bool mpipr_cq_is_empty(const struct mpipr_cq *cq)
{
	return cq->head == cq->tail;
}

/**
 * struct mpipr_cntr - counts completions
 * @fid: for libfabric
 * @domain: its domain
 * @refs: endpoints bound to it, and poll sets that look at it
 * @value: completions
 * @errors: failed ones
 * @is_news: it has changed since fi_poll() said so, or the program changed it
 * @is_unseen: it has changed since fi_trywait() said so
 * @read_poll: mpipr_domain.polls when it was read last
 * @bell: rung with each change
 */
struct mpipr_cntr {
	struct fid_cntr fid;
	struct mpipr_domain *domain;
	unsigned int refs;
	uint64_t value;
	uint64_t errors;
	bool is_news;
	bool is_unseen;
	uint64_t read_poll;
	struct mpipr_bell bell;
};

/**
 * mpipr_cntr_changed() - tell whoever waits for a counter
 * @cntr: counter; its domain's lock is held
 */
static inline void mpipr_cntr_changed(struct mpipr_cntr *cntr)
{
	cntr->is_unseen = true;
	mpipr_bell_ring(&cntr->bell);
}

int mpipr_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		    struct fid_cntr **cntr, void *context);
int mpipr_cntr_trywait(struct fid *fid);

int mpipr_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		  struct fid_eq **eq, void *context);
int mpipr_eq_trywait(struct fid *fid);
int mpipr_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		    struct fid_poll **poll);

/**
 * enum mpipr_report - what the completion queue is told of an operation's end
 * @MPIPR_REPORT_NOTHING: nothing; the counter counts it
 * @MPIPR_REPORT_ERRORS: errors only
 * @MPIPR_REPORT_ALL: all
 */
enum mpipr_report {
	MPIPR_REPORT_NOTHING,
	MPIPR_REPORT_ERRORS,
	MPIPR_REPORT_ALL,
};

/**
 * struct mpipr_side - what a direction of an endpoint reports to
 * @cq: completions, or NULL
 * @cntr: counter, or NULL
 * @selective: only operations that ask for it complete in @cq
 * @op_flags: of operations that have no flags of their own
 */
struct mpipr_side {
	struct mpipr_cq *cq;
	struct mpipr_cntr *cntr;
	bool selective;
	uint64_t op_flags;
};

/**
 * mpipr_side_report() - what is told of an operation's good end
 * @side: where it is told
 * @flags: FI_COMPLETION if the operation asks for it
 *
 * Return: everything, or errors only, for which nobody needs to ask.
 */
static inline enum mpipr_report mpipr_side_report(const struct mpipr_side *side,
						  uint64_t flags)
{
	return !side->selective || flags & FI_COMPLETION ? MPIPR_REPORT_ALL :
							   MPIPR_REPORT_ERRORS;
}

void mpipr_side_tell(struct mpipr_side *side, const struct mpipr_done *done);
void mpipr_side_done(struct mpipr_side *side, const struct mpipr_done *done,
		     enum mpipr_report report);

/**
 * struct mpipr_ep - an endpoint
 * @fid: for libfabric
 * @listener: its socket; its address is the endpoint's
 * @domain: its domain
 * @link: in mpipr_domain.eps
 * @av: addresses
 * @tx: what sends report to
 * @rx: what receives report to
 * @read: what accesses to peers' memory report to that bring something of it
 * @write: what the others of them report to
 * @addr: where it listens
 * @sessions: number of its first session, from which the others are counted;
 *	random, so that no endpoint before or after it at @addr has the same
 * @enabled: fi_enable() was called
 * @directed: receives may be for one sender only
 * @min_multi_recv: a buffer of several messages is given back when less than
 *	this many bytes of it are free
 * @peers: those whom we know, by mpipr_peer.link
 * @peer_of: the same by number in @av, NULL where not used yet
 * @peer_room: size of @peer_of
 * @lost: why a peer was lost, an error of libfabric's, if no receive for
 *	anybody was told yet; or 0
 * @conns: all connections, by mpipr_conn.link
 * @nameless: of these, accepted ones that did not say yet who they are
 * @deaf: there was no place for who connects; see mpipr_domain.ear
 * @tagged: queues of tagged messages
 * @plain: queues of the others
 * @claimed: messages that FI_CLAIM reserved, by mpipr_offer.link
 * @spare: receives that are over, by mpipr_want.link; see rx.c
 * @spares: how many these are
 * @tx_count: sends that are not complete
 * @tx_copies: bytes of payload that these have copied
 * @flows: transfers that wait for the other side, see rndv.c
 */
struct mpipr_ep {
	struct fid_ep fid;
	struct mpipr_source listener;
	struct mpipr_domain *domain;
	struct mpipr_list link;
	struct mpipr_av *av;
	struct mpipr_side tx;
	struct mpipr_side rx;
	struct mpipr_side read;
	struct mpipr_side write;
	union mpipr_addr addr;
	uint64_t sessions;
	bool enabled;
	bool directed;
	size_t min_multi_recv;
	struct mpipr_list peers;
	struct mpipr_peer **peer_of;
	size_t peer_room;
	int lost;
	struct mpipr_list conns;
	unsigned int nameless;
	bool deaf;
	struct mpipr_match tagged;
	struct mpipr_match plain;
	struct mpipr_list claimed;
	struct mpipr_list spare;
	unsigned int spares;
	size_t tx_count;
	size_t tx_copies;
	struct mpipr_flows *flows;
};

int mpipr_atomic_query(struct fid_domain *domain, enum fi_datatype datatype,
		       enum fi_op op, struct fi_atomic_attr *attr,
		       uint64_t flags);

int mpipr_endpoint(struct fid_domain *domain, struct fi_info *info,
		   struct fid_ep **ep, void *context);

extern struct fi_ops_msg mpipr_msg_ops;
extern struct fi_ops_tagged mpipr_tagged_ops;
extern struct fi_ops_rma mpipr_rma_ops;
extern struct fi_ops_atomic mpipr_atomic_ops;

/**
 * mpipr_ep_of() - an endpoint as this provider has it
 * @fid: as libfabric has it
 *
 * Return: the endpoint.
 */
static inline struct mpipr_ep *mpipr_ep_of(struct fid_ep *fid)
{
	return mpipr_list_entry(fid, struct mpipr_ep, fid);
}

/* progress.c */
/* Waits until then do not end. */
#define MPIPR_FOREVER_MS INT64_MAX
/* How long to sleep where the time is looked at in between, microseconds */
#define MPIPR_SLICE_US 1000

int64_t mpipr_now_ms(void);
int64_t mpipr_until_ms(int timeout_ms);
bool mpipr_progress(struct mpipr_domain *domain, unsigned int timeout_us);
void mpipr_progress_poll(struct mpipr_domain *domain, struct mpipr_bell *bell);
int mpipr_progress_sleep(struct mpipr_bell *bell, int64_t until_ms);

/* Operations that libfabric lets a provider not have */
int mpipr_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int mpipr_no_control(struct fid *fid, int command, void *arg);
int mpipr_no_ops_open(struct fid *fid, const char *name, uint64_t flags,
		      void **ops, void *context);

#endif
