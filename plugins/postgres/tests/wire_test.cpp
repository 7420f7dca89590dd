// Numbers, arrays and rows as the server's binary protocol has them.
//
// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gtest/gtest.h>

namespace stile::postgres {
namespace {

using namespace std::string_literals;

TEST(Wire, NumbersAreBigEndianAndComeBack) {
  std::string bytes;
  put_integer<std::int32_t>(bytes, 0x01020304);
  EXPECT_EQ(bytes, "\x01\x02\x03\x04");
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX, std::int64_t{1} << 53}) {
    std::string one;
    put_integer(one, number);
    EXPECT_EQ(get_integer<std::int64_t>(one.data()), number);
  }
}

TEST(Wire, AnArraySaysItsTypeItsLengthAndItsNulls) {
  Array array(Type::bytes);
  array.add(std::string_view("ab"));
  array.none();
  EXPECT_EQ(array.wire(),
            "\0\0\0\x01"
            "\0\0\0\x01"
            "\0\0\0\x11"
            "\0\0\0\x02"
            "\0\0\0\x01"
            "\0\0\0\x02"
            "ab"
            "\xff\xff\xff\xff"s);
}

TEST(Wire, AnEmptyArrayHasNoDimension) { EXPECT_EQ(Array(Type::int8).wire(), "\0\0\0\0\0\0\0\0\0\0\0\x14"s); }

TEST(Wire, ANumberIsAsWideAsItsType) {
  for (const auto& [type, width] : {std::pair{Type::boolean, 1}, {Type::int2, 2}, {Type::int4, 4}, {Type::int8, 8}}) {
    Array array(type);
    array.number(1);
    EXPECT_EQ(array.bytes(), 4U + static_cast<std::size_t>(width));
  }
}

TEST(Wire, AnIdOfZerosIsNone) {
  Array array(Type::uuid);
  array.add(stile_id{});
  EXPECT_EQ(array.bytes(), 4U);  // the length -1 alone
  Params params;
  params.id(stile_id{}).id(stile_id{{1}});
  EXPECT_EQ(params.values()[0], nullptr);
  EXPECT_EQ(params.lengths()[1], 16);
}

TEST(Wire, EmptyBytesAreNotNone) {
  Params params;
  params.view(std::string_view()).none().text("");
  EXPECT_NE(params.values()[0], nullptr);
  EXPECT_EQ(params.values()[1], nullptr);
  EXPECT_NE(params.values()[2], nullptr);
  EXPECT_EQ(params.formats()[0], 1);
  EXPECT_EQ(params.formats()[2], 0);
}

TEST(Wire, KeptBytesStayWhereTheyAre) {
  Params params;
  params.integer<std::int32_t>(1);
  const char* const first = params.values()[0];
  for (int i = 0; i < 100; ++i) params.integer(i);
  EXPECT_EQ(params.values()[0], first);
  EXPECT_EQ(get_integer<std::int32_t>(params.values()[0]), 1);
}

}  // namespace
}  // namespace stile::postgres
