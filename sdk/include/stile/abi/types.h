/* Value types of the Stile store ABI: what every other header is made of.
 *
 * These are frozen: they carry no struct_size and never grow. Law numbers refer to stile/abi.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_TYPES_H
#define STILE_ABI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX != 0xFFFFFFFFFFFFFFFFu
#error "the Stile ABI is defined for 64-bit targets"
#endif

/* An ABI revision: plugins and hosts compare these integers and nothing else. */
#define STILE_ABI(major, minor) (((uint32_t)(major) << 16) | (uint32_t)(minor))
#define STILE_ABI_1_0 STILE_ABI(1, 0)

/* "No bound" where a deadline or an instant is asked for. */
#define STILE_NEVER INT64_MAX

/* "Take the store's own page" for a limit, "take the store's own bound" for a max_bytes (law 5 does not apply: counts).
 */
#define STILE_PAGE UINT32_MAX
#define STILE_ALL_BYTES UINT64_MAX

/* The largest fence number and position: 2^53 - 1 (A1, B3). */
#define STILE_NUMBER_MAX INT64_C(9007199254740991)

/* Text for people and names: UTF-8, not zero-terminated, ptr may be null when len is 0 (law 2). */
typedef struct stile_text {
  const char *ptr;
  uint64_t len; /* bytes */
} stile_text;

/* Bytes that the store never looks into: ids, keys, values, queues, receipts, versions (law 2). */
typedef struct stile_bytes {
  const uint8_t *ptr;
  uint64_t len; /* bytes */
} stile_bytes;

/* Sixteen unguessable bytes: an op_id, or the stamp of a fence. All zero = none. */
typedef struct stile_id {
  uint8_t bytes[16];
} stile_id;

/* A fencing token: the right to write one workflow's checkpoint (A1). Compared for equality of both members.
 * number 0 = no fence at all, which is never the current one (A4). */
typedef struct stile_fence {
  uint64_t number; /* 1 .. 2^53-1 */
  stile_id stamp;  /* the op_id of the operation that was granted the lease */
} stile_fence;

/* A parameter or a column of an effect: the slot that type names counts, the others are zero. */
#define STILE_TYPE_NULL 0u
#define STILE_TYPE_INTEGER 1u
#define STILE_TYPE_REAL 2u
#define STILE_TYPE_TEXT 3u
#define STILE_TYPE_BYTES 4u
typedef struct stile_value {
  uint32_t type; /* STILE_TYPE_* */
  uint32_t reserved0;
  int64_t integer;
  double real;
  stile_bytes data; /* of TEXT and BYTES */
} stile_value;

/* A name and what it stands for: options, hosts and ports. */
typedef struct stile_pair {
  stile_text key;
  stile_text value;
} stile_pair;

/* One workflow a watch looks at (B14). */
typedef struct stile_watched {
  stile_bytes workflow;
  int64_t after; /* the position up to which the caller has read; 0 = nothing */
} stile_watched;

/* The end of a member, counted from the start of its struct: what "this struct is new enough" is tested against. Never
 * test against sizeof: two revisions can have one sizeof because of tail padding (law 3). */
#define STILE_END(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define STILE_HAS(pointer, type, member) ((pointer)->struct_size >= STILE_END(type, member))

/* Initialiser of a stile_text from a string literal. */
#define STILE_LIT(literal)                                                                                             \
  { (literal), sizeof(literal) - 1 }

#endif
