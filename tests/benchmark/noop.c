/* A plugin whose operations do nothing and answer ok: what is left is the way there and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stile/sdk/plugin.h"

STILE_NOTE(1, 0, 1, 0, "noop", "1.0", "noop");

struct stile_store {
  int unused;
};

static const stile_limits limits = {.struct_size = sizeof(stile_limits),
                                    .id_bytes = 512,
                                    .value_bytes = 16 << 20,
                                    .reply_bytes = 1 << 20,
                                    .error_bytes = 1024,
                                    .receipt_bytes = 1024,
                                    .batch = 64,
                                    .page = 64,
                                    .queues = 1,
                                    .partitions = 1};

static uint32_t tell_who(stile_op* op) {
  stile_info_result* info = op->result;
  info->plugin = (stile_text)STILE_LIT("noop 1.0");
  info->store_time = stile_realtime();
  info->durability = (stile_text)STILE_LIT("none");
  info->server = (stile_text)STILE_LIT("none");
  info->limits = &limits;
  op->status = STILE_OK;
  return STILE_SESSION_KEEP;
}

static uint32_t one(stile_session* session, const stile_call* call, stile_op* op) {
  (void)session, (void)call;
  if (op->kind == STILE_OP_INFO) return tell_who(op);
  op->status = STILE_OK;
  return STILE_SESSION_KEEP;
}

static uint32_t execute(stile_session* session, const stile_call* call, stile_op* const* ops, uint64_t count) {
  static const stile_dispatcher how = {.limits = &limits, .clock = STILE_REALTIME_CLOCK, .one = one};
  return stile_dispatch(session, call, ops, count, &how);
}

static int32_t open_store(stile_instance* instance, const stile_call* call, const stile_config* config,
                          stile_store** out, stile_error* error) {
  static stile_store store;
  (void)instance, (void)call, (void)config, (void)error;
  *out = &store;
  return STILE_OK;
}
static void close_store(stile_store* store) { (void)store; }

static const stile_text schemes[] = {STILE_LIT("noop")};
static const stile_plugin table = {STILE_TABLE("noop", "1.0", "Apache-2.0", "Does nothing."),
                                   STILE_PLAIN_SLOTS,
                                   .schemes = schemes,
                                   .n_schemes = 1,
                                   .open = open_store,
                                   .close = close_store,
                                   .execute = execute};
STILE_ENTRY(table)
