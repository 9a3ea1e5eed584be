// SPDX-License-Identifier: GPL-2.0
/*
 * A security module for sock_security: refuses to connect to one port, to bind
 * to another one and to listen at a third one, to sockets of TCP's alone; and
 * to receive to those of one family.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "security.h"

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define EPERM 1
#define EACCES 13

/* As much of the kernel's structures as is looked at */
struct sock_common {
	unsigned short skc_family;
	__u16 skc_num;
} __attribute__((preserve_access_index));

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
} __attribute__((preserve_access_index));

struct socket {
	struct sock *sk;
} __attribute__((preserve_access_index));

struct sockaddr;
struct msghdr;

/* Port by what is refused there; 0: nothing */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SECURITY_HOOKS);
	__type(key, __u32);
	__type(value, __u32);
} refused SEC(".maps");

/* How often it was asked about a socket of TCP's */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SECURITY_HOOKS);
	__type(key, __u32);
	__type(value, __u32);
} asked SEC(".maps");

static __always_inline int judge(struct socket *sock, __u32 hook, __u16 port)
{
	struct sock *sk = sock->sk;
	__u32 *at;

	if (!sk || sk->sk_protocol != IPPROTO_TCP ||
	    (sk->__sk_common.skc_family != AF_INET &&
	     sk->__sk_common.skc_family != AF_INET6))
		return 0;
	at = bpf_map_lookup_elem(&asked, &hook);
	if (at)
		__sync_fetch_and_add(at, 1);
	at = bpf_map_lookup_elem(&refused, &hook);
	return at && *at && *at == port ? -EPERM : 0;
}

/* The port is at the same place for both families. */
static __always_inline __u16 port_of(struct sockaddr *address)
{
	__u16 words[2] = {};

	bpf_probe_read_kernel(words, sizeof(words), address);
	return bpf_ntohs(words[1]);
}

SEC("lsm/socket_connect")
int BPF_PROG(on_connect, struct socket *sock, struct sockaddr *address, int len)
{
	return judge(sock, SECURITY_CONNECT, port_of(address));
}

SEC("lsm/socket_bind")
int BPF_PROG(on_bind, struct socket *sock, struct sockaddr *address, int len)
{
	return judge(sock, SECURITY_BIND, port_of(address));
}

SEC("lsm/socket_listen")
int BPF_PROG(on_listen, struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;

	return sk ? judge(sock, SECURITY_LISTEN, sk->__sk_common.skc_num) : 0;
}

SEC("lsm/socket_recvmsg")
int BPF_PROG(on_recvmsg, struct socket *sock, struct msghdr *msg, int size,
	     int flags)
{
	__u32 hook = SECURITY_RECVMSG, *family;
	struct sock *sk = sock->sk;

	family = bpf_map_lookup_elem(&refused, &hook);
	return family && *family && sk &&
			       sk->__sk_common.skc_family == *family ?
		       -EACCES :
		       0;
}

char _license[] SEC("license") = "GPL";
