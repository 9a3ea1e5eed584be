// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options in the IP mode. TCP judges and keeps all of them; what PRP can
 * honour is told to it, too:
 *
 * SOL_SOCKET
 *   The kernel sets and reads these in TCP's sock without asking anybody, and
 *   PRP looks for them there (prp_front()); but
 *   SO_BINDTODEVICE, SO_BINDTOIFINDEX, SO_ATTACH_FILTER, SO_ATTACH_BPF
 *                      TCP carries the connection, and those of a listener's
 *                      clients to come; later they are TCP's alone
 *   SO_ATTACH_REUSEPORT_*, SO_DETACH_REUSEPORT_BPF
 *                      of TCP's children; PRP's are spread by a hash
 *   SO_ZEROCOPY        PRP's notes are in TCP's queue of errors
 * IPPROTO_TCP, where PRP carries the connection
 *   TCP_NODELAY        PRP_NODELAY
 *   TCP_QUICKACK       kept; acknowledgments follow buffers, not timers
 *   TCP_CORK           a segment that is not full waits, 2 ms at most
 *   TCP_USER_TIMEOUT   PRP_USER_TIMEOUT, moved into the bounds of that
 *   TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT
 *                      PRP_KEEPIDLE, PRP_KEEPINTVL, PRP_KEEPCNT
 *   TCP_NOTSENT_LOWAT  PRP_NOTSENT_LOWAT
 *   TCP_INQ            what is left to be read, with each recvmsg()
 *   TCP_MAXSEG         read: payload of a segment
 *   TCP_INFO           read: PRP's figures; what it has not is 0. Of a
 *                      listener TCP's, and in its queue those of both
 *   TCP_MD5SIG, TCP_MD5SIG_EXT, TCP_REPAIR, TCP_FASTOPEN_CONNECT
 *                      before connect(), or of a listener: TCP carries it;
 *                      after: EOPNOTSUPP
 *   TCP_ULP            there is one, ours: EEXIST
 *   others             TCP_CONGESTION, TCP_SYNCNT and so on: kept, and what
 *                      children of TCP's have from a listener ours have, too
 * IPV6_ADDRFORM        refused: it would take our functions off the socket
 * Other levels         TCP's
 */
#include <linux/tcp.h>
#include <net/sock.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "socket/keepalive.h"
#include "transport/output.h"

#define TIMEOUT_MS_MIN 100
#define TIMEOUT_MS_MAX 3600000

/* Options of IPPROTO_TCP that only TCP can honour; of those of SOL_SOCKET see
 * prp_inet_sockopt_only_tcp()
 */
static const int only_tcp[] = {
	TCP_MD5SIG,	      TCP_MD5SIG_EXT, TCP_REPAIR,
	TCP_FASTOPEN_CONNECT, TCP_AO_ADD_KEY, TCP_AO_REPAIR,
};

/* Options that PRP does not know, and TCP's children have from their listener:
 * so have ours. TCP_CONGESTION, which is a string, is beside them.
 */
static const struct {
	int level;
	int name;
} inherited[] = {
	{ IPPROTO_TCP, TCP_LINGER2 },
	{ IPPROTO_TCP, TCP_SYNCNT },
	{ IPPROTO_IP, IP_TOS },
	{ IPPROTO_IP, IP_TTL },
	{ IPPROTO_IP, IP_MTU_DISCOVER },
	{ IPPROTO_IPV6, IPV6_TCLASS },
	{ IPPROTO_IPV6, IPV6_UNICAST_HOPS },
	{ IPPROTO_IPV6, IPV6_MTU_DISCOVER },
	{ IPPROTO_IPV6, IPV6_V6ONLY },
};

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
	       name == TCP_NOTSENT_LOWAT || name == TCP_INQ || keep_name(name);
}

/**
 * prp_inet_sockopt_only_tcp() - is only TCP to carry a socket's connection?
 * @sk: socket, its sk_lock held
 * @why: set to the option that says so
 *
 * Return: true if one does.
 */
bool prp_inet_sockopt_only_tcp(const struct sock *sk, struct prp_why *why)
{
	const struct prp_inet *inet = prp_inet(sk);
	const struct sock *front = prp_front(sk);

	why->prpw_level = SOL_SOCKET;
	if (rcu_access_pointer(front->sk_filter)) {
		why->prpw_name = SO_ATTACH_FILTER;
	} else if (front->sk_bound_dev_if) {
		why->prpw_name = SO_BINDTODEVICE;
	} else if (inet->only_tcp) {
		why->prpw_level = IPPROTO_TCP;
		why->prpw_name = only_tcp[__ffs(inet->only_tcp)];
	} else {
		why->prpw_level = 0;
	}
	return why->prpw_level;
}

/* TCP's socket for an option; a child of PRP's gets none where PRP can do
 * without. It stays, since the caller is in a call of the socket. Return: it,
 * NULL, or an error pointer.
 */
static struct socket *opt_companion(struct sock *sk, bool needed)
{
	struct socket *tcp;

	lock_sock(sk);
	tcp = needed ? prp_inet_sockopt_companion(sk) : prp_inet(sk)->tcp;
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
	WRITE_ONCE(inet->only_tcp,
		   off ? inet->only_tcp & ~bit : inet->only_tcp | bit);
	release_sock(sk);
}

/**
 * prp_inet_set_rcvlowat() - SO_RCVLOWAT
 * @front: sock of the program's descriptor, its sk_lock held
 * @val: bytes
 *
 * Return: what prp_set_rcvlowat() or TCP does.
 */
int prp_inet_set_rcvlowat(struct sock *front, int val)
{
	struct prp_inet *inet = prp_inet_of(front->sk_socket);
	int err = 0;

	if (!inet) /* a program of BPF, while TCP lingers in close() */
		return 0;
	if (!prp_inet_is_child(inet) && inet->tcp_ops->set_rcvlowat)
		err = inet->tcp_ops->set_rcvlowat(front, val);
	return err ?: prp_set_rcvlowat(inet->sk, val);
}

/**
 * prp_inet_set_rcvbuf() - SO_RCVBUF is set
 * @front: sock of the program's descriptor, its sk_lock held
 * @val: bytes
 */
void prp_inet_set_rcvbuf(struct sock *front, int val)
{
	const struct prp_inet *inet = prp_inet_of(front->sk_socket);

	if (inet && !prp_inet_is_child(inet))
		prp_compat_set_rcvbuf(inet->tcp_ops, front, val);
}

static void set_timeout(struct sock *sk, u32 ms)
{
	prp_inet(sk)->user_timeout = ms;
	prp_sockopt_set_timeout(sk, ms ? clamp_t(u32, ms, TIMEOUT_MS_MIN,
						 TIMEOUT_MS_MAX) :
					 0);
}

static void set_cork(struct sock *sk, bool corked)
{
	struct prp_conn *conn;

	WRITE_ONCE(prp_inet(sk)->corked, corked);
	conn = prp_sock_conn(prp_sk(sk));
	if (!corked && conn)
		prp_output_uncork(conn);
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
	if ((name == TCP_USER_TIMEOUT && value < 0) ||
	    (name == TCP_INQ && (value < 0 || value > 1)))
		return -EINVAL;
	lock_sock(sk);
	switch (name) {
	case TCP_NODELAY:
		prp_sockopt_set_nodelay(sk, value);
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
		prp_sockopt_set_notsent(sk, value);
		break;
	case TCP_INQ:
		WRITE_ONCE(inet->inq, value);
		break;
	default:
		err = prp_keepalive_set(sk, keep_name(name), value);
	}
	release_sock(sk);
	return err;
}

static bool is_cong(int level, int name)
{
	return level == IPPROTO_TCP && name == TCP_CONGESTION;
}

/* Return: the option's place in inherited[], or -1. */
static int inherited_at(int level, int name)
{
	int i;

	BUILD_BUG_ON(ARRAY_SIZE(inherited) != PRP_INET_INHERITED);
	for (i = 0; i < ARRAY_SIZE(inherited); i++)
		if (inherited[i].level == level && inherited[i].name == name)
			return i;
	return -1;
}

/* TCP has taken an option; of IP's a single byte will do. */
static void opt_remember(struct sock *sk, int level, int name, sockptr_t val,
			 unsigned int len)
{
	struct prp_inet_inherited *to = &prp_inet(sk)->inherited;
	char cong[TCP_CA_NAME_MAX] = {};
	int at = inherited_at(level, name), number = 0;
	u8 byte = 0;

	if (is_cong(level, name)) {
		if (copy_from_sockptr(cong, val,
				      min_t(size_t, len, sizeof(cong) - 1)))
			return;
		lock_sock(sk);
		memcpy(to->cong, cong, sizeof(cong));
		release_sock(sk);
	}
	if (at < 0)
		return;
	/* none at all is a 0 to some */
	if (len >= sizeof(number)) {
		if (copy_from_sockptr(&number, val, sizeof(number)))
			return;
	} else if (len) {
		if (copy_from_sockptr(&byte, val, sizeof(byte)))
			return;
		number = byte;
	}
	lock_sock(sk);
	to->numbers[at] = number;
	to->given |= BIT(at);
	release_sock(sk);
}

/* Give a child's companion what its listener was given. TCP took all of it
 * before. What it takes only from the privileged may be refused to who asks
 * now: then the companion keeps its own.
 */
static void companion_inherit(const struct prp_inet *inet, struct socket *tcp)
{
	struct prp_inet_inherited from = inet->inherited;
	unsigned int i;

	sock_owned_by_me(inet->sk);
	for (i = 0; i < ARRAY_SIZE(inherited); i++)
		if (from.given & BIT(i))
			tcp->ops->setsockopt(tcp, inherited[i].level,
					     inherited[i].name,
					     KERNEL_SOCKPTR(&from.numbers[i]),
					     sizeof(from.numbers[i]));
	if (from.cong[0])
		tcp->ops->setsockopt(tcp, IPPROTO_TCP, TCP_CONGESTION,
				     KERNEL_SOCKPTR(from.cong),
				     strlen(from.cong));
}

/**
 * prp_inet_sockopt_companion() - where a socket's options of TCP's are kept
 * @sk: socket, its sk_lock held; not closed
 *
 * A child of PRP's gets a socket of TCP's for that, which never connects and
 * has what the listener was given.
 *
 * Return: TCP's socket, or an error pointer.
 */
struct socket *prp_inet_sockopt_companion(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);
	struct socket *tcp;
	int err;

	sock_owned_by_me(sk);
	if (inet->tcp)
		return inet->tcp;
	err = __sock_create(sock_net(sk), inet->family, SOCK_STREAM,
			    IPPROTO_TCP, &tcp, 0);
	if (err)
		return ERR_PTR(err);
	inet->tcp_ops = tcp->ops;
	companion_inherit(inet, tcp);
	WRITE_ONCE(inet->tcp, tcp);
	return tcp;
}

/* Have TCP set an option. IP_TOS sets the priority, too, which a child has in
 * its own sock. Return: 0 or a negative errno.
 */
static int set_tcps(const struct prp_inet *inet, struct socket *tcp, int level,
		    int name, sockptr_t val, unsigned int len)
{
	struct sock *sk = inet->sk;
	int err;

	if (!prp_inet_is_child(inet))
		return inet->tcp_ops->setsockopt(tcp, level, name, val, len);
	WRITE_ONCE(tcp->sk->sk_priority, READ_ONCE(sk->sk_priority));
	err = inet->tcp_ops->setsockopt(tcp, level, name, val, len);
	WRITE_ONCE(sk->sk_priority, READ_ONCE(tcp->sk->sk_priority));
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
		err = set_tcps(prp_inet(sk), tcp, level, name, val, len);
		if (!err && !known)
			opt_remember(sk, level, name, val, len);
		if (err || !known)
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
	const struct prp_inet *inet = prp_inet_of(sock);
	struct sock *sk = inet->sk;
	u8 only;
	int err;

	if (level == SOL_PRP)
		return prp_inet_prpopt_set(sk, name, val, len);
	if (level == IPPROTO_IPV6 && name == IPV6_ADDRFORM)
		return -EOPNOTSUPP;
	/* it has ours, of which its companion knows nothing */
	if (level == IPPROTO_TCP && name == TCP_ULP && prp_inet_is_child(inet))
		return -EEXIST;
	only = only_tcp_bit(level, name);
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
	prp_sockopt_info(sk, &prp, &unacked, &unsent);
	info->tcpi_state = prp.prpi_state;
	info->tcpi_rto = prp.prpi_rtt_us + 4 * prp.prpi_rttvar_us;
	info->tcpi_snd_mss = prp.prpi_seg_size;
	info->tcpi_rcv_mss = prp.prpi_seg_size;
	info->tcpi_advmss = prp.prpi_seg_size;
	info->tcpi_pmtu = prp.prpi_seg_size + sizeof(struct prp_hdr);
	info->tcpi_unacked = prp.prpi_in_flight;
	info->tcpi_total_retrans = prp.prpi_segs_retransmitted;
	info->tcpi_rtt = prp.prpi_rtt_us;
	info->tcpi_rttvar = prp.prpi_rttvar_us;
	info->tcpi_min_rtt = prp.prpi_min_rtt_us;
	info->tcpi_snd_ssthresh = INT_MAX;
	info->tcpi_snd_cwnd = prp.prpi_cwnd;
	info->tcpi_reordering = prp.prpi_reorder;
	info->tcpi_rcv_space = prp_rcvbuf(sk);
	info->tcpi_snd_wnd = prp.prpi_snd_wnd * prp.prpi_seg_size;
	info->tcpi_pacing_rate = prp.prpi_pace;
	info->tcpi_max_pacing_rate = prp_pacing_max(sk);
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
		*value = prp_sk(sk)->nodelay;
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
	case TCP_INQ:
		*value = inet->inq;
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

/* TCP has told how many of its children wait for accept(): ours do, too.
 * Return: 0 or -EFAULT.
 */
static int info_add_waiting(const struct prp_sock *psk, char __user *val,
			    const int __user *len)
{
	const size_t at = offsetof(struct tcp_info, tcpi_unacked);
	u32 __user *unacked = (u32 __user *)(val + at);
	u32 count;
	int n;

	if (get_user(n, len))
		return -EFAULT;
	if (n < (int)(at + sizeof(count)))
		return 0;
	if (get_user(count, unacked))
		return -EFAULT;
	return put_user(count + prp_sock_waiting(psk), unacked);
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
	const struct prp_inet *inet = prp_inet_of(sock);
	struct sock *sk = inet->sk;
	struct tcp_info info;
	struct socket *tcp;
	int n, room, err;

	if (level == SOL_PRP)
		return prp_inet_prpopt_get(sk, name, val, len);
	if (level == IPPROTO_TCP &&
	    (READ_ONCE(inet->path) == PRP_PATH_PRP ||
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
	err = inet->tcp_ops->getsockopt(tcp, level, name, val, len);
	if (!err && level == IPPROTO_TCP && name == TCP_INFO &&
	    READ_ONCE(sk->sk_state) == PRP_LISTEN)
		err = info_add_waiting(prp_sk(sk), val, len);
	return err;
}
