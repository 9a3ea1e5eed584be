// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection begins and ends: request, answer, confirmation, one segment
 * with END each way, closed records, resets; twice, between the same two ports.
 * See README. Each rule says which functions of net/prp it is of; "channel" and
 * "program" stand for who is no part of PRP.
 */
#include "channel.pml"

mtype = { REQ, ANS, CON, ACK, SEG, RST };
mtype = { CLOSE, CONN_WAIT, ESTABLISHED };
mtype = { NONE, NO_CONN, EXPIRED, ABORTED };

/*
 * tag: of the receiver; open: tag in the open extension; quote, code: of a
 * reset; cookie: the extension is there; now: ACKNOW; ack: how many segments
 * have come; seq: how many were sent before; body: whose bytes, a ghost
 */
typedef frame {
	mtype kind;
	mtype code;
	byte tag;
	byte open;
	byte quote;
	byte body;
	bit cookie;
	bit now;
	bit ack;
	bit seq;
};

chan to_server = [FRAMES] of { frame };
chan to_client = [FRAMES] of { frame };

/* una: our segment is acknowledged; came: the peer's, with its end, is here */
typedef end {
	mtype state;
	byte tag;
	byte peer;
	bit sent;
	bit una;
	bit came;
};

/* What is left of a connection: struct prp_record */
typedef record {
	bit there;
	bit reset;
	bit half;
	byte tag;
	byte peer;
};

end c;
end s;
record c_left;
record s_left[LIVES + 1];	/* of each of the client's connections */
bit c_cookie;		/* the answer had one */
bit c_confirming;	/* nothing has shown yet that we are known */
bit c_closed;		/* its socket is: what comes has no reader */
bit c_young;		/* what has overtaken a confirmation may still come */
bit s_unconfirmed;
bit s_by_cookie;
bit s_accepted;
byte s_body;
byte s_next = 1;	/* the server's next tag */
byte s_good = 1;	/* cookies with tags from here on are good */
byte life;		/* the client's connections so far */
byte delivered[LIVES + 1];	/* to programs, of each of these */
byte known;		/* bit t: the client has had an answer with tag t */
byte left;		/* bit l: its client has left before the server ended */
bit excused;		/* somebody has given up, so that resets are right */
byte lose = LOSE, twice = TWICE, early = EARLY;
byte give_up = 1, expire = 1, abort = 1, age = 1, shut = 1, forget = 1;
bit over;
byte rounds;		/* of timers, with nothing on its way */

hidden frame f, g, h, o;

/* prp_record_find(): by our tag; [0] is nobody's */
#define OURS(t, i) (s_left[i].there && s_left[i].tag == (t))
#define LEFT s_left[(OURS(f.tag, 1) -> 1 : (OURS(f.tag, 2) -> 2 : 0))]

inline clear() {
	o.kind = ACK;
	o.code = NONE;
	o.tag = 0;
	o.open = 0;
	o.quote = 0;
	o.body = 0;
	o.cookie = 0;
	o.now = 0;
	o.ack = 0;
	o.seq = 0
}

/* --- the client ---------------------------------------------------------- */

/* __prp_xmit_open() */
inline c_request() {
	clear();
	o.kind = REQ;
	o.open = c.tag;
	put(to_server)
}

/* __prp_xmit_ack(), __prp_xmit_probe() */
inline c_ack(ask) {
	clear();
	o.tag = c.peer;
	o.ack = c.came;
	o.now = ask;
	put(to_server)
}

/* __prp_xmit_segment() */
inline c_segment() {
	clear();
	o.kind = SEG;
	o.tag = c.peer;
	o.ack = c.came;
	o.body = life;
	put(to_server)
}

/* handshake_confirm() */
inline c_confirm(ask) {
	if
	:: c_cookie ->
		c_young = 1;
		clear();
		o.kind = CON;
		o.tag = c.peer;
		o.open = c.tag;
		o.cookie = 1;
		put(to_server)
	:: !c_cookie && c.sent && !c.una
	:: else ->
		c_ack(ask)
	fi
}

/* stray_reset(): a reset that quotes what has come */
inline c_refuse() {
	clear();
	o.kind = RST;
	o.code = NO_CONN;
	o.quote = f.tag;
	if
	:: f.kind == ANS -> o.tag = f.open
	:: else
	fi;
	put(to_server)
}

/* prp_stray_frame(), stray_is_known(), prp_record_end(), stray_end_again() */
inline c_stray() {
	if
	:: f.kind == RST
	:: f.kind != RST && c_left.there && f.tag == c_left.tag &&
	   !(c_left.half && f.seq) ->
		if
		:: f.kind == SEG -> c_left.half = 0
		:: else
		fi;
		if
		:: f.kind == SEG || f.now ->
			clear();
			o.tag = c_left.peer;
			o.ack = !c_left.half;
			put(to_server)
		:: else
		fi
	:: else ->
		c_refuse()
	fi
}

/* __prp_conn_abort(): the program hears of an error */
inline c_failed() {
	assert(excused);	/* a bad wire alone is no reason to fail */
	c.state = CLOSE
}

/* handshake_reset() */
inline c_reset() {
	if
	:: f.tag != c.tag && (f.tag || !c.peer || f.quote != c.peer)
	:: (f.tag == c.tag || (!f.tag && c.peer && f.quote == c.peer)) &&
	   c_cookie && f.code == NO_CONN && (c_confirming || c_young)
	:: else ->
		c_failed()
	fi
}

/* handshake_established(), handshake_confirm_first() */
inline c_established() {
	c.state = ESTABLISHED;
	c.peer = f.open;
	known = known | (1 << f.open);
	c_cookie = f.cookie;
	c_confirming = 1;
	c_confirm(0)
}

/* __prp_handshake_frame(): an answer */
inline c_answer() {
	if
	:: f.tag != c.tag
	:: f.tag == c.tag && c.state == CONN_WAIT ->
		c_established()
	:: f.tag == c.tag && c.state == ESTABLISHED && f.open == c.peer ->
		c_ack(0)	/* our confirmation was lost */
	:: else
	fi
}

/* __prp_conn_finish(), prp_record_add() */
inline c_finish() {
	if
	:: c.came -> assert(delivered[life] == 1) /* what it answers */
	:: else -> left = left | (1 << life)
	fi;
	c.state = CLOSE;
	c_left.there = 1;
	c_left.reset = 0;
	c_left.half = !c.came;
	c_left.tag = c.tag;
	c_left.peer = c.peer
}

/* receive_established(), receive_segment(), receive_react() */
inline c_heard() {
	assert(!f.ack || c.sent);	/* PRP_DROP_ACK */
	if
	:: f.ack -> c.una = 1
	:: else
	fi;
	c_confirming = 0;
	if
	:: f.kind == SEG ->
		c.came = 1;
		c_ack(0)
	:: f.kind != SEG && f.now ->
		c_ack(0)
	:: else
	fi;
	if
	:: c.una && (c.came || c_closed) -> c_finish()
	:: else
	fi
}

/* receive_conn(), receive_early() */
inline c_frame() {
	if
	:: c.state == CLOSE -> c_stray()
	:: c.state != CLOSE && f.kind == RST -> c_reset()
	:: c.state != CLOSE && f.kind == ANS -> c_answer()
	:: c.state != CLOSE && (f.kind == ACK || f.kind == SEG) ->
		if
		:: f.tag != c.tag -> c_refuse()
		:: f.tag == c.tag && c.state == ESTABLISHED -> c_heard()
		:: else
		fi
	fi
}

/* __prp_handshake_connect(), prp_conn_alloc(): a tag that was not used */
inline c_connect() {
	life++;
	c.state = CONN_WAIT;
	c.tag = life;
	c.peer = 0;
	c.sent = 0;
	c.una = 0;
	c.came = 0;
	c_cookie = 0;
	c_confirming = 0;
	c_closed = 0;
	c_young = 0;
	c_request()
}

/* --- the server ---------------------------------------------------------- */

/* __prp_xmit_open(), stray_answer() */
inline s_answer(to, tag_, with_cookie) {
	clear();
	o.kind = ANS;
	o.tag = to;
	o.open = tag_;
	o.cookie = with_cookie;
	put(to_client)
}

/* __prp_xmit_ack(), __prp_xmit_probe() */
inline s_ack(ask) {
	clear();
	o.tag = s.peer;
	o.ack = s.came;
	o.seq = s.sent;
	o.now = ask;
	put(to_client)
}

/* __prp_xmit_segment() */
inline s_segment() {
	clear();
	o.kind = SEG;
	o.tag = s.peer;
	o.ack = s.came;
	put(to_client)
}

/* stray_reset() */
inline s_refuse(why) {
	clear();
	o.kind = RST;
	o.code = why;
	o.quote = f.tag;
	if
	:: f.kind == CON -> o.tag = f.open
	:: else
	fi;
	put(to_client)
}

/* stray_open(), stray_child() */
inline s_open(tag_, confirmed) {
	s.state = ESTABLISHED;
	s.tag = tag_;
	s.peer = f.open;
	s.sent = 0;
	s.una = 0;
	s.came = 0;
	s_unconfirmed = !confirmed;
	s_by_cookie = confirmed;
	s_accepted = 0
}

/* prp_record_add() */
inline s_leave(with_reset) {
	s_left[s.peer].there = 1;
	s_left[s.peer].reset = with_reset;
	s_left[s.peer].tag = s.tag;
	s_left[s.peer].peer = s.peer
}

/* __prp_conn_abort(): a confirmation that comes again makes no second child */
inline s_aborted() {
	s.state = CLOSE;
	if
	:: s_by_cookie -> s_leave(1)
	:: else
	fi
}

/* __prp_handshake_abort(), __prp_xmit_reset() */
inline s_abort() {
	clear();
	o.kind = RST;
	o.code = ABORTED;
	o.tag = s.peer;
	put(to_client);
	s_aborted()
}

/* stray_request(), stray_listen(): half says that the listener is half full */
inline s_listen(half) {
	if
	:: s_left[f.open].there	/* a stale request */
	:: else ->
		if
		:: half ->
			s_answer(f.open, s_next, 1)
		:: else ->
			s_open(s_next, 0);
			s_answer(s.peer, s.tag, 0)
		fi;
		s_next++
	fi
}

/* handshake_again() */
inline s_again() {
	if
	:: f.open == s.peer ->
		s_answer(s.peer, s.tag, 0)
	:: else ->
		s_ack(1)	/* has the peer forgotten us? */
	fi
}

/* stray_confirm(), prp_confirm_ok() */
inline s_confirmation() {
	if
	:: LEFT.there ->
		if
		:: LEFT.reset -> s_refuse(EXPIRED)
		:: else
		fi
	:: else ->
		if
		:: f.tag < s_good ->
			s_refuse(EXPIRED)
		:: else ->
			s_open(f.tag, 1);
			s_ack(0)
		fi
	fi
}

/* handshake_con(), handshake_go_back() */
inline s_con() {
	if
	:: f.tag != s.tag && f.open == s.peer && s_unconfirmed &&
	   f.tag >= s_good ->
		s.tag = f.tag;
		s_by_cookie = 1
	:: else
	fi;
	if
	:: f.tag == s.tag && f.open == s.peer ->
		s_unconfirmed = 0;
		s_ack(0)
	:: else
	fi
}


/* program: it takes what is there, once */
inline s_read() {
	delivered[s_body]++;
	assert(delivered[s_body] == 1);		/* nothing twice */
	assert(s_body == s.peer)		/* nor another one's bytes */
}

/* handshake_reset(), reset_loses(): who has ended may forget us */
inline s_reset() {
	if
	:: f.tag == s.tag || (!f.tag && f.quote == s.peer) ->
		if
		:: f.code == NO_CONN && s.came && !s.sent -> s_read()
		:: else
		fi;
		s_aborted()
	:: else
	fi
}

/* receive_established(), receive_check(), __prp_handshake_confirmed() */
inline s_heard() {
	assert(!f.ack || s.sent);
	if
	:: f.ack -> s.una = 1
	:: else
	fi;
	s_unconfirmed = 0;
	if
	:: f.kind == SEG ->
		if
		:: !s.came ->
			s.came = 1;
			s_body = f.body
		:: else
		fi;
		s_ack(0)
	:: f.kind != SEG && f.now ->
		s_ack(0)
	:: else
	fi;
	if
	:: s.una && s.came ->	/* __prp_conn_finish() */
		s.state = CLOSE;
		s_leave(0)
	:: else
	fi
}

/* prp_stray_frame(), stray_end_again() */
inline s_stray() {
	if
	:: LEFT.there && !LEFT.reset ->
		if
		:: f.kind == SEG || f.now ->
			clear();
			o.tag = LEFT.peer;
			o.ack = 1;
			put(to_client)
		:: else
		fi
	:: else ->
		s_refuse(NO_CONN)
	fi
}

/* receive_conn(), __prp_handshake_frame(), prp_stray_frame() */
inline s_frame(half) {
	if
	:: f.kind == REQ && s.state == CLOSE -> s_listen(half)
	:: f.kind == REQ && s.state != CLOSE -> s_again()
	:: f.kind == CON && s.state == CLOSE -> s_confirmation()
	:: f.kind == CON && s.state != CLOSE -> s_con()
	:: f.kind == RST && s.state == CLOSE
	:: f.kind == RST && s.state != CLOSE -> s_reset()
	:: (f.kind == ACK || f.kind == SEG) && s.state == CLOSE -> s_stray()
	:: (f.kind == ACK || f.kind == SEG) && s.state != CLOSE ->
		if
		:: f.tag != s.tag -> s_refuse(NO_CONN)
		:: else -> s_heard()
		fi
	fi
}

/* --- time ---------------------------------------------------------------- */

/* prp_recovery_timer(), __prp_handshake_retransmit(), recovery_probe() */
inline c_due() {
	if
	:: c.state == CONN_WAIT -> c_request()
	:: c.state == ESTABLISHED && c_confirming -> c_confirm(1)
	:: else
	fi;
	if
	:: c.state == ESTABLISHED && c.sent && !c.una -> c_segment()
	:: else
	fi
}

/* prp_recovery_timer(), recovery_probe() */
inline s_due() {
	if
	:: s.state == ESTABLISHED && s.sent && !s.una -> s_segment()
	:: else
	fi
}

#define PATIENCE (ROUNDS / 2)	/* __prp_watch_is_over() */
#define ON_WAY (len(to_server) || len(to_client))
#define EXPIRES (s.state == ESTABLISHED && s_unconfirmed)
#define DUE (c.state == CONN_WAIT || \
	     (c.state == ESTABLISHED && \
	      (c_confirming || (c.sent && !c.una))) || \
	     (s.state == ESTABLISHED && s.sent && !s.una))

active proctype both() {
	c.state = CLOSE;
	s.state = CLOSE;
	do
	:: over -> break
	/* channel: any frame comes next, is lost, comes twice */
	:: len(to_client) > 0 -> d_step { take0(to_client); c_frame() }
	:: len(to_client) > 1 -> d_step { take1(to_client); c_frame() }
	:: len(to_client) > 2 -> d_step { take2(to_client); c_frame() }
	:: len(to_server) > 0 -> d_step { take0(to_server); s_frame(0) }
	:: len(to_server) > 1 -> d_step { take1(to_server); s_frame(0) }
	:: len(to_server) > 2 -> d_step { take2(to_server); s_frame(0) }
	:: len(to_server) > 0 -> d_step { take0(to_server); s_frame(1) }
	:: len(to_server) > 1 -> d_step { take1(to_server); s_frame(1) }
	:: len(to_server) > 2 -> d_step { take2(to_server); s_frame(1) }
	:: len(to_client) > 0 && lose -> d_step { take0(to_client); lose-- }
	:: len(to_server) > 0 && lose -> d_step { take0(to_server); lose-- }
	:: len(to_client) > 0 && twice -> d_step {
		take0(to_client); o2f(to_client); c_frame(); twice-- }
	:: len(to_server) > 0 && twice -> d_step {
		take0(to_server); o2f(to_server); s_frame(0); twice-- }
	:: len(to_server) > 0 && twice -> d_step {
		take0(to_server); o2f(to_server); s_frame(1); twice-- }

	/* program: the client's connects, sends, ends; or gives up waiting */
	:: c.state == CLOSE && life < LIVES -> d_step { c_connect() }
	:: c.state == ESTABLISHED && !c.sent -> d_step {
		c.sent = 1; c_segment() }
	:: c.state == CONN_WAIT && give_up -> d_step {
		c.state = CLOSE; give_up-- }
	/* prp_release(), release_conn() */
	:: c.state == ESTABLISHED && c.sent && !c_closed && shut -> d_step {
		c_closed = 1; shut--;
		if
		:: c.una -> c_finish()
		:: else
		fi }

	/* program: the server's, prp_accept_child_confirmed() */
	:: s.state == ESTABLISHED && !s_unconfirmed && !s_accepted -> d_step {
		/* somebody is there who had the answer */
		assert(known & (1 << s.tag));
		s_accepted = 1 }
	:: s.state == ESTABLISHED && s_accepted && s.came && !s.sent -> d_step {
		s_read(); s.sent = 1; s_segment() }
	:: s.state == ESTABLISHED && s_accepted && s.came && !s.sent && abort ->
		d_step { s_read(); s_abort(); abort--; excused = 1 }

	/* time: secrets change, patience ends, timers are early */
	:: ON_WAY && age && s_good < s_next -> d_step {
		s_good = s_next; age--; excused = 1 }
	:: EXPIRES && expire -> d_step {
		s_abort(); expire--; excused = 1 }
	:: !ON_WAY && c_left.half && c_left.there && forget -> d_step {
		c_left.there = 0; forget-- }	/* record_expire() */
	:: ON_WAY && early && DUE -> d_step { c_due(); s_due(); early-- }
	:: else -> d_step {
		c_young = 0;
		rounds++;
		assert(rounds <= ROUNDS);	/* not stuck */
		if
		:: rounds > PATIENCE && EXPIRES -> s_abort()
		:: rounds > PATIENCE && !EXPIRES && c_confirming &&
		   c.state == ESTABLISHED -> c_failed()
		:: rounds <= PATIENCE && DUE -> c_due(); s_due()
		:: rounds <= PATIENCE && !DUE && EXPIRES -> s_abort()
		:: else ->
			assert(c.state == CLOSE || excused);
			assert(!(left & 2) || delivered[1] || excused);
			assert(!(left & 4) || delivered[2] || excused);
			over = 1
		fi
		}
	od
}
