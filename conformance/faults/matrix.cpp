// The fault matrix: every operation, in every situation of scripts.cpp, with every fault of its message; then it is
// sent again under the same op_id. The answer must be that of a playing without the fault, which the model has judged,
// and so must all that the store holds afterwards.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "dialogue/match.hpp"
#include "faults/courier.hpp"
#include "faults/faults.hpp"
#include "faults/playing.hpp"
#include "faults/scripts.hpp"
#include "faults/stage.hpp"
#include "model/trial.hpp"
#include "store/layers.hpp"

namespace stile::conformance::faults {
namespace {

/// What becomes of the message.
enum class Fault {
  lost_request,   ///< it never arrives
  lost_reply,     ///< it is done, and nobody hears of it
  cut_reply,      ///< the same, and the session is gone
  sent_twice,     ///< it arrives twice
  late,           ///< it arrives when the caller's lease is over
  superseded,     ///< it arrives when somebody else holds what the caller held
  straggler,      ///< it was sent again, others went on, and then the first copy arrives
  late_retry,     ///< it is done, nobody hears of it, others go on, and then it is sent again
  caller_killed,  ///< it is done by a process that is killed, and sent again by another
};

struct FaultName {
  Fault fault;
  const char* name;
  const char* counter;
};
constexpr std::array<FaultName, 9> fault_names{{{Fault::lost_request, "lost_request", "requests_lost"},
                                                {Fault::lost_reply, "lost_reply", "replies_lost"},
                                                {Fault::cut_reply, "cut_reply", "replies_cut"},
                                                {Fault::sent_twice, "sent_twice", "sent_twice"},
                                                {Fault::late, "late", "arrived_late"},
                                                {Fault::superseded, "superseded", "arrived_superseded"},
                                                {Fault::straggler, "straggler", "stragglers"},
                                                {Fault::late_retry, "late_retry", "sent_again_late"},
                                                {Fault::caller_killed, "caller_killed", "callers_killed"}}};

/// Whether a lease must end by a clock that goes by itself.
bool takes_time(Fault fault, const Target& target) {
  return (fault == Fault::late || fault == Fault::superseded) && !target.facts.can("manual_clock");
}

/// What is taken after the wait must last to the end of the playing: where a slow machine missed that, the next turn
/// gives it longer.
constexpr int turns = 3;
Lengths lengths(Fault fault, const Target& target, int turn) {
  static const std::array<Lengths, turns> of_turns{{{"150ms", std::chrono::milliseconds{200}},
                                                    {"1s", std::chrono::milliseconds{1100}},
                                                    {"5s", std::chrono::milliseconds{5200}}}};
  return takes_time(fault, target) ? of_turns.at(static_cast<std::size_t>(turn)) : Lengths{};
}

Order order_of(Fault fault) {
  switch (fault) {
    case Fault::late: return {true, false, false};
    case Fault::superseded: return {true, true, false};
    case Fault::straggler:
    case Fault::late_retry: return {false, false, true};
    default: return {};
  }
}

struct Cell {
  const Script* script;
  Fault fault;
  std::string ns;

  std::string name() const {
    for (const FaultName& one : fault_names)
      if (one.fault == fault) return script->name + " x " + one.name;
    return script->name;
  }
};

/// What a playing with a fault found.
struct Found {
  std::string wrong;  ///< empty: nothing
  std::string transcript;
  bool bitten = true;
};

/// The playing with the fault.
class Disturbed {
 public:
  Disturbed(const Cell& cell, const Lengths& length, const Target& target, Courier* courier)
      : cell_(cell),
        target_(target),
        courier_(courier),
        length_(length),
        stage_(target, length_.lease),
        store_(target.open(cell.ns)),
        faulty_(store::apply_layer("chaos", {{"seed", "1"}, {"at", chaos()}}, store_)),
        // Where a store is shared by processes a second opening of it must know as much as the first.
        other_(target.facts.can("cross_process") ? target.open(cell.ns) : store_),
        caller_(store_),
        through_(faulty_),
        others_(other_) {}

  Found play(const Played& undisturbed) {
    stage_.begin(caller_.now());
    do_lines(cell_.script->setup);
    act_ = stage_.request(cell_.script->act);
    std::string wrong = disturb();
    const Order order = order_of(cell_.fault);
    if (wrong.empty() && order.waits) caller_.pass(length_.over, target_.facts);
    if (wrong.empty() && order.steals) do_lines(cell_.script->steal);
    if (wrong.empty() && order.waits) arrive();
    if (wrong.empty() && cell_.fault == Fault::late_retry) do_lines(cell_.script->after);
    if (wrong.empty()) wrong = send_again(cell_.fault == Fault::cut_reply ? through_ : caller_, undisturbed);
    if (wrong.empty() && cell_.fault == Fault::straggler) {
      do_lines(cell_.script->after);
      arrive();
    }
    if (wrong.empty()) wrong = compare_held(undisturbed, "afterwards");
    // And once more, as somebody who knows nothing of the first two. After what others did it may act anew.
    if (wrong.empty() && !order.goes_on) wrong = send_again(others_, undisturbed);
    if (wrong.empty() && !order.goes_on) wrong = compare_held(undisturbed, "after it was sent once more");
    return {wrong, stage_.transcript(), bitten_};
  }

 private:
  std::string chaos() const {
    switch (cell_.fault) {
      case Fault::lost_reply:
      case Fault::late_retry: return "1:lose_reply";
      case Fault::cut_reply: return "1:cut";
      case Fault::sent_twice: return "1:duplicate";
      default: return "1:lose_request";
    }
  }

  void do_lines(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (line == "pass") {
        caller_.pass(moment, target_.facts);
        continue;
      }
      json::object request = stage_.request(line);
      stage_.note(request, others_.call(request));
    }
  }

  /// The first send, with its fault; says what is wrong where the fault did not bite.
  std::string disturb() {
    if (cell_.fault == Fault::caller_killed) {
      stage_.note(act_, {}, "by a process that is killed");
      return courier_ && courier_->carry(act_) ? "" : "the caller was not killed after its answer: no fault was made";
    }
    json::object answer = through_.call(act_);
    stage_.note(act_, answer, chaos());
    const char* counted = cell_.fault == Fault::cut_reply    ? "cut"
                          : cell_.fault == Fault::sent_twice ? "duplicated"
                          : chaos() == "1:lose_reply"        ? "lost_replies"
                                                             : "lost_requests";
    bitten_ = cell_.fault != Fault::sent_twice || answer.at("status") == "ok";
    if (!bitten_) return {};  // refused: what is refused does not arrive again
    for (const auto& [name, count] : store::layer_counts(*faulty_))
      if (name == counted && count > 0) return {};
    return std::string("the fault did not bite: ") + counted + " is 0";
  }

  /// The copy that was under way arrives; nobody hears the answer.
  void arrive() { stage_.note(act_, others_.call(act_), "the copy that was under way arrives"); }

  std::string send_again(Client& by, const Played& undisturbed) {
    json::object answer = by.call(act_);
    stage_.note(act_, answer, "sent again");
    // With what is stored now: of a late one only that it is not refused can be said of any operation.
    return differing_answer(stage_, answer, undisturbed, cell_.fault == Fault::late_retry);
  }

  std::string compare_held(const Played& undisturbed, const char* when) {
    Say say = [this](const json::object& request) { return others_.call(request); };
    return differing_state(dump(say, target_, stage_), undisturbed, when);
  }

  const Cell& cell_;
  const Target& target_;
  Courier* courier_;
  const Lengths length_;
  Stage stage_;
  std::shared_ptr<store::Backend> store_, faulty_, other_;
  Client caller_, through_, others_;
  json::object act_;
  bool bitten_ = true;
};

bool applies(const Script& script, Fault fault, const Played* undisturbed, const Target& target) {
  const std::string op = operation_of(script);
  switch (fault) {
    case Fault::superseded: return !script.steal.empty();
    case Fault::straggler: return !script.after.empty();
    case Fault::late_retry:
      // Refusals are not remembered, and what is granted by a lost reply nobody can go on with.
      return !script.after.empty() && takes_op_id(op) && op != "receive" && op != "acquire" &&
             (!undisturbed || undisturbed->answer.at("status") == "ok");
    case Fault::caller_killed: return target.facts.can("cross_process");
    default: return true;
  }
}

struct Judged {
  Outcome outcome;
  std::vector<std::string> failed;
};

/// Nothing where the fault says nothing of this script.
std::optional<Found> play_cell(const Cell& cell, const Lengths& length, const Target& target, Courier* courier) {
  Found found;
  try {
    const Played undisturbed = play_without_fault(*cell.script, order_of(cell.fault), length, target);
    if (!applies(*cell.script, cell.fault, &undisturbed, target)) return std::nullopt;
    found = Disturbed(cell, length, target, courier).play(undisturbed);
    if (!found.wrong.empty()) found.transcript += "  without the fault:\n" + undisturbed.transcript;
  } catch (const model::Differs& differs) {
    found.wrong = "without any fault: ";
    for (const model::Difference& each : differs.differences) found.wrong += model::describe(each) + "; ";
  }
  return found;
}

void judge_cell(Cell cell, const Target& target, Courier* courier, Judged& judged) {
  std::optional<Found> played = play_cell(cell, lengths(cell.fault, target, 0), target, courier);
  // One that is failed already needs no certainty of the others.
  for (int turn = 1; turn < turns && takes_time(cell.fault, target) && judged.failed.empty(); ++turn) {
    if (!played || played->wrong.empty()) break;
    cell.ns = target.fresh_namespace();
    played = play_cell(cell, lengths(cell.fault, target, turn), target, courier);
  }
  if (!played) return;
  const Found& found = *played;
  ++judged.outcome.counted;
  for (const FaultName& one : fault_names)
    if (one.fault == cell.fault && found.bitten) ++judged.outcome.faults[one.counter];
  if (found.wrong.empty()) return;
  judged.failed.push_back(cell.name());
  if (judged.failed.size() > 1) return;
  judged.outcome.verdict = Verdict::failed;
  judged.outcome.text = cell.name() + ": " + found.wrong + "\n  what was said:\n" + found.transcript;
}

Outcome judge_operation(const std::string& op, const Target& target) {
  std::vector<Cell> cells;
  for (const Script& script : scripts()) {
    if (operation_of(script) != op || !playable(script, target.facts)) continue;
    for (const FaultName& one : fault_names)
      if (applies(script, one.fault, nullptr, target)) cells.push_back({&script, one.fault, target.fresh_namespace()});
  }
  std::vector<Courier> couriers;  // before anything is opened here
  for (const Cell& cell : cells)
    if (cell.fault == Fault::caller_killed) couriers.emplace_back(target, cell.ns);
  Judged judged;
  judged.outcome.counted = 0;
  std::size_t next = 0;
  for (const Cell& cell : cells)
    judge_cell(cell, target, cell.fault == Fault::caller_killed ? &couriers[next++] : nullptr, judged);
  if (judged.failed.size() > 1) {
    judged.outcome.text += "  failed too:";
    for (std::size_t i = 1; i < judged.failed.size(); ++i) judged.outcome.text += " " + judged.failed[i] + ";";
    judged.outcome.text += "\n";
  }
  return judged.outcome;
}

/// What a fault of this operation's message shows something of, besides R1 and R2.
std::vector<std::string> ids_of(const std::string& op) {
  std::vector<std::string> ids{"R1", "R2"};
  auto also = [&](std::initializer_list<const char*> more) { ids.insert(ids.end(), more.begin(), more.end()); };
  if (op == "acquire") also({"A2", "A9", "A13"});
  if (op == "renew" || op == "release") also({"A4", "A7", "A8"});
  if (op == "record" || op == "rebase") also({"A4", "A5", "B1", "B3"});
  if (op == "supply" || op == "append") also({"B1", "B3", "I3", "W9"});
  if (op == "transact") also({"A4", "E1", "E2", "E4"});
  if (op == "discard") also({"A10", "C6"});
  if (op == "enqueue") also({"W2", "W3", "D7"});
  if (op == "receive") also({"D1", "D2", "D5"});
  if (op == "ack" || op == "snooze" || op == "nack" || op == "reject" || op == "extend") also({"D2", "D4", "D6", "D8"});
  if (op == "cancel") also({"C1", "C2", "C4"});
  if (op == "put" || op == "erase") also({"K2", "K3"});
  if (op == "trim") also({"T3"});
  return ids;
}

}  // namespace

void add_matrix(const Target& target) {
  std::vector<std::string> known;
  for (const Script& script : scripts()) {
    const std::string op = operation_of(script);
    if (!playable(script, target.facts) || std::find(known.begin(), known.end(), op) != known.end()) continue;
    known.push_back(op);
    add_fault(op, op + " whose request or reply is lost, cut, doubled or late, and which is then sent again",
              ids_of(op), std::chrono::seconds{120}, [op](const Target& store) { return judge_operation(op, store); });
  }
}

}  // namespace stile::conformance::faults
