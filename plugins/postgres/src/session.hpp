// One caller on one connection: takes a batch apart into runs of writes, and what stands for itself.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
  bool is_ready(stile_op& op);
  void add_write(std::span<stile_op* const> ops, std::size_t i, bool chained);
  void flush();
  void run_batch(const Params& params, std::span<stile_op* const> ops);
  void one_by_one();
  void alone(const stile_call& call, stile_op& op);

  // reads.cpp: those that follow each other travel together
  static bool is_read(std::uint32_t kind);
  void flush_reads();
  Asked ask(const stile_op& op);
  void tell(stile_op& op, const Result& result);
  Asked ask_load(const stile_op& op);
  void tell_load(stile_op& op, const Result& result);
  Asked ask_get(const stile_op& op);
  static void tell_get(stile_op& op, const Result& result);
  Asked ask_scan(const stile_op& op);
  static void tell_scan(stile_op& op, const Result& result);
  Asked ask_list(const stile_op& op);
  static void tell_list(stile_op& op, const Result& result);
  Asked ask_stats(const stile_op& op);
  static void tell_stats(stile_op& op, const Result& result);

  // admin.cpp
  Asked ask_info();
  void tell_info(stile_op& op, const Result& result);
  void prepare(stile_op& op);
  void trim(stile_op& op);
  void advance(stile_op& op);

  // receive.cpp, waiting.cpp
  void watch_once(stile_op& op);
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
  Batch batch_;                   ///< writes that were not sent yet; reads_ is empty then
  std::vector<stile_op*> reads_;  ///< reads that were not sent yet; batch_ is empty then
  std::int64_t deadline_ = 0;     ///< of the call that runs
};

/// Clears what was written into an answer.
void reset_answer(stile_op& op);

}  // namespace stile::postgres
