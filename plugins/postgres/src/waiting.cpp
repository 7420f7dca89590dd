// receive and watch, which may wait.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "clock.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::postgres {
namespace {

using sdk::engine::request_of;
using sdk::engine::result_of;
using Instant = sdk::WaitingRoom::Instant;

constexpr const char* called_back = "the host called the call back; nothing was handed out";
/// How long a waiting call goes without a look of its own, whatever it is told (W5).
constexpr std::int64_t fallback = 3 * second_us;
/// When what is due could not be had: somebody holds it for a moment (W7).
constexpr std::int64_t busy_pause = 10'000;

Instant instant(std::int64_t monotonic) {
  return monotonic == INT64_MAX ? Instant::max() : Instant(std::chrono::microseconds(monotonic));
}

// Says that somebody waits for as long as it lives.
class Waiting {
 public:
  /// queues: none for one who watches.
  Waiting(Listener& listener, std::int32_t ns, const std::vector<std::string>& queues)
      : listener_(listener), queues_(queues) {
    listener.begin(ns, queues);
  }
  ~Waiting() { listener_.end(queues_); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Listener& listener_;
  const std::vector<std::string>& queues_;
};

template <class Leave>
class Leaver {
 public:
  explicit Leaver(Leave leave) : leave_(std::move(leave)) {}
  ~Leaver() { leave_(); }
  Leaver(const Leaver&) = delete;
  Leaver& operator=(const Leaver&) = delete;

 private:
  Leave leave_;
};

}  // namespace

std::int64_t Session::time() {
  Params params;
  params.integer(store_.number());
  const Result result = connection_->run(texts()[Sql::time], params, deadline_);
  return PQntuples(result.get()) == 0 ? 0 : Row(result, 0).integer(0);
}

// One process was told of a wakeup; where it found more than it takes, it tells the next (W5).
void Session::pass_on(const stile_op& op, const Looked& looked) {
  if (!looked.others_wait) return;
  const auto& asked = request_of<stile_receive_request>(op);
  for (std::uint64_t i = 0; i < asked.n_queues; ++i)
    store_.listener().tell(store_.number(), What::wakeup, sdk::engine::view(asked.queues[i]), 0);
}

void Session::receive(const stile_call& call, stile_op& op) {
  const auto& asked = request_of<stile_receive_request>(op);
  const std::int64_t until = std::min(after(monotonic_now(), asked.wait), call.deadline);
  Looked looked = receive_once(op, (op.must & STILE_MUST_AGAIN) != 0);
  if (looked.any || asked.wait == 0) return pass_on(op, looked);
  sdk::WaitingRoom& room = store_.listener().room();
  const std::int64_t manual_until = store_.manual_clock() ? after(looked.now, asked.wait) : INT64_MAX;
  sdk::Receiving who;
  for (std::uint64_t i = 0; i < asked.n_queues; ++i) who.queues.emplace_back(sdk::engine::view(asked.queues[i]));
  std::sort(who.queues.begin(), who.queues.end());
  who.queues.erase(std::unique(who.queues.begin(), who.queues.end()), who.queues.end());
  room.enter(who, interrupts_);
  const Leaver leaver([&] { room.leave(who, interrupts_); });
  const Waiting waiting(store_.listener(), store_.number(), who.queues);
  for (;;) {
    if (room.interrupted(interrupts_, call.serial)) {
      reset_answer(op);
      return sdk::answer(op, STILE_INTERRUPTED, called_back);
    }
    // W6: what a look needs is left to the deadline; an answer that says nothing is there already.
    const std::int64_t now = monotonic_now();
    if (now >= until) return;
    room.about_to_look(who);
    looked = receive_once(op, false);
    if (looked.any || looked.now >= manual_until) return pass_on(op, looked);
    std::int64_t wake = INT64_MAX;
    if (looked.due != 0 && looked.due <= looked.now) wake = after(monotonic_now(), busy_pause);
    if (looked.due > looked.now && !store_.manual_clock()) wake = after(monotonic_now(), looked.due - looked.now);
    const std::vector<Instant> timers(who.queues.size(), instant(wake));
    room.sleep(who, timers, instant(std::min(until, after(monotonic_now(), fallback))), interrupts_, call.serial);
  }
}

void Session::watch(const stile_call& call, stile_op& op) {
  const auto& asked = request_of<stile_watch_request>(op);
  const auto& out = result_of<stile_watch_result>(op);
  const std::int64_t until = std::min(after(monotonic_now(), asked.wait), call.deadline);
  watch_once(op);
  if (op.status != STILE_OK || out.n_changed != 0 || asked.wait == 0) return;
  sdk::WaitingRoom& room = store_.listener().room();
  const std::int64_t manual_until = store_.manual_clock() ? after(time(), asked.wait) : INT64_MAX;
  std::vector<std::string_view> workflows;
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) workflows.push_back(sdk::engine::view(asked.watched[i].workflow));
  sdk::Watching who;
  room.enter(who, workflows, interrupts_);
  const Leaver leaver([&] { room.leave(who, workflows, interrupts_); });
  const std::vector<std::string> no_queues;
  const Waiting waiting(store_.listener(), store_.number(), no_queues);
  for (std::vector<std::uint64_t> told;;) {
    if (room.interrupted(interrupts_, call.serial)) {
      reset_answer(op);
      return sdk::answer(op, STILE_INTERRUPTED, called_back);
    }
    if (monotonic_now() >= until) return;
    told.clear();
    room.about_to_look(who, told);
    watch_once(op);
    if (op.status != STILE_OK || out.n_changed != 0) return;
    if (store_.manual_clock() && time() >= manual_until) return;
    room.sleep(who, instant(std::min(until, after(monotonic_now(), fallback))), interrupts_, call.serial);
  }
}

}  // namespace stile::postgres
