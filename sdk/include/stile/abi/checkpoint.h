/* The checkpoint of a workflow: its ordered records (contract B, I, C8, B14).
 *
 * Steps, supplied values and inbox messages are one key space. The first write of a key wins (B1); positions rise by
 * one without gaps (B3). A write that shows a fence lands only under the current one (A4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_CHECKPOINT_H
#define STILE_ABI_CHECKPOINT_H

#include "types.h"

/* A record of a checkpoint: an element of an answer, allocated from the arena and linked, so that it may grow (law 3).
 */
typedef struct stile_record {
  uint32_t struct_size;
  uint32_t reserved0;
  struct stile_record *next; /* null = last */
  stile_bytes key;           /* "inbox:" and 20 digits for inbox messages (I1) */
  stile_bytes value;
  int64_t position;   /* 1 .. 2^53-1 */
  int64_t written_at; /* never falls along position (B3) */
} stile_record;

/* When a workflow should run, said inside supply and append (W9) and in enqueue. */
typedef struct stile_enqueue {
  uint32_t struct_size;
  uint32_t is_instant; /* 0: when is a delay >= 0; 1: when is an instant >= 0, one in the past counts as now (W8) */
  int64_t when;
  uint32_t has_queue; /* 0 = the workflow's last queue, the default one at first (W10) */
  uint32_t reserved0;
  stile_bytes queue; /* with has_queue: 0-64 bytes; empty = the default queue */
} stile_enqueue;

/* load: records in order (B3, B6). Reads only; an unknown workflow is empty. OK, INVALID, TOO_LARGE. */
typedef struct stile_load_request {
  uint32_t struct_size;
  uint32_t limit; /* >= 1 records; STILE_PAGE = the store's page */
  stile_bytes workflow;
  int64_t after;      /* >= 0: records above this position; 0 = from the start */
  uint64_t max_bytes; /* >= 1: of keys and values, at least one record is given; capped by limits.reply_bytes */
  uint32_t has_key;   /* 1 = the record of that key alone, after is ignored (B9) */
  uint32_t reserved0;
  stile_bytes key;
} stile_load_request;

typedef struct stile_load_result {
  uint32_t struct_size;
  uint32_t cancel_requested;
  stile_record *records; /* null = none */
  uint64_t fence_number; /* 0 = never granted, or discarded since */
  uint32_t finished;
  uint32_t more; /* exact: 1 = there are records above the last one given */
} stile_load_result;

/* record: writes a step's outcome under a fence (A4-A6, B1, B2). Write. OK, FENCED, INVALID, TOO_LARGE. */
typedef struct stile_record_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
  stile_fence fence;
  stile_bytes key;   /* 1-512 bytes; not one that starts with "inbox:" (I1) */
  stile_bytes value; /* up to limits.value_bytes */
} stile_record_request;

typedef struct stile_record_result {
  uint32_t struct_size;
  uint32_t first;    /* 1 = your value stands; equal bytes count (B2) */
  stile_bytes value; /* the winner's, left empty when first: the caller has those bytes. Sent again under the op_id that
                        wrote it, but with other bytes, it answers first and what is stored (R1) */
  int64_t position;  /* of the record that stands */
  int64_t written_at;
} stile_record_result;

/* supply: writes a value from outside, without a fence (B7), and may enqueue in the same commit (W9). Write.
 * OK, INVALID, TOO_LARGE; UNSUPPORTED with enqueue where one_commit is not declared. */
typedef struct stile_supply_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
  stile_bytes key; /* as in record */
  stile_bytes value;
  const stile_enqueue *enqueue; /* null = none */
} stile_supply_request;

typedef struct stile_supply_result {
  uint32_t struct_size;
  uint32_t first;
  stile_bytes value; /* as in record */
  int64_t position;
  int64_t written_at;
  uint32_t state; /* with enqueue: STILE_STATE_* as enqueue answers it; else 0 */
  uint32_t reserved0;
  int64_t visible_at; /* with enqueue, unless dead: when it can be delivered; else 0. Sent again: as the first time
                         while no newer enqueue took its place in memory (R1), then what is there now */
} stile_supply_result;

/* append: puts a message into the inbox, without a fence (I1-I5), and may enqueue in the same commit. Write.
 * OK, INVALID, TOO_LARGE; UNSUPPORTED with enqueue where one_commit is not declared. */
typedef struct stile_append_request {
  uint32_t struct_size;
  uint32_t has_message_id; /* 0 = the op_id serves as one (I3) */
  stile_bytes workflow;
  stile_bytes value;
  stile_bytes message_id; /* with has_message_id: 1-512 bytes */
  const stile_enqueue *enqueue;
} stile_append_request;

typedef struct stile_append_result {
  uint32_t struct_size;
  uint32_t duplicate; /* 1 = this message_id was there, whatever its value (I3) */
  stile_bytes key;    /* of the message that stands */
  int64_t position;
  uint32_t state; /* as in supply */
  uint32_t reserved0;
  int64_t visible_at;
} stile_append_result;

/* rebase: one commit removes every record but inbox entries above inbox_after, then records key (B11). Write under
 * fence. OK, FENCED, INVALID, TOO_LARGE. */
typedef struct stile_rebase_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
  stile_fence fence;
  stile_bytes inbox_after; /* an inbox key; empty keeps all of the inbox */
  stile_bytes key;
  stile_bytes value;
} stile_rebase_request;

typedef struct stile_rebase_result {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t removed; /* records */
  int64_t position; /* of the new record */
  int64_t written_at;
} stile_rebase_result;

/* discard: forgets the workflow, whole; raises its number, frees its lease (A10, C6). Write. OK, INVALID, TOO_LARGE. */
typedef struct stile_discard_request {
  uint32_t struct_size;
  uint32_t cancel; /* 1 = its wakeup too, in the same commit */
  stile_bytes workflow;
} stile_discard_request;

typedef struct stile_discard_result {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t removed; /* records; may be 0 the second time (R1) */
} stile_discard_result;

/* request_cancel: sets the flag that acquire, renew, extend, load and receive report (C8). Write. No result.
 * OK, INVALID, TOO_LARGE. */
typedef struct stile_request_cancel_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
} stile_request_cancel_request;

/* watch: waits until one of the workflows may have a record above its after (B14). Reads only; alone in its call with
 * wait > 0 (R3). OK (also empty, by wait or the deadline), INVALID, TOO_LARGE, INTERRUPTED. */
typedef struct stile_watch_request {
  uint32_t struct_size;
  uint32_t reserved0;
  const stile_watched *watched;
  uint64_t n_watched; /* at most 1,000 */
  int64_t wait;       /* >= 0 */
} stile_watch_request;

typedef struct stile_watch_result {
  uint32_t struct_size;
  uint32_t reserved0;
  const uint64_t *changed; /* indices into watched; one that did not change may be named */
  uint64_t n_changed;
} stile_watch_result;

#endif
