/* What every store of documents decides alike: conditions, versions, expiry, the memory of earlier sends (chapter K).
 *
 * Pure but for the answer they write. C99 and C++11, static inline.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_SDK_DOCUMENTS_H
#define STILE_SDK_DOCUMENTS_H

#include <stdio.h>

#include "stile/sdk/author.h"

/* --- versions ------------------------------------------------------------------------------------------------- */

/* Versions are counted by one counter of the whole store, so that none comes back, and shown in decimal (K2). */
#define STILE_VERSION_BYTES 21
static inline uint64_t stile_version_text(char text[STILE_VERSION_BYTES], uint64_t version) {
  return (uint64_t)snprintf(text, STILE_VERSION_BYTES, "%llu", (unsigned long long)version);
}

/* Copies a version into the answer. 0: the operation is answered UNKNOWN, return at once. */
static inline int stile_copy_version(stile_op* op, stile_bytes* to, uint64_t version) {
  char text[STILE_VERSION_BYTES];
  uint64_t len = stile_version_text(text, version);
  return stile_copy(op, to, text, len);
}

static inline int stile_is_version(stile_bytes given, uint64_t version) {
  char text[STILE_VERSION_BYTES];
  uint64_t len = stile_version_text(text, version);
  return given.len == len && memcmp(given.ptr, text, (size_t)len) == 0;
}

/* --- conditions and expiry ------------------------------------------------------------------------------------ */

/* What is there when a put or an erase comes. An erased or expired document is not there. */
typedef struct stile_present {
  int there;
  uint64_t version;
  stile_bytes value;
} stile_present;

/* May this put or erase be done? 0: no, the operation is answered CONFLICT with what is there (K1, K2, K6). */
static inline int stile_condition_holds(stile_op* op, const stile_present* now) {
  const int is_put = op->kind == STILE_OP_PUT;
  const stile_put_request* put = is_put ? (const stile_put_request*)op->request : NULL;
  const stile_erase_request* erase = is_put ? NULL : (const stile_erase_request*)op->request;
  uint32_t condition = is_put ? put->condition : erase->condition;
  stile_bytes given = is_put ? put->version : erase->version;
  stile_bytes* version =
      is_put ? &((stile_put_result*)op->result)->version : &((stile_erase_result*)op->result)->version;
  stile_bytes* value = is_put ? &((stile_put_result*)op->result)->value : &((stile_erase_result*)op->result)->value;
  if (condition == STILE_IF_ANY || (condition == STILE_IF_ABSENT && !now->there)) return 1;
  if (condition == STILE_IF_VERSION && now->there && stile_is_version(given, now->version)) return 1;
  if (now->there &&
      (!stile_copy_version(op, version, now->version) || !stile_copy(op, value, now->value.ptr, now->value.len)))
    return 0;
  return STILE_NO(op, STILE_CONFLICT, "the condition does not hold");
}

/* When what a put writes expires; present is the expiry of what is there, 0 = never or nothing is there (K4, K5). */
static inline int64_t stile_expiry(const stile_put_request* put, int64_t now, int64_t present) {
  if (put->ttl == STILE_TTL_KEEP) return present;
  return put->ttl == STILE_TTL_NONE ? 0 : now + put->ttl;
}

/* --- sent again ----------------------------------------------------------------------------------------------- */

/* The last puts and erases of one document that answered OK, with or without op_id (K3, R1). All zero = none yet. It
 * outlives the document: a late second send must undo nothing newer. */
#define STILE_SENDS 8u
typedef struct stile_send {
  stile_id op_id;
  uint32_t kind;
  uint32_t removed;
  uint64_t version;
} stile_send;
typedef struct stile_sends {
  stile_send last[STILE_SENDS];
  uint64_t count;
} stile_sends;

/* Was this put or erase done before? 1: yes, it is answered as it was then (INVALID, where its op_id named the other
 * of the two). sends may be null. */
static inline int stile_sent_before(const stile_sends* sends, stile_op* op) {
  static const stile_id none = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  uint32_t i;
  if (!sends || memcmp(&op->op_id, &none, sizeof none) == 0) return 0;
  for (i = 0; i < STILE_SENDS; i++) {
    const stile_send* send = &sends->last[i];
    if (memcmp(&send->op_id, &op->op_id, sizeof none) != 0) continue;
    op->status = STILE_OK;
    if (send->kind != op->kind)
      stile_answer_with(op, STILE_INVALID, "this op_id names another operation");
    else if (op->kind == STILE_OP_PUT)
      stile_copy_version(op, &((stile_put_result*)op->result)->version, send->version);
    else
      ((stile_erase_result*)op->result)->removed = send->removed;
    return 1;
  }
  return 0;
}

/* Remembers a put (by the version it made) or an erase (by whether it removed something) that is answered OK. */
static inline void stile_remember(stile_sends* sends, const stile_op* op, uint64_t version, int removed) {
  stile_send* send = &sends->last[sends->count++ % STILE_SENDS];
  send->op_id = op->op_id;
  send->kind = op->kind;
  send->removed = (uint32_t)removed;
  send->version = version;
}

#endif
