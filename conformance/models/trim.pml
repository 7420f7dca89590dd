/* Trim and discard against an id that is used on: the floor (T1, T2, T4, A1, A4, A10, B4, D8, W1, R1).
 *
 * One id, two workers whose passes outlive their lives, producers that enqueue and append, one discard, a trim that
 * comes at any moment and as often as it likes, requests that arrive late or twice, replies that get lost. Each d_step
 * is one operation of the contract. A fence is its number here: what the stamp is for, lease.pml shows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef FAULTS
#define FAULTS 1 /* replies lost, requests late or twice, workers that die, and deliveries that lapse under them */
#endif
#define WORKERS 2
#define NOBODY WORKERS

#define NONE 0
#define NOW 1
#define FLIGHT 2
#define OTHER 255

/* What is kept of the id. Nothing, after trim. */
byte number;    /* the fence, 0 none */
bool live;      /* the lease */
byte position;  /* of the last record */
byte record;    /* the delivery whose pass wrote the one key, 0 none */
byte messages;  /* in the inbox; a bit each that says which append made it (I3) */
bool finished;
bool fresh;     /* written or answered less than older_than ago (T2) */
byte wakeup;
bool deferred;  /* W3 */
bool lapsed;
byte receipt;
byte answered;  /* R1: the last answer, enqueue, discard */
byte enqueued;
bool discarded;
/* What is kept for all ids that were forgotten. */
byte floor;

/* What the promises speak of. */
byte deliveries;       /* in all; each has a grant */
byte latest;           /* whose grant is in effect, 0 none */
byte highest_number, highest_position;
bool owed;             /* W1: a delivery must follow */
bool truly_fresh;      /* T2 */
bool discard_acted;    /* in this life */

typedef Pass {
  byte delivery; /* its receipt, and what its fence is in truth */
  byte number    /* its fence */
}
Pass pass[WORKERS];
byte faults;

#define ENQUEUE 1
#define APPEND 2
#define DISCARD 3
#define RECORD 4
#define ACK 5    /* shows no fence */
#define FINISH 6 /* shows its fence, and frees the lease */
typedef Request {
  byte kind;
  byte name; /* op_id, or delivery */
  byte number
}
Request late;

#define larger(a, b) ((a) > (b) -> (a) : (b))
#define touch fresh = true; truly_fresh = true

inline next_position() {
  position = larger(position, floor) + 1;
  assert(position > highest_position); /* B4, A10, T4: nothing appears at or below what was seen */
  highest_position = position
}

inline reused() {
#ifdef BROKEN_discard_forgotten_on_reuse
  discarded = false
#else
  skip
#endif
}

inline enqueue(op_) {
  d_step {
    if
    :: enqueued == op_ /* R1 */
    :: else ->
      enqueued = op_;
      reused();
      owed = true;
      if
      :: wakeup == FLIGHT -> deferred = true
      :: else -> wakeup = NOW
      fi
    fi
  }
}

/* I4: to whatever id, without a fence and without a wakeup. */
inline append(op_) {
  d_step {
    if
    :: messages & (1 << op_) /* I3, R1 */
    :: else ->
      reused();
      messages = messages | (1 << op_);
      next_position();
      touch
    fi
  }
}

#define is_current(n) (n != 0 && number == n)

/* delivery_ is what the fence is in truth: it must be accepted if that is the latest, and only then. */
inline write(delivery_, n_) {
  d_step {
    if
    :: record == delivery_ /* R1 */
    :: else ->
      if
      :: is_current(n_) ->
        assert(delivery_ == latest); /* A4, A10, T4 */
        if
        :: record == 0 -> record = delivery_; next_position()
        :: else /* B1 */
        fi;
        touch
      :: else -> assert(delivery_ != latest) /* A5 */
      fi
    fi
  }
}

/* The receipt is judged first, then the fence, if it shows one (D8). */
inline answer(kind_, delivery_, n_) {
  d_step {
    if
    :: answered == delivery_ /* R1 */
    :: answered != delivery_ && wakeup == FLIGHT && receipt == delivery_ && (kind_ == ACK || is_current(n_)) ->
      assert(kind_ == ACK || delivery_ == latest); /* D8, A10 */
      answered = delivery_;
      wakeup = (deferred -> NOW : NONE);
      deferred = false;
      lapsed = false;
      if
      :: kind_ == FINISH -> finished = true; live = false
      :: else
      fi;
      touch
    :: else /* stale or fenced: it comes back when its lease ends */
    fi
  }
}

inline forget() {
  number = 0;
  position = 0;
  record = 0;
  messages = 0;
  finished = false;
  live = false;
  latest = 0
}

/* A10: the wakeup stays, and what is remembered of it; a receipt in flight works on. */
inline discard() {
  d_step {
    if
    :: discarded /* R1 */
    :: else ->
      assert(!discard_acted); /* R1: it takes no second life */
      discarded = true;
      discard_acted = true;
      floor = larger(floor, larger(number, position));
#ifdef BROKEN_discard_keeps_fence
      record = 0;
      messages = 0;
      finished = false;
      latest = 0;
#else
      forget();
#endif
      touch
    fi
  }
}

/* Finished, or a husk: neither record nor finish, and no lease. */
#define is_bare (record == 0 && messages == 0)
#if defined(BROKEN_trim_by_finish_alone)
#define may_go (finished && !live && wakeup == NONE)
#elif defined(BROKEN_trim_ignores_lease)
#define may_go (finished && wakeup == NONE && !fresh)
#else
#define may_go ((finished || is_bare) && !live && wakeup == NONE && !fresh)
#endif

inline remove() {
  assert(wakeup == NONE && !live && (finished || is_bare)); /* T1 */
  assert(!truly_fresh); /* T2 */
#if defined(BROKEN_floor_forgotten)
  skip;
#elif defined(BROKEN_floor_without_position)
  floor = larger(floor, number);
#else
  floor = larger(floor, larger(number, position)); /* A1, in the same commit */
#endif
  forget();
  wakeup = NONE;
  deferred = false;
  answered = 0;
  enqueued = 0;
  discarded = false;
  discard_acted = false
}

/* receive with acquire (D9): a held wakeup stays where it is until the lease ends or is released. */
#define shown(d) (pass[0].delivery == d || pass[1].delivery == d || (late.kind >= RECORD && late.name == d))
/* What nobody can show any more makes no difference, and need not be told apart. */
inline tidy() {
  d_step {
    answered = (shown(answered) -> answered : 0);
    record = (record == 0 || shown(record) -> record : OTHER)
  }
}
#define deliverable (!live && (wakeup == NOW || (wakeup == FLIGHT && lapsed)))
inline receive(who_) {
  d_step {
    deliveries++;
    number = larger(number, floor) + 1;
    assert(number > highest_number); /* A1 */
    highest_number = number;
    latest = deliveries;
    receipt = deliveries;
    reused();
    live = true;
    wakeup = FLIGHT;
    deferred = false;
    lapsed = false;
    owed = false;
    if
    :: who_ != NOBODY -> pass[who_].delivery = receipt; pass[who_].number = number
    :: else
    fi
  }
}

inline perform(kind_, name_, n_) {
  if
  :: kind_ == ENQUEUE -> enqueue(name_)
  :: kind_ == APPEND -> append(name_)
  :: kind_ == DISCARD -> discard()
  :: kind_ == RECORD -> write(name_, n_)
  :: kind_ >= ACK -> answer(kind_, name_, n_)
  fi
}

/* One request: answered (done_ = true), done with the answer lost, or late. After the last two it may be sent again. */
inline call(kind_, name_, n_, done_) {
  if
  :: perform(kind_, name_, n_); done_ = true
  :: faults < FAULTS -> faults++; perform(kind_, name_, n_)
  :: faults < FAULTS && late.kind == 0 ->
    d_step {
      faults++;
      late.kind = kind_;
      late.name = name_;
      late.number = n_
    }
  fi
}

/* Idle workers are alike, so it is always the first of them that receives. */
#define i_receive (pass[me].delivery == 0 && (me == 0 || pass[0].delivery != 0) && deliverable)

/* It knows no time: it may write and answer long after its lease, and its workflow, are gone. */
proctype Worker(byte me) {
  byte kind;
  bool done, wrote;
end:
  do
  :: atomic { i_receive -> receive(me) }
  :: atomic { i_receive && faults < FAULTS -> faults++; receive(NOBODY) }
  :: atomic {
      pass[me].delivery != 0 ->
      if
      :: kind != NONE
      :: kind == NONE && !wrote -> kind = RECORD; wrote = true
      :: kind == NONE -> kind = ACK
      :: kind == NONE -> kind = FINISH
      fi;
      call(kind, pass[me].delivery, pass[me].number, done);
      if
      :: kind == RECORD -> kind = NONE
      :: kind != RECORD && done -> kind = NONE; wrote = false; pass[me].delivery = 0; pass[me].number = 0
      :: else
      fi;
      done = false;
      tidy()
    }
  :: atomic {
      pass[me].delivery != 0 && faults < FAULTS ->
      faults++;
      kind = NONE;
      wrote = false;
      pass[me].delivery = 0;
      pass[me].number = 0;
      tidy()
    }
  od
}

/* Sends ops 1 to last, one after the other. */
proctype Sender(byte kind; byte last) {
  byte op = 1;
  bool done;
  do
  :: atomic { op <= last -> call(kind, op, 0, done); op = (done -> op + 1 : op); done = false }
  :: atomic { op <= last && faults > 0 -> op++ } /* gives up: the outcome stays unknown */
  :: op > last -> break
  od
}

proctype Trimmer() {
end:
  do
#ifdef BROKEN_trim_looks_first
  :: may_go -> /* it looks again at what was written, but an enqueue is no write (T2) */
    if
    :: d_step { !fresh && !live -> remove() }
    :: fresh || live
    fi
#else
  :: d_step { may_go && (number != 0 || finished || enqueued != 0 || discarded) -> remove() }
#endif
  od
}

proctype Network() {
end:
  do
  :: atomic {
      late.kind != 0 ->
      perform(late.kind, late.name, late.number);
      d_step {
        late.kind = 0;
        late.name = 0;
        late.number = 0
      };
      tidy()
    }
  od
}

#define is_orphan (pass[0].delivery != receipt && pass[1].delivery != receipt)
proctype Clock() {
end:
  do
  :: d_step { live -> live = false }
  :: d_step { fresh -> fresh = false; truly_fresh = false }
  :: d_step { wakeup == FLIGHT && !lapsed && is_orphan -> lapsed = true }
  :: d_step { wakeup == FLIGHT && !lapsed && !is_orphan && faults < FAULTS -> faults++; lapsed = true }
  od
}

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Sender(ENQUEUE, 2);
    run Sender(APPEND, 1);
    run Sender(DISCARD, 1);
    run Trimmer();
    run Network();
    run Clock()
  }
}

#define waiting (owed || (wakeup == FLIGHT && lapsed))
/* W1, T1: what is enqueued is delivered, whatever is trimmed or discarded meanwhile. */
ltl delivered { [] (waiting -> <> !waiting) }
