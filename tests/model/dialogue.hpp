// A talk between a caller and a store that the model listens to: what a lawful store answers, and what it must not.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/model.hpp"

namespace stile::conformance::model {

/// Requests and answers are JSON with ' for ". The clock stands at 1,000,000 until it is moved.
class Dialogue {
 public:
  explicit Dialogue(std::set<std::string> capabilities = {"one_commit", "coupled_receive", "manual_clock",
                                                          "push_records", "effects:sql"});

  /// The contract allows this answer; the model goes on from it.
  void lawful(std::string_view request, std::string_view answer);
  /// It does not, and the model says so by this id; the model stays where it was.
  void broken(std::string_view id, std::string_view request, std::string_view answer);
  /// The contract does not say what this request does.
  void open(std::string_view request);
  /// Real time: the call took effect within this much around now.
  void within(Time slack) { slack_ = slack; }
  void pass(Time length) { now_ += length; }
  Time now() const { return now_; }
  Model& model() { return model_; }

 private:
  Now time() const { return {now_, {now_, slack_}}; }

  Model model_;
  Time now_ = 1'000'000;
  Time slack_ = 0;
};

/// A fence whose stamp is that op_id: 32 times one digit.
std::string op(char digit);
std::string fence(int number, char digit);

}  // namespace stile::conformance::model
