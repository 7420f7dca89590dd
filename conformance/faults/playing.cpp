// Playing a script beside the model, and comparing what came of it.
//
// SPDX-License-Identifier: Apache-2.0
#include "faults/playing.hpp"

#include <stdexcept>

#include "model/trial.hpp"

namespace stile::conformance::faults {
namespace {

Played play_once(const Script& script, Order order, const Lengths& length, const Target& target) {
  Stage stage(target, length.lease);
  model::Trial trial(target, target.fresh_namespace());
  Say say = [&](const json::object& request) {
    if (!trial.determines(request))
      throw std::logic_error("a script asks what the contract does not answer: " + json::serialize(request));
    return trial.say(request);
  };
  stage.begin(StoreTime{Duration{say({{"op", "info"}}).at("store_time").to_number<std::int64_t>()}});
  auto do_line = [&](const Line& line) {
    json::object request = stage.request(line);
    if (line.find("$giving") != Line::npos) request["gives"] = "given";
    json::object answer = say(request);
    request.erase("gives");
    stage.note(request, answer);
    return answer;
  };
  auto do_lines = [&](const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (line == "pass")
        trial.pass(moment.count());
      else
        do_line(line);
    }
  };
  do_lines(script.setup);
  json::object act = stage.request(script.act);
  if (script.act.find("$giving") != Line::npos) act["gives"] = "given";
  if (order.waits) trial.pass(length.over.count());
  if (order.steals) do_lines(script.steal);
  json::object answer = say(act);
  act.erase("gives");
  stage.note(act, answer);
  Played played;
  played.answer = stage.comparable(answer).as_object();
  if (order.goes_on) do_lines(script.after);
  played.held = dump(say, target, stage);
  trial.compare_everything();
  played.transcript = stage.transcript();
  return played;
}

}  // namespace

Played play_without_fault(const Script& script, Order order, const Lengths& lengths, const Target& target) {
  for (int turn = 0;; ++turn) {
    try {
      return play_once(script, order, lengths, target);
    } catch (const model::Ambiguous&) {
      if (turn == 5) throw Error(Status::internal, "the clock ran in a way that cannot be followed, five times");
    }
  }
}

std::string differing_answer(Stage& stage, const json::object& answer, const Played& undisturbed, bool only_status) {
  json::object is = stage.comparable(answer).as_object(), wanted = undisturbed.answer;
  if (only_status) {
    is = {{"status", is.at("status")}};
    wanted = {{"status", wanted.at("status")}};
  }
  // "Counts such as removed may be 0 the second time."
  if (is.contains("removed") && (is["removed"] == 0 || is["removed"] == false)) {
    is.erase("removed");
    wanted.erase("removed");
  }
  if (is == wanted) return {};
  return "sent again it must answer as without the fault\n    without:  " + json::serialize(wanted) +
         "\n    answered: " + json::serialize(is);
}

std::string differing_state(const json::object& held, const Played& undisturbed, const char* when) {
  for (const auto& [name, value] : undisturbed.held) {
    const json::value* is = held.if_contains(name);
    if (is && *is == value) continue;
    return "the store does not hold what it would hold without the fault, " + std::string(when) + ": " +
           std::string(name) + "\n    without:  " + json::serialize(value) +
           "\n    held:     " + (is ? json::serialize(*is) : "nothing");
  }
  return held.size() == undisturbed.held.size() ? "" : "the store holds more documents than without the fault";
}

}  // namespace stile::conformance::faults
