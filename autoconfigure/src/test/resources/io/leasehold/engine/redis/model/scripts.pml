/*
 * The scripts, as they run at the store: one step each, named like the Lua files, and their parts like the functions of
 * handoff.lua. Part of handoff.pml.
 */

/* The lock: an exclusive grant, or a place that a min hold keeps for NOBODY */
byte owner, number, ttl;
/* The holders: grants beside each other; one that is over is listed until somebody looks */
#ifndef ALONE
byte numbers[NC+1], till[NC+1], kept[NC+1];
bool over[NC+1];
#endif
byte fence;                    /* the greatest number granted */
#ifdef LINGER
bool lingering;                /* the owner may keep the lock unused (~) */
#endif
bool marked, noted;            /* the mark of the greatest number, and that of the grant in the lock */
#ifdef MARKS
byte markTtl;
#endif
byte queue[NC], queued;        /* waiting claims by arrival */
bool notified[NC+1];           /* queued as one that is notified (+, *) */
byte gone[NC+1];               /* give-up markers, and how long they last */
#ifdef QT
byte queueTtl;
#endif

#ifdef MUT_RECALLONCE
hidden byte again;
#endif

/* For the checks alone */
byte greatest;                 /* number granted, whatever the store has lost */
byte minHold[NC+1];            /* rest of the min hold of each claim's last grant */
bool wants[N];                 /* whether a member's callers have had a place in the queue all the time */
byte later[NC+1];              /* members that wanted the key when a claim came into the queue, a bit for each */

#define JOINS(access) (n == 0 || (access == a && n < LIMIT(access)))
#ifdef MUT_JOINANY
#undef JOINS
#define JOINS(access) (n == 0 || (access != X && n < LIMIT(access)))
#endif
#ifdef ALONE
#define NUMBER(c) (OWNS(c) -> number : 0)
#define TTL(c) (owner == (c) -> ttl : 0)
#define KEPT(c) (owner == NOBODY)
#else
#define NUMBER(c) (OWNS(c) -> number : (over[c] -> 0 : numbers[c]))
#define TTL(c) (owner == (c) -> ttl : till[c])
#define KEPT(c) (ACCESS(c) == X -> owner == NOBODY : kept[c] > 0)
#endif
#ifdef MUT_JVMTOKEN
#define OWNS(c) (owner && owner != NOBODY && JVM(owner) == JVM(c))
#else
#define OWNS(c) (owner == (c))
#endif
#ifdef MUT_SHORTEN
#define RAISED(end, ms) (ms)
#else
#define RAISED(end, ms) MAX(end, ms)
#endif
#ifdef MUT_NODELAY
#define DELAY 0
#else
#define DELAY DL
#endif

#ifdef MARKS
#define LASTING(ms) markTtl = MAX(markTtl, ms);
#else
#define LASTING(ms)
#endif
/* Keeps the marks for ms at least */
inline outlive(ms) {
  LASTING(ms)
#ifndef MUT_LOCKUNMARKED
  if :: owner && !marked -> noted = 1 :: else fi;
#endif
  marked = 1
}
/* k: something needs the mark */
inline needed() {
  k = (queued > 0); h = 1;
  do
  :: h <= NC ->
#ifndef ALONE
     if :: (numbers[h] && !over[h]) || kept[h] -> k = 1 :: else fi;
#endif
     if :: gone[h] -> k = 1 :: else fi;
     h++
  :: else -> break
  od;
  h = 0
}
inline unmark() {
  needed();
  if :: !k && (n == 0 || a != X) -> marked = 0 :: else fi
}

/* There are n owners, all with access a */
inline look() {
  n = 0; a = 0;
  if
  :: owner -> n = 1; a = X
  :: else ->
#ifndef ALONE
     h = 1;
     do
     :: h <= NC ->
        if :: over[h] -> over[h] = 0; numbers[h] = 0; till[h] = 0 :: else fi;
        if :: numbers[h] -> n++; a = ACCESS(h) :: else fi;
        if :: kept[h] -> n++; a = ACCESS(h) :: else fi;
        h++
     :: else -> break
     od;
     h = 0
#endif
  fi
}

inline unqueue(who) {
  h = 0;
  do :: h < queued && queue[h] != who -> h++ :: else -> break od;
  if
  :: h < queued ->
     queued--;
     do :: h < queued -> queue[h] = queue[h+1]; h++ :: else -> break od;
     queue[h] = 0; notified[who] = 0
  :: else
  fi;
  h = 0
}

inline enqueue(who, form) {
#ifndef MUT_QUEUEUNMARKED
#ifdef MUT_POLLMARK
  if :: !marked -> outlive(QT) :: else fi;
#else
#ifdef QT
  outlive(QT);
#else
  outlive(0);
#endif
#endif
#endif
  h = 0;
  do :: h < queued && queue[h] != who -> h++ :: else -> break od;
  if
  :: h == queued -> queue[h] = who; queued++; notified[who] = (form == NOTIFIED); comes(who)
  :: else
  fi;
#ifdef QT
  queueTtl = QT;
#endif
  h = 0
}

inline put(who, its, ms) {
  n++; a = ACCESS(who);
  if
#ifndef ALONE
  :: a != X -> numbers[who] = its; till[who] = ms; over[who] = 0
#ifndef MUT_HOLDERUNMARKED
     ; outlive(ms)
#endif
#endif
  :: a == X -> owner = who; number = its; ttl = ms;
#ifdef LINGER
     lingering = 0;
#endif
#ifdef MUT_GRANTUNMARKED
     noted = 0
#else
     noted = marked
#endif
  fi
}

inline remove(who) {
  n--;
  if
#ifndef ALONE
  :: ACCESS(who) != X -> numbers[who] = 0; till[who] = 0
#endif
  :: ACCESS(who) == X -> owner = 0; number = 0; ttl = 0; noted = 0
#ifdef LINGER
     ; lingering = 0
#endif
  fi
}

inline grant(who, ms) {
#ifdef MUT_NOSEED
  fence++;
#else
  fence = MAX(fence, greatest) + 1;          /* the server's clock is ahead of all that it granted before */
#endif
  HOLDS(TOKENS, fence > greatest);
  greatest = fence;
  k = MAX(ms + DELAY, MH);
  put(who, fence, k);
#if MH > 0
  minHold[who] = MH;
#endif
  itsTurn(who);
  if :: fence >= MAXF -> stop = 1 :: else fi
}

/* Ends a grant, but not its min hold */
inline release(who) {
  remove(who);
#if MH > 0 && !defined(MUT_NOKEEP)
  if
#ifndef ALONE
  :: minHold[who] && ACCESS(who) != X -> kept[who] = minHold[who]; n++; a = ACCESS(who); outlive(minHold[who])
#endif
  :: minHold[who] && ACCESS(who) == X -> owner = NOBODY; ttl = minHold[who]; n++; a = X; noted = marked
  :: else
  fi
#endif
}

inline handTo(who, notifies) {
  grant(who, GRANT_LEASE);
  if
  :: notifies && LISTENS(JVM(who)) -> if :: message[who] == 0 -> message[who] = fence :: else fi /* or lost */
#ifndef CLUSTER
  :: notifies && !LISTENS(JVM(who)) -> remove(who)                                              /* a dead JVM */
#endif
  :: else
  fi
}

/* The first in the queue, and those behind who may have the lock beside; claim c itself for v, without a message */
inline serve() {
  do
  :: queued && (n == 0 || a != X) ->
     w = queue[0];
     if
     :: JOINS(ACCESS(w)) ->
        b = notified[w];
        unqueue(w);
        if :: t == ACQUIRE && w == c -> grant(w, v); y = 1
           :: else -> handTo(w, b)
        fi
#ifdef MUT_NOCASCADE
        ; break
#endif
     :: else -> break
     fi
  :: else -> break
  od;
  w = 0; b = 0
}

/* acquire.lua: for claim c, to keep it for v, queued in form x; answers r, with the number f */
inline acquire() {
  y = 0;
  if
  :: owner == 0 && !marked -> n = 0; a = 0;                                              /* acquire-free.lua */
#ifdef LINGER
     e = f;
#endif
     grant(c, v); r = GRANTED; f = NUMBER(c);
#ifdef LINGER
     if
     :: e -> lingering = 1
#ifndef MUT_NOBLOCK
        ; fence++; greatest = fence; if :: fence >= MAXF -> stop = 1 :: else fi
#endif
     :: else
     fi
#endif
  :: else -> look(); acquireLong()
  fi
}
inline acquireLong() {
  if
#ifndef MUT_NOIDEM
  :: OWNS(c) -> ttl = RAISED(ttl, v + DELAY); r = GRANTED; f = number
#ifndef ALONE
  :: owner == 0 && numbers[c] -> till[c] = RAISED(till[c], v + DELAY); outlive(till[c]); r = GRANTED; f = numbers[c]
#endif
#endif
  :: else ->
     if
     :: gone[c] -> r = OVER
#ifndef ALONE
     :: !gone[c] && n && PERMITS(ACCESS(c)) && PERMITS(a) && a != ACCESS(c) ->
        unqueue(c);
#ifndef MUT_NOSERVE
        serve();
#endif
        r = DIFFERS
#endif
     :: else ->
#ifdef MUT_RECALLONCE
        again = 0; h = 0;
        do :: h < queued -> if :: queue[h] == c -> again = 1 :: else fi; h++ :: else -> break od;
        h = 0;
#endif
        if :: x -> enqueue(c, x) :: else fi;
#ifdef MUT_PASS
        if :: JOINS(ACCESS(c)) -> unqueue(c); HOLDS(PASSING, queued == 0); grant(c, v); y = 1 :: else fi;
#else
        serve();
        if :: !y && queued == 0 && JOINS(ACCESS(c)) -> unmark(); grant(c, v); y = 1 :: else fi;
#endif
        if :: y -> r = GRANTED; f = NUMBER(c)
           :: else -> r = BUSY; f = fence; e = ttl;
#ifdef LINGER
#ifdef MUT_RECALLONCE
              if :: !again -> want() :: else fi
#else
              want()
#endif
#endif
        fi
     fi
  fi
}

/* renew.lua: for claim c, the grant with number f, to keep it for v */
inline renew() {
  if
#ifdef MUT_OWNERONLY
  :: OWNS(c) ->
#else
  :: OWNS(c) && number == f ->
#endif
     ttl = RAISED(ttl, v + DELAY); r = RENEWED
#ifdef LINGER
     ; lingering = 0
#endif
#ifndef ALONE
#ifdef MUT_CREATE
  :: ACCESS(c) != X -> numbers[c] = f; over[c] = 0;
#else
  :: numbers[c] == f && !over[c] ->
#endif
     till[c] = RAISED(till[c], v + DELAY); r = RENEWED
#ifndef MUT_RENEWMARK
     ; outlive(till[c])
#endif
#endif
  :: else -> r = NOT_OWNER
  fi
}

/* close.lua: for claim c, with a marker if v */
inline close() {
  if
  :: owner == c && !noted && !v && MH == 0 && DL == 0 -> n = 1; a = X; remove(c)         /* release-sole.lua */
  :: else -> closeLong()
  fi;
  r = RELEASED
}
inline closeLong() {
#ifndef MUT_NOREM
  unqueue(c);
#endif
#ifndef MUT_GONEUNMARKED
#ifdef MUT_GONEMARK
  if :: v && !marked -> outlive(0) :: else fi;
#else
  if :: v -> outlive(MT) :: else fi;
#endif
#endif
  if :: v -> gone[c] = MT :: else fi;
  look();
#ifdef MUT_ANYCLOSE
  j = 1;
  do :: j < NC && NUMBER(j) == 0 -> j++ :: else -> break od;
#else
  j = c;
#endif
  y = 0;
  if :: NUMBER(j) -> y = (owner == j); release(j) :: else fi;
#ifdef MUT_NOSERVE
  if :: n == 0 -> serve() :: else fi;
#else
  serve();
#endif
#ifdef MUT_HANDUNMARKED
  marked = 0
#else
  unmark();
  if :: !k && y -> marked = 0; noted = 0 :: else fi        /* sole.lua: also when it is handed to the last */
#endif
}

/* force.lua: an operator ends all grants */
inline force() {
  look();
  j = 1;
  do
  :: j <= NC -> if :: NUMBER(j) -> release(j) :: else fi; j++
  :: else -> break
  od;
  j = 0; t = CLOSE;
  serve();
  unmark()
}
