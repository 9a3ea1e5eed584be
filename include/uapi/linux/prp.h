/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * PRP, the PaRma Protocol: what a program needs to know.
 *
 * This is the cluster transport of the PARMA2 project (Parma, 1997), not the
 * Parallel Redundancy Protocol of IEC 62439-3 (net/hsr).
 */
#ifndef _UAPI_LINUX_PRP_H
#define _UAPI_LINUX_PRP_H

#include <linux/socket.h>
#include <linux/types.h>

/*
 * Out of tree a family number must lie below the kernel's AF_MAX; 19 was
 * ECONET's, removed in Linux 3.5, and no kernel has given it away since.
 */
#define AF_PRP 19
#define PF_PRP AF_PRP

/* IEEE 802 local experimental EtherType 1; settable per namespace. */
#define PRP_ETHERTYPE 0x88B5

/*
 * The IP mode: value of TCP_ULP for a socket of AF_INET or AF_INET6 that is as
 * new. Its connection is PRP's where the host table knows the peer's IP address
 * and the peer answers, TCP's where not; see PRP_PATH.
 */
#define PRP_ULP "prp"

/* getsockopt() and setsockopt() level. */
#define SOL_PRP 290

/* Values of sockaddr_prp.sprp_addr and .sprp_port that mean something else */
#define PRP_ADDR_ANY 0 /* bind(): this node */
#define PRP_PORT_AUTO 0 /* bind(): any free port */
#define PRP_NODE_MAX 0xfffe /* largest node number */

/**
 * struct sockaddr_prp - address of one end of a connection, 16 bytes
 * @sprp_family: AF_PRP, host byte order
 * @sprp_port: port, network byte order; 0 asks bind() for a free one
 * @sprp_addr: logical number of the node, network byte order; 0 is "any"
 * @sprp_net: virtual network, network byte order; must be 0 for now
 * @sprp_zero: must be 0
 */
struct sockaddr_prp {
	__kernel_sa_family_t sprp_family;
	__be16 sprp_port;
	__be16 sprp_addr;
	__be16 sprp_net;
	__u8 sprp_zero[8];
};

/* Socket options at level SOL_PRP; what they mean is in prp(7). */
#define PRP_INFO 1 /* struct prp_info, read only */
#define PRP_USER_TIMEOUT 2 /* __u32, ms */
#define PRP_PATH 3 /* __u32, read only: PRP_PATH_* */
#define PRP_CHECKSUM 4 /* __u32, 0 or 1 */
#define PRP_NODE 5 /* __u32, read only */
#define PRP_WHY 6 /* struct prp_why, read only, IP mode */
#define PRP_REQUIRE 7 /* __u32, 0 or 1, IP mode */
#define PRP_KEEPIDLE 8 /* __u32, s */
#define PRP_KEEPINTVL 9 /* __u32, s */
#define PRP_KEEPCNT 10 /* __u32 */
#define PRP_NOTSENT_LOWAT 11 /* __u32, bytes */
#define PRP_REUSEPORT 12 /* __u32, 0 or 1, not in the IP mode */
#define PRP_NODELAY 13 /* __u32, 0 or 1 */
#define PRP_ZEROCOPY 14 /* __u32, 0 or 1, not in the IP mode */

/* Type of the control message of level SOL_PRP that recvmsg() has with
 * MSG_ERRQUEUE: struct sock_extended_err
 */
#define PRP_ERRQUEUE 15

/* What carries a socket's connection: PRP_PATH */
#define PRP_PATH_NONE 0 /* not decided yet */
#define PRP_PATH_PRP 1
#define PRP_PATH_TCP 2 /* IP mode only */

/* Why TCP carries it, and not PRP: prp_why.prpw_reason */
#define PRP_WHY_NONE 0 /* TCP does not, or it is not decided yet */
#define PRP_WHY_UNKNOWN 1 /* the peer's address is not in the host table */
#define PRP_WHY_REFUSED 2 /* nobody there listens at the port in the IP mode */
#define PRP_WHY_DENIED 3 /* by the accept list there, or our connect list */
#define PRP_WHY_SILENT 4 /* the node did not answer in time */
#define PRP_WHY_OPTION 5 /* an option is set that only TCP honours */
#define PRP_WHY_SOURCE 6 /* the table has no address of ours to come from */
#define PRP_WHY_NO_ROUTE 7 /* no rail or no way to the node */
#define PRP_WHY_FEATURES 8 /* one node must have what the other has not */
#define PRP_WHY_OTHER 9 /* no memory or no port here */
#define PRP_WHY_IPSEC 10 /* a policy of IPsec is for it */
#define PRP_WHY_CGROUP 11 /* a program of its cgroup's is to see it */

/**
 * struct prp_why - what getsockopt(SOL_PRP, PRP_WHY) tells of a socket
 * @prpw_reason: PRP_WHY_*
 * @prpw_remembered: 1 if an earlier connect() found it, and PRP was not asked
 *	again
 * @prpw_level: level of the option with PRP_WHY_OPTION, else 0
 * @prpw_name: its name
 */
struct prp_why {
	__u32 prpw_reason;
	__u32 prpw_remembered;
	__s32 prpw_level;
	__s32 prpw_name;
};

/* prp_info.prpi_state; the numbers are those of the equal TCP states. */
#define PRP_ESTABLISHED 1
#define PRP_CONN_WAIT 2
#define PRP_CLOSE 7
#define PRP_LISTEN 10

/* How the congestion window is found: prp_info.prpi_mode */
#define PRP_MODE_START 0 /* doubled each round trip */
#define PRP_MODE_ALONE 1 /* by how long segments wait in a queue */
#define PRP_MODE_SHARE 2 /* as TCP does: others keep a queue */
#define PRP_MODE_POLICED 3 /* by losses, at a port without a queue */

/**
 * struct prp_info - what getsockopt(SOL_PRP, PRP_INFO) tells of a connection
 * @prpi_state: PRP_CLOSE, PRP_CONN_WAIT, PRP_LISTEN or PRP_ESTABLISHED
 * @prpi_seg_size: largest payload of a segment, bytes
 * @prpi_rtt_us: smoothed round-trip time, microseconds; 0 before the first
 * @prpi_rttvar_us: its mean deviation, microseconds
 * @prpi_cwnd: congestion window, segments
 * @prpi_in_flight: segments sent and not acknowledged
 * @prpi_in_flight_max: largest value that @prpi_in_flight has had
 * @prpi_snd_wnd: segments the peer lets us send beyond what it acknowledged
 * @prpi_rcv_wnd: segments we let the peer send
 * @prpi_queued: segments waiting to be sent for the first time
 * @prpi_reorder: reordering seen on the path, in transmissions
 * @prpi_path_size: largest payload that the way to the peer carries in one
 *	frame, bytes; segments that are longer go out in fragments
 * @prpi_segs_out: numbered segments sent, with those sent again
 * @prpi_segs_retransmitted: of these, sent again
 * @prpi_segs_in: numbered segments received in the window and not before
 * @prpi_segs_dup_in: numbered segments received that were here already
 * @prpi_acks_out: frames sent that carried nothing but an acknowledgment
 * @prpi_acks_in: such frames received
 * @prpi_probes_out: tail and window probes sent
 * @prpi_bytes_out: bytes of user data sent for the first time
 * @prpi_bytes_in: bytes of user data received in order
 * @prpi_min_rtt_us: shortest round trip of late, microseconds; 0 before the
 *	first
 * @prpi_mode: how the congestion window is found: PRP_MODE_START (doubled each
 *	round trip), PRP_MODE_ALONE (by how long segments wait in a queue),
 *	PRP_MODE_SHARE (as TCP does: others keep a queue) or PRP_MODE_POLICED
 *	(by losses, at a port without a queue)
 * @prpi_pace: bytes a second that may leave, with what frames need besides; all
 *	bits set before a round trip is known
 */
struct prp_info {
	__u32 prpi_state;
	__u32 prpi_seg_size;
	__u32 prpi_rtt_us;
	__u32 prpi_rttvar_us;
	__u32 prpi_cwnd;
	__u32 prpi_in_flight;
	__u32 prpi_in_flight_max;
	__u32 prpi_snd_wnd;
	__u32 prpi_rcv_wnd;
	__u32 prpi_queued;
	__u32 prpi_reorder;
	__u32 prpi_path_size;
	__u64 prpi_segs_out;
	__u64 prpi_segs_retransmitted;
	__u64 prpi_segs_in;
	__u64 prpi_segs_dup_in;
	__u64 prpi_acks_out;
	__u64 prpi_acks_in;
	__u64 prpi_probes_out;
	__u64 prpi_bytes_out;
	__u64 prpi_bytes_in;
	__u32 prpi_min_rtt_us;
	__u32 prpi_mode;
	__u64 prpi_pace;
};

#endif /* _UAPI_LINUX_PRP_H */
