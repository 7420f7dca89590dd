// Opening the store under judgement, and a session on it in the JSON of CALL.md.
//
// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "check.hpp"
#include "codec/op.hpp"
#include "guarded.hpp"
#include "store/layers.hpp"
#include "store/open.hpp"

namespace stile::conformance {

std::string_view name_of(Part part) {
  switch (part) {
    case Part::nothing: return "nothing";
    case Part::documents: return "documents";
    case Part::documents_and_records: return "documents and records";
    case Part::all: return "all";
  }
  return "nothing";
}

std::uint64_t Facts::limit(std::string_view name, std::uint64_t fallback) const {
  const json::value* limits = info.if_contains("limits");
  if (!limits || !limits->is_object()) return fallback;
  const json::value* value = limits->get_object().if_contains(name);
  if (!value) return fallback;
  boost::system::error_code error;
  auto number = value->to_number<std::uint64_t>(error);
  return error || number == 0 ? fallback : number;
}

namespace {

store::OpenOptions options_of(const Target& target, std::string_view ns, std::string_view prepare, bool compose) {
  store::OpenOptions options;
  options.plugin_file = target.plugin_file;
  options.ns = std::string(ns);
  options.prepare = std::string(prepare);
  options.program = "stile-conformance";
  options.compose = compose;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  return options;
}

/// A plugin may hang or die in here too.
std::shared_ptr<store::Backend> opened(const Target& target, const store::OpenOptions& options) {
  say_at("opening the store");
  auto backend = store::open_backend(target.config, options);
  say_at("working on after the store was opened");
  return backend;
}

}  // namespace

std::shared_ptr<store::Backend> Target::open(std::string_view ns, std::string_view prepare) const {
  return opened(*this, options_of(*this, ns, prepare, false));
}

std::shared_ptr<store::Backend> Target::open_as_program(std::string_view ns) const {
  return opened(*this, options_of(*this, ns, "auto", true));
}

std::shared_ptr<store::Backend> Target::open_recorded(std::string_view ns, const std::string& file) const {
  return recorded(open(ns), file);
}

std::shared_ptr<store::Backend> recorded(std::shared_ptr<store::Backend> plain, const std::string& file) {
  return store::with_composition(store::apply_layer("history", {{"file", file}}, std::move(plain)));
}

std::string Target::fresh_namespace() const {
  // Children of one run count on their own, so the name is drawn, not counted.
  return "suite-" + run + "-" + Id::random().text().substr(0, 12);
}

namespace {
constexpr std::chrono::seconds longest_connect{5};
}  // namespace

struct Client::State {
  std::shared_ptr<store::Backend> backend;
  std::mutex guard;  // of link against interrupt; the caller of execute never holds it while it waits
  std::shared_ptr<store::Link> link;
  std::uint64_t serial = 0;
  bool running = false;
  bool interrupt_next = false;  // asked for before there was a session to ask

  std::pair<std::shared_ptr<store::Link>, std::uint64_t> begin(Deadline deadline) {
    std::lock_guard lock(guard);
    if (!link) {
      // What a store answers to a call that has no time left is looked at, so it is asked: a session it gets.
      const Deadline now = std::chrono::steady_clock::now();
      link = backend->connect(deadline > now ? deadline : now + longest_connect);
      serial = 0;
    }
    running = true;
    ++serial;
    if (std::exchange(interrupt_next, false)) link->interrupt(serial);
    return {link, serial};
  }

  void end(store::Fate fate) {
    std::lock_guard lock(guard);
    running = false;
    if (fate == store::Fate::drop) link.reset();
  }

  void execute(std::span<stile_op* const> ops, Duration length) {
    Deadline deadline = std::chrono::steady_clock::now() + length;
    auto [current, mine] = begin(deadline);
    stile_call call{};
    call.struct_size = sizeof call;
    call.serial = mine;
    call.deadline = std::chrono::duration_cast<Duration>(deadline.time_since_epoch()).count();
    end(current->execute(call, ops));
  }
};

namespace {

/// Kinds whose writes are remembered by op_id (R1): every host sends them with one.
bool takes_op_id(std::uint32_t kind) {
  switch (kind) {
#define STILE_TAKES(NAME, value, name, traits) \
  case value: return ((traits)&STILE_TRAIT_OP_ID) != 0;
    STILE_OP_TABLE(STILE_TAKES)
#undef STILE_TAKES
    default: return false;
  }
}

bool empty(const stile_id& id) {
  return std::all_of(std::begin(id.bytes), std::end(id.bytes), [](std::uint8_t b) { return b == 0; });
}

/// What is asked, as far as a few lines hold it: a value may be very long.
std::string beginning_of(const std::vector<json::object>& requests) {
  std::string out;
  char piece[600];
  for (const json::object& request : requests) {
    if (out.size() > 1000) return out + " ...";
    json::serializer serializer;
    serializer.reset(&request);
    auto text = serializer.read(piece, sizeof piece);
    out += (out.empty() ? "" : " ") + std::string(text) + (serializer.done() ? "" : " ...");
  }
  return out;
}

json::object refusal(const codec::BadRequest& bad) { return {{"status", name_of(bad.status)}, {"error", bad.text}}; }

}  // namespace

Client::Client(std::shared_ptr<store::Backend> backend) : state_(std::make_unique<State>()) {
  state_->backend = std::move(backend);
}

Client::~Client() = default;

json::object Client::call(const json::object& request, Duration deadline) { return batch({request}, deadline).front(); }

std::vector<json::object> Client::batch(const std::vector<json::object>& requests, Duration deadline) {
  std::vector<std::unique_ptr<codec::Op>> ops;
  std::vector<std::size_t> places;
  std::vector<json::object> answers(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      auto op = codec::Op::decode(requests[i]);
      // `again` names an earlier send, so an op_id made here would only hide that the caller gave none (R1).
      bool again = (op->get()->must & STILE_MUST_AGAIN) != 0;
      if (takes_op_id(op->get()->kind) && empty(op->get()->op_id) && !again) {
        Id id = Id::random();
        std::copy(id.bytes.begin(), id.bytes.end(), std::begin(op->get()->op_id.bytes));
      }
      ops.push_back(std::move(op));
      places.push_back(i);
    } catch (const codec::BadRequest& bad) {
      answers[i] = refusal(bad);
    }
  }
  if (ops.empty()) return answers;
  std::vector<stile_op*> pointers;
  for (auto& op : ops) pointers.push_back(op->get());
  // The request stays where it is; only what the plugin allocates is watched.
  GuardedArena arena;
  std::vector<const stile_arena*> own;
  for (stile_op* op : pointers) own.push_back(std::exchange(op->arena, arena.abi()));
  std::string asked = beginning_of(requests);
  say_at("asking " + asked);
  state_->execute(pointers, deadline);
  say_at("reading the answer to " + asked);
  if (std::string damage = arena.damage(); !damage.empty())
    throw Error(Status::internal, damage + ", in the answer to " + asked);
  for (std::size_t i = 0; i < ops.size(); ++i) answers[places[i]] = codec::answer_json(*ops[i]->get());
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i]->get()->arena = own[i];
  say_at("working on after the answer to " + asked);
  return answers;
}

void Client::interrupt() {
  std::shared_ptr<store::Link> link;
  std::uint64_t serial = 0;
  {
    std::lock_guard lock(state_->guard);
    link = state_->link;
    serial = state_->serial + (state_->running ? 0 : 1);
    if (!link) state_->interrupt_next = true;
  }
  if (link) link->interrupt(serial);
}

StoreTime Client::now() {
  json::object answer = call({{"op", "info"}});
  const json::value* time = answer.if_contains("store_time");
  if (!time || !time->is_int64()) throw Error(Status::internal, "info gives no store_time: " + json::serialize(answer));
  return StoreTime{Duration{time->get_int64()}};
}

void Client::pass(Duration length, const Facts& facts) {
  if (facts.can("manual_clock")) {
    json::object answer = call({{"op", "advance"}, {"by", length.count()}});
    if (answer.at("status") != "ok") throw Error(Status::internal, "advance: " + json::serialize(answer));
    return;
  }
  // By the store's clock, which is what leases are measured by, and not only by ours.
  StoreTime end = now() + length;
  for (StoreTime at = now(); at < end; at = now()) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(end - at);
    poll(nullptr, 0, static_cast<int>(std::min<std::int64_t>(left.count(), 1000)));
  }
}

}  // namespace stile::conformance
