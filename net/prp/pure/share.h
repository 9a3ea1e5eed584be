/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shares: what each of many may take of one thing that is there for all of
 * them. Nobody knows how many will come, and nobody gives anything back because
 * others need it.
 */
#ifndef _PRP_SHARE_H
#define _PRP_SHARE_H

#define PRP_SHARE_FIRST 1 /* of the machine's own namespace */
#define PRP_SHARE_OTHER 8 /* of any other one */

/**
 * prp_share_most() - how much one of many may have
 * @limit: what there is for all
 * @others: what all the others have by now
 * @part: PRP_SHARE_FIRST or PRP_SHARE_OTHER
 *
 * No more than the @part'th part of what is left then: the dynamic threshold by
 * which switches bound their queues (Choudhury and Hahne 1998, alpha 1/@part).
 * Of PRP_SHARE_OTHER that come one after the other and take what they may,
 * twenty leave a tenth, of which the first may have a half.
 *
 * Return: at most @limit / (@part + 1); 0 if nothing is left.
 */
static inline unsigned long
prp_share_most(unsigned long limit, unsigned long others, unsigned int part)
{
	return others < limit ? (limit - others) / (part + 1) : 0;
}

#endif /* _PRP_SHARE_H */
