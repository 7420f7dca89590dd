// A store and the model side by side: what is sent to the one is judged by the other, and so is all that it then holds.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.hpp"
#include "target.hpp"

namespace stile::conformance::model {

/// Thrown when the store differs from the contract.
struct Differs {
  std::vector<Difference> differences;
};
/// Thrown when real time ran in a way that the model cannot follow: more than one thing ended inside one call.
struct Ambiguous {};

/// Text that makes an effect give the word "given", or fail, in a language that the suite speaks.
struct EffectText {
  std::string language, gives, fails;
};

class Trial {
 public:
  /// Opens the store in this namespace and looks at its clock.
  Trial(const Target& target, std::string_view ns);

  /// Sends one operation and judges the answer. A write without op_id gets one. Throws Differs.
  json::object say(json::object request);
  /// Sends one batch and judges each answer (R3). Its operations are of one workflow, or do not meet each other.
  std::vector<json::object> say_all(std::vector<json::object> requests);
  /// The same, but says what differs instead of throwing; one list for each request.
  std::vector<json::object> exchange(std::vector<json::object> requests, std::vector<Differs>& found);

  /// Compares all that the store holds with the model: list, stats, every checkpoint, every document.
  void compare_everything();
  /// Compares list, stats and the checkpoints of these workflows.
  void compare(const std::vector<std::string>& ids);
  /// Lets the store's clock go on.
  void pass(Time length);
  /// Where the last receive was empty although something was due, asks again until somebody gets it (W4, W7).
  void ask_again(const json::object& receive);

  /// What the store may hold: by a real clock one of several, of which this is the first.
  const Model& model() const { return models_.front(); }
  const World& world() const { return model().world(); }
  bool manual_clock() const { return manual_; }
  Now now() const { return {clock_, {clock_, 0}}; }
  bool determines(const json::object& request) const;
  /// Whether the store keeps the part of the contract that an operation belongs to.
  bool does(const json::object& request) const { return target_.facts.does(Said(request).op()); }
  const std::vector<EffectText>& effects() const { return effects_; }
  /// Gives a write an op_id, the same ones in every run of a trial.
  void give_op_id(json::object& request);

  /// What was said and answered, as `stile call` reads and writes it; only the lines that name `about`, if it is given.
  std::string transcript(std::string_view about = {}) const;
  /// How often each operation was answered with each status: "ack fenced".
  const std::map<std::string, std::uint64_t>& met() const { return met_; }

 private:
  struct Line {
    json::object request, answer;
    std::string about;  ///< the workflow whose receipt it shows
  };
  struct Bracket {
    Time from, to;
  };

  Differs judge(const json::object& request, const json::object& answer, Bracket when, std::string_view before);
  bool ends_something(const std::vector<json::object>& requests, Time from, Time to) const;
  bool passed_over() const;
  std::vector<json::object> judge_reads(const std::vector<json::object>& requests);
  std::vector<json::object> send(const std::vector<json::object>& requests, Bracket& when);
  void wait_for_a_clear_moment(const std::vector<json::object>& requests);
  void page(json::object request);
  void read_clock();

  Target target_;
  Client client_;
  std::vector<Model> models_;  ///< all that what was answered so far leaves possible; never empty
  bool manual_;
  std::size_t most_in_a_batch_;
  Time clock_ = 0;  ///< the store's clock when it was last seen
  std::uint64_t op_ids_ = 0;
  std::map<std::string, std::uint64_t> met_;
  std::vector<std::string> rests_on_;  ///< of the last operations that were no reads
  std::vector<EffectText> effects_;
  std::vector<Line> lines_;
};

/// What a store said of itself in its info.
Terms terms_of(const Facts& facts);

}  // namespace stile::conformance::model
