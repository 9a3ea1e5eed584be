// SPDX-License-Identifier: GPL-2.0
/*
 * How `hostile` gets frames onto the wire, past every queue, and off it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "hostile.h"

#define PAGE 4096
#define SLOT (2 * PAGE)
#define SLOTS 64
#define BLOCK (16 * PAGE)

static int out = -1, in = -1;
static char *ring;
static unsigned int ring_at;

static int packet_socket(const struct hostile *h, int protocol)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(h->dev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || bind(fd, (void *)&to, sizeof(to)))
		err(1, "packet socket on %s", h->dev);
	return fd;
}

static void set(int fd, int option, int value)
{
	if (setsockopt(fd, SOL_PACKET, option, &value, sizeof(value)))
		err(1, "packet socket's option %d", option);
}

/* Past qdiscs and taps, so that what is sniffed is what others send */
void wire_open(const struct hostile *h)
{
	out = packet_socket(h, 0);
	set(out, PACKET_QDISC_BYPASS, 1);
}

/*
 * Frames of a ring go down as they lie in its pages: only the Ethernet
 * header is copied in front.
 */
void wire_open_ring(const struct hostile *h)
{
	struct tpacket_req req = {
		.tp_block_size = BLOCK,
		.tp_block_nr = SLOT * SLOTS / BLOCK,
		.tp_frame_size = SLOT,
		.tp_frame_nr = SLOTS,
	};

	wire_open(h);
	set(out, PACKET_VERSION, TPACKET_V2);
	set(out, PACKET_TX_HAS_OFF, 1);
	if (setsockopt(out, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)))
		err(1, "PACKET_TX_RING");
	ring = mmap(NULL, SLOT * SLOTS, PROT_READ | PROT_WRITE, MAP_SHARED, out,
		    0);
	if (ring == MAP_FAILED)
		err(1, "mmap of a ring");
}

void wire_send(const struct shot *shot, unsigned int n)
{
	struct mmsghdr msgs[BATCH] = {};
	struct iovec iovs[BATCH];
	int done = 0, got;

	for (int i = 0; i < n; i++) {
		iovs[i].iov_base = (void *)shot[i].bytes;
		iovs[i].iov_len = shot[i].len;
		msgs[i].msg_hdr.msg_iov = iovs + i;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	for (; done < n; done += got) {
		got = sendmmsg(out, msgs + done, n - done, 0);
		if (got < 0 && errno != ENOBUFS)
			err(1, "sendmmsg");
		if (got < 0)
			got = 0;
	}
}

/* Each frame lies over the end of a page, cut at any place of its header. */
void wire_send_ring(struct hostile *h, const struct shot *shot, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++, ring_at++) {
		char *slot = ring + ring_at % SLOTS * SLOT;
		struct tpacket2_hdr *hdr = (void *)slot;
		unsigned int cut = rnd_below(h, 160);

		hdr->tp_len = shot[i].len;
		hdr->tp_mac = PAGE - cut;
		memcpy(slot + hdr->tp_mac, shot[i].bytes, shot[i].len);
		__atomic_store_n(&hdr->tp_status, TP_STATUS_SEND_REQUEST,
				 __ATOMIC_RELEASE);
	}
	if (send(out, NULL, 0, 0) < 0)
		err(1, "send of a ring");
}

/* outgoing: what leaves here, too; only sockets for all protocols see that */
void wire_listen(const struct hostile *h, bool outgoing)
{
	int room = 8 << 20;

	in = packet_socket(h, outgoing ? ETH_P_ALL : PRP_ETHERTYPE);
	setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
}

/* One frame for us; false if there was none in time */
bool wire_receive(struct shot *shot, int timeout_ms)
{
	struct pollfd fd = { .fd = in, .events = POLLIN };
	ssize_t got;

	if (timeout_ms && poll(&fd, 1, timeout_ms) != 1)
		return false;
	got = recv(in, shot->bytes, SHOT_MAX, MSG_DONTWAIT);
	shot->len = got;
	return got >= (ssize_t)sizeof(struct frame);
}

/* One frame of ours that somebody here has sent; false if there is none */
bool wire_sniffed(struct shot *shot)
{
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	ssize_t got;

	do {
		len = sizeof(from);
		got = recvfrom(in, shot->bytes, SHOT_MAX, MSG_DONTWAIT,
			       (void *)&from, &len);
	} while (got >= 0 && (from.sll_pkttype != PACKET_OUTGOING ||
			      shot->frame.eth.type != htons(PRP_ETHERTYPE)));
	shot->len = got;
	return got >= (ssize_t)sizeof(struct frame);
}
