/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a namespace. Every received frame that is dropped is counted
 * under exactly one PRP_DROP reason; drop_rate and some of drop_no_route are of
 * frames that we did not send. Every other one is a segment, a fragment of one,
 * a control or forwarded, so that
 *
 *	frames_in = segs_in + fragments_in - segs_joined + controls_in +
 *		    forwarded + the reasons
 *
 * where no drop_no_route was of a frame that we did not send. One list makes
 * the numbers, the names that netlink shows, and by `make docs` the meanings in
 * prp.rst. PRP_LIVE count
 * up and down: what was made and is not freed yet.
 *
 * Frames are counted by rail; frames_in and frames_out are sums over the rails.
 */
#ifndef _PRP_MIB_H
#define _PRP_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>

/* Tables, a row a line */
/* clang-format off */
/* X(symbol, "name in prpctl stats", "meaning") */
#define PRP_MIB_LIST(X) \
	X(FRAMES_IN, "frames_in", "frames received") \
	X(FRAMES_OUT, "frames_out", "frames handed to a device") \
	X(SEGS_IN, "segs_in", "numbered segments accepted") \
	X(SEGS_OUT, "segs_out", \
	  "numbered segments sent, retransmissions included") \
	X(SEGS_RETRANSMITTED, "segs_retransmitted", \
	  "numbered segments sent again") \
	X(SEGS_LATE, "segs_late", "segments out of order, kept") \
	X(SEGS_MERGED, "segs_merged", \
	  "segments that came in one buffer with the one before them") \
	X(ACKS_IN, "acks_in", "frames received with only an acknowledgment") \
	X(ACKS_OUT, "acks_out", "frames sent with only an acknowledgment") \
	X(CONTROLS_IN, "controls_in", \
	  "frames received without a segment, accepted") \
	X(PROBES_OUT, "probes_out", "tail and window probes sent") \
	X(RETRANSMITS_SPURIOUS, "retransmits_spurious", \
	  "retransmissions of what had arrived") \
	X(LOCAL_DROPS, "local_drops", "frames refused by the queue below") \
	X(CWND_CUTS, "cwnd_cuts", "times a congestion window was cut") \
	X(CROWDS, "crowds", \
	  "times a connection began to send as one of many") \
	X(REQUESTS_OUT, "requests_out", \
	  "connection requests sent, first ones") \
	X(REQUESTS_IN, "requests_in", "connection requests received") \
	X(REQUESTS_RETRANSMITTED, "requests_retransmitted", \
	  "connection requests sent again") \
	X(ANSWERS_RETRANSMITTED, "answers_retransmitted", \
	  "answers to a request sent again") \
	X(CONFIRMS_RETRANSMITTED, "confirms_retransmitted", \
	  "confirmations of an answer sent again") \
	X(COOKIES_OUT, "cookies_out", \
	  "answers that left nothing behind here but a cookie") \
	X(COOKIES_IN, "cookies_in", \
	  "children made when such a cookie came back") \
	X(MARKS_IN, "marks_in", "frames that met congestion on their way") \
	X(RAILS_LEFT, "rails_left", "times a rail to a node was left") \
	X(RAILS_BACK, "rails_back", "times such a rail was taken back") \
	X(SIZES_FOUND, "sizes_found", \
	  "times it was found how long a frame may be on a way") \
	X(CONNS_OPENED, "conns_opened", "connections created") \
	X(CONNS_CLOSED, "conns_closed", "connections freed") \
	X(CONNS_ESTABLISHED, "conns_established", "connections established") \
	X(RESETS_OUT, "resets_out", "resets sent") \
	X(RESETS_IN, "resets_in", "resets believed") \
	X(TIMEOUTS, "timeouts", "connections failed without an answer") \
	X(UNCONFIRMED_EXPIRED, "unconfirmed_expired", \
	  "children whose client never confirmed") \
	X(FORWARDED, "forwarded", "frames of others passed on") \
	X(ERRORS_OUT, "errors_out", \
	  "told a sender why its frame went no further") \
	X(ERRORS_IN, "errors_in", "told so by a forwarder, and believed it") \
	X(FRAGMENTS_OUT, "fragments_out", "fragments of segments sent") \
	X(FRAGMENTS_IN, "fragments_in", "fragments of segments taken") \
	X(SEGS_JOINED, "segs_joined", "segments put together of fragments") \
	X(QUERIES_OUT, "queries_out", "queries about nodes sent") \
	X(REPLIES_IN, "replies_in", "replies to them") \
	X(REPLIES_OUT, "replies_out", "queries of others replied to") \
	X(TABLE_DIFFERS, "table_differs", \
	  "handshakes with another host table") \
	X(RECORDS_MADE, "records_made", "closed records made") \
	X(RECORDS_EVICTED, "records_evicted", \
	  "closed records dropped or not made, for room") \
	X(ORPHANS_MADE, "orphans_made", "closed sockets left to deliver") \
	X(ORPHANS_KILLED, "orphans_killed", \
	  "of these, reset for room or time") \
	X(FAULTS_DELAYED, "faults_delayed", \
	  "frames held, by an injected fault") \
	X(FAULTS_DUPLICATED, "faults_duplicated", \
	  "frames received once and taken twice, by an injected fault") \
	X(FAULTS_CORRUPTED, "faults_corrupted", \
	  "frames with a bit flipped, by an injected fault") \
	X(IP_PRP_OUT, "ip_prp_out", "IP mode: connect() carried by PRP") \
	X(IP_PRP_IN, "ip_prp_in", "IP mode: requests of PRP taken") \
	X(IP_TCP_UNKNOWN, "ip_tcp_unknown", \
	  "IP mode: TCP, address not in the host table") \
	X(IP_TCP_REFUSED, "ip_tcp_refused", \
	  "IP mode: TCP, no listener of the IP mode there") \
	X(IP_TCP_DENIED, "ip_tcp_denied", \
	  "IP mode: TCP, an access list, there or here, refuses") \
	X(IP_TCP_SILENT, "ip_tcp_silent", \
	  "IP mode: TCP, PRP was not answered in time") \
	X(IP_TCP_OPTION, "ip_tcp_option", \
	  "IP mode: TCP, for an option that only TCP honours") \
	X(IP_TCP_SOURCE, "ip_tcp_source", \
	  "IP mode: TCP, no address of ours in the host table") \
	X(IP_TCP_NO_ROUTE, "ip_tcp_no_route", \
	  "IP mode: TCP, no rail or no way to the node") \
	X(IP_TCP_FEATURES, "ip_tcp_features", \
	  "IP mode: TCP, the two nodes agree on no features") \
	X(IP_TCP_OTHER, "ip_tcp_other", \
	  "IP mode: TCP, no memory or no port here") \
	X(IP_TCP_IPSEC, "ip_tcp_ipsec", \
	  "IP mode: TCP, IPsec has a policy for it") \
	X(IP_TCP_CGROUP, "ip_tcp_cgroup", \
	  "IP mode: TCP, its cgroup has programs for it") \
	X(IP_TCP_REMEMBERED, "ip_tcp_remembered", \
	  "of these, not asked, as refused or silent shortly before") \
	X(IP_TCP_IN, "ip_tcp_in", "IP mode: accept() gave a connection of TCP")

/* What there is now of each kind; none of it when the namespace goes */
#define PRP_LIVE_LIST(X) \
	X(SOCKS, "live_socks", \
	  "sockets, and what still refers to closed ones") \
	X(PORTS, "live_ports", "ports in use") \
	X(RECORDS, "live_records", "closed records") \
	X(PEERS, "live_peers", "nodes of which something is known") \
	X(WAYS, "live_ways", "nodes of which a rail was left, or found narrow") \
	X(FAULTS, "live_faults", \
	  "nodes into whose frames faults are injected") \
	X(TABLES, "live_tables", "host tables in force or being made") \
	X(RAILS, "live_rails", "devices in use as rails")

#define PRP_DROP_LIST(X) \
	X(SHORT, "drop_short", "frame shorter than a header or its lengths") \
	X(VERSION, "drop_version", "unknown version") \
	X(EXTENSION, "drop_extension", "malformed or unknown extension") \
	X(FLAGS, "drop_flags", "flags that exclude each other") \
	X(NOT_US, "drop_not_us", "for another node or hardware address") \
	X(HW_SOURCE, "drop_hw_source", \
	  "hardware source that is no host's: multicast, or all zeroes") \
	X(NET, "drop_net", "for another virtual network") \
	X(SOURCE, "drop_source", \
	  "source node not at that hardware address, or IP addresses not the two nodes'") \
	X(NO_CONN, "drop_no_conn", "no such connection") \
	X(TAG, "drop_tag", "wrong connection tag") \
	X(STATE, "drop_state", "not expected in the connection's state") \
	X(DUPLICATE, "drop_duplicate", "segment that was here already") \
	X(WINDOW, "drop_window", "segment outside of the window") \
	X(SEG_SIZE, "drop_seg_size", "segment larger than agreed") \
	X(ACK, "drop_ack", "acknowledgment of what was never sent") \
	X(OVERRUN, "drop_overrun", "no memory allowed for the segment") \
	X(NO_FORWARD, "drop_no_forward", \
	  "for another node, and this one forwards nothing") \
	X(HOPS, "drop_hops", "for another node, its hop limit used up") \
	X(TOO_BIG, "drop_too_big", "for another node, longer than the way on") \
	X(CHECKSUM, "drop_checksum", \
	  "checksum wrong, or missing where agreed") \
	X(FRAGMENT, "drop_fragment", "fragment without those before it") \
	X(NO_LISTENER, "drop_no_listener", \
	  "request to a port without listener") \
	X(DENIED, "drop_denied", "request that the accept list refuses") \
	X(BACKLOG, "drop_backlog", "request while the backlog was full") \
	X(STALE_REQUEST, "drop_stale_request", \
	  "request of an earlier connection") \
	X(FEATURES, "drop_features", \
	  "features that one end must have and the other does not know") \
	X(COOKIE, "drop_cookie", \
	  "confirmation with a cookie that was not made here, or too long ago") \
	X(NO_MEMORY, "drop_no_memory", "allocation failed") \
	X(NO_ROUTE, "drop_no_route", "nowhere to send a frame") \
	X(RATE, "drop_rate", "answer left out by the rate limit") \
	X(FAULT, "drop_fault", "dropped by an injected fault")

/* What is there at this moment: no counters, but shown behind them. */
#define PRP_GAUGE_LIST(X) \
	X(CONNS, "live_conns", "connections that something refers to") \
	X(ORPHANS, "live_orphans", "closed sockets that still deliver") \
	X(POOL, "pool_bytes", "bytes that connections took from the pool") \
	X(POOL_LIMIT, "pool_limit", "bytes that they may take from it now")

#define PRP_MIB_ENUM(sym, name, text) PRP_MIB_##sym,
#define PRP_LIVE_ENUM(sym, name, text) PRP_LIVE_##sym,
#define PRP_DROP_ENUM(sym, name, text) PRP_DROP_##sym,
#define PRP_GAUGE_ENUM(sym, name, text) PRP_GAUGE_##sym,
enum prp_mib {
	PRP_MIB_LIST(PRP_MIB_ENUM)
	PRP_LIVE_LIST(PRP_LIVE_ENUM)
	PRP_DROP_LIST(PRP_DROP_ENUM)
	PRP_MIB_COUNT,
	PRP_GAUGE_BEFORE = PRP_MIB_COUNT - 1,
	PRP_GAUGE_LIST(PRP_GAUGE_ENUM)
	PRP_MIB_ALL
};

#undef PRP_MIB_ENUM
#undef PRP_LIVE_ENUM
#undef PRP_DROP_ENUM
#undef PRP_GAUGE_ENUM
/* clang-format on */

/**
 * struct prp_mib_rail - counters of a rail; of one processor in struct
 *	prp_mib_cpu, where they are written with this_cpu operations
 * @frames_in: frames received
 * @bytes_in: bytes of these; in struct prp_mib_cpu without Ethernet headers
 * @frames_out: frames handed to the device, those of others included
 * @bytes_out: bytes of these
 * @lost: segments sent again that had gone out here before
 */
struct prp_mib_rail {
	unsigned long frames_in;
	unsigned long bytes_in;
	unsigned long frames_out;
	unsigned long bytes_out;
	unsigned long lost;
};

#define PRP_MIB_RAILS 9 /* and the loopback device is the last one */

/**
 * struct prp_mib_cpu - one processor's counters of a namespace
 * @rail: by number of the rail
 * @count: by enum prp_mib; written with this_cpu operations
 */
struct prp_mib_cpu {
	struct prp_mib_rail rail[PRP_MIB_RAILS];
	unsigned long count[PRP_MIB_COUNT];
};

#define prp_mib_inc(pn, which) this_cpu_inc((pn)->mib->count[which])
#define prp_mib_dec(pn, which) this_cpu_dec((pn)->mib->count[which])
#define prp_mib_add(pn, which, n) this_cpu_add((pn)->mib->count[which], n)

/**
 * prp_mib_rail_out() - count frames that are handed to a rail's device
 * @rail: the rail's counters
 * @frames: how many; those of a run are one skb
 * @bytes: its length
 */
#define prp_mib_rail_out(rail, frames, bytes) \
	do { \
		struct prp_mib_rail __percpu *__rail = (rail); \
		this_cpu_add(__rail->frames_out, frames); \
		this_cpu_add(__rail->bytes_out, bytes); \
	} while (0)

/**
 * prp_mib_rail_in() - count frames that came in on a rail
 * @rail: the rail's counters
 * @frames: how many; those of a run are one skb
 * @bytes: its length without the Ethernet header
 */
#define prp_mib_rail_in(rail, frames, bytes) \
	do { \
		struct prp_mib_rail __percpu *__rail = (rail); \
		this_cpu_add(__rail->frames_in, frames); \
		this_cpu_add(__rail->bytes_in, bytes); \
	} while (0)

struct prp_net;

const char *prp_mib_name(enum prp_mib which);
u64 prp_mib_value(const struct prp_net *pn, enum prp_mib which);
void prp_mib_rail_get(const struct prp_net *pn, unsigned int number,
		      struct prp_mib_rail *sum);
int prp_mib_net_init(struct prp_net *pn);
void prp_mib_net_exit(struct prp_net *pn);

#endif /* _PRP_MIB_H */
