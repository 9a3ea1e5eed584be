// SPDX-License-Identifier: GPL-2.0
/* Planted for circles.py: one of three that call each other in a circle. */
#include "circle.h"

int two(void)
{
	return three();
}
