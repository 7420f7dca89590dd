/* Suspend against wake: no wakeup is lost, whoever dies in between (W1 to W3, W9, D2, D4, D6, D7, D9, I3, R1).
 *
 * One workflow, two workers that receive, look and suspend, producers that append and enqueue meanwhile, a lease that
 * somebody else takes, requests that arrive late or twice, replies that get lost, workers that die. Each d_step is one
 * operation of the contract. A moment is now, soon (it comes) or in years (it does not come here). Nothing is bounded
 * but what producers send and what goes wrong: workers and the clock go on for ever.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef FAULTS
#define FAULTS 1 /* replies lost, and requests that arrive late or twice, in all */
#endif
#define WORKERS 2
#define NOBODY WORKERS

/* Of the wakeup: where it is. The first three are when it is due, too. */
#define NONE 0
#define NOW 1
#define SOON 2
#define YEARS 3
#define FLIGHT 4
#define DEAD 5
#define earlier(a, b) ((a) < (b) -> (a) : (b))

byte wakeup;      /* at most one */
byte deferred;    /* W3: when the enqueue that came in flight is due, NONE if none came */
bool lapsed;      /* the delivery's lease has ended */
byte receipt;     /* the newest, 0 before the first */
byte answered;    /* the receipt of the last answer, which has its op_id (R1) */
byte enqueued;    /* the op_id of the last enqueue (R1) */
byte inbox;       /* messages; a bit of `kept` each says that its message_id is known (I3) */
byte kept;
bool held;        /* somebody else has the lease */
bool put_off;     /* D9 */

/* What the promises speak of. */
bool owed;        /* a delivery must follow */
bool unseen;      /* a message was recorded that no delivery has been handed yet */
#define waiting (owed || unseen || (wakeup == FLIGHT && lapsed))

byte holds[WORKERS]; /* the receipt of a worker's delivery */
byte faults;
bool writing;        /* a composed append has its covering wakeup, and has not landed */

#define ENQUEUE 1
#define APPEND 2 /* one commit with an enqueue */
#define ACK 3
#define SNOOZE 4
#define NACK 5
#define REJECT 6
typedef Request {
  byte kind;
  byte name; /* op_id of an enqueue or append, receipt of an answer */
  byte when
}
Request late;

inline enqueue_now(when_, revive_) {
  if
  :: wakeup == DEAD && !revive_ /* D7: it stays dead, and is told so */
  :: wakeup == DEAD && revive_ -> wakeup = when_; owed = (when_ != YEARS)
  :: wakeup == NONE -> wakeup = when_; owed = (when_ != YEARS)
  :: wakeup == NOW || wakeup == SOON || wakeup == YEARS -> /* W2: coalesced */
#ifdef BROKEN_enqueue_moves_later
    wakeup = when_;
#else
    wakeup = earlier(wakeup, when_);
#endif
    owed = (owed || when_ != YEARS)
  :: wakeup == FLIGHT -> /* W3: deferred */
    deferred = (deferred == NONE -> when_ : earlier(deferred, when_));
    owed = (owed || when_ != YEARS)
  fi
}

inline enqueue(op_, when_, revive_) {
  d_step {
    if
    :: enqueued == op_ /* R1 */
    :: else -> enqueued = op_; enqueue_now(when_, revive_)
    fi
  }
}

/* W9 with one_commit; a second send finds the message and changes nothing (I3, R1). */
inline append(op_, with_enqueue_) {
  d_step {
    if
    :: kept & (1 << op_)
    :: else ->
      kept = kept | (1 << op_);
      inbox++;
      unseen = (wakeup != DEAD);
      if
      :: with_enqueue_ -> enqueue_now(NOW, false)
      :: else
      fi
    fi
  }
}

/* An answer uses the delivery up. What a snooze or nack asks for and what was deferred merge to the earlier. */
inline answer(kind_, receipt_, when_) {
  d_step {
    if
    :: answered == receipt_ /* R1, D6: as the first time, with no second effect */
#ifdef BROKEN_answer_by_workflow
    :: answered != receipt_ && wakeup == FLIGHT ->
#else
    :: answered != receipt_ && wakeup == FLIGHT && receipt == receipt_ ->
#endif
      assert(receipt == receipt_); /* D2, D4: only the newest works */
      answered = receipt_;
      lapsed = false;
      wakeup = NONE;
      if
      :: kind_ == ACK ->
#ifndef BROKEN_ack_forgets_deferred
        wakeup = deferred
#endif
      :: kind_ == SNOOZE || kind_ == NACK ->
#ifdef BROKEN_snooze_overwrites
        wakeup = when_;
#else
        wakeup = (deferred == NONE -> when_ : earlier(deferred, when_));
#endif
        owed = (owed || when_ != YEARS)
      :: kind_ == REJECT -> wakeup = (deferred == NONE -> DEAD : deferred)
      fi;
      deferred = NONE
    :: else /* stale */
    fi
  }
}

#define shown(r) (holds[0] == r || holds[1] == r || (late.kind >= ACK && late.name == r))
#define used(r) (receipt == r || answered == r || shown(r))
/* What nobody can show any more makes no difference, and need not be told apart. */
inline tidy() {
  answered = (shown(answered) -> answered : 0)
}
#define deliverable (!put_off && (wakeup == NOW || (wakeup == FLIGHT && lapsed)))

/* receive with acquire and load (D9). A receipt is a name that nobody else has; who_ is NOBODY if the reply is lost. */
inline receive(who_, sees_all_) {
  d_step {
    if
    :: held -> put_off = true
    :: else ->
      receipt = 0;
      receipt = (!used(1) -> 1 : (!used(2) -> 2 : (!used(3) -> 3 : (!used(4) -> 4 : 5))));
      wakeup = FLIGHT;
      lapsed = false;
      deferred = NONE; /* W3: one redelivery answers for both */
      owed = false;
      unseen = (sees_all_ -> false : unseen);
      if
      :: who_ != NOBODY -> holds[who_] = receipt
      :: else
      fi
    fi
  }
}

inline perform(kind_, name_, when_) {
  if
  :: kind_ == ENQUEUE -> enqueue(name_, when_, false)
  :: kind_ == APPEND -> append(name_, true)
  :: kind_ >= ACK -> answer(kind_, name_, when_)
  fi
}

/* One request: answered (done_ = true), done with the answer lost, or late. After the last two it may be sent again. */
inline call(kind_, name_, when_, done_) {
  if
  :: perform(kind_, name_, when_); done_ = true
  :: faults < FAULTS -> faults++; perform(kind_, name_, when_)
  :: faults < FAULTS && late.kind == 0 ->
    d_step {
      faults++;
      late.kind = kind_;
      late.name = name_;
      late.when = when_
    }
  fi
}

/* Idle workers are alike, so it is always the first of them that receives. */
#define i_receive (holds[me] == 0 && (me == 0 || holds[0] != 0) && deliverable)

/* It looks at what it was handed, then answers; or dies, and is started again. */
proctype Worker(byte me) {
  byte kind, when; /* of an answer that may have to be sent again, just so (R1) */
  bool done;
#ifdef BROKEN_records_from_before
  byte read = inbox;
#endif
end:
  do
#ifdef BROKEN_records_from_before
  :: atomic { holds[me] == 0 && read != inbox -> read = inbox }
  :: atomic { i_receive -> receive(me, read == inbox) }
#else
  :: atomic { i_receive -> receive(me, true) }
  :: atomic { i_receive && faults < FAULTS -> faults++; receive(NOBODY, true) }
#endif
  :: atomic {
      holds[me] != 0 ->
      if
      :: kind != NONE
      :: kind == NONE -> kind = ACK
      :: kind == NONE -> kind = SNOOZE; when = SOON
      :: kind == NONE -> kind = SNOOZE; when = YEARS
      :: kind == NONE -> kind = NACK; when = NOW
#ifdef DEAD_LETTERS
      :: kind == NONE -> kind = REJECT
#endif
      fi;
      call(kind, holds[me], when, done);
      if
      :: done -> kind = NONE; when = NONE; done = false; holds[me] = 0
      :: else
      fi;
      tidy()
    }
  :: atomic { holds[me] != 0 -> kind = NONE; when = NONE; holds[me] = 0; tidy() } /* dies, or gives up */
  od
}

proctype Appender() {
  bool done;
end:
  do
  :: atomic { !done -> call(APPEND, 1, NOW, done) }
  :: atomic { !done && faults > 0 -> done = true } /* gives up: the outcome stays unknown */
  :: done -> break
  od
}

proctype Enqueuer() {
  byte when;
  bool done;
end:
  do
  :: atomic {
      !done ->
      if
      :: when != NONE
      :: when == NONE -> when = NOW
      :: when == NONE -> when = SOON
      :: when == NONE -> when = YEARS
      fi;
      call(ENQUEUE, 2, when, done)
    }
  :: atomic { !done && faults > 0 -> done = true }
  :: done -> break
  od
}

#ifdef DEAD_LETTERS
/* D7: what was put aside is revived. */
proctype Operator() {
  enqueue(3, NOW, true)
}
#endif

#ifdef HOLE_composed
/* W9 without one_commit: a wakeup that covers the write, the write, the wakeup as asked; it may die in between. */
proctype Composer() {
  atomic { enqueue(4, SOON, false); writing = true };
  atomic { append(5, false); writing = false };
  if
  :: enqueue(6, NOW, false)
  :: true
  fi
}
#endif

#ifdef HELD
/* Somebody takes the lease for a while (A2), and releases it or lets it lapse. */
proctype Other() {
  held = true;
  d_step {
    held = false;
#ifndef BROKEN_put_off_never_ends
    put_off = false
#endif
  }
}
#endif

proctype Network() {
end:
  do
  :: atomic {
      late.kind != 0 ->
      perform(late.kind, late.name, late.when);
      d_step {
        late.kind = 0;
        late.name = 0;
        late.when = 0
      };
      tidy()
    }
  od
}

proctype Clock() {
end:
  do
  :: d_step { wakeup == SOON && !writing -> wakeup = NOW }
  :: d_step { wakeup == FLIGHT && !lapsed -> lapsed = true }
  od
}

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Enqueuer();
#ifdef HOLE_composed
    run Composer();
#else
    run Appender();
#endif
#ifdef DEAD_LETTERS
    run Operator();
#endif
#ifdef HELD
    run Other();
#endif
    run Network();
    run Clock()
  }
}

/* W1, W3, W9, D4, D9: what must be delivered is delivered, and sees what was recorded with it. */
ltl delivered { [] (waiting -> <> !waiting) }
