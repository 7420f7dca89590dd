/* Cancel against receive, answer, extend and enqueue: some one order holds, and nothing old comes back (C1 to C4, R1).
 *
 * One workflow, two workers, two enqueues that differ, one cancel, requests that arrive late or twice, replies that get
 * lost. Each d_step is one operation of the contract. The wakeup's timer is kept apart, as an index keeps it. A worker
 * has the workflow's lease with its delivery, and each answer asks for its release.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef FAULTS
#define FAULTS 1 /* replies lost, and requests that arrive late or twice, in all */
#endif
#define WORKERS 2
#define NOBODY WORKERS

#define NONE 0
#define NOW 1
#define SOON 2 /* delayed: its timer runs */
#define FLIGHT 3
#define earlier(a, b) ((a) != NONE && (a) < (b) -> (a) : (b))

byte wakeup;
byte deferred;    /* W3 */
bool timer;       /* that of a delayed wakeup */
bool lapsed;      /* the delivery's lease has ended */
bool put_off;     /* D9 */
byte receipt;     /* the newest */
byte answered;    /* the receipt of the last answer (R1) */
byte enqueued;    /* the op_id of the last enqueue (R1) */
bool cancelling;  /* the one cancel is remembered (R1) */
byte cancelled;   /* the receipt that was current then (C2) */
byte lease;       /* the receipt whose pass has the workflow's lease, 0 free */
#ifdef BROKEN_cancel_blocks_id
bool tombstone;
#endif

/* What the promises speak of. */
bool owed;        /* W1: a delivery must follow */
bool revoked;     /* C1: none may follow, until a new enqueue */
byte revoked_receipt; /* C2 */
bool revoking;    /* the cancel has taken effect */
byte newest;      /* the last enqueue that took effect */
#ifdef HOLE_older_enqueue_resent
byte effective;   /* a bit for each enqueue that ever did */
#endif
byte leased;      /* as lease, in truth */

byte holds[WORKERS];
byte faults;

#define ENQUEUE 1
#define CANCEL 2
#define EXTEND 3
#define ACK 4
#define SNOOZE 5
#define NACK 6
typedef Request {
  byte kind;
  byte name /* op_id of an enqueue, receipt of an answer */
}
Request late;

#define due(at) wakeup = at; timer = (wakeup == SOON)

/* Op 2 is delayed. */
#define when(op) (op == 2 -> SOON : NOW)

inline enqueue(op_) {
  d_step {
    if
    :: enqueued == op_ /* R1: also after the cancel */
    :: else ->
      enqueued = op_;
      if
#ifdef BROKEN_cancel_blocks_id
      :: tombstone -> skip /* "coalesced", with what was cancelled */
      :: !tombstone && wakeup == NONE -> due(when(op_))
#else
      :: wakeup == NONE -> due(when(op_))
#endif
      :: wakeup == NOW || wakeup == SOON -> due(earlier(wakeup, when(op_))) /* W2 */
      :: wakeup == FLIGHT -> deferred = earlier(deferred, when(op_)) /* W3 */
      fi;
      owed = true;
#ifdef HOLE_older_enqueue_resent
      revoked = (effective & (1 << op_) -> revoked : false);
      effective = effective | (1 << op_);
#else
      revoked = (newest == op_ -> revoked : false); /* R1: an older one is forgotten, and judged afresh */
#endif
      newest = op_
    fi
  }
}

inline cancel() {
  d_step {
    if
#ifndef BROKEN_cancel_acts_twice
    :: cancelling /* R1, C4 */
    :: else ->
#else
    :: true ->
#endif
      assert(!revoking); /* R1: it undoes nothing newer */
      cancelling = true;
      if
      :: wakeup == FLIGHT -> cancelled = receipt; revoked_receipt = receipt
      :: else
      fi;
#ifdef BROKEN_cancel_marks_only
      wakeup = (wakeup == FLIGHT -> FLIGHT : NONE); /* its receipt is dead; the delivery is left to its lease */
#else
      wakeup = NONE;
      lapsed = false;
#endif
      deferred = NONE;
      put_off = false;
#ifndef BROKEN_cancel_leaves_timer
      timer = false;
#endif
#ifdef BROKEN_cancel_forgets_enqueue
      enqueued = 0;
#endif
#ifdef BROKEN_cancel_blocks_id
      tombstone = true;
#endif
      revoking = true;
      revoked = true;
      owed = false
    fi
  }
}

#if defined(BROKEN_answer_outlives_cancel)
#define is_current(r) (receipt == (r))
#elif defined(BROKEN_cancel_marks_only)
#define is_current(r) (wakeup == FLIGHT && receipt == (r) && cancelled != (r))
#else
#define is_current(r) (wakeup == FLIGHT && receipt == (r))
#endif

inline answer(kind_, receipt_) {
  d_step {
    if
    :: answered == receipt_ /* R1 */
    :: answered != receipt_ && is_current(receipt_) ->
      assert(receipt_ != revoked_receipt); /* C2, C3: it was cancelled */
      answered = receipt_;
      lapsed = false;
      put_off = (lease == receipt_ -> false : put_off); /* D9 */
      lease = (lease == receipt_ -> 0 : lease); /* D8: with release */
      leased = (leased == receipt_ -> 0 : leased);
      due(deferred);
      deferred = NONE;
      if
      :: kind_ == SNOOZE -> due(earlier(wakeup, SOON)); owed = true
      :: kind_ == NACK -> due(NOW); owed = true
      :: else
      fi
    :: else ->
      assert(cancelled == revoked_receipt); /* C2: `cancelled` to that receipt and to no other */
#ifdef BROKEN_cancelled_answer_releases
      put_off = (lease == receipt_ -> false : put_off);
      lease = (lease == receipt_ -> 0 : lease);
#endif
      skip /* cancelled or stale */
    fi
  }
}

inline extend(receipt_) {
  d_step {
    if
#ifdef BROKEN_extend_upserts
    :: receipt == receipt_ && answered != receipt_ -> wakeup = FLIGHT; lapsed = false
#else
    :: is_current(receipt_) -> lapsed = false
#endif
    :: else /* cancelled or stale */
    fi
  }
}

#define shown(r) (holds[0] == r || holds[1] == r || (late.kind >= EXTEND && late.name == r))
#define used(r) \
  (receipt == r || answered == r || shown(r) || cancelled == r || revoked_receipt == r || lease == r || leased == r)
/* What nobody can show any more makes no difference, and need not be told apart. */
inline tidy() {
  d_step {
    answered = (shown(answered) -> answered : 0);
    cancelled = (shown(cancelled) -> cancelled : 0);
    revoked_receipt = (shown(revoked_receipt) -> revoked_receipt : 0)
  }
}
#define deliverable (!put_off && (wakeup == NOW || (wakeup == FLIGHT && lapsed)))

inline receive(who_) {
  d_step {
    if
    :: lease != 0 -> put_off = true /* D9 */
    :: else ->
      assert(!revoked); /* C1 */
      assert(leased == 0); /* A2, C2: a cancelled answer freed nothing */
      receipt = 0;
      cancelled = 0; /* C2: remembered until the next delivery */
      revoked_receipt = 0;
      receipt = (!used(1) -> 1 : (!used(2) -> 2 : (!used(3) -> 3 : (!used(4) -> 4 : (!used(5) -> 5 : 6)))));
      wakeup = FLIGHT;
      timer = false;
      lapsed = false;
      deferred = NONE;
      owed = false;
      lease = receipt;
      leased = receipt;
      if
      :: who_ != NOBODY -> holds[who_] = receipt
      :: else
      fi
    fi
  }
}

inline perform(kind_, name_) {
  if
  :: kind_ == ENQUEUE -> enqueue(name_)
  :: kind_ == CANCEL -> cancel()
  :: kind_ == EXTEND -> extend(name_)
  :: kind_ >= ACK -> answer(kind_, name_)
  fi
}

/* One request: answered (done_ = true), done with the answer lost, or late. After the last two it may be sent again. */
inline call(kind_, name_, done_) {
  if
  :: perform(kind_, name_); done_ = true
  :: faults < FAULTS -> faults++; perform(kind_, name_)
  :: faults < FAULTS && late.kind == 0 ->
    d_step {
      faults++;
      late.kind = kind_;
      late.name = name_
    }
  fi
}

/* Idle workers are alike, so it is always the first of them that receives. */
#define i_receive (holds[me] == 0 && (me == 0 || holds[0] != 0) && deliverable)

/* An extend is sent at most once a pass, so that a pass ends. */
proctype Worker(byte me) {
  byte kind;
  bool done, extended;
end:
  do
  :: atomic { i_receive -> receive(me) }
  :: atomic { i_receive && faults < FAULTS -> faults++; receive(NOBODY) }
  :: atomic {
      holds[me] != 0 ->
      if
      :: kind != NONE
      :: kind == NONE && !extended -> kind = EXTEND; extended = true
      :: kind == NONE -> kind = ACK
      :: kind == NONE -> kind = SNOOZE
      :: kind == NONE -> kind = NACK
      fi;
      call(kind, holds[me], done);
      if
      :: kind == EXTEND -> kind = NONE; done = false
      :: kind != EXTEND && done -> kind = NONE; done = false; extended = false; holds[me] = 0
      :: else
      fi;
      tidy()
    }
  :: atomic { holds[me] != 0 -> kind = NONE; extended = false; holds[me] = 0; tidy() } /* dies, or gives up */
  od
}

proctype Sender(byte kind; byte op) {
  bool done;
  do
  :: atomic { !done -> call(kind, op, done) }
  :: atomic { !done && faults > 0 -> done = true } /* gives up: the outcome stays unknown */
  :: done -> break
  od
}

proctype Network() {
end:
  do
  :: atomic {
      late.kind != 0 ->
      perform(late.kind, late.name);
      d_step {
        late.kind = 0;
        late.name = 0
      };
      tidy()
    }
  od
}

proctype Clock() {
end:
  do
  :: d_step { timer -> timer = false; wakeup = (wakeup == FLIGHT -> FLIGHT : NOW) }
  :: d_step { wakeup == FLIGHT && !lapsed -> lapsed = true }
  :: d_step { lease != 0 -> lease = 0; leased = 0; put_off = false }
  :: d_step { cancelled != 0 -> cancelled = 0; revoked_receipt = 0 } /* C2: ten minutes */
  od
}

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Sender(ENQUEUE, 1);
    run Sender(ENQUEUE, 2);
    run Sender(CANCEL, 0);
    run Network();
    run Clock()
  }
}

#define waiting (owed || (wakeup == FLIGHT && lapsed))
/* W1, C1: what is enqueued after a cancel, or was not cancelled, is delivered. */
ltl delivered { [] (waiting -> <> !waiting) }
