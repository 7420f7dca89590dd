/* Help for store authors in C: memory of answers, bytes, time, the loop over a batch. plugin.h has the table and its
 * plain slots, documents.h what stores of documents decide alike.
 *
 * C99 (with POSIX clocks) and C++11, static inline, needs libc only. A plugin's execute is stile_dispatch and a
 * function that does one operation. Law numbers refer to stile/abi.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_SDK_AUTHOR_H
#define STILE_SDK_AUTHOR_H

#include <string.h>
#include <time.h>

#include "stile/abi.h"
#include "stile/sdk/check.h"

/* --- answers -------------------------------------------------------------------------------------------------- */

/* Sets a status and its text. literal must be static, or a string literal; null = no text. */
static inline void stile_answer_with(stile_op* op, int32_t status, const char* literal) {
  op->status = status;
  op->error.ptr = literal;
  op->error.len = literal ? strlen(literal) : 0;
}

/* Zeroed memory of the answer. Null: the operation is answered UNKNOWN, return at once (law 7). Best asked for before
 * anything is changed. */
static inline void* stile_new(stile_op* op, uint64_t size) {
  void* memory = op->arena->alloc(op->arena->ctx, size);
  if (memory)
    memset(memory, 0, (size_t)size);
  else
    stile_answer_with(op, STILE_UNKNOWN, "out of memory for the answer");
  return memory;
}

/* A zeroed element that begins with struct_size, such as stile_record: STILE_NEW(op, stile_record). */
#define STILE_NEW(op, type) ((type*)stile_new_element_((op), (uint32_t)sizeof(type)))
static inline void* stile_new_element_(stile_op* op, uint32_t size) {
  void* memory = stile_new(op, size);
  if (memory) memcpy(memory, &size, sizeof size);
  return memory;
}

/* Copies bytes into the answer. 0: the operation is answered UNKNOWN, return at once. */
static inline int stile_copy(stile_op* op, stile_bytes* to, const void* from, uint64_t len) {
  uint8_t* memory = NULL;
  if (len != 0) {
    memory = (uint8_t*)op->arena->alloc(op->arena->ctx, len);
    if (!memory) {
      stile_answer_with(op, STILE_UNKNOWN, "out of memory for the answer");
      return 0;
    }
    memcpy(memory, from, (size_t)len);
  }
  to->ptr = memory;
  to->len = len;
  return 1;
}

/* Sets a status with a text that is not static: it is copied. */
static inline void stile_answer_copy(stile_op* op, int32_t status, const char* text, uint64_t len) {
  char* memory = len != 0 ? (char*)op->arena->alloc(op->arena->ctx, len) : NULL;
  op->status = status;
  if (memory) memcpy(memory, text, (size_t)len);
  op->error.ptr = memory;
  op->error.len = memory ? len : 0;
}

static inline int stile_same(stile_bytes a, stile_bytes b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, (size_t)a.len) == 0);
}

/* Byte order, as scan and list want it (K7): below, equal to or above zero. */
static inline int stile_compare(stile_bytes a, stile_bytes b) {
  uint64_t least = a.len < b.len ? a.len : b.len;
  int order = least != 0 ? memcmp(a.ptr, b.ptr, (size_t)least) : 0;
  if (order != 0) return order;
  return a.len < b.len ? -1 : a.len > b.len;
}

static inline int stile_begins_with(stile_bytes bytes, stile_bytes prefix) {
  return bytes.len >= prefix.len && (prefix.len == 0 || memcmp(bytes.ptr, prefix.ptr, (size_t)prefix.len) == 0);
}

static inline int stile_same_fence(const stile_fence* a, const stile_fence* b) {
  return a->number == b->number && memcmp(a->stamp.bytes, b->stamp.bytes, sizeof a->stamp.bytes) == 0;
}

/* --- errors of start, open, connect --------------------------------------------------------------------------- */

/* Writes text into error, cut between UTF-8 characters where it does not fit, and returns status. */
static inline int32_t stile_refuse(stile_error* error, int32_t status, const char* text) {
  if (error) {
    uint64_t full = strlen(text), fits = full < error->text_cap ? full : error->text_cap;
    while (fits < full && fits > 0 && ((unsigned char)text[fits] & 0xC0u) == 0x80u) fits--;
    if (fits != 0) memcpy(error->text, text, (size_t)fits);
    error->text_len = full;
  }
  return status;
}

/* --- time ----------------------------------------------------------------------------------------------------- */

#ifdef CLOCK_MONOTONIC /* strict C99 and C11 hide it unless _POSIX_C_SOURCE is 199309L or more */

/* CLOCK_MONOTONIC, what deadlines are in. */
static inline int64_t stile_monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* CLOCK_REALTIME: a store's clock where it has no better one. */
static inline int64_t stile_realtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The clock of such a store, for stile_dispatcher. */
static inline int64_t stile_realtime_of_(void* ctx) { return (void)ctx, stile_realtime(); }
#define STILE_REALTIME_CLOCK \
  { stile_realtime_of_, NULL }

/* Microseconds until the call's deadline, 0 when it has passed, STILE_NEVER when it has none. */
static inline int64_t stile_remaining(const stile_call* call) {
  int64_t now;
  if (call->deadline == STILE_NEVER) return STILE_NEVER;
  now = stile_monotonic();
  return call->deadline > now ? call->deadline - now : 0;
}

#endif

/* --- the batch ------------------------------------------------------------------------------------------------ */

/* How a plugin's execute does its operations. */
typedef struct stile_dispatcher {
  const stile_limits* limits;
  stile_clock clock;
  /* 0 while the store is unprepared; null = it always is prepared (S1). */
  int (*prepared)(stile_session* session);
  /* Does one operation whose arguments are in order and sets its status (left alone: UNSUPPORTED). Returns
   * STILE_SESSION_DROP when the connection broke: the rest of the batch is answered UNAVAILABLE. */
  uint32_t (*one)(stile_session* session, const stile_call* call, stile_op* op);
} stile_dispatcher;

/* Must this operation be alone in its call (R3)? */
static inline int stile_alone(const stile_op* op) {
  if (op->kind == STILE_OP_RECEIVE) return ((const stile_receive_request*)op->request)->wait > 0;
  if (op->kind == STILE_OP_WATCH) return ((const stile_watch_request*)op->request)->wait > 0;
  if (op->kind == STILE_OP_TRANSACT) {
    const stile_effect* effect = ((const stile_transact_request*)op->request)->effect;
    return effect && effect->form == STILE_EFFECT_CALLBACK;
  }
  return 0;
}

/* Kinds as bits of a set: those that can have to be alone, those whose arguments are always in order. */
#define STILE_KIND_(kind) (UINT64_C(1) << (kind))
#define STILE_KINDS_ALONE_ \
  (STILE_KIND_(STILE_OP_RECEIVE) | STILE_KIND_(STILE_OP_WATCH) | STILE_KIND_(STILE_OP_TRANSACT))
#define STILE_KINDS_FREE_ (STILE_KIND_(STILE_OP_PREPARE) | STILE_KIND_(STILE_OP_INFO))

/* What seldom happens is kept out of the way of what always does; the loop is made part of the plugin's execute, where
 * the compiler sees who the dispatcher's functions are. */
#if defined(__GNUC__)
#define STILE_RARE_ static __attribute__((noinline, cold, unused))
#define STILE_LOOP_ static inline __attribute__((always_inline))
#else
#define STILE_RARE_ static inline
#define STILE_LOOP_ static inline
#endif

/* The rest of stile_admit. */
STILE_RARE_ int stile_admit_rare_(stile_op* const* ops, uint64_t i, uint64_t count, const stile_limits* limits,
                                  const stile_clock* clock, int prepared) {
  stile_op* op = ops[i];
  const int known_bits = (op->must & ~STILE_MUST_KNOWN) == 0;
  const int known_kind = op->kind - 1u < STILE_OP_COUNT;
  if (known_bits && known_kind) {
    if (!stile_check(op, limits, clock)) return 0;
    if (count > 1 && stile_alone(op))
      return STILE_NO(op, STILE_INVALID, "an operation that waits, or a callback effect, is alone in its call");
  }
  if ((op->must & STILE_MUST_AFTER_OK) != 0 && i == 0)
    return STILE_NO(op, STILE_INVALID, "after_ok with no operation before it in the batch");
  if (!prepared && op->kind != STILE_OP_PREPARE)
    return STILE_NO(op, STILE_UNPREPARED, "the store is not prepared: run prepare, or open with prepare=auto");
  if ((op->must & STILE_MUST_AFTER_OK) != 0 && ops[i - 1]->status != STILE_OK)
    return STILE_NO(op, STILE_SKIPPED, "the operation before it did not answer ok");
  if (!known_bits)
    return STILE_NO(op, STILE_UNSUPPORTED, "the operation carries a must-bit that this plugin does not know");
  if (!known_kind) return STILE_NO(op, STILE_UNSUPPORTED, "this plugin does not know that operation");
  return 1;
}

/* Everything that comes before the store is looked at, in the contract's order of statuses: arguments, chains,
 * prepared or not, skipped, bits and kinds that nobody knows. 1 = do ops[i]; 0 = it is answered. */
static inline int stile_admit(stile_op* const* ops, uint64_t i, uint64_t count, const stile_limits* limits,
                              const stile_clock* clock, int prepared) {
  stile_op* op = ops[i];
  const uint32_t kind = op->kind;
  /* First what nearly every operation is: without bits, of a known kind, for a store that is prepared. */
  if (op->must == 0 && prepared && kind - 1u < STILE_OP_COUNT) {
    if ((STILE_KINDS_FREE_ >> kind & 1) != 0) return 1;
    if (count == 1 || (STILE_KINDS_ALONE_ >> kind & 1) == 0) return stile_check(op, limits, clock);
  }
  return stile_admit_rare_(ops, i, count, limits, clock, prepared);
}

/* Answers what is left of a batch behind a connection that broke. */
STILE_RARE_ void stile_not_sent_(stile_session* session, stile_op* const* ops, uint64_t i, uint64_t count,
                                 const stile_dispatcher* how) {
  for (; i < count; i++)
    if (stile_admit(ops, i, count, how->limits, &how->clock, !how->prepared || how->prepared(session)))
      stile_answer_with(ops[i], STILE_UNAVAILABLE, "not sent: the connection broke earlier in this batch");
}

/* A whole batch, one operation after the other. What a plugin without pipelining needs. */
STILE_LOOP_ uint32_t stile_dispatch(stile_session* session, const stile_call* call, stile_op* const* ops,
                                    uint64_t count, const stile_dispatcher* how) {
  uint64_t i;
  for (i = 0; i < count; i++) {
    stile_op* op = ops[i];
    uint32_t fate;
    if (!stile_admit(ops, i, count, how->limits, &how->clock, !how->prepared || how->prepared(session))) continue;
    op->status = STILE_UNSUPPORTED;
    fate = how->one(session, call, op);
    if (op->status == STILE_UNSUPPORTED && op->error.len == 0)
      stile_answer_with(op, STILE_UNSUPPORTED, "this store does not do that operation");
    if (fate != STILE_SESSION_KEEP) return stile_not_sent_(session, ops, i + 1, count, how), fate;
  }
  return STILE_SESSION_KEEP;
}

#endif
