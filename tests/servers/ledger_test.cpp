// The ledger of level 4: every contradiction between what callers were told and what is there is found.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/ledger.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace stile::conformance::servers {
namespace {

using Ledger = std::map<std::string, Told>;
using Names = std::vector<std::string>;

TEST(Ledger, WhatWasAcknowledgedIsThere) {
  const Ledger told{{"record w a", Told::ok}, {"append w b", Told::ok}, {"document c", Told::ok}};
  Judgement all = judge_ledger(told, {{{"record w a", 1}, {"append w b", 1}, {"document c", 1}}, {}});
  EXPECT_TRUE(all.accepted());
  EXPECT_EQ(all.acknowledged, 3u);
  Judgement lost = judge_ledger(told, {{{"record w a", 1}}, {}});
  EXPECT_FALSE(lost.accepted());
  EXPECT_EQ(lost.lost, (Names{"append w b", "document c"}));
  EXPECT_NE(lost.text().find("append w b"), std::string::npos);
}

TEST(Ledger, WhatWasRefusedIsNotThere) {
  const Ledger told{{"record w a", Told::no}};
  EXPECT_TRUE(judge_ledger(told, {}).accepted());
  EXPECT_EQ(judge_ledger(told, {{{"record w a", 1}}, {}}).appeared, Names{"record w a"});
}

TEST(Ledger, WhatIsInDoubtIsThereOnceOrNotAtAll) {
  for (Told in_doubt : {Told::maybe, Told::nothing}) {
    const Ledger told{{"append w a", in_doubt}};
    EXPECT_TRUE(judge_ledger(told, {}).accepted());
    EXPECT_TRUE(judge_ledger(told, {{{"append w a", 1}}, {}}).accepted());
    EXPECT_EQ(judge_ledger(told, {{{"append w a", 2}}, {}}).twice, Names{"append w a"});
    EXPECT_EQ(judge_ledger(told, {}).in_doubt, 1u);
  }
}

TEST(Ledger, AJobIsDeliveredUntilItsAckIsAcknowledged) {
  const Ledger waiting{{"job j", Told::ok}}, acked{{"job j", Told::ok}, {"ack j", Told::ok}};
  EXPECT_EQ(judge_ledger(waiting, {}).stranded, Names{"job j"});
  EXPECT_TRUE(judge_ledger(waiting, {{}, {"j"}}).accepted());
  EXPECT_TRUE(judge_ledger(acked, {}).accepted());
  EXPECT_EQ(judge_ledger(acked, {{}, {"j"}}).came_back, Names{"ack j"});
  const Ledger in_doubt{{"job j", Told::ok}, {"ack j", Told::maybe}};
  EXPECT_TRUE(judge_ledger(in_doubt, {{}, {"j"}}).accepted());
  EXPECT_TRUE(judge_ledger(in_doubt, {}).accepted());
  const Ledger refused{{"job j", Told::no}};
  EXPECT_EQ(judge_ledger(refused, {{}, {"j"}}).appeared, Names{"job j"});
}

TEST(Ledger, FilesOfManyProcessesAreOneAndACutLineIsNone) {
  std::string folder = std::filesystem::temp_directory_path() / "stile-ledger.XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    LedgerWriter one(folder + "/one.ledger"), two(folder + "/two.ledger");
    one.tried(kind::record, "w a");
    one.told(Told::ok, kind::record, "w a");
    one.tried(kind::ack, "j");
    one.told(Told::maybe, kind::ack, "j");
    two.tried(kind::ack, "j");
    two.told(Told::ok, kind::ack, "j");
    two.tried(kind::document, "d");
  }
  std::ofstream(folder + "/two.ledger", std::ios::app) << "ok docum";
  std::ofstream(folder + "/other.txt") << "ok document other\n";
  const Ledger told = read_ledgers(folder);
  EXPECT_EQ(told, (Ledger{{"record w a", Told::ok}, {"ack j", Told::ok}, {"document d", Told::nothing}}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stile::conformance::servers
