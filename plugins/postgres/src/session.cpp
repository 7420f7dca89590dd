// Executing a batch.
//
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "clock.hpp"
#include "stile/sdk/author.h"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::postgres {
namespace {

constexpr std::size_t most_bytes = 64u << 20;
constexpr int most_tries = 8;
constexpr std::int64_t grace = 50'000;

bool is_write(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE:
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REBASE:
    case STILE_OP_DISCARD:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_ENQUEUE:
    case STILE_OP_EXTEND:
    case STILE_OP_ACK:
    case STILE_OP_SNOOZE:
    case STILE_OP_NACK:
    case STILE_OP_REJECT:
    case STILE_OP_CANCEL:
    case STILE_OP_PUT:
    case STILE_OP_ERASE: return true;
    default: return false;
  }
}

// Only for durations that end after the year 5000: the server judges nothing by it.
stile_clock far_clock() { return STILE_REALTIME_CLOCK; }

void pause(int tries) {
  const timespec rest = {0, 1'000'000L << std::min(tries, 5)};
  nanosleep(&rest, nullptr);
}

}  // namespace

void reset_answer(stile_op& op) {
  op.status = STILE_UNSET;
  op.error = {nullptr, 0};
  op.native = {nullptr, 0};
  op.retry_after = 0;
  if (!op.result) return;
  // Every result begins with its size, as the host allocated it.
  std::uint32_t size = 0;
  std::memcpy(&size, op.result, sizeof size);
  std::memset(static_cast<char*>(op.result) + sizeof size, 0, size - sizeof size);
}

// pending: the operation before it is in the batch that was not sent yet; how it ends the server will know.
bool Session::admit(std::span<stile_op* const> ops, std::size_t i, bool pending) {
  const stile_clock clock = far_clock();
  const int prepared = store_.number() != 0 ? 1 : 0;
  if (!pending) return stile_admit(ops.data(), i, ops.size(), &limits, &clock, prepared) != 0;
  stile_op before{};
  stile_op* const pair[2] = {&before, ops[i]};
  return stile_admit(pair, 1, std::max<std::size_t>(ops.size(), 2), &limits, &clock, prepared) != 0;
}

bool Session::execute(const stile_call& call, std::span<stile_op* const> ops) {
  // R4 leaves a little for an answer that is on its way: to give a connection up costs more than to wait for it.
  deadline_ = after(call.deadline, grace);
  batch_.clear();
  reads_.clear();
  const bool late = monotonic_now() >= call.deadline;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    stile_op& op = *ops[i];
    if (late) {
      if (admit(ops, i, false)) sdk::answer(op, STILE_TIMED_OUT, "the deadline had passed before it was sent");
      continue;
    }
    // Operations take effect in their order (R3), and an answer that the next one depends on must be there.
    const bool writes = is_write(op.kind), reads = is_read(op.kind), chained = (op.must & STILE_MUST_AFTER_OK) != 0;
    if (!writes || batch_.bytes() > most_bytes) flush();
    if (!reads || chained) flush_reads();
    if (connection_->broken()) {
      if (admit(ops, i, false))
        sdk::answer(op, STILE_UNAVAILABLE, "not sent: the connection broke earlier in this batch");
      continue;
    }
    if (op.kind != STILE_OP_PREPARE && !is_ready(op)) continue;
    if (writes)
      add_write(ops, i, chained);
    else if (admit(ops, i, false))
      reads ? reads_.push_back(&op) : alone(call, op);
  }
  flush();
  flush_reads();
  return !connection_->broken();
}

// Answers the operation where the store cannot be asked whether it is prepared.
bool Session::is_ready(stile_op& op) {
  if (store_.number() != 0) return true;
  try {
    store_.ready(*connection_, deadline_);
    return true;
  } catch (const StoreError& error) {
    sdk::answer(op, error.status() == STILE_UNKNOWN ? STILE_UNAVAILABLE : error.status(), error.text());
    return false;
  }
}

void Session::add_write(std::span<stile_op* const> ops, std::size_t i, bool chained) {
  const bool pending = !batch_.empty() && batch_.ops().back() == ops[i - 1];
  if (!admit(ops, i, pending)) return;
  Fields fields;
  read_fields(*ops[i], fields);
  batch_.add(*ops[i], std::move(fields), chained && pending);
}

void Session::flush() {
  if (batch_.empty()) return;
  const std::vector<stile_op*>& ops = batch_.ops();
  if (connection_->broken()) {
    for (stile_op* op : ops) sdk::answer(*op, STILE_UNAVAILABLE, "not sent: the connection broke");
    batch_.clear();
    return;
  }
  for (int tries = 0;; ++tries) {
    try {
      run_batch(batch_.params(store_.number()), ops);
      break;
    } catch (const Lost& lost) {
      for (stile_op* op : ops) reset_answer(*op), sdk::answer(*op, lost);
      break;
    } catch (const StoreError& error) {
      for (stile_op* op : ops) reset_answer(*op);
      if (is_conflict(error.native()) && tries < most_tries && monotonic_now() < deadline_) {
        pause(tries);
        continue;
      }
      if (is_unprepared(error.native())) store_.unprepared();
      // One of them may be the reason, which is none of the others' business; but not of what holds for all.
      const bool for_all = error.status() == STILE_READ_ONLY || error.status() == STILE_DENIED ||
                           error.status() == STILE_UNPREPARED || is_conflict(error.native());
      if (ops.size() > 1 && !connection_->broken() && !for_all) {
        one_by_one();
        break;
      }
      for (stile_op* op : ops) sdk::answer(*op, error);
      break;
    }
  }
  batch_.clear();
}

void Session::one_by_one() {
  const std::vector<stile_op*>& ops = batch_.ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    stile_op* const op = ops[i];
    if ((op->must & STILE_MUST_AFTER_OK) != 0 && i > 0 && ops[i - 1]->status != STILE_OK) {
      sdk::answer(*op, STILE_SKIPPED, "the operation before it did not answer ok");
      continue;
    }
    try {
      if (connection_->broken()) throw StoreError(STILE_UNAVAILABLE, "not sent: the connection broke earlier");
      run_batch(batch_.params_of(store_.number(), i), {&op, 1});
    } catch (const StoreError& error) {
      reset_answer(*op);
      sdk::answer(*op, error);
    }
  }
}

void Session::run_batch(const Params& params, std::span<stile_op* const> ops) {
  const Result result = connection_->run(texts()[Sql::run], params, deadline_);
  const int rows = PQntuples(result.get());
  for (int i = 0; i < rows; ++i) {
    const Row row(result, i);
    const auto n = static_cast<std::size_t>(row.integer(0));
    if (n == 0 && row.integer(3) == 0) {
      store_.reached(row.integer(4));
      continue;
    }
    if (n == 0) {
      store_.listener().tell(store_.number(), static_cast<What>(row.integer(3)), row.bytes(9), row.integer(4));
      continue;
    }
    if (n > ops.size()) throw StoreError(STILE_INTERNAL, "the server answered an operation that was not asked for");
    try {
      answer(*ops[n - 1], row);
    } catch (const sdk::engine::Failure& failure) {
      sdk::answer(*ops[n - 1], failure);
    }
  }
}

void Session::alone(const stile_call& call, stile_op& op) {
  try {
    switch (op.kind) {
      case STILE_OP_RECEIVE: return receive(call, op);
      case STILE_OP_WATCH: return watch(call, op);
      case STILE_OP_TRANSACT: return transact(op);
      case STILE_OP_RENDER: return render(op);
      case STILE_OP_PREPARE: return prepare(op);
      case STILE_OP_TRIM: return trim(op);
      case STILE_OP_ADVANCE: return advance(op);
      default: return sdk::answer(op, STILE_UNSUPPORTED, "this store does not do that operation");
    }
  } catch (const sdk::engine::Failure& failure) {
    reset_answer(op);
    if (is_unprepared(failure.native())) store_.unprepared();
    sdk::answer(op, failure);
  }
}

}  // namespace stile::postgres
