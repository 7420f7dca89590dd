/* A store from outside the tree: documents in the memory of one process, in C, with nothing but the SDK's headers.
 *
 * It keeps chapter K of the contract and answers everything else `unsupported`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stile/abi.h"
#include "stile/sdk/author.h"

STILE_NOTE(1, 0, 1, 0, "cabinet", "1.0", "cabinet");

#define REMEMBERED 8

/* An answer that is remembered (K3). */
struct answer {
  stile_id id;
  uint32_t kind;
  uint64_t version;
};

/* A document, or what an erased or expired one leaves: its memory of answers. The list is in byte order of keys. */
struct document {
  struct document* next;
  uint8_t *key, *value;
  uint64_t key_len, value_len, version;
  int64_t expires_at;
  int written; /* 0 = erased */
  struct answer answers[REMEMBERED];
  unsigned next_answer;
};

struct stile_instance {
  int unused; /* nothing hangs off it */
};

struct stile_store {
  pthread_mutex_t lock;
  struct document* first;
  uint64_t versions; /* one counter for all: no version comes back (K2) */
};

struct stile_session {
  stile_store* store;
};

static const stile_limits limits = {sizeof(stile_limits), 0, 512, 1 << 24, 1 << 24, 1024, 1024, 256, 1000, 1, 1, 1};

static int compare(stile_bytes a, const struct document* d) {
  uint64_t least = a.len < d->key_len ? a.len : d->key_len;
  int order = least ? memcmp(a.ptr, d->key, least) : 0;
  return order ? order : a.len < d->key_len ? -1 : a.len > d->key_len;
}

/* Where a key is, or where it would stand. */
static struct document** place_of(stile_store* store, stile_bytes key) {
  struct document** at = &store->first;
  while (*at && compare(key, *at) > 0) at = &(*at)->next;
  return at;
}

static struct document* find(stile_store* store, stile_bytes key) {
  struct document* d = *place_of(store, key);
  return d && compare(key, d) == 0 ? d : NULL;
}

static int live(const struct document* d, int64_t now) {
  return d && d->written && (d->expires_at == 0 || d->expires_at > now);
}

static uint8_t* copy_of(stile_bytes bytes) {
  uint8_t* copy = malloc(bytes.len ? bytes.len : 1);
  if (copy && bytes.len) memcpy(copy, bytes.ptr, bytes.len);
  return copy;
}

static int say_version(stile_op* op, stile_bytes* to, uint64_t version) {
  char text[24];
  int len = snprintf(text, sizeof text, "%llu", (unsigned long long)version);
  return stile_copy(op, to, text, (uint64_t)len);
}

static int same_version(stile_bytes asked, uint64_t version) {
  char text[24];
  uint64_t len = (uint64_t)snprintf(text, sizeof text, "%llu", (unsigned long long)version);
  return asked.len == len && memcmp(asked.ptr, text, len) == 0;
}

/* The answer to an earlier send of this request; INVALID where its op_id names another one (R1). */
static const struct answer* remembered(const struct document* d, stile_op* op) {
  static const stile_id none;
  for (int i = 0; d && memcmp(&op->op_id, &none, sizeof none) != 0 && i < REMEMBERED; i++) {
    if (memcmp(&d->answers[i].id, &op->op_id, sizeof none) != 0) continue;
    op->status = STILE_OK;
    if (d->answers[i].kind != op->kind) stile_answer_with(op, STILE_INVALID, "this op_id names another operation");
    return &d->answers[i];
  }
  return NULL;
}

static void remember(struct document* d, const stile_op* op) {
  struct answer* a = &d->answers[d->next_answer++ % REMEMBERED];
  a->id = op->op_id;
  a->kind = op->kind;
  a->version = d->version;
}

/* Does the condition hold? If not, CONFLICT with what is there. */
static int holds(stile_op* op, uint32_t condition, stile_bytes version, const struct document* d, int64_t now,
                 stile_bytes* version_there, stile_bytes* value_there) {
  int there = live(d, now);
  if (condition == STILE_IF_ANY || (condition == STILE_IF_ABSENT && !there)) return 1;
  if (condition == STILE_IF_VERSION && there && same_version(version, d->version)) return 1;
  if (there && (!say_version(op, version_there, d->version) || !stile_copy(op, value_there, d->value, d->value_len)))
    return 0;
  stile_answer_with(op, STILE_CONFLICT, "the condition does not hold");
  return 0;
}

static void get(stile_store* store, stile_op* op, int64_t now) {
  const stile_get_request* q = op->request;
  stile_get_result* r = op->result;
  struct document* d = find(store, q->key);
  if (!live(d, now)) {
    stile_answer_with(op, STILE_NOT_FOUND, "there is no such document");
    return;
  }
  if (!stile_copy(op, &r->value, d->value, d->value_len) || !say_version(op, &r->version, d->version)) return;
  r->expires_at = d->expires_at;
  op->status = STILE_OK;
}

/* The document of this key, made where there is none; null = out of memory. */
static struct document* make(stile_store* store, stile_bytes key) {
  struct document **at = place_of(store, key), *d = find(store, key);
  if (d || !(d = calloc(1, sizeof *d))) return d;
  if (!(d->key = copy_of(key))) {
    free(d);
    return NULL;
  }
  d->key_len = key.len;
  d->next = *at;
  return *at = d;
}

static void put(stile_store* store, stile_op* op, int64_t now) {
  const stile_put_request* q = op->request;
  stile_put_result* r = op->result;
  struct document* d = find(store, q->key);
  const struct answer* before = remembered(d, op);
  if (before && op->status == STILE_OK) say_version(op, &r->version, before->version);
  if (before || !holds(op, q->condition, q->version, d, now, &r->version, &r->value)) return;
  if (!say_version(op, &r->version, store->versions + 1)) return;
  uint8_t* value = copy_of(q->value);
  if (!value || !(d = make(store, q->key))) {
    free(value);
    stile_answer_with(op, STILE_FULL, "out of memory");
    return;
  }
  int64_t kept = live(d, now) ? d->expires_at : 0;
  free(d->value);
  d->value = value;
  d->value_len = q->value.len;
  d->version = ++store->versions;
  d->expires_at = q->ttl == STILE_TTL_KEEP ? kept : q->ttl == STILE_TTL_NONE ? 0 : now + q->ttl;
  d->written = 1;
  remember(d, op);
  op->status = STILE_OK;
}

static void erase(stile_store* store, stile_op* op, int64_t now) {
  const stile_erase_request* q = op->request;
  stile_erase_result* r = op->result;
  struct document* d = find(store, q->key);
  if (remembered(d, op) || !holds(op, q->condition, q->version, d, now, &r->version, &r->value)) return;
  op->status = STILE_OK;
  if (!live(d, now)) return;
  r->removed = 1;
  d->written = 0;
  remember(d, op);
}

static void scan(stile_store* store, stile_op* op, int64_t now) {
  const stile_scan_request* q = op->request;
  stile_scan_result* r = op->result;
  stile_document** end = &r->documents;
  uint64_t limit = q->limit < limits.page ? q->limit : limits.page, given = 0;
  for (struct document* d = store->first; d; d = d->next) {
    if (d->key_len < q->prefix.len || (q->prefix.len && memcmp(d->key, q->prefix.ptr, q->prefix.len) != 0)) continue;
    if (!live(d, now) || (q->after.len && compare(q->after, d) >= 0)) continue;
    if (given++ == limit) {
      r->has_next = 1;
      break;
    }
    stile_document* element = STILE_NEW(op, stile_document);
    if (!element || !stile_copy(op, &element->key, d->key, d->key_len)) return;
    if (!say_version(op, &element->version, d->version)) return;
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

static int64_t now_of(void* ctx) { return (void)ctx, stile_realtime(); }

static uint32_t one(stile_session* session, const stile_call* call, stile_op* op) {
  stile_store* store = session->store;
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
  static const stile_dispatcher how = {&limits, {now_of, NULL}, NULL, one};
  return stile_dispatch(session, call, ops, count, &how);
}

static int32_t start(const stile_host* host, stile_instance** out, stile_error* error) {
  (void)host;
  return (*out = calloc(1, sizeof **out)) ? STILE_OK : stile_refuse(error, STILE_FULL, "out of memory");
}
static void stop(stile_instance* instance) { free(instance); }

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
    free(d->key), free(d->value), free(d);
  }
  free(store);
}

static int32_t connect_store(stile_store* store, const stile_call* call, stile_session** out, stile_error* error) {
  (void)call;
  if (!(*out = calloc(1, sizeof **out))) return stile_refuse(error, STILE_FULL, "out of memory");
  (*out)->store = store;
  return STILE_OK;
}
static void disconnect(stile_session* session) { free(session); }
static void interrupt(stile_session* session, uint64_t serial) { (void)session, (void)serial; }
static const void* extension(stile_text id) { return (void)id, NULL; }

static const stile_text schemes[] = {STILE_LIT("cabinet")};
static const stile_plugin plugin = {sizeof(stile_plugin),
                                    STILE_ABI_1_0,
                                    0,
                                    0,
                                    STILE_LIT("cabinet"),
                                    STILE_LIT("1.0"),
                                    STILE_LIT("Apache-2.0"),
                                    STILE_LIT("Documents in the memory of one process."),
                                    schemes,
                                    1,
                                    NULL,
                                    0,
                                    NULL,
                                    0,
                                    start,
                                    stop,
                                    open_store,
                                    close_store,
                                    connect_store,
                                    disconnect,
                                    execute,
                                    interrupt,
                                    extension};

STILE_EXPORT const stile_plugin* stile_plugin_entry_v1(const stile_hello* hello, stile_error* error) {
  if (hello->abi_min <= STILE_ABI_1_0 && STILE_ABI_1_0 <= hello->abi_max) return &plugin;
  stile_refuse(error, STILE_UNSUPPORTED, "cabinet speaks ABI 1.0");
  return NULL;
}
