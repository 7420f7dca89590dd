// Effects that are functions of the caller's (E): they cannot be written in a dialogue.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <thread>

#include "check.hpp"
#include "checks/checks.hpp"
#include "codec/op.hpp"
#include "dialogue/match.hpp"
#include "store/operation.hpp"

namespace stile::conformance {
namespace {

Outcome fault(std::string text) { return {Verdict::failed, std::move(text), {}, 1}; }

std::string language_of(const Target& target) {
  for (const std::string& one : target.facts.capabilities) {
    if (one.starts_with("effects:")) return one.substr(std::strlen("effects:"));
  }
  return {};
}

stile_bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// A function that counts its runs, gives a value or fails, and asks the transaction something.
struct Function {
  std::string gives = "given";
  bool fails = false;
  std::string asks;  ///< a statement to run; empty = none

  int runs = 0;
  bool here = true;  ///< on the thread that called execute
  std::int32_t asked = STILE_OK;
  std::thread::id caller = std::this_thread::get_id();

  static std::int32_t run(void* ctx, const stile_tx* tx, stile_bytes* value, stile_text* error) {
    auto& self = *static_cast<Function*>(ctx);
    ++self.runs;
    self.here = std::this_thread::get_id() == self.caller;
    if (!self.asks.empty()) {
      stile_rows rows{};
      rows.struct_size = sizeof rows;
      self.asked = tx->query(tx->ctx, {self.asks.data(), self.asks.size()}, nullptr, 0, &rows);
    }
    static constexpr std::string_view why = "the caller's own reason";
    *error = {why.data(), why.size()};
    *value = bytes_of(self.gives);
    return self.fails ? STILE_EFFECT_FAILED : STILE_OK;
  }
};

/// One workflow with a lease, and calls that transact on it with a function.
class Scene {
 public:
  explicit Scene(const Target& target)
      : language_(language_of(target)), backend_(target.open(target.fresh_namespace())), client_(backend_) {
    link_ = backend_->connect(std::chrono::steady_clock::now() + std::chrono::seconds{20});
    json::object granted = say({{"op", "acquire"}, {"workflow", "w"}, {"ttl", "1h"}, {"budget", "1h"}});
    fence_ = Fence::parse(json::value_to<std::string>(granted.at("fence"))).value();
  }

  json::object say(const json::object& request) { return client_.call(request); }
  json::object load() { return say({{"op", "load"}, {"workflow", "w"}}); }
  std::size_t records() { return load().at("records").as_array().size(); }
  Fence fence() const { return fence_; }

  json::object transact(Function& function, std::string_view key, Fence fence, Id op_id = Id::random()) {
    codec::Op op(STILE_OP_TRANSACT);
    stile_effect effect{};
    fill(op, effect, function, key, fence, op_id);
    stile_op* ops[] = {op.get()};
    execute(ops);
    return codec::answer_json(*op.get());
  }

  /// Beside another operation in one call (R3).
  std::vector<json::object> transact_in_a_batch(Function& function, std::string_view key) {
    codec::Op op(STILE_OP_TRANSACT);
    stile_effect effect{};
    fill(op, effect, function, key, fence_, Id::random());
    auto other = codec::Op::decode({{"op", "load"}, {"workflow", "w"}});
    stile_op* ops[] = {op.get(), other->get()};
    execute(ops);
    return {codec::answer_json(*op.get()), codec::answer_json(*other->get())};
  }

 private:
  void fill(codec::Op& op, stile_effect& effect, Function& function, std::string_view key, Fence fence, Id op_id) {
    effect.struct_size = sizeof effect;
    effect.form = STILE_EFFECT_CALLBACK;
    effect.language = {language_.data(), language_.size()};
    effect.ctx = &function;
    effect.run = Function::run;
    auto* request = op.request<stile_transact_request>();
    request->workflow = bytes_of("w");
    request->fence = store::abi_of(fence);
    request->key = bytes_of(key);
    request->effect = &effect;
    std::copy(op_id.bytes.begin(), op_id.bytes.end(), std::begin(op.get()->op_id.bytes));
  }

  void execute(std::span<stile_op* const> ops) {
    stile_call call{};
    call.struct_size = sizeof call;
    call.serial = ++serial_;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    call.deadline = std::chrono::duration_cast<Duration>(deadline.time_since_epoch()).count();
    link_->execute(call, ops);
  }

  std::string language_;
  std::shared_ptr<store::Backend> backend_;
  Client client_;
  std::unique_ptr<store::Link> link_;
  std::uint64_t serial_ = 0;
  Fence fence_;
};

/// A store may know statements only: then nothing is run, and it says so. True when that settles the check.
bool has_none(Scene& scene, Outcome& outcome) {
  Function function;
  json::object answer = scene.transact(function, "probe", scene.fence());
  if (answer.at("status") != "unsupported") return false;
  outcome = Outcome{};
  if (function.runs != 0 || scene.records() != 0) outcome = fault("unsupported, and yet it ran: " + brief(answer));
  return true;
}

bool is(const json::object& answer, const char* status) { return answer.at("status") == status; }

Outcome value_is_recorded(const Target& target) {
  Scene scene(target);
  Outcome outcome;
  if (has_none(scene, outcome)) return outcome;
  Function function;
  Id op_id = Id::random();
  json::object answer = scene.transact(function, "k", scene.fence(), op_id);
  if (!is(answer, "ok") || answer.at("value") != "given" || answer.at("ran") != true) {
    return fault("must be ok value=given ran=true: " + brief(answer));
  }
  if (function.runs < 1 || !function.here) return fault("it must run, on the thread that called");
  json::object read = scene.say({{"op", "load"}, {"workflow", "w"}, {"key", "k"}});
  const json::array& records = read.at("records").as_array();
  if (records.size() != 1 || records[0].at("value") != "given" || records[0].at("position") != answer.at("position") ||
      records[0].at("written_at") != answer.at("written_at")) {
    return fault("the record is not what was answered: " + brief(answer) + "\n    " + brief(read));
  }
  int before = function.runs;
  json::object again = scene.transact(function, "k", scene.fence(), op_id);
  if (function.runs != before) return fault("the same send must not run it again (R1)");
  if (!is(again, "ok") || again.at("ran") != true) return fault("sent again, must be ok ran=true: " + brief(again));
  return {Verdict::passed, {}, {}, 4};
}

Outcome not_run_in_vain(const Target& target) {
  Scene scene(target);
  Outcome outcome;
  if (has_none(scene, outcome)) return outcome;
  scene.say({{"op", "supply"}, {"workflow", "w"}, {"key", "k"}, {"value", "first"}});
  Function function;
  json::object answer = scene.transact(function, "k", scene.fence());
  if (function.runs != 0) return fault("the key is recorded: it must not run (E2)");
  if (!is(answer, "ok") || answer.at("value") != "first" || answer.at("ran") != false) {
    return fault("must be ok value=first ran=false: " + brief(answer));
  }
  Fence other = scene.fence();
  other.stamp = Id::random();
  std::size_t before = scene.records();
  answer = scene.transact(function, "new", other);
  if (function.runs != 0) return fault("the fence is not the current one: it must not run (E3)");
  if (!is(answer, "fenced")) return fault("must be fenced: " + brief(answer));
  if (scene.records() != before) return fault("a refused effect left a record");
  return {Verdict::passed, {}, {}, 3};
}

Outcome failure_leaves_nothing(const Target& target) {
  Scene scene(target);
  Outcome outcome;
  if (has_none(scene, outcome)) return outcome;
  std::size_t before = scene.records();
  Function fails;
  fails.fails = true;
  Id op_id = Id::random();
  json::object answer = scene.transact(fails, "k", scene.fence(), op_id);
  if (!is(answer, "effect_failed")) return fault("must be effect_failed: " + brief(answer));
  if (brief(answer).find("the caller's own reason") == std::string::npos) {
    return fault("the caller's reason is lost: " + brief(answer));
  }
  if (scene.records() != before) return fault("a failed effect left a record");
  Function works;
  works.gives = "";
  answer = scene.transact(works, "k", scene.fence(), op_id);  // a refusal is not remembered
  if (!is(answer, "ok") || answer.at("ran") != true || answer.at("value") != "") {
    return fault("afterwards, must be ok value=\"\" ran=true: " + brief(answer));
  }
  return {Verdict::passed, {}, {}, 3};
}

Outcome transaction_answers(const Target& target) {
  Scene scene(target);
  Outcome outcome;
  if (has_none(scene, outcome)) return outcome;
  if (language_of(target) != "sql") return outcome;
  Function asks;
  asks.asks = "SELECT 'given'";
  json::object answer = scene.transact(asks, "a", scene.fence());
  if (!is(answer, "ok") || asks.asked != STILE_OK) return fault("a query inside must be answered: " + brief(answer));
  Function wrong;
  wrong.asks = "this is no statement";
  wrong.fails = true;
  answer = scene.transact(wrong, "b", scene.fence());
  if (wrong.asked != STILE_EFFECT_FAILED) return fault("a query that fails must answer STILE_EFFECT_FAILED");
  if (!is(answer, "effect_failed")) return fault("must be effect_failed: " + brief(answer));
  return {Verdict::passed, {}, {}, 2};
}

Outcome alone_in_its_call(const Target& target) {
  Scene scene(target);
  Outcome outcome;
  if (has_none(scene, outcome)) return outcome;
  if (target.facts.limit("batch", 1) < 2) return outcome;
  Function function;
  std::vector<json::object> answers = scene.transact_in_a_batch(function, "k");
  if (!is(answers[0], "invalid") || function.runs != 0)
    return fault("must be invalid, and not run: " + brief(answers[0]));
  if (!is(answers[1], "ok")) return fault("the other operation of the call: " + brief(answers[1]));
  return {Verdict::passed, {}, {}, 2};
}

}  // namespace

void add_callback_checks(const Target& target) {
  if (language_of(target).empty() || target.facts.part < Part::documents_and_records) return;
  add_check_in_code("callbacks", "value_is_recorded", {"E1", "R1"},
                    "What a function gives is recorded, once for each op_id.", value_is_recorded);
  add_check_in_code("callbacks", "not_run_in_vain", {"E2", "E3"},
                    "Recorded already, or under another fence: the function does not run.", not_run_in_vain);
  add_check_in_code("callbacks", "failure_leaves_nothing", {"E4"},
                    "A function that fails leaves nothing, and can be tried again.", failure_leaves_nothing);
  add_check_in_code("callbacks", "transaction_answers", {"E1", "E4"},
                    "A function can ask the transaction, and is told what fails.", transaction_answers);
  add_check_in_code("callbacks", "alone_in_its_call", {"R3"},
                    "A function beside another operation in one call is refused, and does not run.", alone_in_its_call);
}

}  // namespace stile::conformance
