// The time index, the row table and checkpoints of the memory store against simple models of them.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "row_table.hpp"
#include "time_index.hpp"

namespace stile::memory {
namespace {

struct Item {
  TimeHook<Item> hook;
  int name = 0;
};

/// Random inserts and erases, told to a multiset as well; `spread` decides how much arrives out of order.
void compare_with_set(std::int64_t spread) {
  std::mt19937 random(static_cast<std::uint32_t>(spread));
  std::vector<Item> items(300);
  TimeIndex<Item, &Item::hook> index;
  std::multiset<std::pair<std::int64_t, Item*>> model;
  std::map<Item*, std::int64_t> times;
  for (int step = 0; step < 30000; ++step) {
    Item* item = &items[random() % items.size()];
    if (const auto held = times.find(item); held != times.end()) {
      index.erase(item);
      model.erase({held->second, item});
      times.erase(held);
    } else {
      const std::int64_t time = step + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread));
      index.insert(item, time);
      model.insert({time, item});
      times[item] = time;
    }
    ASSERT_EQ(index.size(), model.size());
    if (model.empty()) {
      ASSERT_EQ(index.first(), nullptr);
    } else {
      ASSERT_EQ(index.first()->hook.time, model.begin()->first);
    }
    if (step % 1000 != 0) continue;
    std::set<Item*> seen;
    index.each([&](Item& each) { ASSERT_TRUE(seen.insert(&each).second); });
    ASSERT_EQ(seen.size(), model.size());
  }
  std::int64_t last = 0;
  for (; !index.empty(); index.erase(index.first())) {
    ASSERT_GE(index.first()->hook.time, last);
    last = index.first()->hook.time;
  }
}

TEST(TimeIndex, in_order_arrivals) { compare_with_set(1); }
TEST(TimeIndex, nearly_in_order_arrivals) { compare_with_set(20); }
TEST(TimeIndex, arrivals_in_any_order) { compare_with_set(1000000); }

TEST(RowTable, finds_what_is_there_and_nothing_else) {
  std::mt19937 random(7);
  RowTable table;
  std::map<std::string, Entry*> model;
  for (int step = 0; step < 20000; ++step) {
    const std::string id = "id" + std::to_string(random() % 700);
    if (const auto held = model.find(id); held != model.end()) {
      ASSERT_EQ(table.find(id), held->second);
      if (random() % 2 != 0) continue;
      ASSERT_EQ(table.remove(*held->second)->id, id);
      model.erase(held);
    } else {
      ASSERT_EQ(table.find(id), nullptr);
      auto made = std::make_unique<Entry>();
      made->id = id;
      model[id] = made.get();
      table.insert(std::move(made));
    }
  }
  for (const auto& [id, entry] : model) EXPECT_EQ(table.find(id), entry);
}

TEST(Checkpoint, pages_finds_and_shrinks) {
  Checkpoint all;
  for (std::int64_t i = 1; i <= 100; ++i) {
    const std::string key = i % 2 != 0 ? "step" + std::to_string(i) : "inbox:" + std::to_string(i);
    all.add({key, "value", i, i, {}, STILE_OP_RECORD});
    ASSERT_EQ(all.find(key)->position, i);
  }
  EXPECT_EQ(all.find("step2"), nullptr);
  EXPECT_EQ(all.above(40), 40u);
  EXPECT_EQ(all.above(1000), 100u);
  std::uint64_t bytes = 0;
  EXPECT_EQ(all.erase_but_inbox(90, bytes), 95u);
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(all.at(0).position, 92);
  EXPECT_EQ(all.find("step91"), nullptr);
  EXPECT_EQ(all.find("inbox:92")->position, 92);
  all.add_message(engine::MessageKind::op_id, "m", {92, {}});
  EXPECT_EQ(all.message(engine::MessageKind::message_id, "m"), nullptr);
  EXPECT_EQ(all.message(engine::MessageKind::op_id, "m")->position, 92);
  EXPECT_EQ(all.shrink(4, bytes), 4u);
  EXPECT_EQ(all.shrink(100, bytes), 2u);
  EXPECT_TRUE(all.empty());
}

}  // namespace
}  // namespace stile::memory
