// One caller: takes a batch apart into what goes to a partition as one script, what is about the whole store, what
// waits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "batch.hpp"
#include "store.hpp"

namespace stile::redis {

class Session {
 public:
  explicit Session(Store& store) : store_(store) {}

  /// False = drop this session.
  bool execute(const stile_call& call, std::span<stile_op* const> ops);
  void interrupt(std::uint64_t serial) noexcept { store_.hub().room().interrupt(interrupts_, serial); }

 private:
  /// What one look of a receive saw besides what it handed out.
  struct Look {
    bool empty = true;
    std::int64_t now = 0;
    std::int64_t next_due = 0;  ///< by the store's clock; 0 = another one looks after it
  };
  struct Line {
    std::string_view channel;
    std::int64_t since = 0;
  };

  void whole_store(Borrowed& at, stile_op& op);
  void prepare(Borrowed& at, stile_op& op);
  void info(Borrowed& at, stile_op& op);
  void stats(Borrowed& at, stile_op& op);
  void list(Borrowed& at, stile_op& op);
  void scan(Borrowed& at, stile_op& op);
  void trim(Borrowed& at, stile_op& op);
  void advance(Borrowed& at, stile_op& op);
  void render(stile_op& op);
  void watch_once(Borrowed& at, stile_op& op, std::string_view channel);

  Look receive_once(Borrowed& at, stile_op& op, const Line& line);
  void receive_waiting(const stile_call& call, Borrowed& at, stile_op& op);
  void watch_waiting(const stile_call& call, Borrowed& at, stile_op& op);
  void leave(Borrowed& at, const std::vector<std::string>& queues);

  Store& store_;
  sdk::Entropy entropy_;
  sdk::Interrupts interrupts_;
  std::uint32_t turn_ = 0;  ///< the partition that a receive looks at first (W7)
};

}  // namespace stile::redis
