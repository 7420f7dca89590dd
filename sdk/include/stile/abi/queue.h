/* Wakeups and deliveries (contract C, D, W).
 *
 * A wakeup says "this workflow should run"; a workflow has at most one. A delivery hands it to a worker and is named by
 * a receipt, live until answered or until its lease has ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_QUEUE_H
#define STILE_ABI_QUEUE_H

#include "checkpoint.h"
#include "types.h"

#define STILE_STATE_READY 1u     /* can be delivered now */
#define STILE_STATE_DELAYED 2u   /* due later */
#define STILE_STATE_IN_FLIGHT 3u /* delivered; also when its lease has ended and nobody received it yet (S4) */
#define STILE_STATE_DEAD 4u      /* put aside by reject */
#define STILE_STATE_FINISHED 5u  /* list only: no wakeup, finished */
#define STILE_STATE_IDLE 6u      /* list only: no wakeup, not finished */
#define STILE_STATE_COALESCED 7u /* enqueue's answer only: one waited already (W2) */
#define STILE_STATE_DEFERRED 8u  /* enqueue's answer only: in flight, kept for its end (W3) */
#define STILE_STATE_REQUEUED 9u  /* reject's answer only: a deferred enqueue brought it back (W3) */

/* enqueue: "this workflow should run" (W1-W3, W10, D7). Write. OK, INVALID, TOO_LARGE. Answered DEAD it changes nothing
 * but the memory of its op_id, the queue it names included. */
typedef struct stile_enqueue_request {
  uint32_t struct_size;
  uint32_t revive; /* 1 = a dead wakeup becomes ready, with count 0 (D7) */
  stile_bytes workflow;
  const stile_enqueue *enqueue; /* never null */
} stile_enqueue_request;

typedef struct stile_enqueue_result {
  uint32_t struct_size;
  uint32_t state;     /* READY, DELAYED, COALESCED, DEFERRED, DEAD */
  int64_t visible_at; /* when it can be delivered; 0 when DEAD */
} stile_enqueue_result;

/* receive: hands out what is due, earliest first (D1-D10, W4-W7, W10). Write; alone in its call with wait > 0.
 * OK (also empty, by wait or the deadline), INVALID, TOO_LARGE, INTERRUPTED; UNSUPPORTED with acquire where
 * coupled_receive is not declared. With STILE_MUST_AGAIN a delivery whose lease of the first send was superseded is
 * answered all the same, its fence number 0. */
typedef struct stile_receive_request {
  uint32_t struct_size;
  uint32_t max;              /* >= 1 deliveries */
  int64_t lease;             /* > 0: how long the deliveries live unless extended */
  int64_t wait;              /* >= 0: how long to wait while nothing is due (W6) */
  const stile_bytes *queues; /* in order of preference; a name is 0-64 bytes */
  uint64_t n_queues;         /* 1 .. limits.queues; none at all is INVALID */
  uint32_t acquire;          /* 1 = only together with the workflow's lease (D9) */
  uint32_t load;             /* 1 = records of each workflow come along */
  int64_t acquire_ttl;       /* with acquire, > 0 */
  int64_t acquire_budget;    /* with acquire, > 0 */
  uint64_t load_max_bytes;   /* with load, >= 1: for the whole answer; a delivery may come without records (B6) */
  uint32_t load_limit;       /* with load, >= 1 records a delivery; STILE_PAGE = the store's page */
  uint32_t reserved0;
} stile_receive_request;

/* A delivery: an element of receive's answer, allocated from the arena and linked. */
typedef struct stile_delivery {
  uint32_t struct_size;
  uint32_t delivery_count; /* deliveries since the last ack or snooze, this one included (D5) */
  struct stile_delivery *next;
  stile_bytes workflow;
  stile_bytes queue;
  stile_bytes receipt;    /* at most 1,024 printable ASCII bytes without quotes or blanks (B9, D2) */
  stile_bytes last_error; /* of the last nack or reject (D11); empty = none */
  int64_t visible_at;     /* when it is delivered again unless answered or extended */
  stile_fence fence;      /* with acquire; number 0 without */
  int64_t live_until;     /* with acquire */
  int64_t budget_until;   /* with acquire */
  stile_record *records;  /* with load: those at the moment of the lease (D9) */
  uint32_t more;          /* with load: 1 = there are records above the last one given */
  uint32_t finished;      /* with load */
  uint32_t cancel_requested;
  uint32_t reserved0;
} stile_delivery;

typedef struct stile_receive_result {
  uint32_t struct_size;
  uint32_t more; /* 1 = ask again at once: something may be due that this call did not look at (D9) */
  stile_delivery *deliveries;
  int64_t store_time; /* the store's clock when this took effect */
} stile_receive_result;

/* extend: a delivery's sign of life, and with a fence the lease's too: both in one commit or neither (D3). No op_id.
 * OK, STALE, CANCELLED, FENCED, LAPSED, INVALID. ttl or budget without has_fence are INVALID. A lapsed delivery that
 * was put off (D9) is alive again; list's due_at is then the later of visible_at and the end of the lease. */
typedef struct stile_extend_request {
  uint32_t struct_size;
  uint32_t has_fence; /* 1 = renew the lease as well: fence and ttl count */
  stile_bytes receipt;
  int64_t lease; /* > 0; never shortens */
  stile_fence fence;
  int64_t ttl; /* with has_fence, > 0 */
  uint32_t has_budget;
  uint32_t reserved0;
  int64_t budget; /* with has_budget, > 0 */
} stile_extend_request;

typedef struct stile_extend_result {
  uint32_t struct_size;
  uint32_t cancel_requested;
  int64_t visible_at;
  int64_t live_until;   /* with has_fence */
  int64_t budget_until; /* with has_fence */
} stile_extend_result;

/* What the four answers share; frozen. The receipt is judged first, then the fence, then finished (D8). */
typedef struct stile_answer {
  stile_bytes receipt; /* any text is at worst STALE (D2) */
  stile_fence fence;
  uint32_t has_fence; /* 1 = refuse with FENCED unless fence is current; a zero fence never is */
  uint32_t release;   /* 1 = free the lease in the same commit; without has_fence INVALID */
} stile_answer;

/* ack: this delivery is done (D6, W3). Write. OK, STALE, CANCELLED, FENCED, INVALID. */
typedef struct stile_ack_request {
  uint32_t struct_size;
  uint32_t finished; /* 1 = the workflow is finished (T1); without fence INVALID once a lease was granted (D8) */
  stile_answer answer;
} stile_ack_request;

typedef struct stile_ack_result {
  uint32_t struct_size;
  uint32_t requeued; /* 1 = an enqueue that came meanwhile brought it back (W3) */
} stile_ack_result;

/* snooze: run it again later, count reset (D5, W3). Write. OK, STALE, CANCELLED, FENCED, INVALID. */
typedef struct stile_snooze_request {
  uint32_t struct_size;
  uint32_t is_instant;
  int64_t when; /* a delay or an instant, as in stile_enqueue */
  stile_answer answer;
} stile_snooze_request;

typedef struct stile_snooze_result {
  uint32_t struct_size;
  uint32_t reserved0;
  int64_t visible_at;
} stile_snooze_result;

/* nack: it failed, try again (D5, D11, W3). Write. OK, STALE, CANCELLED, FENCED, INVALID. */
typedef struct stile_nack_request {
  uint32_t struct_size;
  uint32_t has_error;
  int64_t delay;     /* >= 0 */
  stile_bytes error; /* with has_error: cut at limits.error_bytes, never refused (B9) */
  stile_answer answer;
} stile_nack_request;

typedef struct stile_nack_result {
  uint32_t struct_size;
  uint32_t delivery_count; /* of the answered delivery */
  int64_t visible_at;
} stile_nack_result;

/* reject: put it aside as dead, with its error (D7, W3). Write. OK, STALE, CANCELLED, FENCED, INVALID. */
typedef struct stile_reject_request {
  uint32_t struct_size;
  uint32_t has_error;
  stile_bytes error;
  stile_answer answer;
} stile_reject_request;

typedef struct stile_reject_result {
  uint32_t struct_size;
  uint32_t state; /* DEAD or REQUEUED */
} stile_reject_result;

/* cancel: removes the wakeup, whatever it is (C1-C7). Write. OK, INVALID, TOO_LARGE. */
typedef struct stile_cancel_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
} stile_cancel_request;

typedef struct stile_cancel_result {
  uint32_t struct_size;
  uint32_t removed; /* 0 = there was none (C4) */
} stile_cancel_result;

#endif
