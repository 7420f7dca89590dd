// Sending to the store, judging by the model, comparing what both hold.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/trial.hpp"

#include <algorithm>
#include <array>

namespace stile::conformance::model {

namespace {

/// The store may count time more coarsely than we do (W7).
constexpr Time finest = 1000;
/// W4: how long a due wakeup may be passed over by an idle store, and a margin for a slow machine.
constexpr Time soon = 2'000'000;
/// How many models are followed at once before a trial is given up.
constexpr std::size_t most_possible = 64;

bool takes_op_id(const std::string& op) {
  static const std::set<std::string> kinds = {"acquire", "record",         "supply",  "append",  "transact", "rebase",
                                              "discard", "request_cancel", "enqueue", "receive", "ack",      "snooze",
                                              "nack",    "reject",         "cancel",  "put",     "erase"};
  return kinds.count(op) != 0;
}

json::object as_sent(const json::object& request) {
  json::object sent(request);
  sent.erase("gives");  // the harness's knowledge of an effect, not a member of CALL.md
  return sent;
}

}  // namespace

Terms terms_of(const Facts& facts) {
  Terms terms;
  terms.capabilities = facts.capabilities;
  terms.id_bytes = facts.limit("id_bytes", terms.id_bytes);
  terms.value_bytes = facts.limit("value_bytes", terms.value_bytes);
  terms.error_bytes = facts.limit("error_bytes", terms.error_bytes);
  terms.reply_bytes = facts.limit("reply_bytes", terms.reply_bytes);
  terms.page = facts.limit("page", terms.page);
  terms.queues = facts.limit("queues", terms.queues);
  terms.partitions = facts.limit("partitions", terms.partitions);
  return terms;
}

Trial::Trial(const Target& target, std::string_view ns)
    : target_(target),
      client_(target.open(ns)),
      models_{Model(terms_of(target.facts))},
      manual_(target.facts.can("manual_clock")),
      most_in_a_batch_(std::min<std::size_t>(32, target.facts.limit("batch", 32))) {
  const std::array<EffectText, 2> known = {
      {{"sql", "SELECT 'given'", "SELECT NULL"}, {"lua", "return 'given'", "return nil"}}};
  for (const EffectText& each : known) {
    if (target.facts.can("effects:" + each.language)) effects_.push_back(each);
  }
  read_clock();
}

void Trial::read_clock() { clock_ = client_.now().time_since_epoch().count(); }

void Trial::give_op_id(json::object& request) {
  Said said(request);
  if (!takes_op_id(said.op()) || request.contains("op_id") || said.flag("again")) return;
  std::string digits = std::to_string(++op_ids_);
  request["op_id"] = std::string(32 - digits.size(), 'a') + digits;
}

bool Trial::determines(const json::object& request) const {
  return std::all_of(models_.begin(), models_.end(),
                     [&](const Model& each) { return each.determines(request, now()); });
}

bool Trial::ends_something(const std::vector<json::object>& requests, Time from, Time to) const {
  return std::any_of(models_.begin(), models_.end(), [&](const Model& model) {
    return std::any_of(requests.begin(), requests.end(),
                       [&](const json::object& each) { return !model.ends_within(each, from, to).empty(); });
  });
}

/// Real time only: not while something that the requests meet is about to end, or may have ended just now, so that
/// there is one way to judge them. What ends inside the call all the same, is judged in every way.
void Trial::wait_for_a_clear_moment(const std::vector<json::object>& requests) {
  constexpr Time near = 3000;
  for (int i = 0; i < 20; ++i) {
    read_clock();
    if (!ends_something(requests, clock_, clock_ + near)) return;
    client_.pass(Duration{near}, target_.facts);
  }
}

std::vector<json::object> Trial::send(const std::vector<json::object>& requests, Bracket& when) {
  std::vector<json::object> sent;
  for (const json::object& each : requests) sent.push_back(as_sent(each));
  if (!manual_) wait_for_a_clear_moment(requests);
  when.from = clock_;
  std::vector<json::object> answers = client_.batch(sent);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ++met_[Said(requests[i]).op() + " " + Said(answers[i]).bytes("status")];
  }
  if (!manual_) read_clock();
  when.to = clock_;
  return answers;
}

Differs Trial::judge(const json::object& request, const json::object& answer, Bracket when, std::string_view before) {
  Moment stamp = manual_ ? Moment{when.from, 0} : between(when.from - finest, when.to + finest);
  std::vector<Model> possible;
  Differs differs;
  auto take = [&](Model& model, const Ruling& ruling) {
    if (ruling.open) throw Ambiguous{};
    if (!ruling.fine()) {
      if (differs.differences.empty()) differs.differences = ruling.differences;
      return;
    }
    rests_on_.insert(rests_on_.end(), ruling.rests_on.begin(), ruling.rests_on.end());
    bool known = std::find(possible.begin(), possible.end(), model) != possible.end();
    if (!known) possible.push_back(std::move(model));
    if (possible.size() > most_possible) throw Ambiguous{};
  };
  for (Model& model : models_) {
    Choices choices(when.from, when.to);
    Now now{stamp.at, stamp, manual_ ? nullptr : &choices};
    if (manual_ || model.ends_within(request, when.from, when.to).empty()) {
      Ruling ruling = model.apply(request, answer, now, before);
      if (choices.any()) throw Ambiguous{};  // a moment that ends_within does not know of
      take(model, ruling);
      continue;
    }
    do {
      Model way(model);
      Ruling ruling = way.apply(request, answer, now, before);
      take(way, ruling);
    } while (choices.next());
  }
  if (possible.empty()) return differs;  // the models are spoilt: nobody goes on after a difference
  models_ = std::move(possible);
  return {};
}

json::object Trial::say(json::object request) { return say_all({std::move(request)}).front(); }

std::vector<json::object> Trial::say_all(std::vector<json::object> requests) {
  std::vector<Differs> found;
  std::vector<json::object> answers = exchange(std::move(requests), found);
  for (const Differs& each : found) {
    if (!each.differences.empty()) throw each;
  }
  return answers;
}

std::vector<json::object> Trial::exchange(std::vector<json::object> requests, std::vector<Differs>& found) {
  for (json::object& each : requests) give_op_id(each);
  Bracket when{};
  std::vector<json::object> answers = send(requests, when);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto owner = world().receipts.find(Said(requests[i]).bytes("receipt"));
    lines_.push_back({as_sent(requests[i]), answers[i], owner == world().receipts.end() ? "" : owner->second});
  }
  rests_on_.clear();
  std::string before;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    found.push_back(judge(requests[i], answers[i], when, before));
    before = Said(answers[i]).bytes("status");
  }
  return answers;
}

void Trial::pass(Time length) {
  if (manual_) {
    say({{"op", "advance"}, {"by", length}});
    clock_ += length;
    return;
  }
  client_.pass(Duration{length + finest}, target_.facts);
  read_clock();
}

bool Trial::passed_over() const {
  return std::any_of(models_.begin(), models_.end(), [](const Model& each) { return each.world().passed_over; });
}

void Trial::ask_again(const json::object& receive) {
  auto until = std::chrono::steady_clock::now() + Duration{soon};
  json::object request(receive);
  while (passed_over()) {
    if (std::chrono::steady_clock::now() > until) {
      throw Differs{{{{"W1", "W4"}, "receive: nothing handed out for seconds although something is due"}}};
    }
    request.erase("op_id");
    say(request);
  }
}

/// Reads change nothing, so what differs is the work of the operation before: its ruling is broken too.
std::vector<json::object> Trial::judge_reads(const std::vector<json::object>& requests) {
  std::vector<std::string> before = rests_on_;
  std::vector<json::object> all;
  for (std::size_t begin = 0; begin < requests.size(); begin += most_in_a_batch_) {
    auto first = requests.begin() + static_cast<std::ptrdiff_t>(begin);
    std::size_t count = std::min(most_in_a_batch_, requests.size() - begin);
    std::vector<json::object> some(first, first + static_cast<std::ptrdiff_t>(count));
    Bracket when{};
    std::vector<json::object> answers = send(some, when);
    for (std::size_t i = 0; i < some.size(); ++i) {
      Differs differs = judge(some[i], answers[i], when, "");
      for (Difference& each : differs.differences) {
        each.text = "afterwards, " + each.text;
        each.ids.insert(each.ids.end(), before.begin(), before.end());
      }
      if (!differs.differences.empty()) {
        lines_.push_back({some[i], answers[i], ""});
        throw differs;
      }
      all.push_back(std::move(answers[i]));
    }
  }
  rests_on_ = before;
  return all;
}

/// One page after the other, each judged for itself.
void Trial::page(json::object request) {
  for (;;) {
    json::object answer = judge_reads({request}).front();
    if (!answer.contains("next")) return;
    request["after"] = answer.at("next");
  }
}

void Trial::compare(const std::vector<std::string>& ids) {
  if (does({{"op", "list"}})) page({{"op", "list"}});
  std::vector<json::object> reads;
  if (does({{"op", "stats"}})) reads.push_back({{"op", "stats"}});
  for (const std::string& id : ids) {
    bool document = world().documents.count(id) != 0 || !does({{"op", "load"}});
    reads.push_back(document ? json::object{{"op", "get"}, {"key", id}}
                             : json::object{{"op", "load"}, {"workflow", id}});
  }
  judge_reads(reads);
}

void Trial::compare_everything() {
  if (does({{"op", "scan"}})) page({{"op", "scan"}, {"prefix", ""}});
  compare({});
  std::vector<json::object> reads;
  for (const auto& [id, workflow] : world().workflows) {
    // A long checkpoint is read in pages from where the last page must have ended at the latest.
    reads.push_back({{"op", "load"}, {"workflow", id}});
    if (workflow.records.size() > 1) {
      reads.push_back({{"op", "load"}, {"workflow", id}, {"after", workflow.records.begin()->first}, {"limit", 1}});
    }
  }
  for (const auto& [key, document] : world().documents) reads.push_back({{"op", "get"}, {"key", key}});
  judge_reads(reads);
}

std::string Trial::transcript(std::string_view about) const {
  std::string out;
  for (const Line& line : lines_) {
    std::string said = json::serialize(line.request);
    std::string answered = json::serialize(line.answer);
    bool named = said.find(about) != std::string::npos || answered.find(about) != std::string::npos;
    if (!named && line.about != about) continue;
    out += "  " + said + "\n    -> " + answered + "\n";
  }
  return out;
}

}  // namespace stile::conformance::model
