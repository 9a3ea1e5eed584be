/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where segments are lost and nothing waits: is that chance, or a port that
 * has no queue, as pure logic. Chance takes the same share of whatever we
 * send; what a policer or a very short queue takes becomes less when we send
 * less. So it is tried: a quarter of the window for as many segments.
 */
#ifndef _PRP_NOISE_H
#define _PRP_NOISE_H

#include <linux/types.h>

#define PRP_NOISE_WHOLE 1024 /* all that is sent, as a share */
#define PRP_NOISE_LEAST 32 /* smaller shares are not looked into */
#define PRP_NOISE_MOST 160 /* larger ones are not taken for chance */
#define PRP_NOISE_HINT 64 /* segments that make one look closer ... */
#define PRP_NOISE_SAMPLE 256 /* ... at so many with either window */

/* What a round tells: prp_noise_round() */
enum prp_noise_said {
	PRP_NOISE_FREE, /* nothing is wrong */
	PRP_NOISE_HOLD, /* too much is lost: wait with growing */
	PRP_NOISE_TRY, /* go on with a quarter of the window */
	PRP_NOISE_CHANCE, /* it was chance: the window is as before */
	PRP_NOISE_TAKEN, /* there is a port that drops what is too much */
};

/**
 * struct prp_noise - shares of segments that are lost
 * @share: share that was found to be chance, in PRP_NOISE_WHOLE
 * @before: share before the window was last made smaller, the same way
 * @sent: segments of the sample
 * @lost: of these, lost
 * @tried: segments sent with a quarter of the window, to be compared with
 * @tried_lost: of these, lost
 * @trying: how far it is with that, enum noise_trying
 */
struct prp_noise {
	u16 share;
	u16 before;
	u16 sent;
	u16 lost;
	u16 tried;
	u16 tried_lost;
	u8 trying;
};

enum prp_noise_said prp_noise_round(struct prp_noise *noise, u32 sent,
				    u32 lost);
bool prp_noise_stays(struct prp_noise *noise, u32 sent, u32 lost);
bool prp_noise_explains(const struct prp_noise *noise, u32 sent, u32 lost);
bool prp_noise_forget(struct prp_noise *noise);

#endif /* _PRP_NOISE_H */
