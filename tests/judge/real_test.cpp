// What a real store answered, recorded and turned: the judge did look at it. Many callers are level 2 of the suite.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "judge/judge.hpp"
#include "stile/store.hpp"

namespace stile::conformance::judge {
namespace {

class Recorded : public testing::Test {
 protected:
  Recorded() { std::filesystem::create_directories(folder_); }
  ~Recorded() override { std::filesystem::remove_all(folder_); }
  std::string file() const { return folder_ / "history.jsonl"; }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("stile-judged-" + std::to_string(getpid()));
};

/// A recording is accepted, and with one answer turned it is refused.
TEST_F(Recorded, AFencedWriteToldToHaveLandedIsRefused) {
  {
    Store store = stile::open("history+memory:?history.file=" + file());
    Fence first = store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 10s}).fence;
    store.call(Release{.workflow = "w", .fence = first});
    store.call(Acquire{.workflow = "w", .ttl = 10s, .budget = 10s});
    EXPECT_EQ(store.try_call(Record{.workflow = "w", .fence = first, .key = "k", .value = "v"}).status(),
              Status::fenced);
  }
  std::ifstream in(file());
  std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_TRUE(judge(history_from(text)).accepted());
  auto turned = text.find("\"status\":\"fenced\"");
  ASSERT_NE(turned, std::string::npos);
  std::size_t end = text.find('\n', turned);
  text.replace(turned, end - turned, R"("status":"ok","value":"v","first":true,"position":1,"written_at":1})");
  Verdict verdict = judge(history_from(text));
  ASSERT_FALSE(verdict.accepted());
  EXPECT_EQ(verdict.findings[0].ids, "A4");
}

}  // namespace
}  // namespace stile::conformance::judge
