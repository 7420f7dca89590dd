// Which operations may come next in an order: those invoked before the first end that is left.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "judge/step.hpp"

namespace stile::conformance::judge {

/// The operations that have no place yet. What has an end must get a place before it; what has none may get one at any
/// time after its invocation, or never. Twins are those of the latter that nothing told can tell apart: any order that
/// uses some of them can be had with the earliest, so that they come in turn.
class Order {
 public:
  Order(const History& history, std::span<const Item> items);

  bool bounded(std::uint32_t item) const { return items_[item].end < never; }
  bool done(std::uint32_t item) const { return done_[item]; }
  /// How many that have an end are left.
  std::size_t open() const { return open_; }
  void lift(std::uint32_t item);
  void put_back(std::uint32_t item);
  bool are_twins(std::uint32_t a, std::uint32_t b) const { return twins_of_[a] == twins_of_[b]; }

  struct Next {
    std::uint32_t blocking = 0;  ///< the item that must have its place first
    std::size_t looked_at = 0;   ///< how many, to find it
    Time deadline = never;       ///< the store time by which one of those that have an end must have happened
  };
  /// Appends the candidates: first what must come first, then what has no end, as it was invoked.
  Next gather(std::vector<std::uint32_t>& candidates) const;

  /// R3: those of one workflow or document in one batch take effect in their order.
  bool in_turn(std::uint32_t item) const;
  bool is_followed(std::uint32_t item) const { return follower_[item] >= 0; }
  bool of_one_batch(std::uint32_t a, std::uint32_t b) const;

 private:
  static constexpr std::uint32_t head = 0;
  struct Node {  // an invocation or an end, in a list by time from which what has its place is lifted
    std::uint32_t previous, next, item;
    bool ends;
  };
  struct Twins {
    std::vector<std::uint32_t> items;
    std::size_t next = 0;
  };

  void lay_out();
  void find_twins(const History& history);
  void unlink(std::uint32_t n) {
    nodes_[nodes_[n].previous].next = nodes_[n].next;
    nodes_[nodes_[n].next].previous = nodes_[n].previous;
  }
  void link(std::uint32_t n) {
    nodes_[nodes_[n].previous].next = n;
    nodes_[nodes_[n].next].previous = n;
  }

  std::span<const Item> items_;
  std::vector<bool> done_;
  std::vector<std::int32_t> follower_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> call_, end_, twins_of_;
  std::vector<Twins> twins_;  // as the first of each was invoked
  std::size_t open_ = 0;
};

}  // namespace stile::conformance::judge
