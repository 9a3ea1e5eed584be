// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What this provider can do, and whether that is what a program wants. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpipr.h"

#define MPIPR_TX_CAPS \
	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_SEND | FI_READ | FI_WRITE)
#define MPIPR_RX_CAPS \
	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_RECV | FI_REMOTE_READ | \
	 FI_REMOTE_WRITE | FI_MULTI_RECV | FI_DIRECTED_RECV | FI_SOURCE)
#define MPIPR_DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define MPIPR_CAPS (MPIPR_TX_CAPS | MPIPR_RX_CAPS | MPIPR_DOMAIN_CAPS)

/* Every completion means that the connection has the message. */
#define MPIPR_TX_FLAGS \
	(FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | \
	 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_MORE)
#define MPIPR_RX_FLAGS (FI_COMPLETION | FI_MULTI_RECV)

/*
 * Messages of a sender match in the order in which it sent them, and its atomic
 * operations are done so.
 */
#define MPIPR_ORDER \
	(FI_ORDER_SAS | FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | \
	 FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)

#define MPIPR_RX_SIZE 65536 /* a hint, there is no limit */

/* A protocol of a provider's own has the highest bit set. */
#define MPIPR_PROTOCOL (1u << 31 | 0x505250)

/*
 * Newer libfabrics have longer structs than the one that this was built with;
 * what is beyond our fields is zero.
 */
#define MPIPR_ATTR_ROOM 512

static const struct fi_tx_attr tx_attr = {
	.caps = MPIPR_TX_CAPS,
	.msg_order = MPIPR_ORDER,
	.inject_size = MPIPR_INJECT_SIZE,
	.size = MPIPR_TX_SIZE,
	.iov_limit = MPIPR_IOV_LIMIT,
	.rma_iov_limit = 1,
};

static const struct fi_rx_attr rx_attr = {
	.caps = MPIPR_RX_CAPS,
	.msg_order = MPIPR_ORDER,
	.size = MPIPR_RX_SIZE,
	.iov_limit = MPIPR_IOV_LIMIT,
};

static const struct fi_ep_attr ep_attr = {
	.type = FI_EP_RDM,
	.protocol = MPIPR_PROTOCOL,
	.protocol_version = MPIPR_WIRE_VERSION,
	.max_msg_size = SIZE_MAX >> 1,
	.max_order_raw_size = MPIPR_WIRE_OPERANDS,
	.max_order_war_size = MPIPR_WIRE_OPERANDS,
	.max_order_waw_size = MPIPR_WIRE_OPERANDS,
	.mem_tag_format = UINT64_MAX,
	.tx_ctx_cnt = 1,
	.rx_ctx_cnt = 1,
};

static const struct fi_domain_attr domain_attr = {
	.threading = FI_THREAD_SAFE,
	.control_progress = FI_PROGRESS_MANUAL,
	.data_progress = FI_PROGRESS_MANUAL,
	.resource_mgmt = FI_RM_ENABLED,
	.av_type = FI_AV_TABLE,
	.cq_data_size = sizeof(uint64_t),
	.cq_cnt = 1024,
	.ep_cnt = 1024,
	.tx_ctx_cnt = 1024,
	.rx_ctx_cnt = 1024,
	.max_ep_tx_ctx = 1,
	.max_ep_rx_ctx = 1,
	.cntr_cnt = 1024,
	.mr_key_size = sizeof(uint64_t),
	.mr_iov_limit = 1,
	.mr_cnt = 65536, /* a hint, there is no limit */
	.caps = MPIPR_DOMAIN_CAPS,
};

static bool within(uint64_t wanted, uint64_t have, const char *what)
{
	if (!(wanted & ~have))
		return true;
	MPIPR_INFO_LOG(FI_LOG_CORE, "not offered, %s: %#llx\n", what,
		       (unsigned long long)(wanted & ~have));
	return false;
}

static bool at_most(size_t wanted, size_t have, const char *what)
{
	if (wanted <= have)
		return true;
	MPIPR_INFO_LOG(FI_LOG_CORE, "%s: wanted %zu, at most %zu\n", what,
		       wanted, have);
	return false;
}

static bool same(const char *wanted, const char *what)
{
	if (!wanted || !strcmp(wanted, MPIPR_FI_NAME))
		return true;
	MPIPR_INFO_LOG(FI_LOG_CORE, "no %s %s\n", what, wanted);
	return false;
}

static bool tx_fits(const struct fi_tx_attr *tx)
{
	return !tx ||
	       (within(tx->caps, MPIPR_CAPS, "tx caps") &&
		within(tx->op_flags, MPIPR_TX_FLAGS, "tx op_flags") &&
		within(tx->msg_order, MPIPR_ORDER, "tx msg_order") &&
		within(tx->comp_order, 0, "tx comp_order") &&
		at_most(tx->inject_size, MPIPR_INJECT_SIZE, "inject_size") &&
		at_most(tx->size, MPIPR_TX_SIZE, "tx size") &&
		at_most(tx->iov_limit, MPIPR_IOV_LIMIT, "tx iov_limit") &&
		at_most(tx->rma_iov_limit, 1, "rma_iov_limit"));
}

static bool rx_fits(const struct fi_rx_attr *rx)
{
	return !rx || (within(rx->caps, MPIPR_CAPS, "rx caps") &&
		       within(rx->op_flags, MPIPR_RX_FLAGS, "rx op_flags") &&
		       within(rx->msg_order, MPIPR_ORDER, "rx msg_order") &&
		       within(rx->comp_order, 0, "rx comp_order") &&
		       at_most(rx->size, MPIPR_RX_SIZE, "rx size") &&
		       at_most(rx->iov_limit, MPIPR_IOV_LIMIT, "rx iov_limit"));
}

static bool ep_fits(const struct fi_ep_attr *ep)
{
	return !ep ||
	       ((ep->type == FI_EP_UNSPEC || ep->type == FI_EP_RDM) &&
		(!ep->protocol || ep->protocol == MPIPR_PROTOCOL) &&
		at_most(ep->max_msg_size, ep_attr.max_msg_size,
			"max_msg_size") &&
		at_most(ep->tx_ctx_cnt, 1, "tx_ctx_cnt") &&
		at_most(ep->rx_ctx_cnt, 1, "rx_ctx_cnt") && !ep->auth_key_size);
}

static bool domain_fits(const struct fi_domain_attr *domain)
{
	return !domain ||
	       (same(domain->name, "domain") &&
		within(domain->caps, MPIPR_DOMAIN_CAPS, "domain caps") &&
		domain->control_progress != FI_PROGRESS_AUTO &&
		domain->data_progress != FI_PROGRESS_AUTO &&
		at_most(domain->cq_data_size, domain_attr.cq_data_size,
			"cq_data_size") &&
		at_most(domain->max_ep_tx_ctx, 1, "max_ep_tx_ctx") &&
		at_most(domain->max_ep_rx_ctx, 1, "max_ep_rx_ctx") &&
		!domain->auth_key_size);
}

static uint32_t addr_format(void)
{
	return mpipr_param.family == AF_PRP ? FI_SOCKADDR : FI_SOCKADDR_IN;
}

static bool fits(const struct fi_info *hints)
{
	const struct fi_fabric_attr *fabric = hints->fabric_attr;

	return within(hints->caps, MPIPR_CAPS, "caps") &&
	       (!hints->addr_format || hints->addr_format == FI_SOCKADDR ||
		hints->addr_format == addr_format()) &&
	       (!fabric || same(fabric->name, "fabric")) &&
	       tx_fits(hints->tx_attr) && rx_fits(hints->rx_attr) &&
	       ep_fits(hints->ep_attr) && domain_fits(hints->domain_attr);
}

static struct fi_info *new_info(void)
{
	struct fi_info *info = calloc(1, MPIPR_ATTR_ROOM);

	if (!info)
		return NULL;
	info->tx_attr = calloc(1, MPIPR_ATTR_ROOM);
	info->rx_attr = calloc(1, MPIPR_ATTR_ROOM);
	info->ep_attr = calloc(1, MPIPR_ATTR_ROOM);
	info->domain_attr = calloc(1, MPIPR_ATTR_ROOM);
	info->fabric_attr = calloc(1, MPIPR_ATTR_ROOM);
	if (!info->tx_attr || !info->rx_attr || !info->ep_attr ||
	    !info->domain_attr || !info->fabric_attr)
		goto err_free;
	*info->tx_attr = tx_attr;
	*info->rx_attr = rx_attr;
	*info->ep_attr = ep_attr;
	*info->domain_attr = domain_attr;
	info->domain_attr->name = strdup(MPIPR_FI_NAME);
	info->fabric_attr->name = strdup(MPIPR_FI_NAME);
	info->fabric_attr->prov_version = MPIPR_FI_VERSION;
	/* libfabric itself adds the provider's name. */
	if (info->domain_attr->name && info->fabric_attr->name)
		return info;
err_free:
	fi_freeinfo(info);
	return NULL;
}

/* Where a program has a choice, its choice */
static void choose(struct fi_info *info, const struct fi_info *hints)
{
	const struct fi_domain_attr *domain = hints->domain_attr;

	if (hints->caps)
		info->caps = hints->caps | MPIPR_DOMAIN_CAPS;
	if (hints->tx_attr)
		info->tx_attr->op_flags = hints->tx_attr->op_flags;
	if (hints->rx_attr)
		info->rx_attr->op_flags = hints->rx_attr->op_flags;
	if (hints->ep_attr && hints->ep_attr->mem_tag_format)
		info->ep_attr->mem_tag_format = hints->ep_attr->mem_tag_format;
	if (!domain)
		return;
	if (domain->threading)
		info->domain_attr->threading = domain->threading;
	if (domain->av_type)
		info->domain_attr->av_type = domain->av_type;
}

/* Without this, a program would just say that there is no such provider. */
static void explain(int err)
{
	const char *chosen = getenv("FI_PROVIDER");
	const char *why;

	switch (-err) {
	case EAFNOSUPPORT:
		why = "the module is not loaded; as root: modprobe prp";
		break;
	case ENOENT:
		why = "there is no host table; as root: prpctl hosts setup";
		break;
	case EADDRNOTAVAIL:
		why = "the host table does not have this machine; see prphosts(5)";
		break;
	case ENOPROTOOPT:
		why = "the module that is loaded is older than this library";
		break;
	case ENODEV:
		why = "FI_PRP_DEVICE names no device with an IPv4 address";
		break;
	case EKEYREJECTED:
		why = "FI_PRP_SECRET is not of 32 hexadecimal digits";
		break;
	default:
		why = strerror(-err);
	}
	MPIPR_WARN(FI_LOG_CORE, "%s\n", why);
	if (chosen && !strcmp(chosen, MPIPR_FI_NAME))
		fprintf(stderr, "fi_prp: %s\n", why);
}

static int set_addrs(struct fi_info *info, const char *node,
		     const char *service, uint64_t flags,
		     const struct fi_info *hints)
{
	union mpipr_addr own, other;
	int err = -EKEYREJECTED;

	if (!mpipr_param.bad_secret)
		err = mpipr_addr_own(&own, mpipr_param.family,
				     mpipr_param.device);
	if (err) {
		explain(err);
		return -FI_ENODATA;
	}
	if (hints && hints->src_addr &&
	    hints->src_addrlen == sizeof(union mpipr_addr))
		memcpy(&own, hints->src_addr, sizeof(own));
	if (node || service) {
		err = mpipr_addr_parse(&other, mpipr_param.family, node,
				       service);
		if (err)
			return -FI_ENODATA;
		if (flags & FI_SOURCE) {
			if (!node)
				mpipr_addr_set_port(&own, &other);
			else
				own = other;
			node = NULL;
		}
	}
	info->src_addr = malloc(sizeof(own));
	if (!info->src_addr)
		return -FI_ENOMEM;
	memcpy(info->src_addr, &own, sizeof(own));
	info->src_addrlen = sizeof(own);
	if (!node && hints && hints->dest_addr &&
	    hints->dest_addrlen == sizeof(union mpipr_addr))
		memcpy(&other, hints->dest_addr, sizeof(other));
	else if (!node)
		return 0;
	info->dest_addr = malloc(sizeof(other));
	if (!info->dest_addr)
		return -FI_ENOMEM;
	memcpy(info->dest_addr, &other, sizeof(other));
	info->dest_addrlen = sizeof(other);
	return 0;
}

/**
 * mpipr_getinfo() - what there is for a program
 * @version: of the interface that it was written for
 * @node: number of a node, or NULL
 * @service: port, or NULL
 * @flags: FI_SOURCE if they are to be its own
 * @hints: what it wants, or NULL
 * @info: set to what there is; for fi_freeinfo()
 *
 * Return: 0, -FI_ENODATA if there is nothing for it, or -FI_ENOMEM.
 */
int mpipr_getinfo(uint32_t version, const char *node, const char *service,
		  uint64_t flags, const struct fi_info *hints,
		  struct fi_info **info)
{
	struct fi_info *one;
	int err;

	if (hints && !fits(hints))
		return -FI_ENODATA;
	one = new_info();
	if (!one)
		return -FI_ENOMEM;
	one->caps = MPIPR_CAPS;
	one->addr_format = addr_format();
	one->fabric_attr->api_version = version;
	if (hints)
		choose(one, hints);
	one->tx_attr->caps = one->caps & MPIPR_TX_CAPS;
	one->rx_attr->caps = one->caps & MPIPR_RX_CAPS;
	err = set_addrs(one, node, service, flags, hints);
	if (err) {
		fi_freeinfo(one);
		return err;
	}
	*info = one;
	return 0;
}
