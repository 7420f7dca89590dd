/* A plugin's execute as a store author in C writes it: stile_dispatch over a store that keeps nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "dispatch_test.h"

#include "stile/sdk/author.h"

struct stile_session {
  struct scripted* script;
};

static int64_t now(void* ctx) { return *(const int64_t*)ctx; }

static int prepared(stile_session* session) { return session->script->prepared; }

static uint32_t one(stile_session* session, const stile_call* call, stile_op* op) {
  struct scripted* script = session->script;
  (void)call;
  script->done++;
  if (script->break_at == script->done) {
    stile_answer_with(op, STILE_UNKNOWN, "the connection broke");
    return STILE_SESSION_DROP;
  }
  if (op->kind == STILE_OP_ENQUEUE) {
    op->status = STILE_OK;
  } else if (op->kind == STILE_OP_LOAD) {
    stile_load_result* out = (stile_load_result*)op->result;
    stile_record* record = STILE_NEW(op, stile_record);
    if (!record || !stile_copy(op, &record->key, "key", 3)) return STILE_SESSION_KEEP;
    record->position = 1;
    out->records = record;
    op->status = STILE_OK;
  } else if (op->kind == STILE_OP_CANCEL) {
    stile_answer_with(op, STILE_NOT_FOUND, "nothing here");
  }
  return STILE_SESSION_KEEP; /* what is left alone is answered UNSUPPORTED */
}

uint32_t run_in_c(struct scripted* script, const stile_limits* limits, stile_op* const* ops, uint64_t count) {
  stile_session session;
  stile_dispatcher how;
  stile_call call;
  memset(&call, 0, sizeof call);
  call.struct_size = sizeof call;
  session.script = script;
  how.limits = limits;
  how.clock.now = now;
  how.clock.ctx = &script->now;
  how.prepared = prepared;
  how.one = one;
  return stile_dispatch(&session, &call, ops, count, &how);
}

int check_in_c(int64_t* at, const stile_limits* limits, stile_op* op) {
  stile_clock clock;
  clock.now = now;
  clock.ctx = at;
  return stile_check(op, limits, &clock);
}

int64_t remaining_in_c(int64_t deadline_in) {
  stile_call call;
  memset(&call, 0, sizeof call);
  call.deadline = deadline_in == STILE_NEVER ? STILE_NEVER : stile_monotonic() + deadline_in;
  return stile_remaining(&call);
}

uint64_t refuse_in_c(char* buffer, uint32_t cap, const char* text) {
  stile_error error;
  error.struct_size = sizeof error;
  error.text_cap = cap;
  error.text = buffer;
  error.text_len = 0;
  stile_refuse(&error, STILE_INVALID, text);
  stile_refuse(NULL, STILE_INVALID, text);
  return error.text_len;
}
