// SPDX-License-Identifier: GPL-2.0
/*
 * A wire between two tap devices as virtual machines have them: each frame
 * comes with a header that may say that it is many, and the device is told
 * that this is understood. What one of them sends the other one receives, until
 * this process is told to end (SIGTERM); then it says how many frames there
 * were, how long the longest was, and how many came as more than one.
 *
 *	prp_taps NETNS TAP TAP
 *
 * A TAP is a name, or the path of a macvtap's character device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "netns.h"

static sig_atomic_t over;
static unsigned long frames, longest, many;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static int tap(const char *name)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR };
	const char *path = *name == '/' ? name : "/dev/net/tun";
	int fd = open(path, O_RDWR | O_NONBLOCK);

	if (fd < 0)
		err(1, "%s", path);
	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, TUNSETIFF, &ifr))
		err(1, "%s", name);
	if (ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6))
		err(1, "%s: offloads", name);
	return fd;
}

/* All that one of them has. A wire may lose what there is no room for. */
static void relay(int from, int to)
{
	static char frame[sizeof(struct virtio_net_hdr) + 70000];
	const struct virtio_net_hdr *hdr = (const void *)frame;
	ssize_t got;

	while ((got = read(from, frame, sizeof(frame))) > 0) {
		unsigned long len = got - sizeof(*hdr);

		frames++;
		many += hdr->gso_type != VIRTIO_NET_HDR_GSO_NONE;
		if (len > longest)
			longest = len;
		if (write(to, frame, got) != got && errno != EAGAIN)
			err(1, "write");
	}
	if (got < 0 && errno != EAGAIN && errno != EINTR)
		err(1, "read");
}

int main(int argc, char **argv)
{
	struct pollfd ends[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct sigaction action = { .sa_handler = on_term };

	if (argc != 4)
		errx(2, "usage: prp_taps NETNS TAP TAP");
	netns_enter(argv[1]);
	ends[0].fd = tap(argv[2]);
	ends[1].fd = tap(argv[3]);
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if (poll(ends, 2, 100) < 0 && errno != EINTR)
			err(1, "poll");
		relay(ends[0].fd, ends[1].fd);
		relay(ends[1].fd, ends[0].fd);
	}
	printf("frames=%lu longest=%lu many=%lu\n", frames, longest, many);
	return 0;
}
