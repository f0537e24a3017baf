/*
 * The Redis engine: one key between the claims of several members (docs/design/redis.md).
 *
 * One process: each step is one action of the store, a client, the network or the clock, and between any two steps
 * anything else may happen. So requests, answers, messages and threads take any time, and a member may be paused anywhere.
 * Time is discrete: a lease of n ticks ends n ticks after its script ran, or later, never earlier. The steps of the
 * store are named like the scripts and in scripts.pml, those of the clients like the methods of LiveClaim, StoreClaim,
 * KeyGate and Holds, and are in here. runs.txt lists what is checked, and which mistakes have to be found.
 *
 *   spin -a SWITCHES handoff.pml && gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=6000 -o pan pan.c && ./pan -m1000000
 *
 * Sizes     N members, K claims of each in sequence (of the first K0, of the others K1), A1 to A4 what they ask for: X alone,
 *           S shared, P two permits, T three of them. L lease, G grant lease, DL lock delay, MH min hold. Q requests under way
 *           on a line (Q1: of the others). A run ends at the grant MAXF.
 * Faults    RC lines that break (BREAK0: of the first member alone), S requests of theirs that may run later, U ticks
 *           at most, MT how long a marker lasts then. CRASH a member dies. LOSS the server loses all it has. FORCE an operator
 *           ends all grants. SUBS times that a member's inbox breaks or comes back; CLUSTER subscribers cannot be counted.
 *           QT lifetime of the queue. MARKS the marks end with the last of what needs them. SKEW the least ticks between two that a member's clock misses or has too much.
 * Callers   NOWAITS some do not wait, INHERIT claims that are given up stay for the next caller, with lease LI,
 *           ORDERED check the order of service, too.
 * LINGER    First requests ask for a grant that lingers, with this lease: after its last hold it may stay with its member, PARKED, until
 *           somebody else wants it (a recall), or half of its lease is over. Two numbers belong to it, for four entries. RLOST recalls lost
 *           at most, without it all of them. NOEXTEND: no renewals, to look at the times of a recall alone.
 * LIVE      All are in time: a round trip takes D, waiters poll P after an answer, messages may still be lost. M least validity
 *           to enter by a message, B longest time that nobody holds while somebody waits. ABANDONS: waiters may give up.
 */
#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif
#ifndef K0
#define K0 K
#endif
#ifndef K1
#define K1 K
#endif
#ifndef L
#define L 2
#endif
#ifndef LI
#define LI L
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
#ifndef Q
#define Q 2
#endif
#ifndef Q1
#define Q1 1
#endif
#ifndef MAXF
#define MAXF 4
#endif
#ifndef RC
#define RC 0
#endif
#ifndef S
#define S 1
#endif
#ifndef MT
#define MT 1                   /* and for ever, without U */
#endif
#ifdef M
#define CHECKS_LASTS
#else
#define M 1
#endif
#ifndef P
#define P 1
#endif
#ifndef D
#define D 1
#endif
#ifndef B
#define B 99
#endif

#ifdef LINGER
#define FIRST_LEASE LINGER
#define LAST_ENTRY 3
#else
#define FIRST_LEASE L
#endif

#define X 1
#define SHARED 2
#define TWO 3
#define THREE 4
#ifndef A1
#define A1 X
#define A2 X
#endif
#ifndef A3
#define A3 X
#endif
#ifndef A4
#define A4 X
#endif
#if A1 == X && A2 == X && A3 == X && A4 == X
#define ALONE
#define ACCESS(c) X
#else
#define ACCESS(c) ((c) == 1 -> A1 : ((c) == 2 -> A2 : ((c) == 3 -> A3 : A4)))
#endif
#define LIMIT(access) ((access) == X -> 1 : ((access) == SHARED -> 99 : (access) - 1))
#define PERMITS(access) ((access) >= TWO)

#define NC (N*K)
#define JVM(c) (((c)-1)/K)
#define NOBODY (NC+1)
#define MIN(a,b) ((a) < (b) -> (a) : (b))
#define MAX(a,b) ((a) > (b) -> (a) : (b))
#if G < L
#define GRANT_LEASE G
#else
#define GRANT_LEASE L
#endif
#if L > LI
#define CAP L                  /* nothing is left of any lease */
#else
#define CAP LI
#endif
#ifdef SKEW
#define MARGIN 1
#else
#define MARGIN 0
#endif

/* What a claim is, to its client */
#define NEW 0
#define WAITING 1
#define HELD 2
#define LOST 3                 /* believed in no longer, left to its lease and lock delay */
#define CLOSING 4
#define CLOSED 5
#define PARKED 6               /* granted, and held by nobody here */
/* Scripts */
#define ACQUIRE 1
#define RENEW 2
#define CLOSE 3
/* Forms of queueing: a claim that does not wait has none */
#define NOTIFIED 1
#define POLLS 2
/* Answers */
#define GRANTED 1
#define BUSY 2
#define DIFFERS 3
#define OVER 4
#define RENEWED 5
#define NOT_OWNER 6
#define RELEASED 7
/* Whether a claim waits */
#define YES 1
#define NO 2
#define ANSWERED 3             /* no, and it has had its answer */

/* What is checked: pan names the one that is violated */
hidden byte EXCLUSION = 1;     /* those who believe in a grant go together */
hidden byte STORED = 1;        /* a believed grant is in the store, for the lock delay longer */
hidden byte TOKENS = 1;        /* tokens grow at the store, and from holder to holder who exclude each other */
hidden byte TOGETHER = 1;      /* owners at the store go together, in the lock or in the holders */
hidden byte RESIDUE = 1;       /* nothing is left when all is over */
hidden byte MIN_HOLD = 1;      /* a place stays closed for its min hold */
hidden byte LOCK_DELAY = 1;    /* and for the lock delay after a loss */
hidden byte SERVED = 1;        /* whoever may be let in is let in by the same script */
hidden byte MARKED = 1;        /* what a short script does not look at is marked */
hidden byte PLAIN = 1;         /* and the grant of a lock, too */
hidden byte PASSING = 1;       /* nobody is let in beside the queue */
hidden byte ORDER = 1;         /* nor before callers whose member came first */
hidden byte OPEN = 1;          /* no claim finds itself closed */
hidden byte IDLE = 1;          /* LIVE: somebody waits while nobody holds, for B at most */
hidden byte ORPHAN = 1;        /* LIVE: a dead waiter costs G + D at most */
hidden byte LASTS = 1;         /* LIVE: no holder loses its lease */
hidden byte PLACE = 1;         /* LIVE: no waiter loses its place */
#ifdef LINGER
hidden byte RECALLED = 1;      /* nothing is parked after a recall has arrived */
hidden byte TAKEOVER = 1;      /* the store keeps what is parked for one linger at most */
#endif
#define HOLDS(property, condition) if :: (condition) :: else -> assert(!property) fi

/* The clients */
byte state[NC+1];
byte valid[NC+1], held[NC+1];  /* HELD: how long to believe in it; its number */
#ifdef LINGER
byte passed[NC+1];             /* to the next callers here */
bool lingers[NC+1];            /* HELD: may be parked; PARKED: may be entered */
bool early[NC+1];              /* WAITING: a recall came before the answer */
bool recall[NC+1];             /* under way */
byte lostRecalls;
bool recalled[NC+1];           /* for the check alone: a recall came */
#else
bool passed[NC+1];             /* to the next caller here */
#endif
byte base[NC+1], seen[NC+1];   /* WAITING: age of what any grant in a message came after; the number in the last answer */
bool asked[NC+1], broke[NC+1]; /* the store may know of it; its first line broke */
byte waits[NC+1];
bool inherited[NC+1];          /* by a caller with another lease */
byte rest[NC+1];               /* LOST: time until it is closed */
byte timer[NC+1];              /* LIVE: time until the next poll */
byte message[NC+1];            /* the number in the message under way */
bool dead[N], deaf[N];
byte newest[N];                /* claim of each member */
byte since[N];                 /* SKEW: since a clock was last wrong */

/* The lines: requests in their order, and then their answers; and what is left of broken ones */
byte lScript[N*Q], lClaim[N*Q], lMs[N*Q], lForm[N*Q], lNumber[N*Q], lAnswer[N*Q], lRest[N*Q], lAge[N*Q];
byte sScript[S], sClaim[S], sMs[S], sForm[S], sNumber[S], sAge[S];
byte breaks, crashes, subs;
bool stop, lost, forced;

/* For the checks alone */
byte last[THREE+1];            /* greatest token entered, by access */
byte ended;                    /* greatest number that an operator or the loss of data has ended */
byte quiet[NC+1];              /* how long a key has to stay closed after a loss */
byte idle, orphan;
bool orphaned[N];

hidden byte i, j, h, c, t, v, x, f, r, e, g, y, n, a, w, b, k;   /* within one step only */

#define LISTENS(member) (!dead[member] && !deaf[member])

/* A claim comes into the queue */
inline comes(who) {
#ifdef ORDERED
  i = 0; later[who] = 0;
  do :: i < N -> if :: i != JVM(who) && wants[i] -> later[who] = later[who] | (1 << i) :: else fi; i++ :: else -> break od;
  if :: state[who] == WAITING -> wants[JVM(who)] = 1 :: else fi      /* and not given up meanwhile */
#else
  skip
#endif
}
/* Those who wanted the key have got it, or want it no longer */
inline content(member) {
#ifdef ORDERED
  wants[member] = 0;
  i = 1;
  do :: i <= NC -> later[i] = later[i] & ~(1 << (member)); i++ :: else -> break od
#else
  skip
#endif
}
inline itsTurn(who) {
#ifdef ORDERED
  HOLDS(ORDER, later[who] == 0);
  later[who] = 0;
  content(JVM(who))
#else
  skip
#endif
}

#include "scripts.pml"

/* What the store does at once: script t of claim c with v, x and f; answer r with number f and rest e */
inline execute() {
  r = 0; e = 0;
  if
  :: t == ACQUIRE -> acquire()
  :: t == RENEW -> renew()
  :: t == CLOSE -> close()
  fi;
  served()
}
inline served() {
  if
  :: t != RENEW && r != OVER && queued -> look(); w = queue[0]; HOLDS(SERVED, !(JOINS(ACCESS(w))))
  :: else
  fi
}

#define ROOM(J) (lScript[(J)*Q + ((J) == 0 -> Q : Q1) - 1] == 0)
#define EMPTY(J) (lScript[(J)*Q] == 0)
#define SECOND(J) ((J)*Q + (Q > 1))
#define UNDER_WAY(T, C) ((lScript[JVM(C)*Q] == T && lClaim[JVM(C)*Q] == C) || (lScript[SECOND(JVM(C))] == T && lClaim[SECOND(JVM(C))] == C))

inline send(script, who, ms, form, its) {
  h = JVM(who)*Q;
  do :: lScript[h] -> h++ :: else -> break od;
  lScript[h] = script; lClaim[h] = who; lMs[h] = ms; lForm[h] = form; lNumber[h] = its; lAge[h] = 0; lAnswer[h] = 0
}
inline shift(member) {
  h = (member)*Q;
  do
  :: h+1 < (member)*Q + Q ->
     lScript[h] = lScript[h+1]; lClaim[h] = lClaim[h+1]; lMs[h] = lMs[h+1]; lForm[h] = lForm[h+1];
     lNumber[h] = lNumber[h+1]; lAnswer[h] = lAnswer[h+1]; lRest[h] = lRest[h+1]; lAge[h] = lAge[h+1]; h++
  :: else -> break
  od;
  lScript[h] = 0; lClaim[h] = 0; lMs[h] = 0; lForm[h] = 0; lNumber[h] = 0; lAnswer[h] = 0; lRest[h] = 0; lAge[h] = 0
}

#ifdef MUT_RECEIPT
#define LEFT(ms, age) (ms)
#else
#ifdef MUT_NOMARGIN
#define LEFT(ms, age) ((ms) > (age) -> (ms) - (age) : 0)
#else
#define LEFT(ms, age) ((ms) > (age) + MARGIN -> (ms) - (age) - MARGIN : 0)
#endif
#endif

/* Claims: StoreClaim, LiveClaim */
inline begin(who, waiting) { state[who] = WAITING; waits[who] = waiting; newest[JVM(who)] = who }
/* A claim that is given up stays for the next caller, who may want another lease */
inline keepWaiting(who) { waits[who] = YES; inherited[who] = (LI != L) }
inline ask(who) {
#ifdef MUT_LASTSENT
  base[who] = 0;
#endif
#ifdef LINGER
  send(ACQUIRE, who, (asked[who] -> GRANT_LEASE : FIRST_LEASE), (waits[who] != YES -> 0 : NOTIFIED + deaf[JVM(who)]), (!asked[who] && !deaf[JVM(who)]));
#else
  send(ACQUIRE, who, (asked[who] -> GRANT_LEASE : L), (waits[who] != YES -> 0 : NOTIFIED + deaf[JVM(who)]), 0);
#endif
  asked[who] = 1
}
inline enter(who, its, ms) {
  state[who] = HELD; valid[who] = ms; held[who] = its; base[who] = 0; seen[who] = 0; idle = 0;
  token(who)
}
inline token(who) {
  if
  :: held[who] > ended ->
     g = held[who]*2 + passed[who]; h = X;
     do
     :: h <= THREE -> if :: h != ACCESS(who) || h == X -> HOLDS(TOKENS, g > last[h]) :: else fi; h++
     :: else -> break
     od;
     last[ACCESS(who)] = MAX(last[ACCESS(who)], g)
  :: else
  fi
}
inline granted() {
  seen[c] = MAX(seen[c], f);
  v = LEFT(v, g);
  if
  :: v -> enter(c, f, v);
#ifdef LINGER
#ifdef MUT_FORGETEARLY
     lingers[c] = e
#else
     lingers[c] = e && !early[c]
#endif
#endif
  :: else -> timer[c] = 0
  fi
}
inline busy() {
  base[c] = g; seen[c] = MAX(seen[c], f);
#ifdef LIVE
  timer[c] = MIN(P, e + 1);
#endif
  if
  :: x == 0 && !broke[c] -> asked[c] = 0; base[c] = 0; seen[c] = 0             /* forgotten: nothing of it is in the store */
  :: else
  fi;
  if :: waits[c] == NO -> waits[c] = ANSWERED :: else fi
}
/* A message */
inline deliver(who) {
  c = who; f = message[c]; message[c] = 0;
  if
  :: dead[JVM(c)] -> skip
  :: !dead[JVM(c)] && state[c] == WAITING ->
#ifdef MUT_STALE
     v = LEFT(GRANT_LEASE, base[c]);
#else
     v = (f > seen[c] -> (LEFT(GRANT_LEASE, base[c])) : 0);
#endif
     if :: v >= M -> enter(c, f, v) :: else -> timer[c] = 0 fi
  :: !dead[JVM(c)] && state[c] == CLOSED -> if :: ROOM(JVM(c)) -> returnGrant(c) :: else fi
  :: else
  fi
}
inline returnGrant(who) { send(CLOSE, who, 0, 0, 0) }
/* Nobody wants the key any more */
inline abandon(who) {
#ifdef MUT_NOCLOSE
  state[who] = CLOSED;
#else
  state[who] = (asked[who] -> CLOSING : CLOSED);
#endif
#ifndef MUT_NOINHERIT
  content(JVM(who));
#endif
  base[who] = 0; seen[who] = 0; waits[who] = 0
}

/* Holds: KeyGate, Holds, Watchdog */
#define LEASE(who) (inherited[who] -> LI : L)
inline extend() {
#ifdef MUT_REVIVED
  if :: true -> v = LEFT(v, g); valid[c] = MAX(valid[c], v) :: else fi
#else
  if :: valid[c] -> v = LEFT(v, g); valid[c] = MAX(valid[c], v) :: else fi
#endif
}
inline pass(who) { passed[who]++; token(who) }
#ifdef LINGER
inline park(who) { state[who] = PARKED }
#ifdef MUT_SAMEPASS
inline reenter(who) { state[who] = HELD; idle = 0; token(who) }
#else
inline reenter(who) { state[who] = HELD; idle = 0; pass(who) }
#endif
/* Somebody waits for what claim who has */
inline receiveRecall(who) {
  recall[who] = 0;
  if :: state[who] == WAITING || state[who] == HELD || state[who] == PARKED -> recalled[who] = 1 :: else fi;
  if
#ifndef MUT_ENTERRECALLED
  :: state[who] == PARKED -> leave(who)
#endif
  :: state[who] == WAITING -> early[who] = 1
#ifndef MUT_PARKRECALLED
  :: state[who] == HELD -> lingers[who] = 0
#endif
  :: else
  fi
}
inline want() {
  if :: lingering && LISTENS(JVM(owner)) -> recall[owner] = 1 :: else fi
}
#endif
inline leave(who) { state[who] = CLOSING; valid[who] = 0; held[who] = 0; passed[who] = 0; inherited[who] = 0; quiet[who] = 0 }
inline lose(who) {
#if DL > 0
#ifdef MUT_NOREST
  rest[who] = 0;
#else
  rest[who] = valid[who] + DL;
#endif
  state[who] = LOST; valid[who] = 0
#else
  leave(who)
#endif
}
inline sendEnd(who) {
  state[who] = CLOSING;
#ifdef MUT_NOMARK
  send(CLOSE, who, 0, 0, 0)
#else
  send(CLOSE, who, broke[who], 0, 0)
#endif
}

/* An answer came: script t of claim c, sent with v and x ticks g ago; r with number f and rest e */
inline answered() {
  if
  :: t == ACQUIRE && state[c] == WAITING ->
     HOLDS(OPEN, r != OVER);
     if
     :: r == GRANTED -> granted()
     :: r == BUSY -> busy()
     :: r == DIFFERS -> abandon(c)
     :: else
     fi
#ifdef MUT_LATEGRANT
  :: t == ACQUIRE && state[c] == HELD && r == GRANTED -> send(CLOSE, c, 0, 0, 0)
#endif
  :: t == RENEW && state[c] == HELD && r == RENEWED -> extend()
  :: t == RENEW && state[c] == HELD && r == NOT_OWNER -> lose(c)
  :: t == CLOSE && state[c] == CLOSING -> state[c] = CLOSED
  :: else
  fi
}

/* The network */
inline loadNext(member) {                    /* the next request that the store has not run */
  h = (member)*Q;
  if :: lAnswer[h] -> h++ :: else fi;
  t = lScript[h]; c = lClaim[h]; v = lMs[h]; x = lForm[h]; f = lNumber[h];
  g = h
}
inline answer(member) {
  lAnswer[g] = r; lNumber[g] = f; lRest[g] = e;
  if :: dead[member] -> shift(member) :: else fi
}
inline receive(member) {
  h = (member)*Q;
  t = lScript[h]; c = lClaim[h]; v = lMs[h]; x = lForm[h]; f = lNumber[h]; r = lAnswer[h]; e = lRest[h]; g = lAge[h];
  shift(member);
  answered()
}
/* Whatever had no answer is lost with the line, or runs later: copies has a bit for each that does */
inline breakLine(member, copies) {
  breaks++;
  i = 1;
  do :: i <= NC -> if :: JVM(i) == member && asked[i] -> broke[i] = 1 :: else fi; i++ :: else -> break od;
  do :: lAnswer[(member)*Q] -> shift(member) :: else -> break od;
  n = 0;
  do
  :: n < Q ->
     h = (member)*Q;
     if
     :: lScript[h] && ((copies >> n) & 1) ->
        i = 0;
        do :: i < S && sScript[i] -> i++ :: else -> break od;
        if
        :: i < S -> sScript[i] = lScript[h]; sClaim[i] = lClaim[h]; sMs[i] = lMs[h]; sForm[i] = lForm[h]; sNumber[i] = lNumber[h]; sAge[i] = 0
        :: else
        fi
     :: else
     fi;
     shift(member);
     n++
  :: else -> break
  od
}
inline loadLate(s) {
  t = sScript[s]; c = sClaim[s]; v = sMs[s]; x = sForm[s]; f = sNumber[s];
  vanish(s)
}
inline vanish(s) { sScript[s] = 0; sClaim[s] = 0; sMs[s] = 0; sForm[s] = 0; sNumber[s] = 0; sAge[s] = 0 }
inline crash(member) {
  crashes++; dead[member] = 1;
  i = 0;
  do :: i < queued -> if :: queue[i] == newest[member] -> orphaned[member] = 1 :: else fi; i++ :: else -> break od;
  content(member);
  do :: lAnswer[(member)*Q] -> shift(member) :: else -> break od;
  i = 1;
  do
  :: i <= NC ->
     if
     :: JVM(i) == member ->
#if DL > 0
        if :: state[i] == HELD && valid[i] -> quiet[i] = valid[i] + DL :: else fi;
#endif
        valid[i] = 0; base[i] = 0; seen[i] = 0
     :: else
     fi;
     i++
  :: else -> break
  od
}
/* An operator */
inline operate() { forced = 1; ended = greatest; c = 0; t = CLOSE; r = 0; force(); served() }
inline loseAll() {
  lost = 1; ended = greatest; owner = 0; number = 0; ttl = 0; fence = 0; queued = 0; marked = 0; noted = 0;
#ifdef LINGER
  lingering = 0;
#endif
  i = 0;
  do :: i < NC -> queue[i] = 0; i++ :: else -> break od;
  i = 1;
  do
  :: i <= NC ->
#ifndef ALONE
     numbers[i] = 0; till[i] = 0; kept[i] = 0; over[i] = 0;
#endif
     notified[i] = 0; gone[i] = 0; minHold[i] = 0; quiet[i] = 0; later[i] = 0; i++
  :: else -> break
  od;
  i = 0;
  do :: i < N -> wants[i] = 0; i++ :: else -> break od
}

/* The clocks */
inline down(left) { if :: left -> left-- :: else fi }
inline up(age, most) { if :: age < most -> age++ :: else fi }
inline tickStore() {
  down(ttl);
#ifdef MARKS
  down(markTtl);
#endif
#ifdef QT
  down(queueTtl);
#endif
  i = 1;
  do
  :: i <= NC ->
#ifndef ALONE
     down(till[i]); down(kept[i]);
#endif
#if MH > 0
     down(minHold[i]);
#endif
#if DL > 0
     down(quiet[i]);
#endif
#ifdef U
     down(gone[i]);
#endif
     i++
  :: else -> break
  od;
#ifdef U
  i = 0;
  do :: i < S -> if :: sScript[i] -> up(sAge[i], U + 1) :: else fi; i++ :: else -> break od
#endif
}
inline tickMember(member) {
  i = (member)*K + 1;
  do
  :: i <= (member)*K + K ->
#if defined(LINGER) && !defined(MUT_SUSPENDED)
     if :: state[i] == PARKED && valid[i] -> valid[i]-- :: else fi;
#endif
     if :: state[i] == HELD && valid[i] -> valid[i]--; if :: valid[i] == 0 -> quiet[i] = DL :: else fi
        :: state[i] == WAITING && asked[i] -> up(base[i], CAP)
        :: else fi;
     down(rest[i]);
#ifdef LIVE
     down(timer[i]);
#endif
     i++
  :: else -> break
  od;
  i = (member)*Q;
  do :: i < (member)*Q + Q -> if :: lScript[i] -> up(lAge[i], CAP) :: else fi; i++ :: else -> break od
}
/* All clocks, but that of one member; or only that of one */
inline tick(but) {
  tickStore();
  j = 0;
  do
  :: j < N ->
     if :: j != but -> tickMember(j) :: else fi;
#ifdef SKEW
     if :: j == but -> since[j] = 0 :: else -> up(since[j], SKEW) fi;
#endif
     j++
  :: else -> break
  od;
#ifdef LIVE
  onTime();
#endif
}
#ifdef LIVE
inline onTime() {
  b = 0; y = 0; i = 1;
  do
  :: i <= NC ->
     if :: !dead[JVM(i)] && state[i] == WAITING -> b = 1
        :: !dead[JVM(i)] && state[i] == HELD -> y = 1;
#ifdef CHECKS_LASTS
        HOLDS(LASTS, valid[i] > 0)
#endif
        :: else fi;
     i++
  :: else -> break
  od;
  if :: b && !y -> up(idle, 100) :: else -> idle = 0 fi;
  HOLDS(IDLE, idle <= B);
  if :: owner && dead[JVM(owner)] && orphaned[JVM(owner)] -> orphan++; HOLDS(ORPHAN, orphan <= G + D) :: else -> orphan = 0 fi
}
#endif
/* Time does not pass while somebody has something to do at this moment: b */
inline mayTick() {
  b = 1;
#ifdef LIVE
  if :: owner && ttl == 0 -> b = 0 :: else fi;
#ifdef QT
  if :: queued && queueTtl == 0 -> b = 0 :: else fi;
#endif
  i = 0;
  do :: i < N*Q -> if :: lScript[i] && lAge[i] >= D -> b = 0 :: else fi; i++ :: else -> break od;
  i = 1;
  do
  :: i <= NC ->
     if
     :: !dead[JVM(i)] ->
        if :: state[i] == WAITING && !asked[i] -> b = 0
#ifndef MUT_NOPOLL
           :: state[i] == WAITING && asked[i] && timer[i] == 0 && !UNDER_WAY(ACQUIRE, i) -> b = 0
#endif
           :: state[i] == HELD && valid[i]*3 <= L*2 && !UNDER_WAY(RENEW, i) -> b = 0
           :: state[i] == CLOSING && !UNDER_WAY(CLOSE, i) -> b = 0
#ifdef LINGER
           :: state[i] == PARKED && valid[i]*2 <= LINGER -> b = 0
           :: recall[i] -> b = 0
#endif
           :: else fi
     :: else
     fi;
     i++
  :: else -> break
  od
#endif
}

#ifdef ALONE
#define STANDS(c) (owner == (c) && number == held[c])
#else
#define STANDS(c) (NUMBER(c) == held[c])
#endif
inline check() {
  needed();
  HOLDS(MARKED, !k || marked);
  HOLDS(PLAIN, !k || !owner || noted);
  k = 0;
  look();
  HOLDS(TOGETHER, n == 0 || n <= LIMIT(a));
  r = 0; f = 0; i = 1;
  do
  :: i <= NC ->
#ifndef ALONE
     HOLDS(TOGETHER, (numbers[i] == 0 && kept[i] == 0) || (owner == 0 && ACCESS(i) == a));
#endif
     if
#ifdef LINGER
     :: state[i] == PARKED && valid[i] && held[i] > ended && !dead[JVM(i)] ->
        HOLDS(STORED, STANDS(i) && TTL(i) >= valid[i]);
        HOLDS(TAKEOVER, TTL(i) <= LINGER);
        HOLDS(RECALLED, !recalled[i])
#endif
     :: state[i] == HELD && valid[i] && held[i] > ended && !dead[JVM(i)] ->
        HOLDS(EXCLUSION, f == 0 || r == ACCESS(i));
        r = ACCESS(i); f++;
        HOLDS(EXCLUSION, f <= LIMIT(r));
#ifndef NOSTORED
        HOLDS(STORED, STANDS(i) && TTL(i) >= valid[i] + DL)
#endif
     :: else
     fi;
#if DL > 0
     if :: quiet[i] && held[i] > ended -> HOLDS(LOCK_DELAY, STANDS(i) && TTL(i) >= quiet[i]) :: else fi;
#endif
#if MH > 0
     if :: minHold[i] -> HOLDS(MIN_HOLD, NUMBER(i) || KEPT(i)) :: else fi;
#endif
     i++
  :: else -> break
  od
}
/* All claims are closed, and nothing is under way */
inline residue() {
  b = !stop && !(lost && RC > 0); i = 0;
  do :: i < N -> if :: !EMPTY(i) || dead[i] -> b = 0 :: else fi; i++ :: else -> break od;
  i = 0;
  do :: i < S -> if :: sScript[i] -> b = 0 :: else fi; i++ :: else -> break od;
  i = 1;
  do :: i <= NC -> if :: message[i] || (state[i] != NEW && state[i] != CLOSED) -> b = 0 :: else fi; i++ :: else -> break od;
  if
  :: b ->
     HOLDS(RESIDUE, (owner == 0 || owner == NOBODY) && queued == 0);
#ifndef ALONE
     i = 1;
     do :: i <= NC -> HOLDS(RESIDUE, numbers[i] == 0 || over[i]); i++ :: else -> break od
#endif
  :: else
  fi
}
/* Forget what no later step can read: fewer states, same behaviour */
#ifdef LIVE
#define FORGET_AGE(slot)       /* it times the network */
#else
#define FORGET_AGE(slot) lAge[slot] = 0;
#endif
inline forget() {
  i = 0;
  do
  :: i < N*Q ->
     if
#ifndef MUT_LATEGRANT
     :: lScript[i] && (lScript[i] == CLOSE || state[lClaim[i]] != (lScript[i] == RENEW -> HELD : WAITING)) ->
        FORGET_AGE(i)
        if :: lAnswer[i] -> lMs[i] = 0; lForm[i] = 0; lNumber[i] = 0; lRest[i] = 0; lAnswer[i] = RELEASED :: else fi
#endif
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 1;
  do
  :: i <= NC ->
     if :: state[i] != WAITING && message[i] -> message[i] = 1 :: else fi;
     if :: state[i] != WAITING -> waits[i] = 0; timer[i] = 0; base[i] = 0; seen[i] = 0 :: else fi;
#ifdef LINGER
     if :: state[i] != HELD && state[i] != PARKED -> held[i] = 0; lingers[i] = 0; passed[i] = 0 :: else fi;
     if :: state[i] != WAITING -> early[i] = 0 :: else fi;
     if :: state[i] == NEW || state[i] == CLOSING || state[i] == CLOSED -> recall[i] = 0; recalled[i] = 0 :: else fi;
#else
     if :: state[i] != HELD && !quiet[i] -> held[i] = 0 :: else fi;
#endif
     if :: state[i] == CLOSED -> asked[i] = 0; broke[i] = 0 :: else fi;
     i++
  :: else -> break
  od
}
#ifdef QT
inline expireQueue() {
#ifdef LIVE
  i = 0;
  do :: i < queued -> w = queue[i]; HOLDS(PLACE, dead[JVM(w)] || state[w] != WAITING); i++ :: else -> break od;
#endif
  do :: queued -> queued--; w = queue[queued]; queue[queued] = 0; notified[w] = 0; later[w] = 0; content(JVM(w)) :: else -> break od
}
#endif

/* The steps, and who takes one */
#define BEGIN 1
#define BEGIN_NO_WAIT 2
#define KEEP_WAITING 3
#define ASK 4
#define ABANDON 5
#define SEND_RENEWAL 6
#define PASS 7
#define LEAVE 8
#define LOSE 9
#define SEND_END 10
#define DELIVER 11
#define MESSAGE_LOST 12
#define RUN 13
#define RECEIVE 14
#define TOO_LATE 15
#define BREAK 16               /* to 19: with copies that run later */
#define RUN_LATE 20
#define NEVER_RUNS 21
#define CRASHES 22
#define DEAFENS 23
#define LOSES_ALL 24
#define FORCES 25
#define TICK 26
#define TICK_WITHOUT 27
#define TICK_ALONE 28
#define LOCK_ENDS 29
#define HOLDER_ENDS 30
#define QUEUE_ENDS 31
#define MARK_ENDS 32
#define PARK 33
#define REENTER 34
#define RETURN 35
#define RECALL 36
#define RECALL_LOST 37
byte step, actor;

inline take() {
  if
  :: step == BEGIN -> begin(actor, YES)
  :: step == ASK -> ask(actor)
  :: step == ABANDON -> abandon(actor)
  :: step == SEND_RENEWAL ->
#if defined(LINGER) && !defined(MUT_PARKRENEWED)
     lingers[actor] = 0;
#endif
     send(RENEW, actor, LEASE(actor), 0, held[actor])
  :: step == PASS -> pass(actor)
  :: step == LEAVE -> leave(actor)
  :: step == LOSE ->
     if :: valid[actor] -> quiet[actor] = valid[actor] + DL :: else fi;
     lose(actor)
  :: step == SEND_END -> sendEnd(actor)
  :: step == DELIVER -> deliver(actor)
  :: step == MESSAGE_LOST -> message[actor] = 0
  :: step == RUN -> loadNext(actor)
  :: step == RECEIVE -> receive(actor)
  :: step == TOO_LATE -> shift(actor)
  :: step == TICK -> mayTick(); if :: b -> tick(N) :: else fi
  :: step == LOCK_ENDS -> owner = 0; number = 0; noted = 0
#ifdef LINGER
     ; lingering = 0
#endif
#ifdef LINGER
  :: step == PARK -> park(actor)
  :: step == REENTER -> reenter(actor)
  :: step == RETURN -> leave(actor)
  :: step == RECALL -> receiveRecall(actor)
  :: step == RECALL_LOST -> recall[actor] = 0; lostRecalls++
#endif
#ifdef MARKS
  :: step == MARK_ENDS -> marked = 0; if :: owner == 0 -> look() :: else fi
#endif
#ifndef ALONE
  :: step == HOLDER_ENDS -> over[actor] = 1
#endif
#ifdef NOWAITS
  :: step == BEGIN_NO_WAIT -> begin(actor, NO)
#endif
#ifdef INHERIT
  :: step == KEEP_WAITING -> keepWaiting(actor)
#endif
#if RC > 0
  :: step >= BREAK && step <= BREAK + 3 -> x = step - BREAK; breakLine(actor, x)
  :: step == RUN_LATE -> loadLate(actor)
  :: step == NEVER_RUNS -> vanish(actor)
#endif
#ifdef CRASH
  :: step == CRASHES -> crash(actor)
#endif
#ifdef SUBS
  :: step == DEAFENS -> subs++; deaf[actor] = !deaf[actor]
#endif
#ifdef LOSS
  :: step == LOSES_ALL -> loseAll()
#endif
#ifdef FORCE
  :: step == FORCES -> operate()
#endif
#ifdef SKEW
  :: step == TICK_WITHOUT -> tick(actor)
  :: step == TICK_ALONE -> tickMember(actor); since[actor] = 0
#endif
#ifdef QT
  :: step == QUEUE_ENDS -> expireQueue()
#endif
  fi
}
/* Written once, because the scripts fill most of the length that Spin allows for a d_step */
inline runScript() {
  if
  :: step == RUN || step == RUN_LATE ->
     execute();
     if :: step == RUN -> answer(actor) :: else fi
  :: else
  fi
}
inline settle() { check(); residue(); forget(); step = 0; actor = 0 }

/* When a step may be taken */
#ifdef LIVE
#define MAY_ASK(C) ((!asked[C] || timer[C] == 0) && !UNDER_WAY(ACQUIRE, C))
#else
#define MAY_ASK(C) true
#endif
#ifdef MUT_NOPOLL
#undef MAY_ASK
#define MAY_ASK(C) !asked[C]
#endif
#if defined(LIVE) && !defined(ABANDONS)
#define MAY_ABANDON false
#else
#define MAY_ABANDON true
#endif
#if DL > 0
#define MAY_LOSE(C) true       /* also a hold that nobody is left to release */
#else
#define MAY_LOSE(C) !valid[C]
#endif
#define FIRST(C) ((C-1) % K == 0)
#define MAY_BEGIN(C) (state[C] == NEW && (C-1) % K < (C <= K -> K0 : K1) && (FIRST(C) || state[C-1] >= CLOSING || (state[C-1] >= HELD && ACCESS(C-1)*ACCESS(C) != X*X)))
#define MAY_SEND_END(C) ((state[C] == CLOSING || (state[C] == LOST && !rest[C])) && ROOM(JVM(C)) && !UNDER_WAY(CLOSE, C))
#define MAY_RUN(J) (lScript[(J)*Q] && (!lAnswer[(J)*Q] || (Q > 1 && lScript[SECOND(J)] && !lAnswer[SECOND(J)])))
#ifdef BREAK0
#define MAY_BREAK(J) (J == 0 && breaks < RC && !dead[J] && !EMPTY(J))
#else
#define MAY_BREAK(J) (breaks < RC && !dead[J] && !EMPTY(J))
#endif
#ifdef U
#define MAY_RUN_LATE(I) (sScript[I] && sAge[I] <= U)
#else
#define MAY_RUN_LATE(I) sScript[I]
#endif

/* All keys end by the same clock, those with an earlier end first */
#ifdef ALONE
#define HOLDER_DUE(C) false
#else
#define HOLDER_DUE(C) (numbers[C] && !over[C] && till[C] == 0)
#endif
#if NC > 2
#define OTHERS_ENDED (!(queued && queueTtl == 0) && !HOLDER_DUE(1) && !HOLDER_DUE(2) && !HOLDER_DUE(3))
#else
#define OTHERS_ENDED (!(queued && queueTtl == 0) && !HOLDER_DUE(1) && !HOLDER_DUE(2))
#endif
#define STEP(name, who) step = name; actor = who
#define CLAIM(C) \
  :: !dead[JVM(C)] && MAY_BEGIN(C) -> STEP(BEGIN, C) \
  :: !dead[JVM(C)] && state[C] == WAITING && (waits[C] == YES || (waits[C] == NO && !asked[C])) && ROOM(JVM(C)) && MAY_ASK(C) -> STEP(ASK, C) \
  :: !dead[JVM(C)] && state[C] == WAITING && (MAY_ABANDON || waits[C] == ANSWERED) -> STEP(ABANDON, C) \
  :: MAY_RENEW(C) && ROOM(JVM(C)) && !UNDER_WAY(RENEW, C) -> STEP(SEND_RENEWAL, C) \
  :: !dead[JVM(C)] && state[C] == HELD && valid[C] && MAY_PASS(C) -> STEP(PASS, C) \
  :: !dead[JVM(C)] && state[C] == HELD && valid[C] -> STEP(LEAVE, C) \
  :: !dead[JVM(C)] && state[C] == HELD && MAY_LOSE(C) -> STEP(LOSE, C) \
  :: !dead[JVM(C)] && MAY_SEND_END(C) -> STEP(SEND_END, C) \
  :: message[C] -> STEP(DELIVER, C) \
  :: message[C] -> STEP(MESSAGE_LOST, C) \
  NOWAIT(C) INHERITED(C) ENDS(C) LINGERING(C)
#ifdef MUT_RENEWPARKED
#define MAY_RENEW(C) (!dead[JVM(C)] && (state[C] == HELD || state[C] == PARKED) && valid[C] && valid[C] < LEASE(C))
#else
#ifdef NOEXTEND
#define MAY_RENEW(C) false
#else
#define MAY_RENEW(C) (!dead[JVM(C)] && state[C] == HELD && valid[C] && valid[C] < LEASE(C))
#endif
#endif
#ifdef LINGER
#define MAY_PASS(C) (passed[C] < (lingers[C] -> LAST_ENTRY : 1))
#define MAY_ENTER(C) (!dead[JVM(C)] && state[C] == PARKED && valid[C] >= MIN_ENTRY && !deaf[JVM(C)] && passed[C] < LAST_ENTRY)
#ifdef MUT_LATEENTRY
#define MIN_ENTRY 0
#else
#define MIN_ENTRY 1
#endif
#ifdef RLOST
#define MAY_LOSE_RECALL (lostRecalls < RLOST)
#else
#define MAY_LOSE_RECALL true
#endif
#ifdef MUT_PARKRECALLED
#define MAY_PARK(C) (!dead[JVM(C)] && state[C] == HELD && valid[C] && lingers[C])
#else
#define MAY_PARK(C) (!dead[JVM(C)] && state[C] == HELD && valid[C] && lingers[C] && !deaf[JVM(C)])
#endif
#define LINGERING(C) \
  :: MAY_PARK(C) -> STEP(PARK, C) \
  :: MAY_ENTER(C) -> STEP(REENTER, C) \
  :: !dead[JVM(C)] && state[C] == PARKED && MAY_RETURN(C) -> STEP(RETURN, C) \
  :: recall[C] -> STEP(RECALL, C) \
  :: recall[C] && MAY_LOSE_RECALL -> STEP(RECALL_LOST, C)
#else
#define MAY_PASS(C) !passed[C]
#define LINGERING(C)
#endif
#ifdef LIVE
#define MAY_RETURN(C) (valid[C]*2 <= LINGER)
#else
#define MAY_RETURN(C) true
#endif
#ifdef NOWAITS
#define NOWAIT(C) :: !dead[JVM(C)] && MAY_BEGIN(C) -> STEP(BEGIN_NO_WAIT, C)
#else
#define NOWAIT(C)
#endif
#ifdef INHERIT
#define INHERITED(C) :: !dead[JVM(C)] && state[C] == WAITING && (waits[C] != YES || (LI != L && !inherited[C])) -> STEP(KEEP_WAITING, C)
#else
#define INHERITED(C)
#endif
#ifdef ALONE
#define ENDS(C)
#else
#define ENDS(C) :: numbers[C] && !over[C] && till[C] == 0 -> STEP(HOLDER_ENDS, C)
#endif
#define MEMBER(J) \
  :: MAY_RUN(J) -> STEP(RUN, J) \
  :: !dead[J] && lAnswer[(J)*Q] -> STEP(RECEIVE, J) \
  LATE(J) SKEWED(J) BREAKS(J) DIES(J) DEAF(J)
#ifdef LIVE
#define LATE(J)
#else
#define LATE(J) :: !dead[J] && lAnswer[(J)*Q] && lAnswer[(J)*Q] != OVER -> STEP(TOO_LATE, J)
#endif
#ifdef SKEW
#define SKEWED(J) \
  :: since[J] >= SKEW -> STEP(TICK_WITHOUT, J) \
  :: since[J] >= SKEW -> STEP(TICK_ALONE, J)
#else
#define SKEWED(J)
#endif
#if RC > 0
#define BREAKS(J) \
  :: MAY_BREAK(J) -> STEP(BREAK, J) \
  :: MAY_BREAK(J) -> STEP(BREAK + 1, J) \
  :: MAY_BREAK(J) && Q > 1 -> STEP(BREAK + 2, J) \
  :: MAY_BREAK(J) && Q > 1 && S > 1 -> STEP(BREAK + 3, J)
#else
#define BREAKS(J)
#endif
#ifdef CRASH
#define DIES(J) :: crashes < CRASH && !dead[J] && newest[J] -> STEP(CRASHES, J)
#else
#define DIES(J)
#endif
#ifdef SUBS
#define DEAF(J) :: subs < SUBS && !dead[J] -> STEP(DEAFENS, J)
#else
#define DEAF(J)
#endif
#define STRAY(I) \
  :: MAY_RUN_LATE(I) -> STEP(RUN_LATE, I) \
  :: sScript[I] -> STEP(NEVER_RUNS, I)

active proctype world() {
  do
  :: stop -> break
  :: atomic {
       !stop ->
       if
       :: STEP(TICK, 0)
       :: owner && ttl == 0 -> STEP(LOCK_ENDS, 0)
       CLAIM(1)
       CLAIM(2)
       MEMBER(0)
       MEMBER(1)
#if NC > 2
       CLAIM(3)
#endif
#if NC > 3
       CLAIM(4)
#endif
#if NC > 4
       CLAIM(5)
       CLAIM(6)
#endif
#if N > 2
       MEMBER(2)
#endif
#if RC > 0
       STRAY(0)
#if S > 1
       STRAY(1)
#endif
#endif
#ifdef LOSS
       :: !lost -> STEP(LOSES_ALL, 0)
#endif
#ifdef FORCE
       :: !forced -> STEP(FORCES, 0)
#endif
#ifdef QT
       :: queued && queueTtl == 0 -> STEP(QUEUE_ENDS, 0)
#endif
#ifdef MARKS
       :: marked && markTtl == 0 && OTHERS_ENDED -> STEP(MARK_ENDS, 0)
#endif
       fi;
       d_step { take(); runScript(); step = step };
       d_step { settle() }
     }
  od
}
