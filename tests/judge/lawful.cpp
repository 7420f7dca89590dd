// A sequential run of a real store, told as if its callers had overlapped.
//
// SPDX-License-Identifier: Apache-2.0
#include "lawful.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "codec/op.hpp"
#include "store/open.hpp"

namespace stile::conformance::judge {

bool Call::ok() const {
  const json::value* status = answered.if_contains("status");
  return !unanswered && status && *status == "ok";
}

namespace {

constexpr std::int64_t start = 1'000'000;

/// A store of its own, by a manual clock.
class Sequential {
 public:
  Sequential() {
    static std::atomic<unsigned> number{0};
    backend_ = store::open_backend("memory://lawful" + std::to_string(++number) + "?clock=manual");
    link_ = backend_->connect(Deadline::max());
    base_ = run({{"op", "info"}}).at("store_time").to_number<std::int64_t>() - start;
  }
  json::object run(const json::object& request) {
    auto op = codec::Op::decode(request);
    stile_op* ops[] = {op->get()};
    stile_call call{};
    call.struct_size = sizeof(call);
    call.serial = ++serial_;
    call.deadline = STILE_NEVER;
    link_->execute(call, ops);
    return codec::answer_json(*op->get());
  }
  void advance(std::int64_t by) { run({{"op", "advance"}, {"by", by}}); }
  std::int64_t base() const { return base_; }

 private:
  std::shared_ptr<store::Backend> backend_;
  std::unique_ptr<store::Link> link_;
  std::uint64_t serial_ = 0;
  std::int64_t base_ = 0;
};

/// Draws requests that mean something: fences and receipts that were given, keys that meet.
class Drawing {
 public:
  Drawing(Random& random, const Shape& shape) : random_(random), shape_(shape) {}

  json::object next() {
    if (!again_.empty() && one_in(3)) {
      json::object request = again_.back();
      again_.pop_back();
      return request;
    }
    int drawn = below(100);
    if (drawn < 8) return acquire();
    if (drawn < 30) return fenced();
    if (drawn < 44) return unfenced();
    if (drawn < 54) return enqueue();
    if (drawn < 68) return receive();
    if (drawn < 82) return answer();
    if (drawn < 90) return load();
    return document();
  }

  void learn(const json::object& asked, const json::object& answered, bool lost) {
    if (lost && asked.contains("op_id") && !one_in(3)) {
      json::object resend = asked;
      if (asked.at("op") == "receive") resend["again"] = true;
      again_.push_back(std::move(resend));
    }
    if (lost || answered.at("status") != "ok") return;
    if (asked.at("op") == "acquire") fences_[text(asked.at("workflow"))].push_back(text(answered.at("fence")));
    if (asked.at("op") == "put") versions_[text(asked.at("key"))].push_back(text(answered.at("version")));
    if (asked.at("op") != "receive") return;
    for (const auto& each : answered.at("deliveries").as_array()) {
      const auto& delivery = each.as_object();
      std::string workflow = text(delivery.at("workflow"));
      if (delivery.contains("fence")) fences_[workflow].push_back(text(delivery.at("fence")));
      receipts_.emplace_back(workflow, text(delivery.at("receipt")));
    }
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  bool one_in(int n) { return below(n) == 0; }
  std::int64_t duration() { return 1'000 * (1 + below(60)); }
  static std::string text(const json::value& value) { return std::string(value.as_string()); }
  std::string workflow() { return "w" + std::to_string(below(shape_.workflows)); }
  std::string value() { return "v" + std::to_string(one_in(3) ? below(4) : ++values_); }
  std::string op_id() {
    std::string hex = std::to_string(++ops_);
    return std::string(32 - hex.size(), '0') + hex;
  }
  /// Mostly the latest.
  json::value fence(const std::string& id) {
    auto& all = fences_[id];
    if (all.empty()) return nullptr;
    return json::string(one_in(4) ? all[static_cast<std::size_t>(below(static_cast<int>(all.size())))] : all.back());
  }

  json::object acquire() {
    json::object request{{"op", "acquire"},
                         {"workflow", workflow()},
                         {"ttl", duration()},
                         {"budget", 2 * duration()},
                         {"op_id", op_id()}};
    if (one_in(12)) request["force"] = true;
    return request;
  }
  json::object fenced() {
    std::string id = workflow();
    json::object request{{"workflow", id}, {"fence", fence(id)}};
    int drawn = below(12);
    if (drawn == 0) {
      request["op"] = "release";
    } else if (drawn < 3) {
      request["op"] = "renew";
      request["ttl"] = duration();
      if (one_in(2)) request["budget"] = duration();
    } else {
      request["op"] = drawn == 3 ? "rebase" : "record";
      request["key"] = "k" + std::to_string(below(6));
      request["value"] = value();
      request["op_id"] = op_id();
    }
    return request;
  }
  json::object unfenced() {
    json::object request{{"workflow", workflow()}, {"op_id", op_id()}};
    int drawn = below(16);
    if (drawn == 0) {
      request["op"] = "discard";
      if (one_in(2)) request["cancel"] = true;
    } else if (drawn == 1) {
      request["op"] = "request_cancel";
    } else if (drawn == 2) {
      return {{"op", "trim"}, {"older_than", 0}};
    } else {
      bool appends = drawn < 10;
      request["op"] = appends ? "append" : "supply";
      request["value"] = value();
      if (!appends) request["key"] = "k" + std::to_string(below(6));
      if (appends && one_in(3)) request["message_id"] = "m" + std::to_string(below(4));
      if (one_in(3)) request["enqueue"] = true;
    }
    return request;
  }
  json::object enqueue() {
    if (one_in(6)) return {{"op", "cancel"}, {"workflow", workflow()}, {"op_id", op_id()}};
    json::object request{{"op", "enqueue"}, {"workflow", workflow()}, {"op_id", op_id()}};
    if (one_in(3)) request["delay"] = duration() / 4;
    if (one_in(4)) request["queue"] = "q";
    if (one_in(4)) request["revive"] = true;
    return request;
  }
  json::object receive() {
    json::object request{
        {"op", "receive"}, {"queues", {"", "q"}}, {"max", 1 + below(2)}, {"lease", duration()}, {"op_id", op_id()}};
    if (one_in(2)) request["acquire"] = {{"ttl", duration()}, {"budget", 2 * duration()}};
    if (one_in(2)) request["load"] = json::object();
    return request;
  }
  json::object answer() {
    if (receipts_.empty()) return enqueue();
    std::size_t last = receipts_.size() - 1;
    std::size_t back = one_in(3) ? std::min<std::size_t>(last, static_cast<std::size_t>(below(4))) : 0;
    const auto& [id, receipt] = receipts_[last - back];
    json::object request{{"receipt", receipt}};
    int drawn = below(10);
    json::value shown = fence(id);
    if (drawn < 2) {
      request["op"] = "extend";
      request["lease"] = duration();
      if (one_in(3) && !shown.is_null()) request["fence"] = shown, request["ttl"] = duration();
      return request;
    }
    static const char* ops[] = {"", "", "ack", "ack", "ack", "ack", "snooze", "nack", "nack", "reject"};
    request["op"] = ops[drawn];
    request["op_id"] = op_id();
    if (drawn == 6) request["delay"] = duration() / 4;
    if (drawn >= 7 && one_in(2)) request["error"] = value();
    if (one_in(2) && !shown.is_null()) {
      request["fence"] = shown;
      if (one_in(2)) request["release"] = true;
      if (drawn < 6 && one_in(3)) request["finished"] = true;
    }
    return request;
  }
  json::object load() {
    json::object request{{"op", "load"}, {"workflow", workflow()}};
    if (one_in(4)) request["limit"] = 1 + below(3);
    if (one_in(4)) request["after"] = below(8);
    if (one_in(8)) request["key"] = "k" + std::to_string(below(6));
    return request;
  }
  json::object document() {
    std::string key = "d" + std::to_string(below(2));
    int drawn = below(12);
    if (drawn < 3) return {{"op", "get"}, {"key", key}};
    if (drawn == 3) return {{"op", "scan"}, {"prefix", "d"}};
    json::object request{{"op", drawn < 5 ? "erase" : "put"}, {"key", key}, {"op_id", op_id()}};
    auto& versions = versions_[key];
    if (one_in(2) && !versions.empty())
      request["if"] = versions.back();
    else if (drawn >= 5 && one_in(2))
      request["if"] = "absent";
    if (drawn < 5) return request;
    request["value"] = value();
    if (one_in(3)) request["ttl"] = duration();
    if (one_in(6)) request["ttl"] = "keep";
    return request;
  }

  Random& random_;
  const Shape& shape_;
  int values_ = 0, ops_ = 0;
  std::map<std::string, std::vector<std::string>> fences_, versions_;
  std::vector<std::pair<std::string, std::string>> receipts_;
  std::vector<json::object> again_;
};

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return most <= least ? least
                       : least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// Fences, receipts and versions that an answer tells, or a request shows.
std::vector<std::string> names_in(const json::value& value) {
  std::vector<std::string> names;
  if (const auto* list = value.if_array())
    for (const json::value& each : *list)
      for (std::string& name : names_in(each)) names.push_back(std::move(name));
  if (const auto* object = value.if_object())
    for (const auto& [key, each] : *object) {
      bool names_it = each.is_string() && (key == "fence" || key == "receipt" || key == "version" || key == "if");
      if (names_it)
        names.push_back(std::string(key == "version" || key == "if" ? "v" : "") + std::string(each.get_string()));
      if (each.is_structured())
        for (std::string& name : names_in(each)) names.push_back(std::move(name));
    }
  return names;
}

/// Stretches what happened at one instant: a client is busy with one call at a time, and shows what it was told before.
void stretch(std::vector<Call>& calls, Random& random) {
  constexpr std::int64_t most = 20'000;
  std::map<std::string, std::int64_t> shown, told, busy, next;  // when a name is first shown, was first told
  std::vector<std::int64_t> latest(calls.size());
  for (std::size_t i = calls.size(); i-- > 0;) {
    const Call& call = calls[i];
    latest[i] = call.at + most;
    auto bound = [&](std::int64_t at) { latest[i] = std::min(latest[i], at - 1); };
    if (next.contains(call.client)) bound(next[call.client]);
    for (const std::string& name : names_in(call.answered))
      if (shown.contains(name)) bound(shown[name]);
    for (const std::string& name : names_in(call.asked)) shown[name] = call.at;
    next[call.client] = call.at;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    std::int64_t earliest = std::max(busy[call.client], call.at - most);
    for (const std::string& name : names_in(call.asked))
      if (told.contains(name)) earliest = std::max(earliest, told[name] + 1);
    call.invoke = between(random, earliest, call.at);
    bool doubtful = call.unanswered || call.answered.at("status") == "unknown";
    // What was lost may happen after its caller gave up.
    call.end = between(random, doubtful ? call.invoke : call.at, latest[i]);
    busy[call.client] = call.end + 1;
    for (const std::string& name : names_in(call.answered)) told.try_emplace(name, call.end);
  }
}

}  // namespace

std::vector<Call> lawful(std::uint64_t seed, const Shape& shape) {
  Random random(seed);
  Sequential store;
  Drawing drawing(random, shape);
  std::vector<Call> calls;
  std::int64_t now = start;
  int lonely = 0;
  for (int i = 0; i < shape.operations; ++i) {
    std::int64_t step = between(random, 10, 3'000);
    store.advance(step);
    now += step;
    Call call;
    call.at = now;
    call.client = "1." + std::to_string(random() % static_cast<unsigned>(shape.clients));
    call.asked = i % 40 == 0 ? json::object{{"op", "info"}} : drawing.next();
    bool may_be_lost = call.asked.contains("op_id") || call.asked.at("op") == "release";
    bool lost = may_be_lost && static_cast<int>(random() % 100) < shape.lost_in_a_hundred;
    bool happened = !lost || random() % 3 != 0;
    call.happened = happened;
    if (happened) call.answered = store.run(call.asked);
    if (call.answered.contains("store_time"))
      call.answered["store_time"] = call.answered.at("store_time").to_number<std::int64_t>();
    drawing.learn(call.asked, call.answered, lost);
    if (lost) {
      call.answered = {{"status", "unknown"}, {"error", "lost"}};
      call.unanswered = random() % 2 == 0;
      if (call.unanswered) call.client = "2." + std::to_string(++lonely);
    }
    calls.push_back(std::move(call));
  }
  stretch(calls, random);
  return calls;
}

std::string lines_of(const std::vector<Call>& calls) {
  std::map<std::string, int> numbers;
  std::string out;
  auto say = [&](const Call& call, const char* when, std::int64_t moment, const json::object& content) {
    json::object line{{"client", call.client}, {"call", numbers[call.client]}, {"place", 0}, {when, moment}};
    for (const auto& member : content) line.insert(member);
    out += json::serialize(line) + "\n";
  };
  std::vector<const Call*> order;
  for (const Call& call : calls) order.push_back(&call);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->invoke < b->invoke; });
  for (const Call* call : order) {
    ++numbers[call->client];
    say(*call, "invoke", call->invoke, call->asked);
    if (!call->unanswered) say(*call, "return", call->end, call->answered);
  }
  return out;
}

}  // namespace stile::conformance::judge
