/* The store as a whole: prepare, info, stats, list, trim, render, advance (contract S, T, R7, A14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_ADMIN_H
#define STILE_ABI_ADMIN_H

#include "call.h"
#include "types.h"

/* prepare: creates or migrates the store's schema, from many processes at once (S1). No op_id.
 * OK, UNPREPARED (check_only, where it would have changed something), UNSUPPORTED (newer data), DENIED, READ_ONLY. */
typedef struct stile_prepare_request {
  uint32_t struct_size;
  uint32_t check_only; /* 1 = change nothing */
} stile_prepare_request;

typedef struct stile_prepare_result {
  uint32_t struct_size;
  uint32_t migrated; /* 1 = something was created or changed */
} stile_prepare_result;

/* The stated limits of a store. Counts and bytes. */
typedef struct stile_limits {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t id_bytes;      /* workflow ids, keys, message ids: 512 */
  uint64_t value_bytes;   /* a value: at least 16 MiB (B9) */
  uint64_t reply_bytes;   /* what max_bytes is capped at: at least 1 MiB (B6) */
  uint64_t error_bytes;   /* where error text is cut: at least 1 KiB */
  uint64_t receipt_bytes; /* at most 1,024 */
  uint64_t batch;         /* operations in one execute; the host sends no more */
  uint64_t page;          /* records or elements in one answer */
  uint64_t queues;        /* queues in one receive (W10) */
  uint64_t partitions;    /* within which order holds (W7) */
  uint64_t writers;       /* 1 = one write at a time, effects included (E7); 0 = no bound */
} stile_limits;

/* info: who this store is and what it promises (S2, S3). Reads only. OK. */
typedef struct stile_info_request {
  uint32_t struct_size;
  uint32_t reserved0;
} stile_info_request;

typedef struct stile_info_result {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_text plugin; /* "name version" */
  int64_t store_time;
  stile_bytes epoch;              /* changes when acknowledged writes may have been lost (S2) */
  stile_text durability;          /* in words: what an accepted write survives (B8) */
  stile_text server;              /* kind and version of what keeps the data */
  const stile_text *capabilities; /* of this store, out of the plugin's (S3) */
  uint64_t n_capabilities;
  const stile_limits *limits; /* never null when OK */
} stile_info_result;

/* Bits of stile_stats_result.approximate. */
#define STILE_APPROX_WORKFLOWS 1u
#define STILE_APPROX_FINISHED 2u
#define STILE_APPROX_RECORDS 4u
#define STILE_APPROX_DOCUMENTS 8u

/* stats: counts at some moment of the call (S4). Reads only. OK, TOO_LARGE. */
typedef struct stile_stats_request {
  uint32_t struct_size;
  uint32_t has_queue; /* 1 = wakeups of that queue only; the rest is of the whole store */
  stile_bytes queue;
} stile_stats_request;

typedef struct stile_stats_result {
  uint32_t struct_size;
  uint32_t approximate; /* STILE_APPROX_*: which of the next figures are estimates */
  uint64_t ready;
  uint64_t delayed;
  uint64_t in_flight;
  uint64_t dead;
  uint64_t workflows;
  uint64_t finished;
  uint64_t records;
  uint64_t documents;
  uint64_t stored_bytes;    /* an estimate always */
  int64_t oldest_ready_age; /* microseconds since it first became due (D9); -1 = nothing is ready */
  int64_t next_due_at;      /* when the next delayed wakeup or lapsing delivery can be delivered; 0 = none */
} stile_stats_result;

/* A workflow in a list: an element, allocated from the arena and linked. */
typedef struct stile_workflow {
  uint32_t struct_size;
  uint32_t state; /* READY, DELAYED, IN_FLIGHT, DEAD, FINISHED, IDLE */
  struct stile_workflow *next;
  stile_bytes workflow;
  stile_bytes queue;
  stile_bytes last_error; /* empty = none */
  int64_t due_at;         /* of a wakeup that is not dead: when it can be delivered; else 0 */
  uint64_t records;
  uint64_t fence_number;   /* 0 = none */
  int64_t live_until;      /* of a live lease; else 0 */
  int64_t finished_at;     /* 0 = not finished */
  int64_t last_written_at; /* of the last record; 0 = none */
  uint32_t delivery_count;
  uint32_t cancel_requested;
} stile_workflow;

/* list: exactly the known workflows, by id in byte order (S4, K7). Reads only. OK, INVALID, TOO_LARGE. */
typedef struct stile_list_request {
  uint32_t struct_size;
  uint32_t state;        /* 0 = any, else one of READY .. IDLE */
  uint32_t has_queue;    /* 1 = of that queue only */
  uint32_t has_idle_for; /* 1 = idle, not leased, and untouched for idle_for */
  stile_bytes queue;
  stile_bytes prefix;
  stile_bytes after; /* exclusive; empty = from the start */
  int64_t idle_for;  /* >= 0 */
  uint32_t limit;    /* >= 1; STILE_PAGE = the store's page */
  uint32_t reserved0;
} stile_list_request;

typedef struct stile_list_result {
  uint32_t struct_size;
  uint32_t has_next;
  stile_workflow *workflows;
  stile_bytes next; /* with has_next: the after of the next page */
} stile_list_result;

/* trim: removes finished workflows untouched for older_than, and leftovers (T1-T7). Bounded work. No op_id.
 * OK, INVALID. */
typedef struct stile_trim_request {
  uint32_t struct_size;
  uint32_t limit;     /* >= 1 workflows; the default of every face is 1,000 */
  int64_t older_than; /* >= 0 */
} stile_trim_request;

typedef struct stile_trim_result {
  uint32_t struct_size;
  uint32_t more;    /* 1 = call again */
  uint64_t removed; /* workflows */
} stile_trim_result;

/* render: says an unfenced write instead of doing it, for the caller's own transaction (R7). Reads only.
 * OK, UNSUPPORTED (language or operation), and what the operation's arguments deserve. */
typedef struct stile_render_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_text language;
  const stile_op *op; /* a request only: its answer members are not looked at */
} stile_render_request;

typedef struct stile_render_result {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_text text;
  const stile_value *params; /* bound in order */
  uint64_t n_params;
  const stile_bytes *keys;
  uint64_t n_keys;
} stile_render_result;

/* advance: moves a manual clock (A14). No op_id. OK, INVALID (by < 0), UNSUPPORTED without manual_clock. */
typedef struct stile_advance_request {
  uint32_t struct_size;
  uint32_t reserved0;
  int64_t by; /* >= 0 */
} stile_advance_request;

typedef struct stile_advance_result {
  uint32_t struct_size;
  uint32_t reserved0;
  int64_t store_time;
} stile_advance_result;

#endif
