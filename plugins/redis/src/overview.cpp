// list, scan, stats, trim: all partitions shown as one (contract S4, K7, T).
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "decode.hpp"
#include "encode.hpp"
#include "session.hpp"
#include "stile/sdk/engine/context.hpp"

namespace stile::redis {
namespace {

using sdk::engine::accept;
using sdk::engine::request_of;
using sdk::engine::result_of;
using sdk::engine::view;

/// How much one script of a trim looks at, so that it holds up nobody for long (T5).
constexpr std::int64_t trim_work = 200;

/// When the first partition was looked at: the others are shown as of then (overview.lua).
class Moment {
 public:
  void say(Operations& out) const { out.add(now_ != 0 ? std::to_string(now_) : std::string()); }
  void see(std::int64_t now) {
    if (now_ == 0) now_ = now;
  }
  std::int64_t now() const { return now_; }

 private:
  std::int64_t now_ = 0;
};

/// Pages of several partitions, merged by key in byte order.
class Merge {
 public:
  explicit Merge(std::size_t values) : values_(values) {}

  void add(OwnedReply reply, Moment& moment) {
    const Reply page = Reply(reply.get())[0];
    moment.see(page[3].number());
    if (page[1].number() != 0) {
      const auto end = page[2].text();
      if (!bounded_ || end < bound_) bound_ = end;
      bounded_ = true;
    }
    const Reply elements = page[4];
    for (std::size_t at = 0; at + values_ <= elements.size(); at += values_) found_.push_back({elements, at});
    pages_.push_back(std::move(reply));
  }
  /// Gives the elements in order, at most `limit`, none behind what every partition has shown. Answers whether there
  /// may be more, and behind which key.
  template <class Give>
  bool each(std::uint64_t limit, std::string_view& next, Give&& give) {
    std::sort(found_.begin(), found_.end(), [](const Place& a, const Place& b) { return a.key() < b.key(); });
    std::uint64_t given = 0;
    for (const Place& place : found_) {
      if (bounded_ && place.key() > bound_) break;
      if (given == limit) return true;
      next = place.key();
      give(place.elements, place.at);
      ++given;
    }
    if (bounded_) next = bound_;
    return bounded_;
  }

 private:
  struct Place {
    Reply elements;
    std::size_t at;
    std::string_view key() const { return elements[at].text(); }
  };

  const std::size_t values_;
  std::vector<OwnedReply> pages_;
  std::vector<Place> found_;
  bool bounded_ = false;
  std::string_view bound_;
};

}  // namespace

void Session::list(Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_list_request>(op);
  const auto limit = std::min<std::uint64_t>(asked.limit, store_.limits().page);
  Moment moment;
  Merge merge(workflow_values);
  for (std::uint32_t partition = 0; partition < store_.layout().partitions(); ++partition) {
    ScriptCall call = store_.call_though_full(overview_room, partition);
    call.operations.begin("list");
    moment.say(call.operations);
    call.operations.add(view(asked.prefix));
    call.operations.add(view(asked.after));
    call.operations.number(static_cast<std::int64_t>(limit));
    call.operations.number(asked.state);
    call.operations.add(asked.has_queue != 0 ? "q" + std::string(view(asked.queue)) : std::string());
    call.operations.add(asked.has_idle_for != 0 ? std::to_string(asked.idle_for) : std::string());
    merge.add(run_one(at, call, Does::read), moment);
  }
  auto& out = result_of<stile_list_result>(op);
  stile_workflow** tail = &out.workflows;
  std::string_view next;
  out.has_next = merge.each(limit, next, [&](const Reply& page, std::size_t i) {
    *tail = decode_workflow(op, page, i);
    tail = &(*tail)->next;
  });
  if (out.has_next != 0) out.next = sdk::engine::copy(op, next);
  accept(op);
}

void Session::scan(Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_scan_request>(op);
  const auto limit = std::min<std::uint64_t>(asked.limit, store_.limits().page);
  Moment moment;
  Merge merge(document_values);
  for (std::uint32_t partition = 0; partition < store_.layout().partitions(); ++partition) {
    ScriptCall call = store_.call_though_full(documents_room, partition);
    call.operations.begin("scan");
    moment.say(call.operations);
    call.operations.add(view(asked.prefix));
    call.operations.add(view(asked.after));
    call.operations.number(static_cast<std::int64_t>(limit));
    merge.add(run_one(at, call, Does::read), moment);
  }
  auto& out = result_of<stile_scan_result>(op);
  stile_document** tail = &out.documents;
  std::string_view next;
  out.has_next = merge.each(limit, next, [&](const Reply& page, std::size_t i) {
    *tail = decode_document(op, page, i);
    tail = &(*tail)->next;
  });
  if (out.has_next != 0) out.next = sdk::engine::copy(op, next);
  accept(op);
}

void Session::stats(Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_stats_request>(op);
  auto& out = result_of<stile_stats_result>(op);
  std::int64_t oldest = 0;
  Moment moment;
  for (std::uint32_t partition = 0; partition < store_.layout().partitions(); ++partition) {
    ScriptCall call = store_.call_though_full(overview_room, partition);
    call.operations.begin("stats");
    moment.say(call.operations);
    call.operations.add(asked.has_queue != 0 ? "q" + std::string(view(asked.queue)) : std::string());
    const OwnedReply owned = run_one(at, call, Does::read);
    const Reply reply = Reply(owned.get())[0];
    std::uint64_t* const sums[] = {&out.ready,    &out.delayed, &out.in_flight, &out.dead,        &out.workflows,
                                   &out.finished, &out.records, &out.documents, &out.stored_bytes};
    for (std::size_t i = 0; i < std::size(sums); ++i) *sums[i] += static_cast<std::uint64_t>(reply[1 + i].number());
    const auto earlier = [](std::int64_t a, std::int64_t b) { return a == 0 || (b != 0 && b < a) ? b : a; };
    oldest = earlier(oldest, reply[10].number());
    out.next_due_at = earlier(out.next_due_at, from_double(reply[11].number()));
    moment.see(reply[12].number());
  }
  out.oldest_ready_age = out.ready != 0 ? std::max<std::int64_t>(moment.now() - oldest, 0) : -1;
  accept(op);
}

void Session::trim(Borrowed& at, stile_op& op) {
  const auto& asked = request_of<stile_trim_request>(op);
  auto& out = result_of<stile_trim_result>(op);
  std::int64_t left = asked.limit, work = std::int64_t{asked.limit} * 10;
  const std::uint32_t partitions = store_.layout().partitions(), from = turn_++;
  for (std::uint32_t i = 0; i < partitions; ++i) {
    for (bool more = true; more;) {
      if (work <= 0) {
        out.more = 1;
        return accept(op);
      }
      ScriptCall call = store_.call_though_full(trim_room, (from + i) % partitions);
      call.operations.begin("trim");
      call.operations.number(asked.older_than);
      call.operations.number(left);
      call.operations.number(std::min(work, trim_work));
      const OwnedReply owned = run_one(at, call, Does::write);
      const Reply reply = Reply(owned.get())[0];
      out.removed += static_cast<std::uint64_t>(reply[1].number());
      left -= reply[1].number();
      work -= reply[2].number();
      more = reply[3].number() != 0;
      if (more && left == 0) {
        out.more = 1;
        break;
      }
    }
  }
  accept(op);
}

}  // namespace stile::redis
