// SPDX-License-Identifier: GPL-2.0
/* Whether chance takes what is lost, as pure logic; see noise.h. */
#include <linux/kernel.h>

#include "pure/noise.h"

#define HINT_MOST (8 * PRP_NOISE_HINT) /* segments, then older ones fade */

/* What is done about a share */
enum noise_trying {
	NOISE_NOT,
	NOISE_WHOLE, /* a sample with the whole window */
	NOISE_WAIT, /* for what was under way then */
	NOISE_QUARTER, /* a sample with a quarter of it */
};

/* So many of so many, as a share. */
static u32 noise_share(u32 lost, u32 sent)
{
	return lost * PRP_NOISE_WHOLE / max(sent, 1U);
}

/* Begin another sample. */
static void noise_again(struct prp_noise *noise)
{
	noise->sent = 0;
	noise->lost = 0;
	noise->tried = 0;
	noise->tried_lost = 0;
	noise->trying = 0;
}

/* Is it more than what is known to be chance? */
static bool noise_is_new(const struct prp_noise *noise, u32 share)
{
	return share > noise->share * 2U + PRP_NOISE_LEAST;
}

/* A round of a sample with the whole window. */
static enum prp_noise_said noise_whole(struct prp_noise *noise)
{
	if (noise->sent < PRP_NOISE_SAMPLE)
		return PRP_NOISE_HOLD;
	noise->before = noise_share(noise->lost, noise->sent);
	if (!noise_is_new(noise, noise->before)) {
		noise_again(noise);
		return PRP_NOISE_FREE;
	}
	noise->trying = NOISE_WAIT;
	return PRP_NOISE_TRY;
}

/* A round with a quarter of it. As much as a third of what would be lost of a
 * sample with the whole is chance, as soon as it is there.
 */
static enum prp_noise_said noise_quarter(struct prp_noise *noise, u32 sent,
					 u32 lost)
{
	bool chance;

	noise->tried += sent;
	noise->tried_lost += lost;
	chance = noise_share(noise->tried_lost, PRP_NOISE_SAMPLE) * 3 >
			 noise->before &&
		 noise_share(noise->tried_lost, noise->tried) < PRP_NOISE_MOST;
	if (noise->tried < PRP_NOISE_SAMPLE && !chance)
		return PRP_NOISE_HOLD;
	if (chance)
		noise->share = noise_share(noise->lost + noise->tried_lost,
					   noise->sent + noise->tried);
	noise_again(noise);
	return chance ? PRP_NOISE_CHANCE : PRP_NOISE_TAKEN;
}

/**
 * prp_noise_round() - a round is over in which nothing had to wait
 * @noise: shares
 * @sent: segments that have arrived or were found lost, up to 2 * PRP_WIN
 * @lost: of these, found lost
 *
 * Return: what to do; after PRP_NOISE_TRY it is PRP_NOISE_HOLD until it is
 * PRP_NOISE_CHANCE or PRP_NOISE_TAKEN.
 */
enum prp_noise_said prp_noise_round(struct prp_noise *noise, u32 sent, u32 lost)
{
	u32 share;

	switch (noise->trying) {
	case NOISE_WAIT:
		noise->trying = NOISE_QUARTER;
		return PRP_NOISE_HOLD;
	case NOISE_QUARTER:
		return noise_quarter(noise, sent, lost);
	}
	noise->sent += sent;
	noise->lost += lost;
	if (noise->trying == NOISE_WHOLE)
		return noise_whole(noise);
	share = noise_share(noise->lost, noise->sent);
	if (noise_is_new(noise, share) && noise->lost > 1) {
		if (noise->sent < PRP_NOISE_HINT)
			return PRP_NOISE_HOLD;
		noise_again(noise);
		noise->trying = NOISE_WHOLE;
		return PRP_NOISE_HOLD;
	}
	if (noise->sent > HINT_MOST) {
		if (share < noise->share / 2U)
			noise->share /= 2;
		noise->sent /= 2;
		noise->lost /= 2;
	}
	return PRP_NOISE_FREE;
}

/**
 * prp_noise_stays() - a round is over with a window that losses make smaller
 * @noise: shares; it was PRP_NOISE_TAKEN
 * @sent: as above
 * @lost: as above
 *
 * Return: true if as large a share is lost as with the window before, which
 * was chance then.
 */
bool prp_noise_stays(struct prp_noise *noise, u32 sent, u32 lost)
{
	u32 share;

	noise->sent += sent;
	noise->lost += lost;
	if (noise->sent < PRP_NOISE_SAMPLE)
		return false;
	share = noise_share(noise->lost, noise->sent);
	noise_again(noise);
	if (share * 2 < noise->before || share < PRP_NOISE_LEAST ||
	    share > PRP_NOISE_MOST)
		return false;
	noise->share = share;
	return true;
}

/**
 * prp_noise_explains() - is what was lost no more than what chance takes?
 * @noise: shares
 * @sent: as above
 * @lost: as above
 *
 * Return: true if so.
 */
bool prp_noise_explains(const struct prp_noise *noise, u32 sent, u32 lost)
{
	return noise->share &&
	       lost <= 2 + 2 * noise->share * sent / PRP_NOISE_WHOLE;
}

/**
 * prp_noise_forget() - something waits: what is lost tells something else
 * @noise: shares
 *
 * Return: true if a quarter of the window was tried.
 */
bool prp_noise_forget(struct prp_noise *noise)
{
	bool tried = noise->trying >= NOISE_WAIT;

	noise_again(noise);
	return tried;
}
