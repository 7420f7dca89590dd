/* A store from outside the tree: documents in the memory of one process, in C, with nothing but the SDK's headers.
 *
 * It keeps chapter K of the contract and answers everything else `unsupported`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stile/abi.h"
#include "stile/sdk/author.h"
#include "stile/sdk/documents.h"
#include "stile/sdk/plugin.h"

STILE_NOTE(1, 0, 1, 0, "cabinet", "1.0", "cabinet");

/* A document, or what an erased or expired one leaves: its memory of sends, kept as long as the store is open. The list
 * is in byte order of keys. */
struct document {
  struct document* next;
  stile_bytes key, value; /* ours: from malloc */
  uint64_t version;
  int64_t expires_at;
  int written; /* 0 = erased */
  stile_sends sends;
};

struct stile_store {
  pthread_mutex_t lock;
  struct document* first;
  uint64_t versions;
};

static const stile_limits limits = {
    .struct_size = sizeof(stile_limits),
    .id_bytes = 512,
    .value_bytes = 16 << 20,
    .reply_bytes = 16 << 20,
    .error_bytes = 1024,
    .receipt_bytes = 1024,
    .batch = 256,
    .page = 1000,
    .queues = 1,
    .partitions = 1,
    .writers = 1,
};

/* Where a key is, or where it would stand. */
static struct document** place_of(stile_store* store, stile_bytes key) {
  struct document** at = &store->first;
  while (*at && stile_compare((*at)->key, key) < 0) at = &(*at)->next;
  return at;
}

static struct document* find(stile_store* store, stile_bytes key) {
  struct document* d = *place_of(store, key);
  return d && stile_same(d->key, key) ? d : NULL;
}

static int live(const struct document* d, int64_t now) {
  return d && d->written && (d->expires_at == 0 || d->expires_at > now);
}

static stile_present present(const struct document* d, int64_t now) {
  stile_present there = {0};
  if (live(d, now)) there = (stile_present){1, d->version, d->value};
  return there;
}

/* A copy that free takes back; 0 = out of memory. */
static int keep(stile_bytes* to, stile_bytes from) {
  uint8_t* copy = malloc(from.len + 1);
  if (!copy) return 0;
  if (from.len) memcpy(copy, from.ptr, from.len);
  *to = (stile_bytes){copy, from.len};
  return 1;
}

/* The document of this key, made where there is none; null = out of memory. */
static struct document* make(stile_store* store, stile_bytes key) {
  struct document **at = place_of(store, key), *d = find(store, key);
  if (d || !(d = calloc(1, sizeof *d))) return d;
  if (!keep(&d->key, key)) {
    free(d);
    return NULL;
  }
  d->next = *at;
  return *at = d;
}

static void get(stile_store* store, stile_op* op, int64_t now) {
  const stile_get_request* q = op->request;
  stile_get_result* r = op->result;
  const struct document* d = find(store, q->key);
  if (!live(d, now)) {
    stile_answer_with(op, STILE_NOT_FOUND, "there is no such document");
    return;
  }
  if (!stile_copy(op, &r->value, d->value.ptr, d->value.len) || !stile_copy_version(op, &r->version, d->version))
    return;
  r->expires_at = d->expires_at;
  op->status = STILE_OK;
}

static void put(stile_store* store, stile_op* op, int64_t now) {
  const stile_put_request* q = op->request;
  stile_put_result* r = op->result;
  struct document* d = find(store, q->key);
  stile_present there = present(d, now);
  if (stile_sent_before(d ? &d->sends : NULL, op) || !stile_condition_holds(op, &there)) return;
  if (!stile_copy_version(op, &r->version, store->versions + 1)) return;
  stile_bytes value;
  if (!keep(&value, q->value)) {
    stile_answer_with(op, STILE_FULL, "out of memory");
    return;
  }
  if (!(d = make(store, q->key))) {
    free((void*)value.ptr);
    stile_answer_with(op, STILE_FULL, "out of memory");
    return;
  }
  free((void*)d->value.ptr);
  d->value = value;
  d->version = ++store->versions;
  d->expires_at = stile_expiry(q, now, there.there ? d->expires_at : 0);
  d->written = 1;
  stile_remember(&d->sends, op, d->version, 0);
  op->status = STILE_OK;
}

static void erase(stile_store* store, stile_op* op, int64_t now) {
  const stile_erase_request* q = op->request;
  stile_erase_result* r = op->result;
  struct document* d = find(store, q->key);
  stile_present there = present(d, now);
  if (stile_sent_before(d ? &d->sends : NULL, op) || !stile_condition_holds(op, &there)) return;
  if (!(d = make(store, q->key))) { /* what met nothing is remembered too (K3) */
    stile_answer_with(op, STILE_FULL, "out of memory");
    return;
  }
  r->removed = (uint32_t)there.there;
  d->written = 0;
  stile_remember(&d->sends, op, 0, there.there);
  op->status = STILE_OK;
}

static void scan(stile_store* store, stile_op* op, int64_t now) {
  const stile_scan_request* q = op->request;
  stile_scan_result* r = op->result;
  stile_document** end = &r->documents;
  uint64_t limit = q->limit < limits.page ? q->limit : limits.page, given = 0;
  for (const struct document* d = store->first; d; d = d->next) {
    if (!live(d, now) || !stile_begins_with(d->key, q->prefix)) continue;
    if (q->after.len && stile_compare(d->key, q->after) <= 0) continue;
    if (given++ == limit) {
      r->has_next = 1;
      break;
    }
    stile_document* element = STILE_NEW(op, stile_document);
    if (!element || !stile_copy(op, &element->key, d->key.ptr, d->key.len)) return;
    if (!stile_copy_version(op, &element->version, d->version)) return;
    element->expires_at = d->expires_at;
    r->next = element->key; /* counts only with has_next */
    *end = element;
    end = &element->next;
  }
  op->status = STILE_OK;
}

static void info(stile_op* op, int64_t now) {
  stile_info_result* r = op->result;
  r->plugin = (stile_text)STILE_LIT("cabinet 1.0");
  r->store_time = now;
  r->epoch = (stile_bytes){(const uint8_t*)"1", 1};
  r->durability = (stile_text)STILE_LIT("none: the memory of one process");
  r->server = (stile_text)STILE_LIT("none");
  r->limits = &limits;
  op->status = STILE_OK;
}

static uint32_t one(stile_session* session, const stile_call* call, stile_op* op) {
  stile_store* store = stile_store_of(session);
  (void)call;
  pthread_mutex_lock(&store->lock);
  int64_t now = stile_realtime();
  switch (op->kind) {
    case STILE_OP_GET: get(store, op, now); break;
    case STILE_OP_PUT: put(store, op, now); break;
    case STILE_OP_ERASE: erase(store, op, now); break;
    case STILE_OP_SCAN: scan(store, op, now); break;
    case STILE_OP_INFO: info(op, now); break;
    case STILE_OP_PREPARE: op->status = STILE_OK; break;
  }
  pthread_mutex_unlock(&store->lock);
  return STILE_SESSION_KEEP;
}

static uint32_t execute(stile_session* session, const stile_call* call, stile_op* const* ops, uint64_t count) {
  static const stile_dispatcher how = {.limits = &limits, .clock = STILE_REALTIME_CLOCK, .one = one};
  return stile_dispatch(session, call, ops, count, &how);
}

static int32_t open_store(stile_instance* instance, const stile_call* call, const stile_config* config,
                          stile_store** out, stile_error* error) {
  (void)instance, (void)call, (void)config;
  if (!(*out = calloc(1, sizeof **out))) return stile_refuse(error, STILE_FULL, "out of memory");
  pthread_mutex_init(&(*out)->lock, NULL);
  return STILE_OK;
}

static void close_store(stile_store* store) {
  for (struct document *d = store->first, *next; d; d = next) {
    next = d->next;
    free((void*)d->key.ptr), free((void*)d->value.ptr), free(d);
  }
  free(store);
}

static const stile_text schemes[] = {STILE_LIT("cabinet")};
static const stile_plugin table = {STILE_TABLE("cabinet", "1.0", "Apache-2.0", "Documents in one process's memory."),
                                   STILE_PLAIN_SLOTS,
                                   .schemes = schemes,
                                   .n_schemes = 1,
                                   .open = open_store,
                                   .close = close_store,
                                   .execute = execute};
STILE_ENTRY(table)
