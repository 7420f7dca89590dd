// The contract as code: one operation on tables, inside a transaction of the store.
//
// A store author writes Tables (tables.hpp), or those of a part, and calls run. What run does not do is the store's
// own: prepare, info, advance, render, and waiting (receive and watch look once; waiting.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stile/sdk/engine/checkpoint.hpp"
#include "stile/sdk/engine/documents.hpp"
#include "stile/sdk/engine/lease.hpp"
#include "stile/sdk/engine/load.hpp"
#include "stile/sdk/engine/overview.hpp"
#include "stile/sdk/engine/receive.hpp"
#include "stile/sdk/engine/transact.hpp"
#include "stile/sdk/engine/trim.hpp"
#include "stile/sdk/engine/wakeups.hpp"

namespace stile::sdk::engine {

namespace engine_detail {

template <DocumentTables T>
bool run_documents(T& tables, const Context& context, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_GET: get(tables, context, op); return true;
    case STILE_OP_PUT: put(tables, context, op); return true;
    case STILE_OP_ERASE: erase(tables, context, op); return true;
    case STILE_OP_SCAN: scan(tables, context, op); return true;
    default: return false;
  }
}

template <RowTables T>
bool run_rows(T& tables, const Context& context, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_ACQUIRE: acquire(tables, context, op); return true;
    case STILE_OP_RENEW: renew(tables, context, op); return true;
    case STILE_OP_RELEASE: release(tables, context, op); return true;
    case STILE_OP_LOAD: load(tables, context, op); return true;
    case STILE_OP_RECORD: record(tables, context, op); return true;
    case STILE_OP_SUPPLY: supply(tables, context, op); return true;
    case STILE_OP_APPEND: append(tables, context, op); return true;
    case STILE_OP_TRANSACT: transact(tables, context, op); return true;
    case STILE_OP_REBASE: rebase(tables, context, op); return true;
    case STILE_OP_DISCARD: discard(tables, context, op); return true;
    case STILE_OP_REQUEST_CANCEL: request_cancel(tables, context, op); return true;
    case STILE_OP_WATCH: watch(tables, context, op); return true;
    default: return false;
  }
}

template <QueueTables T>
bool run_queues(T& tables, const Context& context, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_ENQUEUE: enqueue(tables, context, op); return true;
    case STILE_OP_RECEIVE: receive(tables, context, op); return true;
    case STILE_OP_EXTEND: extend(tables, context, op); return true;
    case STILE_OP_ACK: ack(tables, context, op); return true;
    case STILE_OP_SNOOZE: snooze(tables, context, op); return true;
    case STILE_OP_NACK: nack(tables, context, op); return true;
    case STILE_OP_REJECT: reject(tables, context, op); return true;
    case STILE_OP_CANCEL: cancel(tables, context, op); return true;
    default: return false;
  }
}

template <Tables T>
bool run_upkeep(T& tables, const Context& context, stile_op& op) {
  switch (op.kind) {
    case STILE_OP_STATS: stats(tables, context, op); return true;
    case STILE_OP_LIST: list(tables, context, op); return true;
    case STILE_OP_TRIM: trim(tables, context, op); return true;
    default: return false;
  }
}

}  // namespace engine_detail

/// Does one operation whose arguments are in order (stile_admit) and sets its status. Throws what the tables throw, and
/// Failure when the answer's memory is out: then the store undoes what this operation wrote and answers the failure's
/// status. False: the operation is not the engine's, or is one of a part that the tables have not got; nothing was
/// done.
template <class T>
bool run(T& tables, const Context& context, stile_op& op) {
  using namespace engine_detail;
  if constexpr (RowTables<T>)
    if (run_rows(tables, context, op)) return true;
  if constexpr (QueueTables<T>)
    if (run_queues(tables, context, op)) return true;
  if constexpr (DocumentTables<T>)
    if (run_documents(tables, context, op)) return true;
  if constexpr (Tables<T>)
    if (run_upkeep(tables, context, op)) return true;
  return false;
}

}  // namespace stile::sdk::engine
