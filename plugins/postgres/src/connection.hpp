// One connection to the server: nothing of it blocks past a deadline.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "error.hpp"
#include "wire.hpp"

namespace stile::postgres {

/// Parameters of libpq, by name.
using ConnectionWords = std::vector<std::pair<std::string, std::string>>;

/// A statement of ours: its text, and a name by which a connection keeps it prepared.
struct Statement {
  std::string name;
  std::string text;
};

/// A statement with its parameters.
struct Asked {
  const Statement* statement;
  Params params;
};

class Connection {
 public:
  /// Connects by the deadline, of CLOCK_MONOTONIC; throws StoreError.
  Connection(const ConnectionWords& words, std::int64_t deadline);

  /// Runs a statement and gives its rows, binary. Throws StoreError where the server refuses, Lost where the
  /// connection broke or the deadline passed with the statement sent.
  Result run(const Statement& statement, const Params& params, std::int64_t deadline);
  /// Several in one round trip, each in a transaction of its own: in a pipeline, where statements are kept. Calls back
  /// for each in order, with its rows or with why there are none; throws Lost at the first that was not answered.
  void run_each(const std::vector<Asked>& asked, std::int64_t deadline,
                const std::function<void(std::size_t, Result, const StoreError*)>& answered);
  /// The same with a text that is not kept.
  Result run_text(const std::string& text, const Params& params, std::int64_t deadline);
  /// A statement of an effect: its rows as text.
  Result run_effect(const std::string& text, const Params& params, std::int64_t deadline);
  /// One or more statements without parameters; the last one's result, as text.
  Result script(const std::string& text, std::int64_t deadline);

  /// The connection cannot be used any more.
  bool broken() const { return broken_; }
  void give_up() { broken_ = true; }
  bool in_transaction() const { return PQtransactionStatus(handle()) == PQTRANS_INTRANS; }
  bool idle() const { return PQtransactionStatus(handle()) == PQTRANS_IDLE; }
  /// Statements are not kept on the server: a pooler may hand each one to another backend.
  void prepare_nothing() { prepares_ = false; }

  PGconn* handle() const { return handle_.get(); }
  int version() const { return PQserverVersion(handle()); }

 private:
  struct Finish {
    void operator()(PGconn* handle) const { PQfinish(handle); }
  };

  static void heard_notice(void* self, const PGresult* notice);
  void await(std::int64_t deadline, bool writing, bool reading);
  void flush(std::int64_t deadline);
  void prepare(const Statement& statement, std::int64_t deadline);
  void send(const Asked& asked);
  Result drain(std::int64_t deadline);
  Result drain_one(std::int64_t deadline);
  Result checked(Result result);
  [[noreturn]] void lose(const std::string& text);

  std::unique_ptr<PGconn, Finish> handle_;
  std::unordered_set<std::string> prepared_;
  bool prepares_ = true;
  bool broken_ = false;
  bool unwaited_ = false;  ///< a commit that a standby may not have
};

}  // namespace stile::postgres
