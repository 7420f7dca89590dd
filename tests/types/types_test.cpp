// The vocabulary types: text forms, random ids, the numbering of statuses.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/types.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <vector>

namespace {

using stile::Fence;
using stile::Id;

TEST(Id, RoundTripsThroughHex) {
  Id id = Id::random();
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(id.text().size(), 32u);
  EXPECT_EQ(Id::parse(id.text()), id);
  EXPECT_TRUE(Id{}.empty());
}

TEST(Id, RefusesOtherText) {
  EXPECT_FALSE(Id::parse(""));
  EXPECT_FALSE(Id::parse("00112233445566778899aabbccddeef"));
  EXPECT_FALSE(Id::parse("00112233445566778899aabbccddeeff0"));
  EXPECT_FALSE(Id::parse("00112233445566778899aabbccddeefg"));
}

TEST(Id, DoesNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Id::random().text());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Id, IsNotTheSameInAForkedChild) {
  Id::random();  // the pool is filled
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Id id = Id::random();
    _exit(write(ends[1], id.bytes.data(), id.bytes.size()) == 16 ? 0 : 1);
  }
  Id theirs;
  ASSERT_EQ(read(ends[0], theirs.bytes.data(), theirs.bytes.size()), 16);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(theirs, Id::random());
}

TEST(Fence, RoundTripsThroughText) {
  Fence fence{9007199254740991, Id::random()};
  EXPECT_EQ(Fence::parse(fence.text()), fence);
}

TEST(Fence, RefusesOtherText) {
  std::string stamp(32, '0');
  const std::vector<std::string> others{"",
                                        "1",
                                        "1.",
                                        "." + stamp,
                                        "x." + stamp,
                                        "-1." + stamp,
                                        "01." + stamp,
                                        "1." + stamp + "0",
                                        "1 ." + stamp,
                                        "99999999999999999999." + stamp,
                                        "1." + std::string(32, 'A')};
  for (const std::string& text : others) EXPECT_FALSE(Fence::parse(text)) << text;
}

TEST(Status, TableIsNumberedByItsPlace) {
  int place = 0;
#define STILE_CHECK(NAME, value, name, happened, again, text) \
  EXPECT_EQ(value, place++);                                  \
  EXPECT_EQ(STILE_##NAME, value);                             \
  EXPECT_EQ(stile::name_of(stile::Status::name), #name);
  STILE_STATUS_TABLE(STILE_CHECK)
#undef STILE_CHECK
  EXPECT_EQ(place, STILE_STATUS_COUNT);
  EXPECT_EQ(stile::name_of(static_cast<stile::Status>(99)), "status 99");
}

TEST(Result, ThrowsItsFailure) {
  stile::Result<int> bad = stile::Failure{stile::Status::held, "held until later"};
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.status(), stile::Status::held);
  EXPECT_THROW(bad.value(), stile::Error);
  stile::Result<int> good = 3;
  EXPECT_EQ(*good, 3);
}

}  // namespace
