// The pure parts of the Redis stores: names of keys, errors of servers, rows in Lua.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "command.hpp"
#include "fault.hpp"
#include "fields.hpp"
#include "layout.hpp"
#include "stile/abi.h"

namespace stile::redis {
namespace {

TEST(Fields, AreNumbersInTheOrderOfTheirList) {
  EXPECT_EQ(numbered("row.id, row.dirty = 1, row.id\n"), "row[1], row[2] = 1, row[1]\n");
  EXPECT_EQ(numbered("f(row.id)"), "f(row[1])\n");
}

TEST(Fields, OfOthersStay) {
  EXPECT_EQ(numbered("local a = arrow.id .. new_row.id .. row .. 'row of' .. a.row\n"),
            "local a = arrow.id .. new_row.id .. row .. 'row of' .. a.row\n");
}

TEST(Fields, UnknownOnesAreABug) { EXPECT_THROW(numbered("row.no_such_field = 1"), std::logic_error); }

TEST(Fields, LinesStayWhereTheyAre) { EXPECT_EQ(numbered("a\n  -- row.anything\n\nb\n"), "a\n\n\nb\n"); }

TEST(Layout, PartitionsAreFixedForEver) {
  const Layout three("orders", 3), many("orders", 1024);
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(three.partition_of("w1"), 2U);
  EXPECT_EQ(many.partition_of("w1"), 2U);
  EXPECT_EQ(many.partition_of("order-7"), 164U);
  EXPECT_EQ(many.partition_of(all), 631U);
  EXPECT_EQ(Layout("orders", 1).partition_of("w1"), 0U);
}

TEST(Layout, NoNamespaceIsTheBeginningOfAnother) {
  EXPECT_EQ(Layout("orders", 1).meta(0), "{orders:0}:m");
  EXPECT_EQ(Layout("a:1}", 2).meta(1), "{a%3A1%7D:1}:m");
  EXPECT_NE(Layout("a", 20).meta(11), Layout("a:1", 20).meta(1));
}

TEST(Fault, WordsMeanStatuses) {
  EXPECT_EQ(fault_of("LOADING Redis is loading the dataset in memory").status, STILE_UNAVAILABLE);
  EXPECT_EQ(fault_of("OOM command not allowed when used memory > 'maxmemory'.").status, STILE_FULL);
  EXPECT_EQ(fault_of("DENIED Redis is running in protected mode").status, STILE_DENIED);
  EXPECT_EQ(fault_of("ERR unknown command 'EVALSHA', with args beginning with:").status, STILE_UNSUPPORTED);
  EXPECT_EQ(fault_of("ERR whatever else").status, STILE_INTERNAL);
  const Fault replica = fault_of("READONLY You can't write against a read only replica.");
  EXPECT_EQ(replica.status, STILE_READ_ONLY);
  EXPECT_TRUE(replica.drop);
}

TEST(Fault, WordsInsideAScriptCountToo) {
  const Fault wrapped =
      fault_of("ERR Error running script (call to f_0): @user_script:7: -OOM command not allowed when used memory");
  EXPECT_EQ(wrapped.status, STILE_FULL);
  EXPECT_EQ(wrapped.native, "OOM");
}

TEST(Command, IsTakenApartAgain) {
  Command command = Command::of("SET", std::string("k\0\r\n", 4), "");
  command.number(-7);
  std::string wire;
  command.append_to(wire);
  EXPECT_EQ(wire, std::string("*4\r\n$3\r\nSET\r\n$4\r\nk\0\r\n\r\n$0\r\n\r\n$2\r\n-7\r\n", 37));
  EXPECT_EQ(command.arguments(), (std::vector<std::string>{"SET", std::string("k\0\r\n", 4), "", "-7"}));
}

}  // namespace
}  // namespace stile::redis
