/* A store that is broken in the way its config string names (wicked:hang): what no conformance suite may fall over.
 *
 * It answers a few operations on documents, keeps nothing, and does its worst when `get` asks for the key "trap".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stile/abi.h"
#include "stile/sdk/author.h"
#include "stile/sdk/plugin.h"

STILE_NOTE(1, 0, 1, 0, "wicked", "1.0", "wicked");

struct stile_store {
  char way[32];
  char room[1 << 16]; /* what is lost with a store that is not given back */
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

/* Whoever loads it has run its code: this leaves a mark. */
__attribute__((constructor)) static void leave_mark(void) {
  const char* mark = getenv("WICKED_MARK");
  if (mark) close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static int is(const stile_store* store, const char* way) { return strcmp(store->way, way) == 0; }

/* Volatile, so that no compiler sees what is wrong and leaves it out. */
static uint8_t* volatile nowhere = 0;

static void write_at(uint8_t* from, int64_t first, int64_t last) {
  volatile uint8_t* bytes = from;
  for (int64_t i = first; i < last; ++i) bytes[i] = 0x11;
}

/* Right by any answer; -fsanitize=signed-integer-overflow has something to say of it. */
static void overflow(void) {
  volatile int most = INT_MAX;
  most = most + 1;
}

static void trap(stile_store* store, stile_op* op) {
  stile_get_result* r = op->result;
  op->status = STILE_OK;
  r->version = (stile_bytes){(const uint8_t*)"1", 1};
  if (is(store, "hang"))
    for (;;) pause();
  if (is(store, "orphans")) { /* one of a group of its own, that nobody kills */
    if (fork() == 0) setsid();
    for (;;) pause();
  }
  if (is(store, "spin"))
    for (volatile int i = 0;; ++i) continue;
  if (is(store, "crash")) *nowhere = 1;
  if (is(store, "overflow")) {
    overflow();
    stile_answer_with(op, STILE_NOT_FOUND, "there is no such document");
  }
  if (is(store, "abort")) abort();
  if (is(store, "exit")) _exit(0);
  if (is(store, "kill")) kill(0, SIGKILL);
  if (is(store, "length")) r->value = (stile_bytes){(const uint8_t*)"x", UINT64_C(1) << 60};
  if (is(store, "null")) r->value = (stile_bytes){0, 5};
  if (is(store, "pointer")) r->value = (stile_bytes){(const uint8_t*)(uintptr_t)64, 1000};
  if (is(store, "status")) op->status = 4711;
  if (is(store, "unset")) op->status = STILE_UNSET;
  if (is(store, "past")) {
    uint8_t* piece = op->arena->alloc(op->arena->ctx, 24);
    write_at(piece, 0, 25);
    r->value = (stile_bytes){piece, 24};
  }
  if (is(store, "before")) {
    uint8_t* piece = op->arena->alloc(op->arena->ctx, 24);
    write_at(piece, -8, 24);
    r->value = (stile_bytes){piece, 24};
  }
  if (is(store, "forge")) { /* what a child tells the runner, on whatever file that is */
    static const char passed[] =
        "{\"verdict\":0,\"text\":\"\",\"ids\":[],\"counted\":1,\"sequence\":0,\"faults\":{},"
        "\"history\":\"\",\"judged\":{}}\n.\n";
    for (int fd = 3; fd < 64; ++fd)
      if (write(fd, passed, sizeof passed - 1) < 0) continue;
    _exit(0);
  }
}

static void get(stile_store* store, stile_op* op) {
  const stile_get_request* q = op->request;
  static const stile_bytes name = {(const uint8_t*)"trap", 4};
  if (is(store, "leak") && malloc(100) == 0) op->status = STILE_FULL;
  if (is(store, "files") && open("/dev/null", O_RDONLY) < 0) op->status = STILE_FULL;
  if (q->key.len == name.len && memcmp(q->key.ptr, name.ptr, name.len) == 0 && !is(store, "honest"))
    trap(store, op);
  else
    stile_answer_with(op, STILE_NOT_FOUND, "there is no such document");
}

static void scan(stile_store* store, stile_op* op) {
  stile_scan_result* r = op->result;
  op->status = STILE_OK;
  if (!is(store, "endless")) return;
  stile_document* element = STILE_NEW(op, stile_document);
  if (!element) return;
  element->key = element->version = (stile_bytes){(const uint8_t*)"k", 1};
  r->documents = element->next = element; /* round and round */
}

static void info(stile_store* store, stile_op* op) {
  static const stile_text lies[] = {STILE_LIT("coupled_receive"), STILE_LIT("one_commit")};
  stile_info_result* r = op->result;
  r->plugin = (stile_text)STILE_LIT("wicked 1.0");
  r->store_time = stile_realtime();
  r->epoch = (stile_bytes){(const uint8_t*)"1", 1};
  r->durability = (stile_text)STILE_LIT("none");
  r->server = (stile_text)STILE_LIT("</title><script>alert('wicked')</script>");
  r->limits = &limits;
  if (is(store, "lie")) r->capabilities = lies, r->n_capabilities = 2;
  if (is(store, "many")) r->capabilities = lies, r->n_capabilities = UINT64_C(1) << 60;
  op->status = STILE_OK;
}

static uint32_t one(stile_session* session, const stile_call* call, stile_op* op) {
  stile_store* store = stile_store_of(session);
  (void)call;
  switch (op->kind) {
    case STILE_OP_GET: get(store, op); break;
    case STILE_OP_SCAN: scan(store, op); break;
    case STILE_OP_INFO: info(store, op); break;
    case STILE_OP_PREPARE: op->status = STILE_OK; break;
  }
  return STILE_SESSION_KEEP;
}

static uint32_t execute(stile_session* session, const stile_call* call, stile_op* const* ops, uint64_t count) {
  static const stile_dispatcher how = {.limits = &limits, .clock = STILE_REALTIME_CLOCK, .one = one};
  return stile_dispatch(session, call, ops, count, &how);
}

static int32_t open_store(stile_instance* instance, const stile_call* call, const stile_config* config,
                          stile_store** out, stile_error* error) {
  (void)instance, (void)call;
  if (!(*out = calloc(1, sizeof **out))) return stile_refuse(error, STILE_FULL, "out of memory");
  if (config->path.len < sizeof(*out)->way && config->path.len) memcpy((*out)->way, config->path.ptr, config->path.len);
  if (is(*out, "open"))
    for (;;) pause();
  return STILE_OK;
}

static void close_store(stile_store* store) {
  if (!is(store, "stores")) free(store);
}

static const stile_text schemes[] = {STILE_LIT("wicked")};
static const stile_plugin table = {STILE_TABLE("wicked", "1.0", "Apache-2.0", "Broken on purpose."),
                                   STILE_PLAIN_SLOTS,
                                   .schemes = schemes,
                                   .n_schemes = 1,
                                   .open = open_store,
                                   .close = close_store,
                                   .execute = execute};
STILE_ENTRY(table)
