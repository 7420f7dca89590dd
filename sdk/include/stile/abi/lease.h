/* The lease of a workflow: acquire, renew, release (contract A).
 *
 * A lease is an exclusive right with an end, and its fence proves it. Durations are microseconds; instants are Unix
 * microseconds by the store's clock, measured when the grant takes effect (A3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_LEASE_H
#define STILE_ABI_LEASE_H

#include "types.h"

/* acquire: grants the lease of a free workflow (A1, A2), or of any with force (A13). Write; remembers op_id in the
 * lease, where it is the stamp (A9). OK, HELD, INVALID, TOO_LARGE. */
typedef struct stile_acquire_request {
  uint32_t struct_size;
  uint32_t force; /* 1 = an operator's: grants over a live lease and makes a delivery in flight ready again (A13) */
  stile_bytes workflow; /* 1-512 bytes (B9) */
  int64_t ttl;          /* > 0: each sign of life keeps the lease this much longer (A3, A6) */
  int64_t budget;       /* > 0: the lease ends by then, whatever the signs of life; may be below ttl */
} stile_acquire_request;

typedef struct stile_acquire_result {
  uint32_t struct_size;
  uint32_t cancel_requested; /* OK: C8 */
  stile_fence fence;         /* OK: shown with every write of this pass (A4) */
  int64_t live_until;        /* OK, HELD: when the lease lapses unless renewed */
  int64_t budget_until;      /* OK */
} stile_acquire_result;

/* renew: a sign of life (A7). Never shortens; sets the ttl of later signs of life; revives a lapsed lease that nobody
 * was granted since, without budget while the old one lasts, with budget always. Takes no op_id. OK, FENCED, LAPSED,
 * INVALID, TOO_LARGE. */
typedef struct stile_renew_request {
  uint32_t struct_size;
  uint32_t has_budget; /* 0 = leave the budget's end where it is */
  stile_bytes workflow;
  stile_fence fence;
  int64_t ttl;    /* > 0 */
  int64_t budget; /* with has_budget, > 0: moves the budget's end to the later of now + budget and its present end */
} stile_renew_request;

typedef struct stile_renew_result {
  uint32_t struct_size;
  uint32_t cancel_requested;
  int64_t live_until;
  int64_t budget_until;
} stile_renew_result;

/* release: frees the lease, ends its budget, keeps the fence (A8). Again by the same fence is OK. Takes no op_id.
 * OK, FENCED, INVALID, TOO_LARGE. */
typedef struct stile_release_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
  stile_fence fence;
} stile_release_request;

#endif
