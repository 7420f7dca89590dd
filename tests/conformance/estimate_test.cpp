// What a run says of its time, and what a certificate says of a second run.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runner/estimate.hpp"
#include "runner/reports.hpp"
#include "runner/verify.hpp"

namespace stile::conformance {
namespace {

using namespace std::chrono_literals;

class Checks : public testing::Test {
 protected:
  const Check* add(const std::string& suite, Duration limit = 30s) {
    auto& check = all_.emplace_back();
    check.suite = suite;
    check.name = "c" + std::to_string(all_.size());
    check.limit = limit;
    list_.push_back(&check);
    return &check;
  }
  Check& last() { return all_.back(); }

  std::deque<Check> all_;
  std::deque<const Check*> list_;
};

TEST_F(Checks, ShareTheTimeOfTheRandomOnes) {
  for (int i = 0; i < 8; ++i) add("plain");
  EXPECT_EQ(share_of(60s, list_, 4), 0s) << "there is none";
  for (int i = 0; i < 8; ++i) {
    add("random");
    last().random = true;
  }
  EXPECT_EQ(share_of(60s, list_, 4), 30s) << "four at once, in two turns";
  add("alone");
  last().random = last().alone = true;
  EXPECT_EQ(share_of(60s, list_, 4), 20s);
  EXPECT_EQ(share_of(Duration{1}, list_, 4), Duration{1}) << "never nothing where something was asked for";
  EXPECT_EQ(share_of(0s, list_, 4), 0s) << "nothing was asked for";
}

TEST_F(Checks, AreEstimatedByTheirSuite) {
  Estimate estimate(2);
  for (int i = 0; i < 20; ++i) add("fast");
  for (int i = 0; i < 4; ++i) add("slow");
  for (int i = 0; i < 2; ++i) add("tight", 1s);
  estimate.plan(list_, Duration{0});
  EXPECT_FALSE(estimate.left(1s)) << "nothing is known yet";
  for (int i = 0; i < 20; ++i) estimate.ended(*list_[i], 100ms);
  estimate.ended(*list_[20], 10s);
  estimate.ended(*list_[20], 10s);  // told twice, counted once
  EXPECT_EQ(estimate.done(), 21u);
  // Twelve seconds of work took six: two at once. Three slow ones of 10 s are left, and two of the mean of all.
  auto left = estimate.left(6s);
  ASSERT_TRUE(left);
  EXPECT_GT(*left, 14s);
  EXPECT_LT(*left, 18s);
  for (int i = 21; i < 26; ++i) estimate.ended(*list_[i], 1s);
  EXPECT_EQ(estimate.left(20s), Duration{0});
}

TEST_F(Checks, NeverTakeLongerThanTheirLimitByEstimate) {
  Estimate estimate(1);
  for (int i = 0; i < 6; ++i) add("slow", 100s);
  add("tight", 1s);
  estimate.plan(list_, Duration{0});
  for (int i = 0; i < 6; ++i) estimate.ended(*list_[i], 50s);
  EXPECT_LE(*estimate.left(300s), 1s);
}

TEST(Roughly, SaysNoMoreThanIsKnown) {
  EXPECT_EQ(roughly(3'400ms), "4 s");
  EXPECT_EQ(roughly(62s), "65 s");
  EXPECT_EQ(roughly(200s), "3 min");
  EXPECT_EQ(roughly(3h + 5min), "3 h 5 min");
}

class Certified : public Checks {
 protected:
  Certified() : path_(std::filesystem::temp_directory_path() / ("certificate-" + std::to_string(getpid()))) {
    target_.config = "any:x?y=1";
    target_.facts.config = target_.config;
    target_.facts.plugin.name = "any";
    target_.facts.plugin.path = "/plugins/any.so";
    target_.facts.plugin.build_id = "0011";
    target_.facts.part = Part::documents;
    target_.seed = 77;
    target_.level = 2;
    run_.target = &target_;
    run_.time = 90s;
    for (Verdict verdict : {Verdict::passed, Verdict::failed, Verdict::absent}) {
      Result& result = run_.results.emplace_back();
      result.check = add("made");
      result.outcome.verdict = verdict;
      result.outcome.faults = {{"kills", 2}};
    }
  }
  ~Certified() override { std::filesystem::remove(path_); }

  Certificate written() { return from(json::serialize(certificate(run_))); }
  Certificate from(const std::string& text) {
    std::ofstream(path_) << text;
    return read_certificate(path_.string());
  }

  std::filesystem::path path_;
  Target target_;
  conformance::Run run_;
};

TEST_F(Certified, TellsWhatASecondRunNeeds) {
  Certificate said = written();
  EXPECT_EQ(said.config, "any:x?y=1");
  EXPECT_EQ(said.plugin_file, "/plugins/any.so");
  EXPECT_EQ(said.seed, 77u);
  EXPECT_EQ(said.level, 2);
  EXPECT_EQ(said.time, 90s);
  EXPECT_FALSE(said.redacted());
  EXPECT_EQ(certificate(run_).at("faults").at("kills").to_number<int>(), 6);
  EXPECT_EQ(other_than(said, target_.facts), "");
  EXPECT_TRUE(compare(said, run_).agrees());
}

TEST_F(Certified, DiffersWhereAVerdictDoes) {
  Certificate said = written();
  run_.results[0].outcome.verdict = Verdict::failed;
  Agreement agreement = compare(said, run_);
  ASSERT_EQ(agreement.differences.size(), 3u) << agreement_text(said, agreement);
  EXPECT_EQ(agreement.differences[0], "checks: made.c1: verdict: failed, was passed");
  run_.results.erase(run_.results.begin());
  EXPECT_TRUE(compare(said, run_).differences[0].starts_with("checks: made.c1: not there, was "));
}

TEST_F(Certified, IsOfOneBuildAndOneContract) {
  Certificate said = written();
  Facts other = target_.facts;
  other.plugin.build_id = "0012";
  EXPECT_NE(other_than(said, other).find("build id"), std::string::npos);
  said.contract_version = "0";
  EXPECT_NE(other_than(said, target_.facts).find("contract"), std::string::npos);
}

TEST_F(Certified, IsRefusedWhereItIsNone) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"certificate":"another"})", R"({"certificate":"stile-conformance"})"})
    EXPECT_THROW(from(text), std::runtime_error) << text;
  EXPECT_ANY_THROW(read_certificate("/nowhere/certificate.json"));
}

TEST_F(Certified, KeepsASecretToItself) {
  target_.config = "any:x?password=secret";
  target_.facts.config = "any:x?password=***";
  EXPECT_TRUE(written().redacted());
}

}  // namespace
}  // namespace stile::conformance
