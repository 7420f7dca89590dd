/* Argument checks that are the same for every store (contract B9, D3, D8, I1, K5, K6, R1, R3, S4, W8, W10).
 *
 * stile_check looks at a request alone, never at the store's state, and is the first thing done with an operation:
 * INVALID and TOO_LARGE come before every other status. C99 and C++11, static inline.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_SDK_CHECK_H
#define STILE_SDK_CHECK_H

#include <string.h>

#include "stile/abi.h"

/* The last microsecond of the year 9999 (W8). */
#define STILE_LAST_INSTANT INT64_C(253402300799999999)
/* The longest queue name (B9, W10), and the most a watch looks at (B14). */
#define STILE_QUEUE_BYTES 64u
#define STILE_WATCH_MAX 1000u

/* The store's clock, asked only for durations so long that they might pass the year 9999. */
typedef struct stile_clock {
  int64_t (*now)(void* ctx);
  void* ctx;
} stile_clock;

/* Answers with a static text. Returns 0, so that a check can end with `return stile_no(...)`. */
static inline int stile_no_(stile_op* op, int32_t status, const char* text, uint64_t len) {
  op->status = status;
  op->error.ptr = text;
  op->error.len = len;
  return 0;
}
#define STILE_NO(op, status, literal) stile_no_((op), (status), "" literal, sizeof(literal) - 1)

/* What the checks below share. */
typedef struct stile_checking {
  stile_op* op;
  const stile_limits* limits;
  const stile_clock* clock;
} stile_checking;

#define STILE_CHECK_(condition) \
  do {                          \
    if (!(condition)) return 0; \
  } while (0)

/* An id: a workflow, a key, a message id. name is a literal. */
#define STILE_CHECK_ID(c, value, name)                                                                         \
  do {                                                                                                         \
    if ((value).len == 0) return STILE_NO((c)->op, STILE_INVALID, name " is empty: it needs at least 1 byte"); \
    if ((value).len > (c)->limits->id_bytes)                                                                   \
      return STILE_NO((c)->op, STILE_TOO_LARGE, name " is longer than limits.id_bytes");                       \
  } while (0)
#define STILE_CHECK_MAX_ID(c, value, name)                                               \
  do {                                                                                   \
    if ((value).len > (c)->limits->id_bytes)                                             \
      return STILE_NO((c)->op, STILE_TOO_LARGE, name " is longer than limits.id_bytes"); \
  } while (0)
#define STILE_CHECK_QUEUE(c, value)                                                                                  \
  do {                                                                                                               \
    if ((value).len > STILE_QUEUE_BYTES) return STILE_NO((c)->op, STILE_TOO_LARGE, "queue is longer than 64 bytes"); \
  } while (0)
#define STILE_CHECK_VALUE(c, value)                                                         \
  do {                                                                                      \
    if ((value).len > (c)->limits->value_bytes)                                             \
      return STILE_NO((c)->op, STILE_TOO_LARGE, "value is longer than limits.value_bytes"); \
  } while (0)
/* A key that a fenced write or supply may use: not one of the inbox (I1). */
#define STILE_CHECK_KEY(c, value)                                                                 \
  do {                                                                                            \
    STILE_CHECK_ID(c, value, "key");                                                              \
    if ((value).len >= 6 && memcmp((value).ptr, "inbox:", 6) == 0)                                \
      return STILE_NO((c)->op, STILE_INVALID, "key starts with inbox: which only append writes"); \
  } while (0)
/* A duration that must be above zero, or may be zero, and ends before the year 10000. */
#define STILE_CHECK_SPAN(c, value, least, name)                                                                    \
  do {                                                                                                             \
    if ((value) < (least))                                                                                         \
      return STILE_NO((c)->op, STILE_INVALID, name " is too short: it must be at least " #least " us");            \
    if (!stile_in_range_((c), (value))) return STILE_NO((c)->op, STILE_INVALID, name " ends after the year 9999"); \
  } while (0)

/* Is now + span at most the end of the year 9999? Spans that cannot matter before the year 5000 ask no clock. */
static inline int stile_in_range_(const stile_checking* c, int64_t span) {
  if (span <= INT64_C(150000000000000000)) return 1;
  if (span > STILE_LAST_INSTANT) return 0;
  return c->clock->now(c->clock->ctx) <= STILE_LAST_INSTANT - span;
}

/* A delay or an instant (W8). */
static inline int stile_check_when_(const stile_checking* c, uint32_t is_instant, int64_t when) {
  if (is_instant) {
    if (when < 0) return STILE_NO(c->op, STILE_INVALID, "at is before 1970");
    if (when > STILE_LAST_INSTANT) return STILE_NO(c->op, STILE_INVALID, "at is after the year 9999");
    return 1;
  }
  STILE_CHECK_SPAN(c, when, 0, "delay");
  return 1;
}

static inline int stile_check_enqueue_(const stile_checking* c, const stile_enqueue* enqueue) {
  if (!enqueue) return 1;
  STILE_CHECK_(stile_check_when_(c, enqueue->is_instant, enqueue->when));
  if (enqueue->has_queue) STILE_CHECK_QUEUE(c, enqueue->queue);
  return 1;
}

static inline int stile_check_lease_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_ACQUIRE: {
      const stile_acquire_request* q = (const stile_acquire_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_SPAN(c, q->ttl, 1, "ttl");
      STILE_CHECK_SPAN(c, q->budget, 1, "budget");
      return 1;
    }
    case STILE_OP_RENEW: {
      const stile_renew_request* q = (const stile_renew_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_SPAN(c, q->ttl, 1, "ttl");
      if (q->has_budget) STILE_CHECK_SPAN(c, q->budget, 1, "budget");
      return 1;
    }
    default: {
      const stile_release_request* q = (const stile_release_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      return 1;
    }
  }
}

static inline int stile_check_load_(const stile_checking* c, const stile_load_request* q) {
  STILE_CHECK_ID(c, q->workflow, "workflow");
  if (q->has_key) STILE_CHECK_ID(c, q->key, "key");
  if (q->after < 0) return STILE_NO(c->op, STILE_INVALID, "after is negative");
  if (q->limit == 0) return STILE_NO(c->op, STILE_INVALID, "limit is 0: it must be at least 1");
  if (q->max_bytes == 0) return STILE_NO(c->op, STILE_INVALID, "max_bytes is 0: it must be at least 1");
  return 1;
}

/* An inbox key: "inbox:" and 20 digits. Returns its position, or -1. */
static inline int64_t stile_inbox_position(stile_bytes key) {
  uint64_t i, n = 0;
  if (key.len != 26 || memcmp(key.ptr, "inbox:", 6) != 0) return -1;
  for (i = 6; i < 26; i++) {
    if (key.ptr[i] < '0' || key.ptr[i] > '9') return -1;
    if (n > UINT64_C(922337203685477579)) return INT64_MAX; /* above every position */
    n = n * 10 + (uint64_t)(key.ptr[i] - '0');
  }
  return (int64_t)n;
}

static inline int stile_check_fenced_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_RECORD: {
      const stile_record_request* q = (const stile_record_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_KEY(c, q->key);
      STILE_CHECK_VALUE(c, q->value);
      return 1;
    }
    case STILE_OP_TRANSACT: {
      const stile_transact_request* q = (const stile_transact_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_KEY(c, q->key);
      if (!q->effect) return STILE_NO(c->op, STILE_INVALID, "effect is missing");
      if (q->effect->form == STILE_EFFECT_CALLBACK && !q->effect->run)
        return STILE_NO(c->op, STILE_INVALID, "effect is a callback without run");
      return 1;
    }
    default: {
      const stile_rebase_request* q = (const stile_rebase_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_MAX_ID(c, q->inbox_after, "inbox_after");
      if (q->inbox_after.len != 0 && stile_inbox_position(q->inbox_after) < 0)
        return STILE_NO(c->op, STILE_INVALID, "inbox_after is no inbox key: inbox: and 20 digits");
      STILE_CHECK_KEY(c, q->key);
      STILE_CHECK_VALUE(c, q->value);
      return 1;
    }
  }
}

static inline int stile_check_outside_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_SUPPLY: {
      const stile_supply_request* q = (const stile_supply_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_KEY(c, q->key);
      STILE_CHECK_VALUE(c, q->value);
      return stile_check_enqueue_(c, q->enqueue);
    }
    case STILE_OP_APPEND: {
      const stile_append_request* q = (const stile_append_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      STILE_CHECK_VALUE(c, q->value);
      if (q->has_message_id) STILE_CHECK_ID(c, q->message_id, "message_id");
      return stile_check_enqueue_(c, q->enqueue);
    }
    case STILE_OP_ENQUEUE: {
      const stile_enqueue_request* q = (const stile_enqueue_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      if (!q->enqueue) return STILE_NO(c->op, STILE_INVALID, "enqueue is missing");
      return stile_check_enqueue_(c, q->enqueue);
    }
    default: { /* discard, request_cancel, cancel: the workflow stands in one place in all three */
      const stile_discard_request* q = (const stile_discard_request*)c->op->request;
      STILE_CHECK_ID(c, q->workflow, "workflow");
      return 1;
    }
  }
}

static inline int stile_check_watch_(const stile_checking* c, const stile_watch_request* q) {
  uint64_t i;
  if (q->n_watched > STILE_WATCH_MAX) return STILE_NO(c->op, STILE_INVALID, "workflows are more than 1000");
  STILE_CHECK_SPAN(c, q->wait, 0, "wait");
  for (i = 0; i < q->n_watched; i++) {
    STILE_CHECK_ID(c, q->watched[i].workflow, "workflow");
    if (q->watched[i].after < 0) return STILE_NO(c->op, STILE_INVALID, "after is negative");
  }
  return 1;
}

static inline int stile_check_receive_(const stile_checking* c, const stile_receive_request* q) {
  uint64_t i;
  if ((c->op->must & STILE_MUST_AGAIN) != 0) {
    static const stile_id none = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    if (memcmp(&c->op->op_id, &none, sizeof none) == 0)
      return STILE_NO(c->op, STILE_INVALID, "again needs the op_id of the first send");
  }
  if (q->max == 0) return STILE_NO(c->op, STILE_INVALID, "max is 0: it must be at least 1");
  STILE_CHECK_SPAN(c, q->lease, 1, "lease");
  STILE_CHECK_SPAN(c, q->wait, 0, "wait");
  if (q->n_queues == 0) return STILE_NO(c->op, STILE_INVALID, "queues are empty: name at least one");
  if (q->n_queues > c->limits->queues) return STILE_NO(c->op, STILE_INVALID, "queues are more than limits.queues");
  for (i = 0; i < q->n_queues; i++) STILE_CHECK_QUEUE(c, q->queues[i]);
  if (q->acquire) {
    STILE_CHECK_SPAN(c, q->acquire_ttl, 1, "acquire.ttl");
    STILE_CHECK_SPAN(c, q->acquire_budget, 1, "acquire.budget");
  }
  if (q->load) {
    if (q->load_limit == 0) return STILE_NO(c->op, STILE_INVALID, "load.limit is 0: it must be at least 1");
    if (q->load_max_bytes == 0) return STILE_NO(c->op, STILE_INVALID, "load.max_bytes is 0: it must be at least 1");
  }
  return 1;
}

static inline int stile_check_answer_(const stile_checking* c, const stile_answer* answer) {
  if (answer->release && !answer->has_fence)
    return STILE_NO(c->op, STILE_INVALID, "release needs the fence of the lease it frees");
  return 1;
}

static inline int stile_check_delivery_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_EXTEND: {
      const stile_extend_request* q = (const stile_extend_request*)c->op->request;
      STILE_CHECK_SPAN(c, q->lease, 1, "lease");
      if (!q->has_fence && (q->ttl != 0 || q->has_budget))
        return STILE_NO(c->op, STILE_INVALID, "ttl and budget need the fence of the lease they renew");
      if (q->has_fence) STILE_CHECK_SPAN(c, q->ttl, 1, "ttl");
      if (q->has_budget) STILE_CHECK_SPAN(c, q->budget, 1, "budget");
      return 1;
    }
    case STILE_OP_ACK: return stile_check_answer_(c, &((const stile_ack_request*)c->op->request)->answer);
    case STILE_OP_SNOOZE: {
      const stile_snooze_request* q = (const stile_snooze_request*)c->op->request;
      STILE_CHECK_(stile_check_when_(c, q->is_instant, q->when));
      return stile_check_answer_(c, &q->answer);
    }
    case STILE_OP_NACK: {
      const stile_nack_request* q = (const stile_nack_request*)c->op->request;
      STILE_CHECK_SPAN(c, q->delay, 0, "delay");
      return stile_check_answer_(c, &q->answer);
    }
    default: return stile_check_answer_(c, &((const stile_reject_request*)c->op->request)->answer);
  }
}

static inline int stile_check_document_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_GET: {
      const stile_get_request* q = (const stile_get_request*)c->op->request;
      STILE_CHECK_ID(c, q->key, "key");
      return 1;
    }
    case STILE_OP_PUT: {
      const stile_put_request* q = (const stile_put_request*)c->op->request;
      STILE_CHECK_ID(c, q->key, "key");
      STILE_CHECK_VALUE(c, q->value);
      if (q->condition > STILE_IF_VERSION) return STILE_NO(c->op, STILE_INVALID, "if is no condition of a put");
      if (q->ttl != STILE_TTL_KEEP) STILE_CHECK_SPAN(c, q->ttl, 0, "ttl");
      return 1;
    }
    case STILE_OP_ERASE: {
      const stile_erase_request* q = (const stile_erase_request*)c->op->request;
      STILE_CHECK_ID(c, q->key, "key");
      if (q->condition != STILE_IF_ANY && q->condition != STILE_IF_VERSION)
        return STILE_NO(c->op, STILE_INVALID, "if is no condition of an erase");
      return 1;
    }
    default: {
      const stile_scan_request* q = (const stile_scan_request*)c->op->request;
      STILE_CHECK_MAX_ID(c, q->prefix, "prefix");
      STILE_CHECK_MAX_ID(c, q->after, "after");
      if (q->limit == 0) return STILE_NO(c->op, STILE_INVALID, "limit is 0: it must be at least 1");
      return 1;
    }
  }
}

static inline int stile_check_list_(const stile_checking* c, const stile_list_request* q) {
  if (q->state > STILE_STATE_IDLE) return STILE_NO(c->op, STILE_INVALID, "state is none that a workflow can have");
  if (q->has_queue) STILE_CHECK_QUEUE(c, q->queue);
  STILE_CHECK_MAX_ID(c, q->prefix, "prefix");
  STILE_CHECK_MAX_ID(c, q->after, "after");
  if (q->has_idle_for && q->idle_for < 0) return STILE_NO(c->op, STILE_INVALID, "idle_for is negative");
  if (q->limit == 0) return STILE_NO(c->op, STILE_INVALID, "limit is 0: it must be at least 1");
  return 1;
}

static inline int stile_check_store_(const stile_checking* c) {
  switch (c->op->kind) {
    case STILE_OP_STATS: {
      const stile_stats_request* q = (const stile_stats_request*)c->op->request;
      if (q->has_queue) STILE_CHECK_QUEUE(c, q->queue);
      return 1;
    }
    case STILE_OP_LIST: return stile_check_list_(c, (const stile_list_request*)c->op->request);
    case STILE_OP_TRIM: {
      const stile_trim_request* q = (const stile_trim_request*)c->op->request;
      if (q->older_than < 0) return STILE_NO(c->op, STILE_INVALID, "older_than is negative");
      if (q->limit == 0) return STILE_NO(c->op, STILE_INVALID, "limit is 0: it must be at least 1");
      return 1;
    }
    case STILE_OP_RENDER:
      if (!((const stile_render_request*)c->op->request)->op) return STILE_NO(c->op, STILE_INVALID, "say is missing");
      return 1;
    case STILE_OP_ADVANCE: {
      const stile_advance_request* q = (const stile_advance_request*)c->op->request;
      STILE_CHECK_SPAN(c, q->by, 0, "by");
      return 1;
    }
    default: return 1; /* prepare, info */
  }
}

/* Judges the arguments of one operation. 1 = they are in order; 0 = op is answered INVALID or TOO_LARGE, the text names
 * the argument. An unknown kind is in order: what does not know it answers UNSUPPORTED. */
static inline int stile_check(stile_op* op, const stile_limits* limits, const stile_clock* clock) {
  stile_checking c;
  c.op = op;
  c.limits = limits;
  c.clock = clock;
  if ((op->must & STILE_MUST_AGAIN) != 0 && op->kind != STILE_OP_RECEIVE)
    return STILE_NO(op, STILE_INVALID, "again is for receive alone");
  switch (op->kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return stile_check_lease_(&c);
    case STILE_OP_LOAD: return stile_check_load_(&c, (const stile_load_request*)op->request);
    case STILE_OP_RECORD:
    case STILE_OP_TRANSACT:
    case STILE_OP_REBASE: return stile_check_fenced_(&c);
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_ENQUEUE:
    case STILE_OP_DISCARD:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_CANCEL: return stile_check_outside_(&c);
    case STILE_OP_WATCH: return stile_check_watch_(&c, (const stile_watch_request*)op->request);
    case STILE_OP_RECEIVE: return stile_check_receive_(&c, (const stile_receive_request*)op->request);
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT: return stile_check_delivery_(&c);
    case STILE_OP_GET:
    case STILE_OP_PUT:
    case STILE_OP_ERASE:
    case STILE_OP_SCAN: return stile_check_document_(&c);
    case STILE_OP_PREPARE:
    case STILE_OP_INFO:
    case STILE_OP_STATS:
    case STILE_OP_LIST:
    case STILE_OP_TRIM:
    case STILE_OP_RENDER:
    case STILE_OP_ADVANCE: return stile_check_store_(&c);
    default: return 1;
  }
}

#endif
