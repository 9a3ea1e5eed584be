// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options in the IP mode. The companion, being TCP, judges and keeps
 * all of them; what PRP can honour is told to it, too:
 *
 * SOL_SOCKET
 *   The kernel sets and reads these in our socket without asking; what
 *   matters to TCP is copied to the companion before it is used.
 *   SO_REUSEPORT       as TCP has it from Linux 6.7 on; before, the kernel
 *                      refuses it, and PRP_REUSEPORT takes its place
 *   SO_BINDTODEVICE, SO_BINDTOIFINDEX, SO_ATTACH_FILTER, SO_ATTACH_BPF
 *                      TCP carries the connection
 *   SO_ATTACH_REUSEPORT_*, SO_DETACH_REUSEPORT_BPF
 *                      of TCP's children; PRP's are spread by a hash
 *   SO_ZEROCOPY        refused: nobody would tell that memory is free
 * IPPROTO_TCP, where PRP carries the connection
 *   TCP_NODELAY        kept; PRP has no Nagle to turn off
 *   TCP_QUICKACK       kept; acknowledgments follow buffers, not timers
 *   TCP_CORK           a segment that is not full waits, 2 ms at most
 *   TCP_USER_TIMEOUT   PRP_USER_TIMEOUT, moved into the bounds of that
 *   TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT
 *                      PRP_KEEPIDLE, PRP_KEEPINTVL, PRP_KEEPCNT
 *   TCP_NOTSENT_LOWAT  PRP_NOTSENT_LOWAT
 *   TCP_MAXSEG         read: payload of a segment
 *   TCP_INFO           read: PRP's figures; what it has not is 0
 *   TCP_ULP, TCP_MD5SIG, TCP_MD5SIG_EXT, TCP_REPAIR, TCP_FASTOPEN_CONNECT
 *                      before connect(): TCP carries it; after: EOPNOTSUPP
 *   others             TCP_CONGESTION, TCP_SYNCNT and so on: kept
 * Other levels         kept by the companion
 */
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "inet.h"
#include "keepalive.h"
#include "send.h"

#define TIMEOUT_MS_MIN 100
#define TIMEOUT_MS_MAX 3600000

/* Options of IPPROTO_TCP that only TCP can honour; of those of SOL_SOCKET see
 * prp_inet_only_tcp()
 */
static const int only_tcp[] = { TCP_ULP, TCP_MD5SIG, TCP_MD5SIG_EXT, TCP_REPAIR,
				TCP_FASTOPEN_CONNECT };

/* Return: the option's bit in prp_inet.only_tcp, or 0. */
static u8 only_tcp_bit(int level, int name)
{
	unsigned int i;

	for (i = 0; level == IPPROTO_TCP && i < ARRAY_SIZE(only_tcp); i++)
		if (only_tcp[i] == name)
			return BIT(i);
	return 0;
}

/* One of SO_KEEPALIVE's times: our name for it, else 0 */
static int keep_name(int name)
{
	return name == TCP_KEEPIDLE  ? PRP_KEEPIDLE :
	       name == TCP_KEEPINTVL ? PRP_KEEPINTVL :
	       name == TCP_KEEPCNT   ? PRP_KEEPCNT :
				       0;
}

/* Options that PRP honours, or has no need of */
static bool is_known(int name)
{
	return name == TCP_NODELAY || name == TCP_QUICKACK ||
	       name == TCP_CORK || name == TCP_USER_TIMEOUT ||
	       name == TCP_NOTSENT_LOWAT || keep_name(name);
}

/**
 * prp_inet_only_tcp() - is only TCP to carry a socket's connection?
 * @sk: socket, its sk_lock held
 * @why: set to the option that says so
 *
 * Return: true if one does.
 */
bool prp_inet_only_tcp(const struct sock *sk, struct prp_why *why)
{
	const struct prp_inet *inet = prp_inet(sk);

	why->prpw_level = SOL_SOCKET;
	if (rcu_access_pointer(sk->sk_filter) ||
	    rcu_access_pointer(inet->tcp->sk->sk_filter)) {
		why->prpw_name = SO_ATTACH_FILTER;
	} else if (sk->sk_bound_dev_if) {
		why->prpw_name = SO_BINDTODEVICE;
	} else if (inet->only_tcp) {
		why->prpw_level = IPPROTO_TCP;
		why->prpw_name = only_tcp[__ffs(inet->only_tcp)];
	} else {
		why->prpw_level = 0;
	}
	return why->prpw_level;
}

/* The companion for an option; none is made where PRP can do without. It
 * stays, since the caller is in a call of the socket. Return: it, NULL, or an
 * error pointer.
 */
static struct socket *opt_companion(struct sock *sk, bool needed)
{
	struct socket *tcp;

	lock_sock(sk);
	tcp = needed ? prp_inet_companion(sk) : prp_inet(sk)->tcp;
	release_sock(sk);
	return tcp;
}

/* Is it too late for an option that only TCP can honour? */
static bool opt_is_too_late(struct sock *sk)
{
	bool late;

	lock_sock(sk);
	late = prp_inet(sk)->path == PRP_PATH_PRP || prp_sock_conn(prp_sk(sk));
	release_sock(sk);
	return late;
}

/* Is an option that is on or off turned off? */
static bool opt_is_off(int name, sockptr_t val, unsigned int len)
{
	int value;

	return (name == TCP_REPAIR || name == TCP_FASTOPEN_CONNECT) &&
	       len >= sizeof(value) &&
	       !copy_from_sockptr(&value, val, sizeof(value)) && value <= 0;
}

/* TCP has taken an option that only TCP can honour: it is to carry the
 * connection to come, until the option is turned off.
 */
static void opt_take_tcp(struct sock *sk, u8 bit, bool off)
{
	struct prp_inet *inet = prp_inet(sk);

	lock_sock(sk);
	if (off)
		inet->only_tcp &= ~bit;
	else
		inet->only_tcp |= bit;
	release_sock(sk);
}

/* SOL_SOCKET, where the kernel asks us; most is left to prp_inet_sync(). */
static int set_socket(struct socket *sock, int name, sockptr_t val,
		      unsigned int len)
{
	struct sock *sk = sock->sk;
	struct socket *tcp;
	int err;

	switch (name) {
	case SO_ATTACH_FILTER:
	case SO_ATTACH_BPF:
		if (!prp_inet_tcp(sk) && opt_is_too_late(sk))
			return -EOPNOTSUPP;
		break;
	case SO_REUSEPORT:
	case SO_DETACH_FILTER:
	case SO_LOCK_FILTER:
	case SO_ATTACH_REUSEPORT_CBPF:
	case SO_ATTACH_REUSEPORT_EBPF:
	case SO_DETACH_REUSEPORT_BPF:
		break;
	default:
		return sock_setsockopt(sock, SOL_SOCKET, name, val, len);
	}
	tcp = opt_companion(sk, true);
	if (IS_ERR(tcp))
		return PTR_ERR(tcp);
	err = sock_setsockopt(tcp, SOL_SOCKET, name, val, len);
	if (!err && name == SO_REUSEPORT)
		sk->sk_reuseport = tcp->sk->sk_reuseport;
	return err;
}

/* Flags of a sock that TCP looks at */
#define SYNC_FLAGS \
	(BIT(SOCK_LINGER) | BIT(SOCK_KEEPOPEN) | BIT(SOCK_URGINLINE) | \
	 BIT(SOCK_LOCALROUTE) | BIT(SOCK_RCVTSTAMP) | BIT(SOCK_RCVTSTAMPNS) | \
	 BIT(SOCK_TSTAMP_NEW))

/* What of SO_TIMESTAMPING is told to it; that times are noted at all while our
 * socket wants them has the kernel done.
 */
#define SYNC_STAMPS \
	(SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_RX_HARDWARE | \
	 SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RAW_HARDWARE)

static u32 sync_stamps(const struct sock *sk)
{
	return READ_ONCE(sk->sk_tsflags) & SYNC_STAMPS;
}

static bool sync_buffer(const struct sock *sk, int lock, int ours, int theirs)
{
	return sk->sk_userlocks & lock && ours != theirs;
}

/* TCP sets these itself, too, from IP_TOS and addresses with a scope. */
static bool is_set(u32 ours, u32 theirs)
{
	return !ours || ours == theirs;
}

static bool is_synced(const struct sock *sk, const struct sock *tcp)
{
	return !((sk->sk_flags ^ tcp->sk_flags) & SYNC_FLAGS) &&
	       sync_stamps(sk) == sync_stamps(tcp) &&
	       sk->sk_rcvtimeo == tcp->sk_rcvtimeo &&
	       sk->sk_sndtimeo == tcp->sk_sndtimeo &&
	       sk->sk_rcvlowat == tcp->sk_rcvlowat &&
	       sk->sk_lingertime == tcp->sk_lingertime &&
	       sk->sk_reuse == tcp->sk_reuse &&
	       is_set(sk->sk_priority, tcp->sk_priority) &&
	       is_set(sk->sk_mark, tcp->sk_mark) &&
	       is_set(sk->sk_bound_dev_if, tcp->sk_bound_dev_if) &&
	       sk->sk_max_pacing_rate == tcp->sk_max_pacing_rate &&
	       !sync_buffer(sk, SOCK_SNDBUF_LOCK, sk->sk_sndbuf,
			    tcp->sk_sndbuf) &&
	       !sync_buffer(sk, SOCK_RCVBUF_LOCK, sk->sk_rcvbuf,
			    tcp->sk_rcvbuf);
}

static void sync_buffers(const struct sock *sk, struct sock *tcp)
{
	tcp->sk_userlocks |= sk->sk_userlocks &
			     (SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK);
	if (sync_buffer(sk, SOCK_SNDBUF_LOCK, sk->sk_sndbuf, tcp->sk_sndbuf))
		WRITE_ONCE(tcp->sk_sndbuf, sk->sk_sndbuf);
	if (sync_buffer(sk, SOCK_RCVBUF_LOCK, sk->sk_rcvbuf, tcp->sk_rcvbuf))
		WRITE_ONCE(tcp->sk_rcvbuf, sk->sk_rcvbuf);
}

static void sync_pacing(const struct sock *sk, struct sock *tcp)
{
	if (sk->sk_max_pacing_rate == tcp->sk_max_pacing_rate)
		return;
	cmpxchg(&tcp->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	tcp->sk_max_pacing_rate = sk->sk_max_pacing_rate;
	tcp->sk_pacing_rate = min(tcp->sk_pacing_rate, tcp->sk_max_pacing_rate);
}

/**
 * prp_inet_sync() - tell the companion options of SOL_SOCKET
 * @sk: socket
 * @companion: its companion, which is about to be used
 */
void prp_inet_sync(const struct sock *sk, struct socket *companion)
{
	bool keep = sock_flag(sk, SOCK_KEEPOPEN);
	struct sock *tcp = companion->sk;

	if (likely(is_synced(sk, tcp)))
		return;
	lock_sock(tcp);
	if (keep != sock_flag(tcp, SOCK_KEEPOPEN) && tcp->sk_prot->keepalive)
		tcp->sk_prot->keepalive(tcp, keep);
	tcp->sk_flags &= ~SYNC_FLAGS;
	tcp->sk_flags |= sk->sk_flags & SYNC_FLAGS;
	tcp->sk_tsflags = (tcp->sk_tsflags & ~SYNC_STAMPS) | sync_stamps(sk);
	tcp->sk_rcvtimeo = sk->sk_rcvtimeo;
	tcp->sk_sndtimeo = sk->sk_sndtimeo;
	tcp->sk_lingertime = sk->sk_lingertime;
	tcp->sk_reuse = sk->sk_reuse;
	if (sk->sk_priority)
		tcp->sk_priority = sk->sk_priority;
	if (sk->sk_mark)
		tcp->sk_mark = sk->sk_mark;
	if (sk->sk_bound_dev_if)
		tcp->sk_bound_dev_if = sk->sk_bound_dev_if;
	if (sk->sk_rcvlowat != tcp->sk_rcvlowat && companion->ops->set_rcvlowat)
		companion->ops->set_rcvlowat(tcp, sk->sk_rcvlowat);
	sync_buffers(sk, tcp);
	sync_pacing(sk, tcp);
	release_sock(tcp);
}

/**
 * prp_inet_set_rcvlowat() - SO_RCVLOWAT
 * @sk: socket, its sk_lock held
 * @val: bytes
 *
 * Return: what prp_set_rcvlowat() or TCP does.
 */
int prp_inet_set_rcvlowat(struct sock *sk, int val)
{
	struct socket *tcp = prp_inet_tcp(sk);
	int err;

	if (!tcp)
		return prp_set_rcvlowat(sk, val);
	prp_inet_sync(sk, tcp);
	lock_sock(tcp->sk);
	err = tcp->ops->set_rcvlowat(tcp->sk, val);
	WRITE_ONCE(sk->sk_rcvlowat, tcp->sk->sk_rcvlowat);
	release_sock(tcp->sk);
	return err;
}

static void set_timeout(struct sock *sk, u32 ms)
{
	prp_inet(sk)->user_timeout = ms;
	prp_sock_set_timeout(sk, ms ? clamp_t(u32, ms, TIMEOUT_MS_MIN,
					      TIMEOUT_MS_MAX) :
				      0);
}

static void set_cork(struct sock *sk, bool corked)
{
	struct prp_conn *conn;

	WRITE_ONCE(prp_inet(sk)->corked, corked);
	conn = prp_sock_conn(prp_sk(sk));
	if (!corked && conn)
		prp_send_uncork(conn);
}

/* An option that PRP knows and TCP has no objection to. */
static int set_known(struct sock *sk, int name, sockptr_t val, unsigned int len)
{
	struct prp_inet *inet = prp_inet(sk);
	int value, err = 0;

	if (len < sizeof(value))
		return -EINVAL;
	if (copy_from_sockptr(&value, val, sizeof(value)))
		return -EFAULT;
	if (name == TCP_USER_TIMEOUT && value < 0)
		return -EINVAL;
	lock_sock(sk);
	switch (name) {
	case TCP_NODELAY:
		inet->nodelay = value;
		break;
	case TCP_QUICKACK:
		inet->quickack = value & 1;
		break;
	case TCP_CORK:
		set_cork(sk, value);
		break;
	case TCP_USER_TIMEOUT:
		set_timeout(sk, value);
		break;
	case TCP_NOTSENT_LOWAT:
		prp_sock_set_notsent(sk, value);
		break;
	default:
		err = prp_keepalive_set(sk, keep_name(name), value);
	}
	release_sock(sk);
	return err;
}

/* An option of TCP's, or of IP's. Return: 0 or a negative errno. */
static int set_other(struct sock *sk, int level, int name, sockptr_t val,
		     unsigned int len)
{
	bool known = level == IPPROTO_TCP && is_known(name);
	struct socket *tcp = opt_companion(sk, !known);
	int err;

	if (IS_ERR(tcp))
		return PTR_ERR(tcp);
	if (tcp) {
		err = tcp->ops->setsockopt(tcp, level, name, val, len);
		if (err || !known || prp_inet_tcp(sk))
			return err;
	}
	return set_known(sk, name, val, len);
}

/**
 * prp_inet_setsockopt() - set an option
 * @sock: socket
 * @level: level
 * @name: option
 * @val: value
 * @len: its length
 *
 * Return: 0 or a negative errno.
 */
int prp_inet_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
			unsigned int len)
{
	struct sock *sk = sock->sk;
	u8 only;
	int err;

	if (level == SOL_PRP)
		return prp_inet_set_own(sock, name, val, len);
	if (level == SOL_SOCKET)
		return set_socket(sock, name, val, len);
	only = prp_inet_tcp(sk) ? 0 : only_tcp_bit(level, name);
	if (only && opt_is_too_late(sk))
		return -EOPNOTSUPP;
	err = set_other(sk, level, name, val, len);
	/* one that TCP refuses leaves nothing behind */
	if (only && !err)
		opt_take_tcp(sk, only, opt_is_off(name, val, len));
	return err;
}

/* PRP's figures under TCP's names. */
static void fill_tcp_info(struct sock *sk, struct tcp_info *info)
{
	u64 unacked, unsent;
	struct prp_info prp;

	memset(info, 0, sizeof(*info));
	prp_sock_info(sk, &prp, &unacked, &unsent);
	info->tcpi_state = prp.prpi_state;
	info->tcpi_rto = prp.prpi_rtt_us + 4 * prp.prpi_rttvar_us;
	info->tcpi_snd_mss = prp.prpi_seg_size;
	info->tcpi_rcv_mss = prp.prpi_seg_size;
	info->tcpi_advmss = prp.prpi_seg_size;
	info->tcpi_pmtu = prp.prpi_seg_size + sizeof(struct prp_hdr);
	info->tcpi_unacked = prp.prpi_in_flight;
	info->tcpi_total_retrans = prp.prpi_segs_repeated;
	info->tcpi_rtt = prp.prpi_rtt_us;
	info->tcpi_rttvar = prp.prpi_rttvar_us;
	info->tcpi_min_rtt = prp.prpi_rtt_us;
	info->tcpi_snd_ssthresh = INT_MAX;
	info->tcpi_snd_cwnd = prp.prpi_cwnd;
	info->tcpi_reordering = prp.prpi_reorder;
	info->tcpi_rcv_space = READ_ONCE(sk->sk_rcvbuf);
	info->tcpi_snd_wnd = prp.prpi_snd_wnd * prp.prpi_seg_size;
	info->tcpi_pacing_rate = ~0ULL;
	info->tcpi_max_pacing_rate = ~0ULL;
	info->tcpi_bytes_sent = prp.prpi_bytes_out;
	info->tcpi_bytes_acked = prp.prpi_bytes_out - (unacked - unsent);
	info->tcpi_bytes_received = prp.prpi_bytes_in;
	info->tcpi_notsent_bytes = min_t(u64, unsent, U32_MAX);
	info->tcpi_data_segs_out = prp.prpi_segs_out;
	info->tcpi_data_segs_in = prp.prpi_segs_in;
	info->tcpi_segs_out =
		prp.prpi_segs_out + prp.prpi_acks_out + prp.prpi_probes_out;
	info->tcpi_segs_in =
		prp.prpi_segs_in + prp.prpi_segs_dup_in + prp.prpi_acks_in;
}

/* What PRP answers itself. Return: length, or -ENOPROTOOPT. */
static int get_known(struct sock *sk, int name, struct tcp_info *info)
{
	const struct prp_inet *inet = prp_inet(sk);
	int *value = (int *)info;

	switch (name) {
	case TCP_NODELAY:
		*value = inet->nodelay;
		return sizeof(*value);
	case TCP_QUICKACK:
		*value = inet->quickack;
		return sizeof(*value);
	case TCP_CORK:
		*value = inet->corked;
		return sizeof(*value);
	case TCP_USER_TIMEOUT:
		*value = inet->user_timeout;
		return sizeof(*value);
	case TCP_NOTSENT_LOWAT:
		*value = prp_sk(sk)->notsent_lowat;
		return sizeof(*value);
	case TCP_KEEPIDLE:
	case TCP_KEEPINTVL:
	case TCP_KEEPCNT:
		*value = prp_keepalive_get(sk, keep_name(name));
		return sizeof(*value);
	case TCP_MAXSEG:
		fill_tcp_info(sk, info);
		*value = info->tcpi_snd_mss;
		return sizeof(*value);
	case TCP_INFO:
		fill_tcp_info(sk, info);
		return sizeof(*info);
	}
	return -ENOPROTOOPT;
}

/**
 * prp_inet_getsockopt() - read an option
 * @sock: socket
 * @level: level; SOL_SOCKET is not told to the protocol
 * @name: option
 * @val: where to
 * @len: room there; set to what was written
 *
 * Return: 0 or a negative errno.
 */
int prp_inet_getsockopt(struct socket *sock, int level, int name,
			char __user *val, int __user *len)
{
	struct sock *sk = sock->sk;
	struct tcp_info info;
	struct socket *tcp;
	int n, room;

	if (level == SOL_PRP)
		return prp_inet_get_own(sock, name, val, len);
	if (level == IPPROTO_TCP &&
	    (READ_ONCE(prp_inet(sk)->path) == PRP_PATH_PRP ||
	     READ_ONCE(sk->sk_state) == PRP_CONN_WAIT)) {
		n = get_known(sk, name, &info);
		if (n >= 0) {
			if (get_user(room, len))
				return -EFAULT;
			if (room < 0)
				return -EINVAL;
			n = min(n, room);
			return put_user(n, len) || copy_to_user(val, &info, n) ?
				       -EFAULT :
				       0;
		}
	}
	tcp = opt_companion(sk, true);
	if (IS_ERR(tcp))
		return PTR_ERR(tcp);
	return tcp->ops->getsockopt(tcp, level, name, val, len);
}
