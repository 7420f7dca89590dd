// A store in memory with a manual clock, a worker on it, and one order.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "shop.hpp"
#include "stile/testing.hpp"

namespace shop {

/// A value that its mapping does not carry whole.
struct Lossy {
  int kept = 0, lost = 0;
  bool operator==(const Lossy&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lossy, (), (kept))

/// "Run" alone is a function of gtest's in here: the tests say stile::Run.
class WorkflowTest : public ::testing::Test {
 protected:
  template <class F>
  void handle(F function) {
    worker.handle(fulfil, std::move(function));
  }
  stile::Handle<Receipt> start() { return stile::start(store, fulfil, "order-7", {"tea", 350, {}}); }

  stile::Listed::Item listed() {
    auto page = store.call(stile::List{.prefix = "order-7"});
    return page.workflows.empty() ? stile::Listed::Item{} : page.workflows.at(0);
  }
  /// One byte more than the store takes as a value.
  std::size_t too_much() const { return store.opened_as().limits.value_bytes + 1; }
  stile::State state() { return listed().state; }
  std::string last_error() { return listed().last_error; }
  std::vector<std::string> keys() {
    std::vector<std::string> keys;
    for (const auto& record : store.call(stile::Load{.workflow = "order-7"}).records) keys.push_back(record.key);
    return keys;
  }

  stile::Store store = stile::testing::store();
  stile::Worker worker{store};
};

}  // namespace shop
