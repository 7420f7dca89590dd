// receive and watch: one look, and waiting for the next (contract D, W, B14).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "decode.hpp"
#include "encode.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"

namespace stile::redis {
namespace {

using sdk::engine::request_of;
using sdk::engine::result_of;
using sdk::engine::view;
using Instant = sdk::WaitingRoom::Instant;
using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr std::int64_t no_timer = INT64_C(9000000000000000);

std::vector<std::string> queues_of(const stile_receive_request& asked) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < asked.n_queues; ++i) out.emplace_back(view(asked.queues[i]));
  return out;
}

/// The answer of a receive while it is put together from those of partitions.
class Answer {
 public:
  explicit Answer(stile_op& op) : op_(op), out_(result_of<stile_receive_result>(op)), tail_(&out_.deliveries) {
    out_ = stile_receive_result{out_.struct_size, 0, nullptr, 0};
  }
  /// Answers how many were handed out.
  std::uint32_t add(const Reply& reply, bool load, std::uint64_t& bytes_left) {
    if (reply[1].number() != 0) out_.more = 1;
    out_.store_time = std::max(out_.store_time, from_double(reply[2].number()));
    const Reply deliveries = reply[5];
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      std::uint64_t bytes = 0;
      *tail_ = decode_delivery(op_, deliveries[i], load, bytes);
      tail_ = &(*tail_)->next;
      bytes_left -= std::min(bytes, bytes_left);
    }
    return static_cast<std::uint32_t>(deliveries.size());
  }
  bool empty() const { return out_.deliveries == nullptr; }
  bool more() const { return out_.more != 0; }
  std::int64_t now() const { return out_.store_time; }
  void set_more() { out_.more = 1; }

 private:
  stile_op& op_;
  stile_receive_result& out_;
  stile_delivery** tail_;
};

Instant deadline_of(const stile_call& call) {
  return call.deadline == STILE_NEVER ? Instant::max() : Instant(microseconds(call.deadline));
}

/// When a waiting call is over: by its own wait, by the call's deadline, or by a manual clock (A14).
class Patience {
 public:
  Patience(const stile_call& call, std::int64_t wait, bool manual, std::int64_t now)
      : until_(std::min(sdk::waiting_detail::after(wait), deadline_of(call))),
        manual_until_(manual ? sdk::engine::later(now, wait) : STILE_NEVER) {}
  Instant until() const { return std::min(until_, steady_clock::now() + sdk::waiting_detail::fallback); }
  bool over(std::int64_t now) const { return steady_clock::now() >= until_ || now >= manual_until_; }

 private:
  Instant until_;
  std::int64_t manual_until_;
};

}  // namespace

Session::Look Session::receive_once(Borrowed& at, stile_op& op, const Line& line) {
  const auto& asked = request_of<stile_receive_request>(op);
  Answer answer(op);
  std::vector<std::string> queues = queues_of(asked);
  for (auto& queue : queues) queue.insert(0, 1, !line.channel.empty() && store_.hub().others_wait(queue) ? 'w' : 'q');
  Receiving how;
  how.left = asked.max;
  how.bytes_left = std::min(asked.load_max_bytes, store_.limits().reply_bytes);
  how.limit = std::min<std::uint64_t>(asked.load_limit, store_.limits().page);
  how.nonce = sdk::engine::none(op.op_id) ? entropy_.id() : op.op_id;
  how.channel = line.channel;
  how.consumer = store_.word();
  how.since = line.since;
  Look look;
  std::int64_t next = no_timer;
  const std::uint32_t partitions = store_.layout().partitions();
  const auto ask = [&](std::uint32_t partition, const std::string* first, std::size_t count) {
    ScriptCall call = store_.call(receive_room, partition);
    how.queues = first;
    how.n_queues = count;
    encode_receive(asked, how, call.operations);
    const OwnedReply reply = run_one(at, call, Does::write);
    const Reply said = Reply(reply.get())[0];
    how.left -= std::min(answer.add(said, asked.load != 0, how.bytes_left), how.left);
    next = std::min(next, said[3].number());
    how.puts_off -= said[4].number();
  };
  const bool again = (op.must & STILE_MUST_AGAIN) != 0;
  if (partitions == 1) {
    how.again = again;
    ask(0, queues.data(), queues.size());
  } else {
    if (again) {
      how.again = true;
      const auto left = std::exchange(how.left, 0);
      for (std::uint32_t p = 0; p < partitions; ++p) ask(p, queues.data(), queues.size());
      how.again = false;
      how.left = answer.empty() ? left : 0;
    }
    // Each queue in all partitions before the next one (W10), beginning with another partition each time (W7).
    const std::uint32_t from = turn_++;
    for (const auto& queue : queues)
      for (std::uint32_t i = 0; i < partitions && how.left != 0 && !(answer.more() && answer.empty()); ++i)
        ask((from + i) % partitions, &queue, 1);
    if (how.left == 0) answer.set_more();  // what was not looked at
  }
  look.empty = answer.empty() && !answer.more();
  look.now = answer.now();
  look.next_due = next == no_timer ? 0 : next;
  sdk::engine::accept(op);
  return look;
}

void Session::leave(Borrowed& at, const std::vector<std::string>& queues) {
  if (queues.empty() || at.dropped()) return;
  try {
    for (std::uint32_t partition = 0; partition < store_.layout().partitions(); ++partition) {
      ScriptCall call = store_.call(receive_room, partition);
      call.operations.begin("leave");
      call.operations.add(store_.hub().channel());
      for (const auto& queue : queues) call.operations.add(queue);
      run_one(at, call, Does::read);
    }
  } catch (const Failure&) {  // a hint: it expires by itself
  }
}

void Session::receive_waiting(const stile_call& call, Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_receive_request>(op);
  Look look = receive_once(at, op, {});
  if (!look.empty) return;
  Hub& hub = store_.hub();
  at.rest();
  hub.start(call.deadline);
  sdk::Receiving who;
  who.queues = queues_of(asked);
  std::sort(who.queues.begin(), who.queues.end());
  who.queues.erase(std::unique(who.queues.begin(), who.queues.end()), who.queues.end());
  const Patience patience(call, asked.wait, store_.manual_clock(), look.now);
  hub.enter(who.queues);
  hub.room().enter(who, interrupts_);
  const sdk::waiting_detail::Leaver leaver([&] {
    hub.room().leave(who, interrupts_);
    const auto left = hub.leave(who.queues);
    if (op.status != STILE_OK || look.empty) leave(at, left);
  });
  for (;;) {
    hub.room().about_to_look(who);
    look = receive_once(at, op, {hub.channel(), hub.since()});
    if (!look.empty) return;
    if (hub.room().interrupted(interrupts_, call.serial))
      return sdk::engine::refuse(op, STILE_INTERRUPTED, "the host asked this call to return");
    if (patience.over(look.now)) return;
    at.rest();
    const bool timed = look.next_due != 0 && !store_.manual_clock();
    const Instant next = timed ? sdk::waiting_detail::after(look.next_due - look.now) : Instant::max();
    const std::vector<Instant> timers(who.queues.size(), next);
    hub.room().sleep(who, timers, patience.until(), interrupts_, call.serial);
    if (patience.over(0)) return;
  }
}

void Session::watch_once(Borrowed& at, stile_op& op, std::string_view channel) {
  const auto& asked = request_of<stile_watch_request>(op);
  std::vector<std::vector<std::uint64_t>> of_partition(store_.layout().partitions());
  for (std::uint64_t i = 0; i < asked.n_watched; ++i)
    of_partition[store_.layout().partition_of(view(asked.watched[i].workflow))].push_back(i);
  std::vector<std::uint64_t> changed;
  for (std::uint32_t partition = 0; partition < of_partition.size(); ++partition) {
    const auto& here = of_partition[partition];
    if (here.empty()) continue;
    ScriptCall call = store_.call_though_full(checkpoint_room, partition);
    call.operations.begin("watch");
    call.operations.add(channel);
    for (const std::uint64_t i : here) {
      call.operations.add(view(asked.watched[i].workflow));
      call.operations.number(asked.watched[i].after);
    }
    const OwnedReply owned = run_one(at, call, Does::read);
    const Reply reply = Reply(owned.get())[0];
    for (std::size_t i = 1; i < reply.size(); ++i) changed.push_back(here[static_cast<std::size_t>(reply[i].number())]);
  }
  std::sort(changed.begin(), changed.end());
  sdk::answer_changed(op, changed);
}

void Session::watch_waiting(const stile_call& call, Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_watch_request>(op);
  const auto& out = result_of<stile_watch_result>(op);
  watch_once(at, op, {});
  if (op.status != STILE_OK || out.n_changed != 0) return;
  Hub& hub = store_.hub();
  at.rest();
  hub.start(call.deadline);
  std::vector<std::string_view> workflows;
  for (std::uint64_t i = 0; i < asked.n_watched; ++i) workflows.push_back(view(asked.watched[i].workflow));
  sdk::Watching who;
  const bool manual = store_.manual_clock();
  const Patience patience(call, asked.wait, manual, manual ? store_.time(at) : 0);
  hub.room().enter(who, workflows, interrupts_);
  const sdk::waiting_detail::Leaver leaver([&] { hub.room().leave(who, workflows, interrupts_); });
  for (std::vector<std::uint64_t> gone;;) {
    hub.room().about_to_look(who, gone);
    op.status = STILE_UNSET;
    watch_once(at, op, hub.channel());
    if (op.status != STILE_OK) return;
    if (!gone.empty()) {
      gone.insert(gone.end(), out.changed, out.changed + out.n_changed);
      std::sort(gone.begin(), gone.end());
      gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
      return sdk::answer_changed(op, gone);
    }
    if (out.n_changed != 0) return;
    if (hub.room().interrupted(interrupts_, call.serial))
      return sdk::engine::refuse(op, STILE_INTERRUPTED, "the host asked this call to return");
    if (patience.over(manual ? store_.time(at) : 0)) return;
    at.rest();
    hub.room().sleep(who, patience.until(), interrupts_, call.serial);
    if (patience.over(0)) return;
  }
}

}  // namespace stile::redis
