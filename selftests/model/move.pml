// SPDX-License-Identifier: GPL-2.0
/*
 * How segments move: selective repeat, the receiver's window, two rails of
 * which the first may die. See README. Each rule says which functions of
 * net/prp it is of; "channel" and "program" stand for who is no part of PRP.
 *
 * Numbers have 5 bits, the window of the sender and of maps 4 places; numbers
 * begin just before they wrap.
 */
#include "channel.pml"

#define NUMBERS 32
#define FIRST 30
#define PLACES 4
#define RAILS 2
#define REORDER 2		/* PRP_REORDER_FIRST */
#define ADD(a, n) (((a) + (n)) & (NUMBERS - 1))
#define LESS(a, b) (((a) - (b)) & (NUMBERS - 1))
/* prp_before(), prp_txno_before() */
#define BEFORE(a, b) (LESS(a, b) >= NUMBERS / 2)
#define PLACE(seq) ((seq) % PLACES)

mtype = { SEG, PROBE, ACK };

/*
 * To the receiver: seq, txno, body (whose it is, a ghost). To the sender: ack,
 * window, and with sack: bit i of map: segment ack + 1 + i is here; newest and
 * bits of the rails of which it is known
 */
typedef frame {
	mtype kind;
	bit rail;
	byte seq;
	byte txno;
	byte body;
	byte window;
	bit sack;
	byte map;
	byte seen;
	byte newest0;
	byte newest1;
};

chan to_rcv = [FRAMES] of { frame };
chan to_snd = [FRAMES] of { frame };

/* struct prp_snd, and what is said of rails in struct prp_failover */
byte una = FIRST, nxt = FIRST, edge = ADD(FIRST, ROOM);
byte sacked, lost;		/* bit PLACE(seq) */
byte at_txno[PLACES];
bit at_rail[PLACES];
byte txno[RAILS] = FIRST;
byte newest[RAILS];
byte seen;
byte probe[RAILS];
byte probed;
bit rail;			/* in use */
bit left;			/* rail 0 was left */
byte silent;			/* time-outs without a word on that rail */
bit answering;			/* rail 1 has answered meanwhile */

/* struct prp_rcv, struct prp_ack_state, and what the reader has not had */
byte r_nxt = FIRST, r_edge = ADD(FIRST, ROOM), r_high = FIRST;
byte r_map;
byte r_late, r_unread, r_read;
byte r_body[PLACES];
byte r_newest[RAILS];
byte r_seen;
bit r_came;
bit r_pending, r_now, r_sack;

bit dead;			/* rail 0 carries nothing any more ... */
bit told;			/* ... and its device says so */
byte lose = LOSE, twice = TWICE, early = EARLY, die = DIE;
byte rounds;
bit over;
byte i, seq;			/* within one step only */
bit got;

hidden frame f, g, h, o;

#define END ADD(FIRST, SEGMENTS)
#define BIT(seq) (1 << PLACE(seq))
#define HELD (r_unread + r_late)

inline clear() {
	o.kind = ACK;
	o.rail = 0;
	o.seq = 0;
	o.txno = 0;
	o.body = 0;
	o.window = 0;
	o.sack = 0;
	o.map = 0;
	o.seen = 0;
	o.newest0 = 0;
	o.newest1 = 0
}

/* channel: a rail that is dead loses all */
inline down(way) {
	if
	:: dead && o.rail == 0
	:: else -> put(way)
	fi
}

/* channel: of one frame at most what was on rail 0 is lost */
inline lose_dead(way) {
	if
	:: len(way) ->
		take0(way);
		if
		:: f.rail -> way!f
		:: else
		fi
	:: else
	fi
}

/* --- the sender ---------------------------------------------------------- */

/* __prp_xmit_probe(), __prp_xmit_probe_on(), prp_snd_probed() */
inline send_probe(on) {
	clear();
	o.kind = PROBE;
	o.rail = on;
	o.seq = nxt;
	o.txno = txno[on];
	probed = probed | (1 << on);
	probe[on] = txno[on];
	txno[on] = ADD(txno[on], 1);
	down(to_rcv)
}

/* prp_snd_new_allowed() */
#define NEW_ALLOWED (nxt != END && BEFORE(nxt, edge) && LESS(nxt, una) < PLACES)

/* __prp_output_push(), output_pick(), prp_snd_first_lost(), prp_snd_sent() */
inline push() {
	if
	:: lost ->
		seq = una;
		do
		:: !(lost & BIT(seq)) -> seq = ADD(seq, 1)
		:: else -> break
		od;
		lost = lost & ~BIT(seq)
	:: else ->
		seq = nxt;
		nxt = ADD(nxt, 1)
	fi;
	at_txno[PLACE(seq)] = txno[rail];
	at_rail[PLACE(seq)] = rail;
	clear();
	o.kind = SEG;
	o.rail = rail;
	o.seq = seq;
	o.body = LESS(seq, FIRST);
	o.txno = txno[rail];
	txno[rail] = ADD(txno[rail], 1);
	down(to_rcv);
	seq = 0
}

/* prp_snd_ack(): the newest transmission numbers */
inline note_newest(r, reported) {
	if
	:: (f.seen & (1 << r)) && (!(seen & (1 << r)) ||
				   BEFORE(newest[r], reported)) ->
		newest[r] = reported;
		seen = seen | (1 << r);
		if
		:: r == rail -> silent = 0
		:: else
		fi
	:: else
	fi
}

/* snd_is_lost() */
#define IS_LOST(at, r) ((seen & (1 << (r))) && BEFORE(at, newest[r]) && \
	(LESS(newest[r], at) > REORDER || \
	 ((probed & (1 << (r))) && BEFORE(at, probe[r]) && \
	  !BEFORE(newest[r], probe[r]))))

/* prp_snd_find_lost(), snd_find_lost() */
inline find_lost() {
	seq = una;
	do
	:: seq == nxt -> break
	:: else ->
		if
		:: !((sacked | lost) & BIT(seq)) &&
		   IS_LOST(at_txno[PLACE(seq)], at_rail[PLACE(seq)]) ->
			lost = lost | BIT(seq)
		:: else
		fi;
		seq = ADD(seq, 1)
	od;
	seq = 0
}

/* snd_take_sack() */
inline take_sack() {
	i = 0;
	do
	:: i == PLACES - 1 -> break
	:: else ->
		seq = ADD(f.seq, 1 + i);
		if
		:: (f.map & (1 << i)) && !BEFORE(seq, una) ->
			assert(BEFORE(seq, nxt));	/* PRP_ACK_BAD */
			sacked = sacked | BIT(seq);
			lost = lost & ~BIT(seq)
		:: else
		fi;
		i++
	od;
	i = 0;
	seq = 0
}

/* __prp_failover_reported(), failover_answered() */
inline rails_reported() {
	if
	:: f.sack && f.rail == 1 && rail == 0 && silent && (f.seen & 2) &&
	   (probed & 2) && !BEFORE(f.newest1, probe[1]) -> answering = 1
	:: else
	fi
}

/* __prp_recovery_ack(), prp_snd_ack(), snd_ack_slowly() */
inline snd_frame() {
	assert(!BEFORE(nxt, f.seq));	/* PRP_ACK_BAD */
	if
	:: f.sack ->
		rails_reported();
		note_newest(0, f.newest0);
		note_newest(1, f.newest1)
	:: else
	fi;
	do
	:: BEFORE(una, f.seq) ->
		sacked = sacked & ~BIT(una);
		lost = lost & ~BIT(una);
		una = ADD(una, 1);
		rounds = 0
	:: else -> break
	od;
	if
	:: BEFORE(edge, ADD(f.seq, f.window)) -> edge = ADD(f.seq, f.window)
	:: else
	fi;
	if
	:: f.sack -> take_sack(); find_lost()
	:: else
	fi
}

/* prp_snd_lose_rails(), failover_move(), __prp_failover_use() */
inline move() {
	left = 1;
	rail = 1;
	silent = 0;
	answering = 0;
	seq = una;
	do
	:: seq == nxt -> break
	:: else ->
		if
		:: at_rail[PLACE(seq)] == 0 && !(sacked & BIT(seq)) ->
			lost = lost | BIT(seq)
		:: else
		fi;
		seq = ADD(seq, 1)
	od;
	seq = 0
}

/* recovery_probe(): where segments go, and where others went */
inline probe_all() {
	send_probe(rail);
	got = 0;
	seq = una;
	do
	:: seq == nxt -> break
	:: else ->
		if
		:: at_rail[PLACE(seq)] != rail -> got = 1
		:: else
		fi;
		seq = ADD(seq, 1)
	od;
	seq = 0;
	if
	:: got -> send_probe(1 - rail)
	:: else
	fi;
	got = 0
}

/* prp_recovery_timer(), __prp_failover_look(), failover_silent() */
inline snd_due() {
	if
	:: rail == 0 && answering && silent > 1 -> move()
	:: else ->
		probe_all();
		if
		:: rail == 0 && silent && (DIE > 0) -> send_probe(1)
		:: else
		fi;
		if
		:: silent < 3 -> silent++
		:: else
		fi
	fi
}

/* --- the receiver -------------------------------------------------------- */

#define WINDOW (ROOM - r_unread)

/* prp_rcv_open(), prp_rx_window_empty(): what there is room for */
inline open_window() {
	if
	:: BEFORE(r_edge, ADD(r_nxt, WINDOW)) -> r_edge = ADD(r_nxt, WINDOW)
	:: else
	fi
}

/* prp_rcv_sack(): bit i is of the segment ack + 1 + i */
inline tell_sack() {
	o.sack = 1;
	o.seen = r_seen;
	o.newest0 = r_newest[0];
	o.newest1 = r_newest[1];
	i = 0;
	do
	:: i == PLACES - 1 -> break
	:: else ->
		if
		:: r_map & BIT(ADD(r_nxt, 1 + i)) -> o.map = o.map | (1 << i)
		:: else
		fi;
		i++
	od;
	i = 0
}

/* __prp_xmit_ack(), prp_ack_left() */
inline send_ack() {
	open_window();
	clear();
	o.rail = r_came;
	o.seq = r_nxt;
	o.window = LESS(r_edge, r_nxt);
	if
	:: r_sack || r_late -> tell_sack()
	:: else
	fi;
	r_pending = 0;
	r_now = 0;
	r_sack = 0;
	down(to_snd)
}

/* prp_rcv_saw() */
inline saw() {
	if
	:: !(r_seen & (1 << f.rail)) || BEFORE(r_newest[f.rail], f.txno) ->
		r_newest[f.rail] = f.txno;
		r_seen = r_seen | (1 << f.rail)
	:: else
	fi
}

/* receive_in_order(), prp_rcv_accept(), prp_ack_in_order() */
inline in_order() {
	r_pending = 1;
	if
	:: r_late -> r_now = 1; r_sack = 1
	:: else
	fi;
	r_body[PLACE(r_nxt)] = f.body;
	r_nxt = ADD(r_nxt, 1);
	r_unread++;
	do
	:: r_late && (r_map & BIT(r_nxt)) ->
		r_map = r_map & ~BIT(r_nxt);
		r_late--;
		r_nxt = ADD(r_nxt, 1);
		r_unread++
	:: else -> break
	od
}

/* receive_keep(), prp_rcv_accept(), prp_ack_beyond_gap() */
inline keep() {
	if
	:: f.seq != r_high -> r_now = 1
	:: else
	fi;
	r_map = r_map | BIT(f.seq);
	r_body[PLACE(f.seq)] = f.body;
	r_late++
}

/* receive_segment(), receive_check(), prp_rcv_check() */
inline rcv_segment() {
	saw();
	if
	:: BEFORE(f.seq, r_nxt) || (f.seq != r_nxt && (r_map & BIT(f.seq)) &&
				    BEFORE(f.seq, r_edge)) ->
		r_now = 1;		/* prp_ack_duplicate() */
		r_sack = 1
	:: !BEFORE(f.seq, r_nxt) && !BEFORE(f.seq, r_edge) ->
		r_now = 1		/* PRP_SEG_OUTSIDE */
	:: else ->
		if
		:: f.seq == r_nxt -> in_order()
		:: else -> keep()
		fi;
		if
		:: !BEFORE(f.seq, r_high) -> r_high = ADD(f.seq, 1)
		:: else
		fi;
		assert(HELD <= ROOM)	/* no more than was promised */
	fi
}

/* receive_established(), prp_ack_probed(), receive_react() */
inline rcv_frame() {
	r_came = f.rail;
	if
	:: f.kind == SEG -> rcv_segment()
	:: else -> saw(); r_now = 1; r_sack = 1
	fi;
	if
	:: r_now -> send_ack()
	:: else
	fi
}

/* program; prp_deliver_free(), deliver_settle(): the window was shut */
inline read_one() {
	assert(r_body[PLACE(ADD(r_nxt, NUMBERS - r_unread))] == r_read);
	r_read++;
	r_unread--;
	rounds = 0;
	if
	:: r_edge == r_nxt -> send_ack()
	:: else
	fi
}

/* --- time ---------------------------------------------------------------- */

#define ON_WAY (len(to_rcv) || len(to_snd))
#define PROBING (una != END)
#define MAY_PUSH (lost || NEW_ALLOWED)

active proctype both() {
	do
	:: over -> break
	/* channel: any frame comes next, is lost, comes twice */
	:: len(to_rcv) > 0 -> d_step { take0(to_rcv); rcv_frame() }
	:: len(to_rcv) > 1 -> d_step { take1(to_rcv); rcv_frame() }
	:: len(to_rcv) > 2 -> d_step { take2(to_rcv); rcv_frame() }
	:: len(to_snd) > 0 -> d_step { take0(to_snd); snd_frame() }
	:: len(to_snd) > 1 -> d_step { take1(to_snd); snd_frame() }
	:: len(to_snd) > 2 -> d_step { take2(to_snd); snd_frame() }
	:: len(to_rcv) > 0 && lose -> d_step { take0(to_rcv); lose-- }
	:: len(to_snd) > 0 && lose -> d_step { take0(to_snd); lose-- }
	:: len(to_rcv) > 0 && twice -> d_step {
		take0(to_rcv); o2f(to_rcv); rcv_frame(); twice-- }
	:: len(to_snd) > 0 && twice -> d_step {
		take0(to_snd); o2f(to_snd); snd_frame(); twice-- }
	/* what is on a rail that dies is lost, and its device may know */
	:: die && !dead && len(to_rcv) < 2 && len(to_snd) < 2 -> d_step {
		dead = 1; die--; lose_dead(to_rcv); lose_dead(to_snd) }
	:: dead && !told && !left -> d_step {
		/* failover_carrier() */
		told = 1; move() }

	/* __prp_output_push(), prp_ack_in_order(): at once, or after 1 ms */
	:: len(to_rcv) < FRAMES && MAY_PUSH -> d_step { push() }
	:: r_pending -> d_step { send_ack() }

	/* program: it reads when it likes */
	:: r_unread -> d_step { read_one() }

	/* time: a timer is early; nothing else is left to do */
	:: ON_WAY && early && PROBING -> d_step { snd_due(); early-- }
	:: else -> d_step {
		rounds++;
		assert(rounds <= ROUNDS);	/* not stuck */
		if
		:: PROBING -> snd_due()
		:: else ->
			assert(r_read == SEGMENTS);	/* nothing is lost */
			over = 1
		fi
		}
	od
}
