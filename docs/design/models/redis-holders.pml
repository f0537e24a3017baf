/*
 * Leasehold, Redis engine: owners beside each other, lock delay and min hold on one key (docs/design/redis.md).
 *
 * Each claim has a connection and an access of its own: X alone, S shared, P two permits, T three permits. Each step is
 * one atomic action: script, client reaction or clock tick, between any two of which time may pass. A lease of n ticks
 * ends n ticks after its script ran, or later. Messages may be lost, late and overtaken. Broken connections and give-up
 * markers are the same as for exclusive locks, and not in here.
 *
 *   spin -a SWITCHES redis-holders.pml && gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c && ./pan -m1000000
 *
 * Switches  N claims (A1..A4: their accesses, any if not given), L lease, G grant lease, DL lock delay, MH min hold, MAXF
 *           the grant at which a run ends, CRASH (one claim's process dies), NOWAITS
 *           (claims may ask without waiting)
 * Checks    P1  those who believe in a grant go together     P2  tokens grow from owner to owner who exclude each other
 *           P3  nothing is left when all is over             INV a believed grant is in the store, for the lock delay longer
 *           GO  the store's places go together               Q1  nobody passes a claim that waits
 *           Q2  whoever may be let in is let in              MIN a place stays closed for its min hold
 */
#ifndef N
#define N 3
#endif
#ifndef L
#define L 2
#endif
#ifndef G
#define G 1
#endif
#ifndef DL
#define DL 0
#endif
#ifndef MH
#define MH 0
#endif
#ifndef MAXF
#define MAXF 4
#endif

#define X 1
#define S 2
#define P 3
#define T 4
#define LIMIT(a) ((a) == X -> 1 : ((a) == S -> 99 : (a) - 1))
#define PERMITS(a) ((a) >= P)
#define MIN(a,b) ((a) < (b) -> (a) : (b))
#define MAX(a,b) ((a) > (b) -> (a) : (b))
#define LEFT(lease, age) ((lease) > (age) -> (lease) - (age) : 0)

/* claim states */
#define FRESH 0
#define WAIT 1
#define HOLD 2
#define CLOSING 3
#define DONE 4
#define DEAD 5
/* requests */
#define ACQ 1
#define REN 2
#define CLOSE 3
/* answers */
#define GRANTED 1
#define BUSY 2
#define DIFFERS 3
#define YES 4
#define NO 5

/* the store */
byte fence[N+1], ttl[N+1];       /* grant of each claim, how long the store keeps it */
byte kept[N+1];                  /* place that a released claim leaves to the end of its min hold */
byte twice[N+1];                 /* places taken by mistake */
byte cnt;                        /* fence counter */
byte q[N], qn;

/* the clients */
byte acc[N+1], st[N+1], val[N+1], fen[N+1];
byte age[N+1], seen[N+1];        /* WAIT: age of the last poll answered busy, the counter it saw */
bool asked[N+1], waits[N+1];
byte ty[N+1], ph[N+1], ix[N+1], ia[N+1], ir[N+1], fr[N+1];   /* the request under way: 1 sent, 2 answered */
byte msg[N+1];                   /* the message under way */

/* ghosts */
byte minh[N+1];                  /* rest of the min hold */
byte last[T+1];                  /* greatest token entered, by access */
bool stop, crashed;
hidden byte i, j, c, h, n, a, r, f, v, b, waited;

#define RESET i=0; j=0; c=0; h=0; n=0; a=0; r=0; f=0; v=0; b=0

/* who has the lock: n places, all with access a */
inline look() {
  n = 0; a = 0; h = 1;
  do :: h <= N -> if :: fence[h] -> n++; a = acc[h] :: else fi;
                  if :: kept[h] -> n++; a = acc[h] :: else fi;
                  if :: twice[h] -> n++; a = acc[h] :: else fi; h++
     :: else -> break od;
  h = 0
}
#ifdef MUT_JOINANY
#define JOINS(x) (n == 0 || (x != X && n < LIMIT(x)))
#else
#define JOINS(x) (n == 0 || (x == a && n < LIMIT(x)))
#endif
inline unqueue(who) {
  h = 0;
  do :: h < qn && q[h] != who -> h++ :: else -> break od;
  if :: h < qn -> qn--; do :: h < qn -> q[h] = q[h+1]; h++ :: else -> break od; q[qn] = 0 :: else fi;
  h = 0
}
inline enqueue(who) {
  h = 0;
  do :: h < qn && q[h] != who -> h++ :: else -> break od;
  if :: h == qn -> q[qn] = who; qn++ :: else fi;
  h = 0
}
inline grant(who, lease) {
  cnt++;
  h = 0;                         /* Q1: who joins the queue later stands behind; so whoever is in it was there before */
  do :: h < qn -> assert(who != c || waited); h++ :: else -> break od;
  h = 0;
#ifdef MUT_TWICE
  if :: fence[who] -> twice[who] = 1 :: else fi;
#endif
  fence[who] = cnt;
#ifdef MUT_NODELAY
  ttl[who] = MAX(lease, MH);
#else
  ttl[who] = MAX(lease + DL, MH);
#endif
  minh[who] = MH;
  if :: cnt >= MAXF -> stop = 1 :: else fi
}
/* the first in the queue, and those behind who may have the lock beside; c itself for v, without a message */
inline serve() {
  do
  :: qn > 0 ->
     look();
     if
     :: JOINS(acc[q[0]]) ->
        b = q[0];
        unqueue(b);
        waited = 1;
        if :: b == c && ty[c] == ACQ -> grant(b, v)
           :: else -> grant(b, G); if :: msg[b] == 0 -> msg[b] = cnt :: else fi    /* or lost */
        fi;
        waited = 0;
        b = 0
#ifdef MUT_NOCASCADE
        ; break
#endif
     :: else -> break
     fi
  :: else -> break
  od
}
/* script of claim c: type ty[c], argument v; answer r, fence f */
inline execute() {
  r = 0; f = 0;
  if
  :: ty[c] == ACQ ->
     look();
     if
#ifndef MUT_TWICE
     :: fence[c] ->
        ttl[c] = MAX(ttl[c], v + DL);
        r = GRANTED; f = fence[c]
#endif
     :: !fence[c] && n > 0 && PERMITS(acc[c]) && PERMITS(a) && a != acc[c] ->
        unqueue(c);
#ifndef MUT_NOSERVE
        serve();
#endif
        r = DIFFERS
     :: else ->
#ifdef MUT_PASS
        if :: JOINS(acc[c]) -> unqueue(c); grant(c, v); r = GRANTED; f = cnt
           :: else -> if :: waits[c] -> enqueue(c) :: else fi
        fi;
#else
        if :: waits[c] -> enqueue(c) :: else fi;
        serve();
        look();
        if :: !fence[c] && qn == 0 && JOINS(acc[c]) -> grant(c, v) :: else fi;
#endif
        if :: fence[c] -> r = GRANTED; f = fence[c] :: else -> r = BUSY; f = cnt fi
     fi
  :: ty[c] == REN ->
     if
#ifdef MUT_CREATE
     :: true -> fence[c] = ix[c];
#else
     :: fence[c] && fence[c] == ix[c] ->
#endif
#ifdef MUT_NODELAY
        ttl[c] = MAX(ttl[c], L);
#else
#ifdef MUT_SHORTEN
        ttl[c] = L + DL;
#else
        ttl[c] = MAX(ttl[c], L + DL);
#endif
#endif
        r = YES
     :: else -> r = NO
     fi
  :: ty[c] == CLOSE ->
     unqueue(c);
#ifdef MUT_ANYCLOSE
     j = 1;
     do :: j < N && !fence[j] -> j++ :: else -> break od;
#else
     j = c;
#endif
     if :: fence[j] -> fence[j] = 0; ttl[j] = 0;
#ifndef MUT_NOKEEP
                       kept[j] = minh[j];
#endif
        :: else fi;
#ifdef MUT_NOSERVE
     if :: qn > 0 && r -> serve() :: else fi;
#else
     serve();
#endif
     r = YES
  fi;
  if :: ty[c] != REN && qn > 0 ->
        look();
        b = q[0];
        assert(!(JOINS(acc[b])));                                                     /* Q2 */
        b = 0
     :: else fi
}
inline send(tt, xx) { ty[c] = tt; ph[c] = 1; ix[c] = xx; ia[c] = 0 }
inline forget() { ty[c] = 0; ph[c] = 0; ix[c] = 0; ia[c] = 0; ir[c] = 0; fr[c] = 0 }
inline enter(ff, vv) {
  st[c] = HOLD; val[c] = vv; fen[c] = ff; age[c] = 0; seen[c] = 0;
  h = X;
  do :: h <= T -> if :: h != acc[c] || h == X -> assert(ff > last[h]) :: else fi; h++ :: else -> break od;   /* P2 */
  last[acc[c]] = MAX(last[acc[c]], ff);
  h = 0
}
inline receive() {               /* request ty, argument v sent n ticks ago; answer r, fence f */
  if
  :: b == ACQ && st[c] == WAIT && r == GRANTED -> v = LEFT(v, n); if :: v -> enter(f, v) :: else fi
  :: b == ACQ && st[c] == WAIT && r == BUSY -> age[c] = MIN(n, age[c]); seen[c] = f; if :: !waits[c] -> st[c] = DONE :: else fi
  :: b == ACQ && st[c] == WAIT && r == DIFFERS -> st[c] = DONE; age[c] = 0; seen[c] = 0
  :: b == ACQ && st[c] == HOLD && r == GRANTED ->
     if :: f == fen[c] && val[c] -> v = LEFT(v, n); val[c] = MAX(val[c], v) :: else -> val[c] = 0 fi
  :: b == REN && st[c] == HOLD && r == YES -> if :: val[c] -> v = LEFT(L, n); val[c] = MAX(val[c], v) :: else fi
  :: b == REN && st[c] == HOLD && r == NO -> val[c] = 0
  :: b == CLOSE && st[c] == CLOSING -> st[c] = DONE
  :: else
  fi
}
inline deliver() {
  f = msg[c]; msg[c] = 0;
  if
  :: st[c] == WAIT ->
#ifdef MUT_STALE
     v = LEFT(G, age[c]);
#else
     v = (f > seen[c] -> (LEFT(G, age[c])) : 0);
#endif
     if :: v -> enter(f, v) :: else fi
  :: st[c] == DONE -> st[c] = CLOSING       /* nobody waits for it any more */
  :: else
  fi
}
inline down(x) { if :: x > 0 -> x-- :: else fi }
inline up(x, most) { if :: x < most -> x++ :: else fi }
inline tick() {
  i = 1;
  do :: i <= N -> down(ttl[i]); down(kept[i]); down(val[i]); down(minh[i]);
                  if :: st[i] == WAIT && asked[i] -> up(age[i], G) :: else fi;
                  if :: ph[i] -> up(ia[i], L) :: else fi; i++
     :: else -> break od
}
inline check() {
  look();
  r = 0; f = 0; i = 1;
  do :: i <= N ->
        if :: fence[i] || kept[i] -> assert(acc[i] == a) :: else fi;                                 /* GO */
        if :: st[i] == HOLD && val[i] ->
              assert(fence[i] == fen[i] && ttl[i] >= val[i] + DL);                                   /* INV */
              assert(f == 0 || r == acc[i]);                                                         /* P1 */
              r = acc[i]; f++
           :: else fi;
        if :: minh[i] -> assert(fence[i] || kept[i]) :: else fi;                                     /* MIN */
        i++
     :: else -> break od;
  assert(n == 0 || n <= LIMIT(a));                                                                   /* GO */
  assert(f == 0 || f <= LIMIT(r))                                                                    /* P1 */
}
inline residue() {
  b = !crashed && !stop; i = 1;
  do :: i <= N -> if :: ph[i] || msg[i] || (st[i] != FRESH && st[i] != DONE) -> b = 0 :: else fi; i++ :: else -> break od;
  i = 1;
  do :: b && i <= N -> assert(fence[i] == 0 && twice[i] == 0); i++ :: else -> break od;              /* P3 */
  assert(!b || qn == 0)
}
/* forget what no later step can read: fewer states, same behaviour */
inline norm() {
  i = 1;
  do :: i <= N ->
        if :: st[i] != WAIT -> age[i] = 0; seen[i] = 0; if :: msg[i] -> msg[i] = 1 :: else fi :: else fi;
        if :: ph[i] && (ty[i] == CLOSE || (st[i] != WAIT && st[i] != HOLD)) -> ia[i] = 0; fr[i] = 0;
                 if :: ph[i] == 2 -> ix[i] = 0; ir[i] = 0 :: else fi
           :: else fi;
        if :: st[i] >= DONE -> asked[i] = 0; waits[i] = 0 :: else fi;
        i++
     :: else -> break od
}
#define fin() check(); residue(); norm(); RESET

#define LIVE(C) !stop && st[C] != DEAD
#define CLAIM(C) \
  :: d_step { LIVE(C) && st[C] == FRESH -> st[C] = WAIT; waits[C] = 1; fin() } \
  NOWAIT(C) \
  :: d_step { LIVE(C) && st[C] == WAIT && !ph[C] && (waits[C] || !asked[C]) -> c = C; send(ACQ, (asked[C] -> G : L)); POLLED(C); asked[C] = 1; fin() } \
  :: d_step { LIVE(C) && st[C] == HOLD && val[C] && !ph[C] -> c = C; send(REN, fen[C]); fin() } \
  :: d_step { LIVE(C) && (st[C] == HOLD || (st[C] == WAIT && waits[C] && asked[C])) -> st[C] = CLOSING; val[C] = 0; fen[C] = 0; age[C] = 0; seen[C] = 0; fin() } \
  :: d_step { LIVE(C) && st[C] == CLOSING && !ph[C] -> c = C; send(CLOSE, 0); fin() } \
  :: d_step { !stop && ph[C] == 1 -> c = C; v = ix[C]; execute(); ph[C] = 2; ir[C] = r; fr[C] = f; fin() } \
  :: d_step { !stop && ph[C] == 2 -> c = C; b = ty[C]; v = ix[C]; n = ia[C]; r = ir[C]; f = fr[C]; forget(); receive(); fin() } \
  :: d_step { !stop && msg[C] -> c = C; deliver(); fin() } \
  :: d_step { !stop && msg[C] -> msg[C] = 0; fin() } \
  :: d_step { !stop && fence[C] && ttl[C] == 0 -> fence[C] = 0; fin() } \
  DIES(C)
#ifdef NOWAITS
#define NOWAIT(C) :: d_step { LIVE(C) && st[C] == FRESH -> st[C] = WAIT; waits[C] = 0; fin() }
#else
#define NOWAIT(C)
#endif
#ifdef MUT_LASTSENT
#define POLLED(C) age[C] = 0
#else
#define POLLED(C) skip
#endif
#ifdef CRASH
#define DIES(C) :: d_step { LIVE(C) && !crashed && st[C] != FRESH && st[C] != DONE -> crashed = 1; st[C] = DEAD; val[C] = 0; fin() }
#else
#define DIES(C)
#endif
#ifndef A1
#define ANY(x) if :: acc[x] = X :: acc[x] = S :: acc[x] = P :: acc[x] = T fi
#endif

active proctype world() {
  atomic {
#ifdef A1
    acc[1] = A1; acc[2] = A2;
#if N > 2
    acc[3] = A3;
#endif
#if N > 3
    acc[4] = A4;
#endif
#else
    ANY(1); ANY(2);
#if N > 2
    ANY(3);
#endif
#if N > 3
    ANY(4);
#endif
#endif
  }
  do
  :: stop -> break
  :: d_step { !stop -> tick(); fin() }
  CLAIM(1)
  CLAIM(2)
#if N > 2
  CLAIM(3)
#endif
#if N > 3
  CLAIM(4)
#endif
  od
}
