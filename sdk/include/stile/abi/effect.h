/* Effects: work inside the store's own transaction, committed together with its record (contract E).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_EFFECT_H
#define STILE_ABI_EFFECT_H

#include "types.h"

/* Forms of an effect. An unknown one is STILE_UNSUPPORTED (law 10). */
#define STILE_EFFECT_STATEMENT                                                                                         \
  1u /* text in language, parameters bound; the value is the first column of the first row, or                         \
        what the script returned */
#define STILE_EFFECT_CALLBACK                                                                                          \
  2u /* run, on the thread inside execute, with the open transaction; alone in its call (R3) */

/* A row that a query inside an effect gave. Linked; columns values. */
typedef struct stile_row {
  uint32_t struct_size;
  uint32_t columns;
  struct stile_row *next;
  const stile_value *values; /* columns of them */
} stile_row;

/* What one query inside an effect gave. The caller sets struct_size; memory is the operation's arena. */
typedef struct stile_rows {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_row *rows;   /* null = none */
  uint64_t affected; /* rows changed */
  stile_text error;  /* when the query failed */
  stile_text native;
} stile_rows;

/* An open transaction, lent to run. Dead when run returns; run may use nothing else of this store meanwhile. */
typedef struct stile_tx {
  uint32_t struct_size;
  uint32_t reserved0;
  void *ctx; /* the first argument of both functions */
  /* Runs one statement. Returns STILE_OK, or STILE_EFFECT_FAILED with out->error. [thread inside run] */
  int32_t (*query)(void *ctx, stile_text text, const stile_value *params, uint64_t n_params, stile_rows *out);
  /* The store's own handle: "sqlite3" gives sqlite3 *; null = not offered. [thread inside run] */
  void *(*native)(void *ctx, stile_text type);
} stile_tx;

/* An effect. language decides what text means and which of params and keys count. */
typedef struct stile_effect {
  uint32_t struct_size;
  uint32_t form;             /* STILE_EFFECT_* */
  stile_text language;       /* "sql", "lua", "host"; one the store does not declare is STILE_UNSUPPORTED (E6) */
  stile_text text;           /* STATEMENT: one statement or script */
  const stile_value *params; /* STATEMENT: bound in order */
  uint64_t n_params;
  const stile_bytes *keys; /* STATEMENT: the keys a script declares (E4) */
  uint64_t n_keys;
  void *ctx; /* CALLBACK: the first argument of run */
  /* CALLBACK: returns STILE_OK and *value (bytes or text), or STILE_EFFECT_FAILED and *error: then all it did is
   * undone. May run again after a serialisation failure; what stays is one run's work. What it hands out stays valid
   * until ctx is next used. Must not unwind (law 9). */
  int32_t (*run)(void *ctx, const stile_tx *tx, stile_bytes *value, stile_text *error);
} stile_effect;

/* transact: runs the effect and records its value, together or not at all (E1-E8). Write under fence.
 * OK, FENCED, UNSUPPORTED, EFFECT_FAILED, INVALID, TOO_LARGE. */
typedef struct stile_transact_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes workflow;
  stile_fence fence;
  stile_bytes key; /* as in record */
  const stile_effect *effect;
} stile_transact_request;

typedef struct stile_transact_result {
  uint32_t struct_size;
  uint32_t ran;      /* 1 = the effect ran for this op_id; 0 = the key was recorded (E2) or supplied meanwhile (E5) */
  stile_bytes value; /* always what is stored */
  int64_t position;
  int64_t written_at;
} stile_transact_result;

#endif
