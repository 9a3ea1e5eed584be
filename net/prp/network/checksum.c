// SPDX-License-Identifier: GPL-2.0
/*
 * CRC32C from end to end; see checksum.h and struct prp_ext_checksum.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/crc32c.h>
#include <linux/skbuff.h>

#include "network/checksum.h"
#include "network/offload.h"
#include "pure/wire.h"

/* Header and checksum come first, so that this is all that changes. */
struct checksummed {
	struct prp_hdr hdr;
	struct prp_ext_checksum ext;
};

/* CRC32C of a frame's bytes from one to another, begun with that of others. */
static u32 checksum_bytes(struct sk_buff *skb, u32 crc, unsigned int from,
			  unsigned int to)
{
	struct skb_seq_state seq;
	unsigned int done, len;
	const u8 *data;

	skb_prepare_seq_read(skb, from, to, &seq);
	/* it may give more than was asked for: padding, for one */
	for (done = 0; done < to - from; done += len) {
		len = skb_seq_read(done, &data, &seq);
		len = min(len, to - from - done);
		if (!len)
			break;
		crc = crc32c(crc, data, len);
	}
	skb_abort_seq_read(&seq);
	return crc;
}

/**
 * prp_checksum_later() - leave it to who cuts a run
 * @skb: run that we made, complete but for the checksum; its header and room
 *	for this extension, the only one, are in its head
 */
void prp_checksum_later(struct sk_buff *skb)
{
	struct checksummed *at = (void *)skb_network_header(skb);

	at->ext = (struct prp_ext_checksum){
		.type = PRP_EXT_CHECKSUM,
		.units = sizeof(at->ext) / PRP_EXT_UNIT,
	};
}

/**
 * prp_checksum_put() - write the checksum into a frame that we made
 * @skb: frame, complete but for the checksum, whose extension is the first;
 *	header and extensions are in its head
 */
void prp_checksum_put(struct sk_buff *skb)
{
	struct checksummed *at = (void *)skb_network_header(skb);
	u8 hops = at->hdr.hops;
	u32 crc;

	prp_checksum_later(skb);
	at->hdr.hops = 0;
	crc = checksum_bytes(skb, ~0, skb_network_offset(skb), skb->len);
	at->hdr.hops = hops;
	at->ext.crc = cpu_to_le32(~crc);
}

/**
 * prp_checksum_ok() - check a frame that has a checksum
 * @skb: frame, skb->data at its header, which is linear with extensions
 * @frame: what was read from it
 *
 * Return: whether it is as it was made; a run, which has been on no wire, is.
 */
bool prp_checksum_ok(struct sk_buff *skb, const struct prp_frame *frame)
{
	struct checksummed first = *(struct checksummed *)skb->data;
	__le32 is = first.ext.crc;
	u32 crc;

	if (prp_offload_segs(skb) > 1)
		return true;
	first.hdr.hops = 0;
	first.ext.crc = 0;
	crc = crc32c(~0, &first, sizeof(first));
	crc = checksum_bytes(skb, crc, sizeof(first),
			     frame->hdr_len + frame->len);
	return is == cpu_to_le32(~crc);
}
