/* Lease, fence and fail-over: nobody writes who was superseded (A1 to A9, A11, A13, R1, S2).
 *
 * One workflow, two holders, an operator's force, a store clock, requests that arrive late or twice, replies that get
 * lost, and a fail-over to a replica that lags behind. Each d_step is one operation of the contract, done at once by
 * the store; everything between two of them is asynchronous. Times are what is left of them, so that no clock runs out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef ACQUIRES
#define ACQUIRES 2 /* by the first holder, each with an op_id of its own; the second makes one */
#endif
#ifndef LOSSES
#define LOSSES 1 /* replies lost, in all */
#endif
#ifndef COPIES
#define COPIES 1 /* requests that arrive late or twice, in all */
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#define HOLDERS 2
#define TTL 1
#define BUDGET 2
#define NOBODY HOLDERS

/* Two ways to keep S2. By default the numbers of a new epoch start above all that the old one can have granted. DENSE:
 * they go on from the replica's, a fence counts in the epoch of its grant only, and a request that is still on its way
 * at a fail-over ends with its connection. */
#if defined(BROKEN_number_only) || defined(BROKEN_epoch_ignored)
#define DENSE
#define CONNECTIONS_END
#elif defined(BROKEN_request_outlives_epoch)
#define DENSE
#elif defined(DENSE)
#define CONNECTIONS_END
#endif
/* Here honest holders alone must do the harm. */
#if defined(BROKEN_number_only) || defined(BROKEN_stamp_only)
#define NO_STRANGER
#endif
#define STEP 16 /* more than all grants of one epoch */

#define NONE 0
#define ACQUIRE 1
#define RECORD 2
#define RENEW 3
#define RENEW_BUYS 4 /* with a budget */
#define RELEASE 5

typedef Lease {
  byte number; /* the fence is (number, stamp) */
  byte stamp;
  byte epoch;  /* in which it was granted */
  byte left;   /* until live_until */
  byte budget; /* until budget_until */
  byte written /* the op that wrote the one key, 0 none (R1) */
}
Lease store, replica;
byte epoch = 1;
bool follows = true; /* the replica has not yet stopped following */

/* What the promises speak of, and no store knows. A grant is counted when it is made. */
byte grants;   /* in all */
byte latest;   /* the grant in effect, 0 none in this epoch */
byte highest;  /* number so far */
byte promised; /* what is left of the live_until that was told */

typedef Fence {
  byte number;
  byte stamp;
  byte grant /* which it is, in truth */
}
Fence fence[HOLDERS];
byte asking[HOLDERS]; /* the op_id of an acquire without an answer, 0 none */

typedef Request {
  byte kind;
  byte stamp; /* of an acquire its op_id */
  byte number;
  byte grant
}
Request late; /* still on its way when its sender has given it up, or sent it again */
byte copies, losses, failovers;
bool forced;

/* A4: the pair, whole; S2: of this epoch. */
#if defined(BROKEN_number_only)
#define is_current(n, s) ((n) != 0 && store.number == (n) && store.epoch == epoch)
#elif defined(BROKEN_stamp_only)
#define is_current(n, s) ((n) != 0 && store.stamp == (s) && store.epoch == epoch)
#elif defined(BROKEN_epoch_ignored)
#define is_current(n, s) ((n) != 0 && store.number == (n) && store.stamp == (s))
#else
#define is_current(n, s) ((n) != 0 && store.number == (n) && store.stamp == (s) && store.epoch == epoch)
#endif

#define is_live (store.left > 0)
#ifdef BROKEN_callers_clock
#define may_grant(op) (!is_live || (op) > ACQUIRES) /* the second holder's clock is an hour ahead (A11) */
#else
#define may_grant(op) (!is_live)
#endif

/* A6, A7: to now + ttl, never past the budget, never shorter than it was. */
inline live_on() {
  if
  :: store.left < TTL && store.left < store.budget -> store.left = (TTL < store.budget -> TTL : store.budget)
  :: else
  fi;
  promised = store.left
}

inline acquire(op, by_force, who) {
  d_step {
    if
    :: is_live && store.stamp == op /* A9: the grant as it stands */
    :: else ->
      if
      :: may_grant(op) || by_force ->
        assert(promised == 0 || by_force); /* A2, A3, A11 */
        assert(store.number + 1 > highest); /* A1 */
        store.number++;
        highest = store.number;
        grants++;
        latest = grants;
        store.stamp = op;
        store.epoch = epoch;
        store.budget = BUDGET;
        store.left = 0;
        live_on()
      :: else /* held */
      fi
    fi;
    if
    :: who != NOBODY && is_live && store.stamp == op ->
      fence[who].number = store.number;
      fence[who].stamp = op;
      fence[who].grant = latest;
      asking[who] = 0 /* last: op may be this very name */
    :: else
    fi
  }
}

/* `g_` is what the fence (n_, s_) was in truth: it must be accepted if that is the latest, and only then. */
inline record(n_, s_, g_) {
  d_step {
    if
    :: g_ != 0 && store.written == g_ /* R1: a remembered op answers as it did, and changes nothing */
    :: else ->
      if
      :: is_current(n_, s_) ->
        assert(g_ == latest && g_ != 0); /* A4, S2: no stale write is accepted */
        if
        :: store.written == 0 -> store.written = g_
        :: else /* B1 */
        fi;
        if
        :: is_live -> live_on() /* A6 */
        :: else                 /* A5: they do not take it back */
        fi
      :: else -> assert(g_ != latest || g_ == 0) /* A5: the last holder's write lands */
      fi
    fi
  }
}

inline renew(n_, s_, g_, buys) {
  d_step {
    if
    :: is_current(n_, s_) ->
      assert(g_ == latest && g_ != 0); /* A4, A7 */
      if
      :: buys && store.budget < BUDGET -> store.budget = BUDGET
      :: else
      fi;
      if
      :: store.budget > 0 -> live_on()
      :: else /* lapsed */
      fi
    :: else -> assert(g_ != latest || g_ == 0) /* A7: nobody was granted since */
    fi
  }
}

inline release(n_, s_, g_) {
  d_step {
    if
#ifdef BROKEN_release_by_anyone
    :: true ->
#else
    :: is_current(n_, s_) ->
#endif
      store.left = 0;
      store.budget = 0;
      promised = (g_ == latest -> 0 : promised)
    :: else -> assert(g_ != latest || g_ == 0) /* A8 */
    fi
  }
}

inline perform(k_, n_, s_, g_, who) {
  if
  :: k_ == ACQUIRE -> acquire(s_, false, who)
  :: k_ == RECORD -> record(n_, s_, g_)
  :: k_ == RENEW -> renew(n_, s_, g_, false)
  :: k_ == RENEW_BUYS -> renew(n_, s_, g_, true)
  :: k_ == RELEASE -> release(n_, s_, g_)
  fi
}

/* One request of a holder: answered; done with the answer lost; or late. After the last two it may be sent again. */
inline call(k_, n_, s_, g_) {
  if
  :: perform(k_, n_, s_, g_, me)
  :: losses < LOSSES && k_ == ACQUIRE -> losses++; perform(k_, n_, s_, g_, NOBODY)
  :: copies < COPIES && late.kind == NONE ->
    d_step {
      copies++;
      late.kind = k_;
      late.number = n_;
      late.stamp = s_;
      late.grant = g_
    }
  fi
}

/* It knows no time: what it does, it does whenever it likes, long after its lease has lapsed too (A5, A11). */
proctype Holder(byte me; byte most) {
  byte made, kind;
end:
  do
  :: atomic {
      asking[me] == 0 && made < most ->
      made++;
      asking[me] = me * ACQUIRES + made
    }
  :: atomic { asking[me] != 0 -> call(ACQUIRE, 0, asking[me], 0) }
  :: atomic { asking[me] != 0 -> asking[me] = 0 } /* gives up: the outcome stays unknown */
  :: atomic {
      fence[me].number != 0 ->
      if
      :: kind = RECORD
      :: kind = RENEW
      :: kind = RENEW_BUYS
      :: kind = RELEASE
      fi;
      call(kind, fence[me].number, fence[me].stamp, fence[me].grant);
      kind = NONE
    }
  od
}

/* A request arrives late, and nobody waits for its answer. */
proctype Network() {
end:
  do
  :: atomic {
      late.kind != NONE ->
      perform(late.kind, late.number, late.stamp, late.grant, NOBODY);
      d_step {
        late.kind = NONE;
        late.number = 0;
        late.stamp = 0;
        late.grant = 0
      }
    }
  od
}

#define OPERATOR 100
#define STRANGER 200

/* A13, and A4: another stamp, a number that nobody issued, none at all. */
proctype Others() {
end:
  do
  :: atomic { !forced -> forced = true; acquire(OPERATOR, true, NOBODY) }
#ifndef NO_STRANGER
  :: record(store.number, STRANGER, 0)
  :: record(store.number + 1, store.stamp, 0)
  :: record(0, 0, 0)
#endif
  od
}

proctype Clock() {
end:
  do
  :: d_step {
      store.budget > 0 ->
      store.budget--;
      store.left = (store.left > 0 -> store.left - 1 : 0);
      promised = (promised > 0 -> promised - 1 : 0)
    }
  od
}

/* The replica stops following at some moment; what is acknowledged after it goes with the primary. */
proctype Servers() {
end:
  do
  :: d_step {
      follows && failovers < FAILOVERS ->
      follows = false;
      replica.number = store.number;
      replica.stamp = store.stamp;
      replica.epoch = store.epoch;
      replica.written = store.written
    }
  :: d_step {
      !follows ->
      follows = true;
      failovers++;
      epoch++;
      store.number = replica.number;
      store.stamp = replica.stamp;
      store.epoch = replica.epoch;
      store.written = replica.written;
      store.left = 0;
      store.budget = 0;
      replica.number = 0;
      replica.stamp = 0;
      replica.epoch = 0;
      replica.written = 0;
      latest = 0; /* S2: fences of an older epoch are fenced, */
      promised = 0; /* so nobody has to wait for their end */
#ifdef DENSE
      highest = store.number;
#else
      store.number = (epoch - 1) * STEP; /* A1: above every number ever granted */
      store.stamp = 0;
#endif
#ifdef CONNECTIONS_END
      late.kind = NONE;
      late.number = 0;
      late.stamp = 0;
      late.grant = 0
#endif
    }
  od
}

init {
  atomic {
    run Holder(0, ACQUIRES);
    run Holder(1, 1);
    run Network();
    run Others();
    run Clock();
    run Servers()
  }
}
