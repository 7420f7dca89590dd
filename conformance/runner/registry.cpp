// The checks of a run, known to GoogleTest by name.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace stile::conformance {
namespace {

std::vector<std::unique_ptr<Check>>& checks() {
  static std::vector<std::unique_ptr<Check>> all;
  return all;
}

std::map<std::pair<std::string, std::string>, const Check*, std::less<>>& index() {
  static std::map<std::pair<std::string, std::string>, const Check*, std::less<>> all;
  return all;
}

std::function<Result(const Check&)>& judge_of_run() {
  static std::function<Result(const Check&)> judge;
  return judge;
}

class Judged : public testing::Test {
 public:
  explicit Judged(const Check& check) : check_(check) {}

  void TestBody() override {
    Result result = judge_of_run()(check_);
    Verdict verdict = result.outcome.verdict;
    RecordProperty("verdict", std::string(name_of(verdict)));
    if (verdict != Verdict::passed && verdict != Verdict::absent) ADD_FAILURE() << result.outcome.text;
  }

 private:
  const Check& check_;
};

}  // namespace

const std::vector<std::unique_ptr<Check>>& all_checks() { return checks(); }

const Check* find_check(std::string_view suite, std::string_view name) {
  auto found = index().find(std::make_pair(std::string(suite), std::string(name)));
  return found == index().end() ? nullptr : found->second;
}

void set_judge(std::function<Result(const Check&)> judge) { judge_of_run() = std::move(judge); }

void add_check(Check check) {
  auto owned = std::make_unique<Check>(std::move(check));
  const Check& kept = *owned;
  if (!index().emplace(std::make_pair(kept.suite, kept.name), &kept).second)
    throw std::logic_error("two checks are called " + kept.suite + "." + kept.name);
  checks().push_back(std::move(owned));
  testing::RegisterTest(kept.suite.c_str(), kept.name.c_str(), nullptr, nullptr,
                        kept.place.empty() ? __FILE__ : kept.place.c_str(), __LINE__,
                        [&kept]() -> testing::Test* { return new Judged(kept); });
}

}  // namespace stile::conformance
