/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MPIPR's provider, all of it, between endpoints of one process: over TCP, so
 * that it needs neither a module nor a machine, and under the sanitizers. The
 * tests call what libfabric would call.
 */
#ifndef _SELFTESTS_UNIT_PROVIDER_ENDS_H
#define _SELFTESTS_UNIT_PROVIDER_ENDS_H

#include "conn.h"
#include "peer.h"
#include "tx.h"
#include "unit.h"

struct end {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_cq *cq;
	struct fid_cntr *cntr; /* of sends */
	struct fid_cntr *receives;
	struct fid_cntr *accesses; /* to the other one's memory */
	struct fid_av *av;
	struct fid_ep *ep;
	fi_addr_t peer; /* number of the other one */
};

extern struct end one, two;

/* What two has registered for one, and by which key */
extern struct fid_mr *mr;
enum { KEY = 77 };

/* The last error that a completion told of */
extern struct fi_cq_err_entry failure;

/* What libfabric calls when it has loaded the provider */
struct fi_provider *fi_prov_ini(void);

struct mpipr_ep *ep_of(struct end *end);
struct mpipr_peer *peer_of(struct end *end);
struct end *other(struct end *end);
/* When connections cross, its own is kept, and the other one moves there. */
struct end *keeper(void);
unsigned int conns(struct end *end);

/* At an address of ours, or at that of an endpoint that was there before */
void open_end(struct end *end, const union mpipr_addr *addr);
void insert(struct end *at, struct end *whom);
void open_both(void);
void close_end(struct end *end);
/* One thread cannot take leave for both, so they need not wait for it. */
void farewell(struct end *end);
void close_both(void);
void registered(void *at, size_t len, uint64_t access);
/* What was registered, and both */
void close_all(void);

/* One end polls until it has a completion, or an error. */
int next_alone(struct end *end, struct fi_cq_tagged_entry *entry);
/* Both ends poll until one of them has a completion, or an error. */
int next(struct end *end, struct fi_cq_tagged_entry *entry);
void settle(void);
/* An access of one's; if @err is 0 it says @flags. */
void ends_with(int err, const void *context, uint64_t flags);

uint8_t *filled(size_t size, int salt);
bool is_filled(const uint8_t *bytes, size_t size, int salt);
/* A message from two to one; its receive is there before, or only after */
void pass(size_t size, bool early);

#endif
