/* Documents: versioned keys and values for coordination between processes (contract K).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STILE_ABI_DOCUMENT_H
#define STILE_ABI_DOCUMENT_H

#include "types.h"

/* The condition of a put or an erase. */
#define STILE_IF_ANY 0u
#define STILE_IF_ABSENT 1u  /* put only (K1, K6) */
#define STILE_IF_VERSION 2u /* the version given is the current one (K2) */

/* The ttl of a put, besides a positive duration (K5). */
#define STILE_TTL_NONE INT64_C(0)  /* never expires */
#define STILE_TTL_KEEP INT64_C(-1) /* keeps the present expiry; none, where nothing is there */

/* get: the document of a key. Reads only. OK, NOT_FOUND, INVALID, TOO_LARGE. */
typedef struct stile_get_request {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes key; /* 1-512 bytes */
} stile_get_request;

typedef struct stile_get_result {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes value;
  stile_bytes version; /* at most 64 opaque bytes, never repeated for a key (K2) */
  int64_t expires_at;  /* 0 = never */
} stile_get_result;

/* put: writes a document if the condition holds (K1-K5). Write. OK, CONFLICT, INVALID, TOO_LARGE. */
typedef struct stile_put_request {
  uint32_t struct_size;
  uint32_t condition; /* STILE_IF_* */
  stile_bytes key;
  stile_bytes value;
  stile_bytes version; /* with STILE_IF_VERSION; any bytes, those that are no version are at worst CONFLICT */
  int64_t ttl;         /* > 0, STILE_TTL_NONE or STILE_TTL_KEEP */
} stile_put_request;

typedef struct stile_put_result {
  uint32_t struct_size;
  uint32_t reserved0;
  stile_bytes version; /* OK: of what was written. CONFLICT: of what is there; empty = nothing is */
  stile_bytes value;   /* CONFLICT only */
} stile_put_result;

/* erase: removes a document if the condition holds (K3, K6). Write. OK, CONFLICT, INVALID, TOO_LARGE. One that met
 * nothing is remembered under its op_id too, so that its late second send takes away nothing newer (K3). */
typedef struct stile_erase_request {
  uint32_t struct_size;
  uint32_t condition; /* STILE_IF_ANY or STILE_IF_VERSION; ABSENT is INVALID */
  stile_bytes key;
  stile_bytes version;
} stile_erase_request;

typedef struct stile_erase_result {
  uint32_t struct_size;
  uint32_t removed;    /* OK: 0 = there was nothing */
  stile_bytes version; /* CONFLICT, as in put */
  stile_bytes value;   /* CONFLICT, as in put */
} stile_erase_result;

/* A document in a scan: an element, allocated from the arena and linked. */
typedef struct stile_document {
  uint32_t struct_size;
  uint32_t reserved0;
  struct stile_document *next;
  stile_bytes key;
  stile_bytes version;
  int64_t expires_at; /* 0 = never */
} stile_document;

/* scan: keys with a prefix in byte order (K7). Reads only. OK, INVALID, TOO_LARGE. */
typedef struct stile_scan_request {
  uint32_t struct_size;
  uint32_t limit;     /* >= 1; STILE_PAGE = the store's page */
  stile_bytes prefix; /* empty = all */
  stile_bytes after;  /* exclusive; empty = from the start */
} stile_scan_request;

typedef struct stile_scan_result {
  uint32_t struct_size;
  uint32_t has_next;
  stile_document *documents; /* may be fewer than limit, even none, with has_next */
  stile_bytes next;          /* with has_next: the after of the next page */
} stile_scan_result;

#endif
