// SPDX-License-Identifier: GPL-2.0
/* The endpoints of the provider's tests: opened, polled, closed. */
#include <stdlib.h>
#include <string.h>

#include "provider_ends.h"

struct end one, two;
struct fid_mr *mr;
struct fi_cq_err_entry failure;

struct mpipr_ep *ep_of(struct end *end)
{
	return mpipr_ep_of(end->ep);
}

struct mpipr_peer *peer_of(struct end *end)
{
	struct mpipr_peer *peer;

	expect_eq(mpipr_peer_get(ep_of(end), end->peer, &peer), 0);
	return peer;
}

struct end *other(struct end *end)
{
	return end == &one ? &two : &one;
}

struct end *keeper(void)
{
	return mpipr_addr_compare(&ep_of(&one)->addr, &ep_of(&two)->addr) < 0 ?
		       &one :
		       &two;
}

unsigned int conns(struct end *end)
{
	struct mpipr_list *link, *after;
	unsigned int count = 0;

	mpipr_list_for_each(link, after, &ep_of(end)->conns) count++;
	return count;
}

void open_end(struct end *end, const union mpipr_addr *addr)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED,
				 .wait_obj = FI_WAIT_FD };
	struct fi_cntr_attr cntr = { .wait_obj = FI_WAIT_FD };
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
	expect_eq(fi_cq_open(end->domain, &cq, &end->cq, &end->cq), 0);
	expect_eq(fi_cntr_open(end->domain, &cntr, &end->cntr, &end->cntr), 0);
	expect_eq(fi_cntr_open(end->domain, NULL, &end->receives, NULL), 0);
	expect_eq(fi_cntr_open(end->domain, NULL, &end->accesses, NULL), 0);
	expect_eq(fi_av_open(end->domain, &av, &end->av, NULL), 0);
	expect_eq(fi_endpoint(end->domain, end->info, &end->ep, end), 0);
	expect_eq(fi_ep_bind(end->ep, &end->av->fid, 0), 0);
	expect_eq(fi_ep_bind(end->ep, &end->cq->fid, FI_SEND | FI_RECV), 0);
	expect_eq(fi_ep_bind(end->ep, &end->cntr->fid, FI_SEND), 0);
	expect_eq(fi_ep_bind(end->ep, &end->receives->fid, FI_RECV), 0);
	expect_eq(fi_ep_bind(end->ep, &end->accesses->fid, FI_READ | FI_WRITE),
		  0);
	expect_eq(fi_enable(end->ep), 0);
}

void insert(struct end *at, struct end *whom)
{
	union mpipr_addr addr;
	size_t len = sizeof(addr);

	expect_eq(fi_getname(&whom->ep->fid, &addr, &len), 0);
	expect_eq(fi_av_insert(at->av, &addr, 1, &at->peer, 0, NULL), 1);
}

void open_both(void)
{
	setenv("FI_PRP_TRANSPORT", "tcp", 1);
	/* Other devices may come and go with other tests. */
	setenv("FI_PRP_DEVICE", "lo", 1);
	open_end(&one, NULL);
	open_end(&two, NULL);
	insert(&one, &two);
	insert(&two, &one);
}

void close_end(struct end *end)
{
	expect_eq(fi_close(&end->ep->fid), 0);
	expect_eq(fi_close(&end->av->fid), 0);
	expect_eq(fi_close(&end->cq->fid), 0);
	expect_eq(fi_close(&end->cntr->fid), 0);
	expect_eq(fi_close(&end->receives->fid), 0);
	expect_eq(fi_close(&end->accesses->fid), 0);
	expect_eq(fi_close(&end->domain->fid), 0);
	expect_eq(fi_close(&end->fabric->fid), 0);
	fi_freeinfo(end->info);
}

void farewell(struct end *end)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &ep_of(end)->peers)
		mpipr_list_entry(link, struct mpipr_peer, link)
			->bye = true;
}

void close_both(void)
{
	farewell(&one);
	farewell(&two);
	close_end(&one);
	close_end(&two);
}

void registered(void *at, size_t len, uint64_t access)
{
	expect_eq(fi_mr_reg(two.domain, at, len, access, 0, KEY, 0, &mr, NULL),
		  0);
	expect_eq(fi_mr_key(mr), KEY);
}

void close_all(void)
{
	expect_eq(fi_close(&mr->fid), 0);
	close_both();
}

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

int next_alone(struct end *end, struct fi_cq_tagged_entry *entry)
{
	ssize_t ret;

	do
		ret = fi_cq_read(end->cq, entry, 1);
	while (ret == -FI_EAGAIN);
	return completion(end, ret, entry);
}

int next(struct end *end, struct fi_cq_tagged_entry *entry)
{
	ssize_t ret;

	do {
		mpipr_progress(ep_of(other(end))->domain, 0);
		ret = fi_cq_read(end->cq, entry, 1);
	} while (ret == -FI_EAGAIN);
	return completion(end, ret, entry);
}

void settle(void)
{
	for (int i = 0; i < 200; i++) {
		mpipr_progress(ep_of(&one)->domain, 0);
		mpipr_progress(ep_of(&two)->domain, 0);
	}
}

void ends_with(int err, const void *context, uint64_t flags)
{
	struct fi_cq_tagged_entry entry;

	expect_eq(next(&one, &entry), err);
	expect_true(entry.op_context == context);
	if (!err)
		expect_eq(entry.flags, flags);
}

/* Other ones in each piece of a transfer */
static uint8_t byte_of(size_t i, int salt)
{
	return i * 131 + (i >> 8) * 17 + i / MPIPR_TX_PIECE * 29 + salt;
}

uint8_t *filled(size_t size, int salt)
{
	uint8_t *bytes = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_of(i, salt);
	return bytes;
}

bool is_filled(const uint8_t *bytes, size_t size, int salt)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != byte_of(i, salt))
			return false;
	return true;
}

void pass(size_t size, bool early)
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
