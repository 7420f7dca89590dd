// Does the cost of something grow with what is there? Measured as a ratio, never against a clock (B10, C5).
//
// SPDX-License-Identifier: Apache-2.0
#include "dialogue/cost.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "dialogue/match.hpp"
#include "dialogue/requests.hpp"

namespace stile::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int measurements = 5;
constexpr int rounds = 101;

struct Unexpected {
  std::string text;
};

/// One of the two states: its namespace, what its lines took.
class Side {
 public:
  Side(const Line& line, const Target& target)
      : line_(line), scope_(new_scope(target.facts)), client_(target.open(target.fresh_namespace())) {
    batch_ = std::clamp<std::uint64_t>(target.facts.limit("batch", 1), 1, 256);
  }

  void build(std::int64_t size) {
    for (const Line& line : line_.lines) judge(line, client_.call(make_request(*line.request, scope_)));
    std::vector<json::object> requests;
    std::vector<const Line*> lines;
    auto flush = [&] {
      auto answers = client_.batch(requests);
      for (std::size_t i = 0; i < answers.size(); ++i) judge(*lines[i], answers[i]);
      requests.clear();
      lines.clear();
    };
    for (n_ = 1; n_ <= size; ++n_) {
      scope_.variables["n"] = n_;
      for (const Line& line : line_.grow) {
        requests.push_back(make_request(*line.request, scope_));
        lines.push_back(&line);
      }
      if (requests.size() + line_.grow.size() > batch_) flush();
    }
    if (!requests.empty()) flush();
  }

  /// The time the probes of one round take.
  Duration::rep round() {
    scope_.variables["n"] = n_++;
    for (const Line& line : line_.fresh) judge(line, client_.call(make_request(*line.request, scope_)));
    Clock::duration took{0};
    for (const Line& line : line_.probe) {
      json::object request = make_request(*line.request, scope_);
      auto begun = Clock::now();
      json::object answer = client_.call(request);
      took += Clock::now() - begun;
      judge(line, answer);
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  }

 private:
  void judge(const Line& line, const json::object& answer) {
    if (auto differs = mismatch(*line.expect, answer, {scope_, Duration{0}}))
      throw Unexpected{line.place.text() + ": " + *differs + "\n    answered " + brief(answer)};
  }

  const Line& line_;
  Scope scope_;
  Client client_;
  std::uint64_t batch_ = 1;
  std::int64_t n_ = 1;
};

std::int64_t median(std::vector<std::int64_t>& samples) {
  auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

std::optional<std::string> compare_costs(const Line& line, const Target& target) {
  Scope scope = new_scope(target.facts);
  std::int64_t small = number_of(line.terms[0], scope), large = number_of(line.terms[1], scope);
  std::int64_t factor = number_of(line.terms[2], scope);
  std::string said;
  try {
    Side few(line, target), lots(line, target);
    few.build(small);
    lots.build(large);
    for (int i = 0; i < measurements; ++i) {
      std::vector<std::int64_t> cheap, dear;
      // In turns, so that whatever else the machine does meets both sides alike.
      for (int r = 0; r < rounds; ++r) {
        cheap.push_back(few.round());
        dear.push_back(lots.round());
      }
      std::int64_t one = median(cheap), other = median(dear);
      if (other < factor * std::max<std::int64_t>(one, 1)) return std::nullopt;
      said += (said.empty() ? "" : ", ") + std::to_string(one) + "ns and " + std::to_string(other) + "ns";
    }
  } catch (const Unexpected& unexpected) {
    return unexpected.text;
  }
  return "the cost grows: at " + std::to_string(small) + " and at " + std::to_string(large) + " there, medians of " +
         std::to_string(rounds) + ": " + said + ", not below " + std::to_string(factor) + " times";
}

}  // namespace stile::conformance
