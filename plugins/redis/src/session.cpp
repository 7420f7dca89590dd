// Executing a batch.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include "stile/sdk/engine/context.hpp"

namespace stile::redis {
namespace {

/// Is it about the whole store, and so done by itself?
bool is_whole_store(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_WATCH:
    case STILE_OP_RECEIVE:
    case STILE_OP_SCAN:
    case STILE_OP_PREPARE:
    case STILE_OP_INFO:
    case STILE_OP_STATS:
    case STILE_OP_LIST:
    case STILE_OP_TRIM:
    case STILE_OP_RENDER:
    case STILE_OP_ADVANCE: return true;
    default: return false;
  }
}

}  // namespace

bool Session::execute(const stile_call& call, std::span<stile_op* const> ops) {
  Borrowed at(store_.server(), call.deadline);
  bool prepared = false;
  std::string problem;
  std::int32_t status = STILE_OK;
  if (call.deadline != STILE_NEVER && stile_monotonic() >= call.deadline) {
    status = STILE_TIMED_OUT;
    problem = "the deadline had passed before anything was sent";
    prepared = true;
  }
  try {
    if (status == STILE_OK) prepared = store_.prepared(at);
  } catch (const Failure& failure) {
    status = failure.status();
    problem = failure.text();
    prepared = true;  // nobody knows: arguments are judged all the same
  }
  Batch batch(store_, at, ops, prepared, entropy_);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    stile_op& op = *ops[i];
    const bool grouped = !is_whole_store(op.kind) || (op.kind == STILE_OP_RECEIVE && store_.layout().partitions() == 1);
    if (!grouped) batch.flush();
    if (!batch.admit(i)) continue;
    if (status != STILE_OK && (status == STILE_TIMED_OUT || op.kind != STILE_OP_PREPARE)) {
      sdk::answer(op, status, problem);
      continue;
    }
    try {
      if (ops.size() == 1 && op.kind == STILE_OP_RECEIVE && stile_alone(&op))
        receive_waiting(call, at, op);
      else if (ops.size() == 1 && op.kind == STILE_OP_WATCH && stile_alone(&op))
        watch_waiting(call, at, op);
      else if (grouped)
        batch.add(i);
      else
        whole_store(at, op);
    } catch (const Failure& failure) {
      sdk::answer(op, failure);
    }
  }
  batch.flush();
  return !at.dropped();
}

void Session::whole_store(Borrowed& at, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_WATCH: return watch_once(at, op, {});
    case STILE_OP_RECEIVE: receive_once(at, op, {}); return;
    case STILE_OP_SCAN: return scan(at, op);
    case STILE_OP_PREPARE: return prepare(at, op);
    case STILE_OP_INFO: return info(at, op);
    case STILE_OP_STATS: return stats(at, op);
    case STILE_OP_LIST: return list(at, op);
    case STILE_OP_TRIM: return trim(at, op);
    case STILE_OP_RENDER: return render(op);
    default: return advance(at, op);
  }
}

void Session::prepare(Borrowed& at, stile_op& op) {
  const bool check_only = sdk::engine::request_of<stile_prepare_request>(op).check_only != 0;
  sdk::engine::result_of<stile_prepare_result>(op).migrated = store_.prepare(at, check_only) ? 1 : 0;
  sdk::engine::accept(op);
}

}  // namespace stile::redis
