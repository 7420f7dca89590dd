// What the runtime's tests talk about: an order, its workflow, a value that counts its lives.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/describe.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stile/workflow.hpp"

namespace shop {

struct Order {
  std::string item;
  int cents = 0;
  std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, cents, note))

struct Receipt {
  std::string text;
  std::vector<std::string> lines;
};
BOOST_DESCRIBE_STRUCT(Receipt, (), (text, lines))

inline constexpr stile::Workflow<Receipt(Order)> fulfil{"fulfil"};
inline constexpr stile::Signal<std::string> approved_by{"approved-by"};
inline constexpr stile::Inbox<std::string> chat{"chat"};

/// Counts how many of it are alive; destroyed twice, the count ends below zero.
class Counted {
 public:
  Counted() { ++alive; }
  Counted(const Counted& other) : text_(other.text_) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  static inline std::atomic<int> alive{0};

 private:
  std::string text_ = "long enough that it lives on the heap, where a double free is seen";
};

}  // namespace shop
