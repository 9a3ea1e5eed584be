// SPDX-License-Identifier: GPL-2.0
/*
 * Has a socket's cgroup programs of BPF that are to see what it sends and
 * receives, as of systemd's IPAddressDeny=, or its connect()? They see IP: PRP
 * would carry it past them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/bpf-cgroup.h>

#include "inet/inet.h"

#ifdef CONFIG_CGROUP_BPF
#define cgroup_has(sk, type) \
	(cgroup_bpf_enabled(type) && cgroup_bpf_sock_enabled(sk, type))
#else
#define cgroup_has(sk, type) false
#endif

/**
 * prp_inet_cgroup_sees_packets() - are programs to see a socket's packets?
 * @tcp: TCP's socket
 *
 * Context: Any.
 * Return: true if there are some: TCP has to carry it.
 */
bool prp_inet_cgroup_sees_packets(struct sock *tcp)
{
	return cgroup_has(tcp, CGROUP_INET_INGRESS) ||
	       cgroup_has(tcp, CGROUP_INET_EGRESS);
}

/**
 * prp_inet_cgroup_sees_connect() - are programs to see its connect(), or those?
 * @tcp: TCP's socket
 *
 * Context: Any.
 * Return: true if there are some: TCP has to carry it.
 */
bool prp_inet_cgroup_sees_connect(struct sock *tcp)
{
	return prp_inet_cgroup_sees_packets(tcp) ||
	       (tcp->sk_family == AF_INET6 ?
			cgroup_has(tcp, CGROUP_INET6_CONNECT) :
			cgroup_has(tcp, CGROUP_INET4_CONNECT));
}
