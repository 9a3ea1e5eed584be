// SPDX-License-Identifier: GPL-2.0

/* Does what planted_gone() did, which is not there any more. */
static int planted_here(void)
{
	return 0;
}
