/* What surrounds every operation: errors of opening, the memory of an answer, the call, the operation itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_CALL_H
#define STILE_ABI_CALL_H

#include "types.h"

/* Where entry, start, open and connect put their error text. The caller owns it; a null pointer means "not interested";
 * untouched on success. Operations do not use it: they carry their own text. */
typedef struct stile_error {
  uint32_t struct_size; /* in   set by the caller */
  uint32_t text_cap;    /* in   bytes at text; at most this many are written, whole UTF-8 characters only */
  char *text;           /* in   the caller's buffer */
  uint64_t text_len;    /* out  the full length, also when the text was cut */
} stile_error;

/* The memory of an answer (law 1). The plugin's alone from execute's call to its return, and used by one thread at a
 * time: any one, so that a thread may answer for others who wait inside execute. */
typedef struct stile_arena {
  uint32_t struct_size;
  uint32_t reserved0;
  void *ctx; /* handed back to alloc */
  /* 16-aligned, uninitialised, never freed one by one. size 0 is allowed. Null = out of memory: answer STILE_UNKNOWN if
   * anything was committed (law 7). */
  void *(*alloc)(void *ctx, uint64_t size);
} stile_arena;

/* One execute. Borrowed until it returns. */
typedef struct stile_call {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t serial;  /* rises by one with every execute on a session; interrupt names calls by it */
  int64_t deadline; /* CLOCK_MONOTONIC microseconds of this host, or STILE_NEVER: the latest deadline in the batch. A
                       call returns by it (W6, R4); the host itself answers callers whose own deadline is earlier */
} stile_call;

/* Bits of stile_op.must: what the plugin must know in order to do the operation rightly (law 4). */
#define STILE_MUST_AFTER_OK                                                                                            \
  1u /* R3: run only if the operation before it in this batch answered STILE_OK, else answer                           \
        STILE_SKIPPED; with nothing before it, STILE_INVALID. Running it once the reply of the                         \
        one before it is there is always right; pipelining it only where it is conditional */
#define STILE_MUST_AGAIN                                                                                               \
  2u /* R1, receive only: answer the deliveries of the first send with this op_id that are still                       \
        current, if there are any; without op_id STILE_INVALID */
#define STILE_MUST_KNOWN (STILE_MUST_AFTER_OK | STILE_MUST_AGAIN) /* of revision 1.0 */

/* One operation: a request, and room for its answer. It stays where its caller put it; execute gets pointers. */
typedef struct stile_op {
  uint32_t struct_size;
  uint32_t kind;            /* in   STILE_OP_*; an unknown one is answered STILE_UNSUPPORTED (law 10) */
  uint32_t must;            /* in   STILE_MUST_*; an unknown bit is answered STILE_UNSUPPORTED, nothing done (law 4) */
  int32_t status;           /* out  STILE_*, pre-filled with STILE_UNSET (law 6) */
  const void *request;      /* in   the stile_*_request of kind, never null */
  void *result;             /* out  the stile_*_result of kind: zeroed, struct_size set; null for kinds without one */
  const stile_arena *arena; /* in   the memory of this answer (law 1); operations may share one */
  stile_id op_id;           /* in   R1: names this request over all its sends; all zero = none. The core's handle sets
                               one on every write that takes it */
  stile_text error;    /* out  when not STILE_OK: what went wrong, where, what to do; for people (arena or static) */
  stile_text native;   /* out  the server's own code, such as "40001"; empty = none (arena or static) */
  int64_t retry_after; /* out  microseconds; a hint with HELD, FULL, UNAVAILABLE; 0 = none */
} stile_op;

#endif
