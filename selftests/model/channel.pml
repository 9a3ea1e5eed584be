/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A way that loses, repeats and reorders, for the models. The frames on it are
 * a set: who takes one takes any. One that finds no room is lost.
 */
#ifndef FRAMES
#define FRAMES 3
#endif

/* channel: what is in o goes on its way */
inline put(way) {
	if
	:: len(way) < FRAMES -> way!!o
	:: else
	fi
}

/* channel: the first frame comes, in f */
inline take0(way) {
	way?f
}

/* channel: the second one */
inline take1(way) {
	way?g;
	way?f;
	way!!g
}

/* channel: the third one */
inline take2(way) {
	way?g;
	way?h;
	way?f;
	way!!g;
	way!!h
}

/* channel: what was taken is on its way once more */
inline o2f(way) {
	way!!f
}
