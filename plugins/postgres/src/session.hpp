// One caller on one connection: takes a batch apart into runs of writes, and what stands for itself.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "batch.hpp"
#include "connection.hpp"
#include "stile/sdk/entropy.hpp"
#include "stile/sdk/waiting.hpp"
#include "store.hpp"

namespace stile::postgres {

class Session {
 public:
  Session(Store& store, std::unique_ptr<Connection> connection) : store_(store), connection_(std::move(connection)) {}

  /// False = drop this session.
  bool execute(const stile_call& call, std::span<stile_op* const> ops);
  void interrupt(std::uint64_t serial) noexcept { store_.listener().room().interrupt(interrupts_, serial); }

 private:
  bool admit(std::span<stile_op* const> ops, std::size_t i, bool pending);
  bool ready(std::span<stile_op* const> ops);
  void flush();
  void run_batch(const Params& params, std::span<stile_op* const> ops);
  void one_by_one();
  void alone(const stile_call& call, stile_op& op);

  // Of others than writes; session_reads.cpp, session_admin.cpp
  void read(stile_op& op);
  void load(stile_op& op);
  void watch_once(stile_op& op);
  void get(stile_op& op);
  void scan(stile_op& op);
  void list(stile_op& op);
  void stats(stile_op& op);
  void info(stile_op& op);
  void prepare(stile_op& op);
  void trim(stile_op& op);
  void advance(stile_op& op);

  // receive.cpp, waiting.cpp
  struct Looked {
    std::int64_t now = 0;      ///< the store's time
    std::int64_t due = 0;      ///< when the next is due; 0 = nothing is
    bool any = false;          ///< something was handed out, or more is there
    bool others_wait = false;  ///< for what more there is
  };
  Looked receive_once(stile_op& op, bool again);
  void receive(const stile_call& call, stile_op& op);
  void pass_on(const stile_op& op, const Looked& looked);
  void watch(const stile_call& call, stile_op& op);
  std::int64_t time();

  void transact(stile_op& op);  // effect.cpp
  void render(stile_op& op);    // render.cpp

  const Texts& texts() const { return store_.texts(); }

  Store& store_;
  std::unique_ptr<Connection> connection_;
  sdk::Interrupts interrupts_;
  Batch batch_;
  std::int64_t deadline_ = 0;  ///< of the call that runs
};

/// Clears what was written into an answer.
void reset_answer(stile_op& op);

}  // namespace stile::postgres
