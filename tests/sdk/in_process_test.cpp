// What the SDK offers a store in one process, without a plugin around it: clock, waiting room, info, tables of a part.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/sdk/in_process.hpp"

#include <future>

#include "speak.hpp"
#include "stile/sdk/engine/engine.hpp"

namespace stile::test {
namespace {

namespace engine = sdk::engine;

TEST(Clock, a_reader_never_sees_time_go_back) {
  const sdk::Clock clock(false);
  sdk::ClockMemory memory;
  const auto now = clock.now(memory);
  // As if the system's clock had been an hour ahead when it was last read: A12.
  memory.latest = now + INT64_C(3600) * 1000000;
  const auto stepped = clock.now(memory);
  EXPECT_GE(stepped, now + INT64_C(3600) * 1000000);
  auto last = stepped;
  for (int i = 0; i < 100000 && last == stepped; ++i) last = clock.now(memory);
  EXPECT_GT(last, stepped);  // and it goes on
  EXPECT_LT(last, stepped + INT64_C(60) * 1000000);
  EXPECT_GE(clock.glance(), stepped);
}

TEST(InProcess, a_manual_clock_is_declared_where_there_is_one) {
  static constexpr stile_text capabilities[] = {STILE_LIT("manual_clock"), STILE_LIT("one_commit")};
  const auto declared = [](bool manual) {
    sdk::InProcess house({"mine 1.0", "none", "here", capabilities}, sdk::usual_limits(), manual);
    Info op(STILE_OP_INFO);
    EXPECT_TRUE(house.run(op.op()));
    EXPECT_EQ(op.status(), STILE_OK);
    std::vector<std::string> out;
    for (std::uint64_t i = 0; i < op.r().n_capabilities; ++i) out.push_back(string(op.r().capabilities[i]));
    return out;
  };
  EXPECT_EQ(declared(true), (std::vector<std::string>{"manual_clock", "one_commit"}));
  EXPECT_EQ(declared(false), std::vector<std::string>{"one_commit"});
}

TEST(InProcess, S1_nothing_is_admitted_before_prepare) {
  sdk::InProcess house({"mine 1.0", "none", "here", {}}, sdk::usual_limits(), false);
  auto op = enqueue("w");
  stile_op* ops[] = {&op.op()};
  EXPECT_FALSE(house.admit(ops, 0));
  EXPECT_EQ(op.status(), STILE_UNPREPARED);
  Prepare prepare(STILE_OP_PREPARE);
  EXPECT_TRUE(house.run(prepare.op()));
  EXPECT_EQ(prepare.r().migrated, 1u);
  op.reset();
  EXPECT_TRUE(house.admit(ops, 0));
  EXPECT_FALSE(house.run(op.op()));  // for the tables
}

TEST(WaitingRoom, W5_one_wakeup_rings_one_receiver) {
  sdk::WaitingRoom room;
  sdk::Interrupts a, b;
  sdk::Receiving first, second;
  first.queues = second.queues = {""};
  room.enter(first, a);
  room.enter(second, b);
  room.about_to_look(first);
  room.about_to_look(second);
  room.tell({{{"", 5}}, {}}, 10);
  EXPECT_TRUE(first.rung);
  EXPECT_FALSE(second.rung);
  room.tell({{{"", 5}}, {}}, 10);  // another, before the first has looked
  EXPECT_TRUE(second.rung);
  second.rung = false;
  room.leave(first, a);  // what it was rung for may not be what it took
  EXPECT_TRUE(second.rung);
  room.leave(second, b);
}

TEST(WaitingRoom, W5_what_is_due_later_rings_who_keeps_the_timer) {
  sdk::WaitingRoom room;
  sdk::Interrupts a;
  sdk::Receiving who;
  who.queues = {"q"};
  room.enter(who, a);
  room.about_to_look(who);
  room.tell({{{"other", 5}}, {}}, 10);
  EXPECT_FALSE(who.rung);
  room.tell({{{"q", INT64_C(3600) * 1000000}}, {}}, 10);
  EXPECT_TRUE(who.rung);  // it has no timer yet
  room.leave(who, a);
}

/// As a look that finds no_more.
void no_more(stile_op& op) { engine::accept(op); }

TEST(Waits, W6_an_exception_of_a_look_leaves_the_room) {
  sdk::WaitingRoom room;
  const sdk::Clock clock(false);
  sdk::Waits waits(room, clock);
  auto op = receive(1);
  op.q().wait = 1000000;
  const stile_call call{sizeof(stile_call), 0, 1, STILE_NEVER};
  int looks = 0;
  const auto look = [&](bool) {
    if (++looks == 2) throw engine::Failure(STILE_UNAVAILABLE, "gone");
    no_more(op.op());
  };
  EXPECT_THROW(waits.receive(call, op.op(), look, [](const auto& q) { return std::vector<engine::Span>(q.size()); }),
               engine::Failure);
  EXPECT_FALSE(room.anyone_receives());
}

/// Tables of documents alone, and no_more of them there.
struct Documents {
  engine::Document* find_document(std::string_view) { return nullptr; }
  engine::Document& make_document(std::string_view key) { return made.key = key, made; }
  void save_document(engine::Document&) { ++saved; }
  template <class See>
  void each_document(std::string_view, std::string_view, See&&) {}
  std::uint64_t document_floor() const { return 6; }
  void raise_document_floor(std::uint64_t) {}
  engine::Document made;
  int saved = 0;
};
static_assert(engine::DocumentTables<Documents> && !engine::RowTables<Documents> && !engine::Tables<Documents>);

TEST(Parts, S3_tables_of_a_part_do_the_operations_of_that_part) {
  static constexpr stile_limits limits = sdk::usual_limits();
  const engine::Context context{1000, &limits, 0, stile_id{}};
  Documents tables;
  Put put(STILE_OP_PUT);
  put.q().key = bytes("k");
  put.q().value = bytes("v");
  EXPECT_TRUE(engine::run(tables, context, put.op()));
  EXPECT_EQ(put.status(), STILE_OK);
  EXPECT_EQ(string(put.r().version), "7");
  EXPECT_EQ(tables.saved, 1);
  auto acquired = acquire("w");
  EXPECT_FALSE(engine::run(tables, context, acquired.op()));
  EXPECT_EQ(acquired.status(), STILE_UNSET);
  List list(STILE_OP_LIST);
  EXPECT_FALSE(engine::run(tables, context, list.op()));
}

}  // namespace
}  // namespace stile::test
