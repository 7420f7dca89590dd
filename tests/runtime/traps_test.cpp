// The shapes that are right on every compiler we claim, g++ 12's coroutine bugs included: nothing is destroyed twice,
// whether the code runs to its end or is destroyed where it waits. What is wrong on some compiler is refused when it is
// compiled: tests/runtime/refused.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "shop.hpp"
#include "stile/testing.hpp"

namespace {

using namespace std::chrono_literals;
using shop::approved_by;
using shop::Counted;
using shop::fulfil;
using shop::Order;
using shop::Receipt;
using stile::Task;

struct WithText {
  std::string text;
};
static_assert(!stile::detail::safe_as_braces<WithText>);
static_assert(stile::detail::safe_as_braces<stile::StepOptions> && stile::detail::safe_as_braces<stile::Retry>);
static_assert(stile::detail::safe_as_braces<stile::StartOptions> &&
              stile::detail::safe_as_braces<stile::WorkerOptions>);

// "Run" alone is a function of gtest's in here: the tests say stile::Run.

/// Runs a workflow to its end over two passes: it waits once in between, where its frame is destroyed.
class Traps : public ::testing::Test {
 protected:
  void SetUp() override { Counted::alive = 0; }

  template <class F>
  Receipt over_two_passes(F function) {
    auto store = stile::testing::store();
    Receipt receipt;
    {
      stile::Worker worker(store, {.check_values = true});
      worker.handle(fulfil, std::move(function));
      auto order = stile::start(store, fulfil, "order-7", {"tea", 350, {}});
      EXPECT_EQ(worker.run_until_idle(), 1u);
      EXPECT_EQ(Counted::alive, kept_) << "after a pass that was left waiting";
      EXPECT_FALSE(order.result(0s));
      order.signal(approved_by, "anna");
      EXPECT_EQ(worker.run_until_idle(), 1u);
      EXPECT_EQ(Counted::alive, kept_) << "after a pass that ran to its end";
      receipt = order.result(0s).value_or(Receipt{"no result", {}});
    }
    EXPECT_EQ(Counted::alive, 0);
    return receipt;
  }
  int kept_ = 0;  ///< what the function itself owns
};

TEST_F(Traps, ClosuresByReference) {
  auto got = over_two_passes([](stile::Run& run, Order order) -> Task<Receipt> {
    Counted local;
    auto first = co_await run.step("first", [&] { return order.item + "!"; });
    auto who = co_await run.wait(approved_by);
    auto second = co_await run.step("second", [&] { return Receipt{first, {who}}; });
    co_return second;
  });
  EXPECT_EQ(got.text, "tea!");
  EXPECT_EQ(got.lines, std::vector<std::string>{"anna"});
}

TEST_F(Traps, ClosuresWithCopiesThatHaveAName) {
  auto got = over_two_passes([](stile::Run& run, Order order) -> Task<Receipt> {
    Counted counted;
    auto first = [order, counted] { return order.item; };
    auto text = co_await run.step("first", first);
    auto who = co_await run.wait(approved_by);
    std::function<std::string()> second = [who, counted] { return who + "?"; };
    auto line = co_await run.step("second", second);
    auto third = run.step("third", first);
    auto again = co_await third;
    co_return Receipt{text, {line, again}};
  });
  EXPECT_EQ(got.text, "tea");
  EXPECT_EQ(got.lines, (std::vector<std::string>{"anna?", "tea"}));
}

TEST_F(Traps, OptionsInBracesAndNamesThatAreTemporaries) {
  auto got = over_two_passes([](stile::Run& run, Order order) -> Task<Receipt> {
    Counted local;
    Receipt receipt;
    for (int page = 0; page < 3; ++page) {
      auto line = co_await run.step("a page with a long name, number " + std::to_string(page),
                                    {.within = 1min, .retry = {.attempts = 2}},
                                    [&] { return order.item + std::to_string(page); });
      receipt.lines.push_back(line);
      if (page == 1) receipt.text = co_await run.wait(approved_by);
    }
    co_return receipt;
  });
  EXPECT_EQ(got.text, "anna");
  EXPECT_EQ(got.lines, (std::vector<std::string>{"tea0", "tea1", "tea2"}));
}

TEST_F(Traps, AwaitsInConditionsOfLoopsAndBranches) {
  auto got = over_two_passes([](stile::Run& run, Order) -> Task<Receipt> {
    Counted local;
    Receipt receipt;
    int round = 0;
    while (co_await run.step("more", [&] { return round + 1 < 4; })) {
      Counted inner;
      receipt.lines.push_back(std::to_string(receipt.lines.size()));
      if (receipt.lines.size() == 2) receipt.text = co_await run.wait(approved_by);
      round = static_cast<int>(receipt.lines.size());
    }
    switch (co_await run.step("kind", [&] { return round; })) {
      case 3: receipt.text += " three"; break;
      default: receipt.text += " other";
    }
    co_return receipt;
  });
  EXPECT_EQ(got.lines.size(), 3u);
  EXPECT_EQ(got.text, "anna three");
}

Task<std::string> ask(stile::Run& run, std::string question) {
  Counted local;
  auto asked = co_await run.step("ask", [&] { return question; });
  auto who = co_await run.wait(approved_by);
  co_return asked + " " + who;
}

Task<Receipt> ask_through(stile::Run& run, Order order) {
  Counted local;
  std::string question = "may I have " + order.item;
  try {
    Counted inner;
    auto answer = co_await ask(run, question);
    co_return Receipt{answer, {}};
  } catch (const std::runtime_error&) {
    co_return Receipt{"an error", {}};
  }
}

TEST_F(Traps, NestedTasksAreDestroyedInsideOut) {
  auto got = over_two_passes([](stile::Run& run, Order order) -> Task<Receipt> {
    Counted local;
    auto never_awaited = ask(run, "never");
    auto receipt = co_await ask_through(run, order);
    co_return receipt;
  });
  EXPECT_EQ(got.text, "may I have tea anna");
}

TEST_F(Traps, AFunctionThatOwnsSomethingIsKeptForEver) {
  kept_ = 1;
  std::function<Task<Receipt>(stile::Run&, Order)> function;
  {
    auto owned = std::make_shared<Counted>();
    function = [owned](stile::Run& run, Order order) -> Task<Receipt> {
      auto item = co_await run.step("first", [&] { return order.item; });
      auto who = co_await run.wait(approved_by);
      co_return Receipt{item + (owned ? " owned" : ""), {who}};
    };
  }
  auto got = over_two_passes(std::exchange(function, nullptr));
  EXPECT_EQ(got.text, "tea owned");
}

TEST_F(Traps, WaitsWithATimeAndValuesOfEveryShape) {
  auto got = over_two_passes([](stile::Run& run, Order order) -> Task<Receipt> {
    Counted local;
    auto map = co_await run.step("map", [&] { return std::map<std::string, Order>{{"a", order}}; });
    auto nothing = co_await run.step("nothing", [&]() -> std::optional<Order> { return std::nullopt; });
    co_await run.step("void", [&] { local = Counted(); });
    auto who = co_await run.wait(approved_by, 48h);
    auto tried = co_await run.try_step("try", [&]() -> Order { throw stile::Permanent("no " + map.at("a").item); });
    co_return Receipt{tried.ok() ? "ok" : tried.error(), {who.value_or("nobody"), nothing ? "some" : "none"}};
  });
  EXPECT_EQ(got.text, "no tea");
  EXPECT_EQ(got.lines, (std::vector<std::string>{"anna", "none"}));
}

Task<int> plus_one(stile::Run& run, int value) {
  auto next = co_await run.step("plus", [&] { return value + 1; });
  co_return next;
}

// A loop of awaits needs no more stack than the depth of its calls, also where nothing is optimised.
TEST_F(Traps, ManyNestedAwaitsNeedNoStack) {
  auto store = stile::testing::store();
  stile::Worker worker(store);
  constexpr stile::Workflow<int()> many{"many"};
  worker.handle(many, [](stile::Run& run) -> Task<int> {
    int value = 0;
    for (int i = 0; i < 20'000; ++i) value = co_await plus_one(run, value);
    co_return value;
  });
  auto handle = stile::start(store, many, "w");
  worker.run_until_idle();
  EXPECT_EQ(handle.result(0s), 20'000);
}

}  // namespace
