// The keys and forms of what the runtime writes.
//
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stored.hpp"

#include <gtest/gtest.h>

namespace {

using namespace stile::runtime;
using stile::Duration;
using stile::StoreTime;

TEST(Stored, NamesOfTheCoreAndOfTheStoreAreRefused) {
  EXPECT_FALSE(wrong_name("charge"));
  EXPECT_FALSE(wrong_name("größe/7 #1"));
  EXPECT_TRUE(wrong_name(""));
  EXPECT_TRUE(wrong_name("!start"));
  EXPECT_TRUE(wrong_name("inbox:1"));
  EXPECT_TRUE(wrong_name("a\nb"));
  EXPECT_TRUE(wrong_name("\xff"));
  EXPECT_FALSE(wrong_name(std::string(400, 'x')));
  EXPECT_TRUE(wrong_name(std::string(401, 'x')));
  EXPECT_FALSE(wrong_address("fulfil"));
  for (const char* bad : {"a b", "a;b", "a,b", "", "!x"}) EXPECT_TRUE(wrong_address(bad)) << bad;
  EXPECT_TRUE(wrong_address(std::string(65, 'x')));
}

TEST(Stored, AMessageComesBackWithItsAddress) {
  Message message{"fulfil", {{"by", "00ff"}, {"after", "12"}}, "j={\"a b\": 1}"};
  auto stored = write_message(message);
  EXPECT_EQ(stored, "j>fulfil;after=12;by=00ff {\"a b\": 1}");
  auto back = read_message(stored);
  EXPECT_EQ(back.to, message.to);
  EXPECT_EQ(back.says, message.says);
  EXPECT_EQ(back.value, message.value);
  Message bytes{"chat", {}, std::string("b=\0 ;\xff", 6)};
  EXPECT_EQ(read_message(write_message(bytes)).value, bytes.value);
  EXPECT_EQ(read_message("b>chat ").value, "b=");
  for (const char* bad : {"", "j", "j>", "j>chat", "j=1 2", "j>chat;x 1"})
    EXPECT_THROW(read_message(bad), stile::ValueError) << bad;
}

TEST(Stored, AFailureComesBackWhateverItsTextHolds) {
  auto back = read_failure(write_failure({"card \"declined\"\n", 3, Duration{5}}));
  EXPECT_EQ(back.error, "card \"declined\"\n");
  EXPECT_EQ(back.attempts, 3);
  EXPECT_EQ(back.again_after, Duration{5});
  EXPECT_EQ(read_failure(write_failure({"a\xff z", 1, {}})).error, "a? z") << "bytes that are no UTF-8 are replaced";
  EXPECT_EQ(read_failure(write_failure({std::string(100'000, 'x'), 1, {}})).error.size(), 16'384u);
  EXPECT_THROW(read_failure("j=1"), stile::ValueError);
  EXPECT_THROW(read_failure("j!1"), stile::ValueError);
}

TEST(Stored, ATimerCountsFromItsRecordOrSaysItsEnd) {
  StoreTime written(Duration{1'000'000});
  EXPECT_EQ(read_timer(write_timer({.after = Duration{5}, .until = {}})).due(written), written + Duration{5});
  EXPECT_EQ(read_timer(write_timer({.after = {}, .until = StoreTime(Duration{7})})).due(written),
            StoreTime(Duration{7}));
  EXPECT_THROW(read_timer("j@{}"), stile::ValueError);
  EXPECT_THROW(read_timer("j=5"), stile::ValueError);
}

}  // namespace
