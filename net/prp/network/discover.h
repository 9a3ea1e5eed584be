/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Discovery: a machine says on a device who it is, to whoever asks there, if
 * its administrator lets it. It has an EtherType of its own, and nothing to do
 * with the host table, which it is there to make.
 */
#ifndef _PRP_DISCOVER_H
#define _PRP_DISCOVER_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/types.h>

struct netlink_ext_ack;
struct prp_net;

/* IEEE 802 local experimental EtherType 2 */
#define PRP_DISCOVER_ETHERTYPE 0x88B6
#define PRP_DISCOVER_TEXT 512 /* with its final zero */

/**
 * struct prp_discover_hdr - a question or an answer, big-endian
 * @version: 1
 * @kind: 1: who is there? To all hosts; 2: I am, to the one that asked
 * @len: bytes that follow; of a question any, and as many zeroes as an answer
 *	may have bytes, of an answer the line of a host file without its number
 * @cookie: of the question
 */
struct prp_discover_hdr {
	__u8 version;
	__u8 kind;
	__be16 len;
	__be32 cookie;
};

/**
 * struct prp_discover - a device on which this machine says who it is
 * @list: in prp_net.discovers [RTNL]
 * @dev: the device [const]
 * @tracker: of the reference to it
 * @ptype: receives questions
 * @pn: namespace [const]
 * @len: bytes of @text, without its final zero [const]
 * @text: what it says [const]
 */
struct prp_discover {
	struct list_head list;
	struct net_device *dev;
	netdevice_tracker tracker;
	struct packet_type ptype;
	struct prp_net *pn;
	u16 len;
	char text[];
};

int prp_discover_on(struct prp_net *pn, int ifindex, const char *text,
		    struct netlink_ext_ack *extack);
int prp_discover_off(struct prp_net *pn, int ifindex,
		     struct netlink_ext_ack *extack);
void prp_discover_net_init(struct prp_net *pn);
void prp_discover_net_exit(struct prp_net *pn);
int prp_discover_init(void);
void prp_discover_exit(void);

#endif /* _PRP_DISCOVER_H */
