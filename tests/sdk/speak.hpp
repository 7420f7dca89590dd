// The operations of the contract as short calls, for tests against a store with a manual clock.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host.hpp"

namespace stile::test {

using Acquire = Op<stile_acquire_request, stile_acquire_result>;
using Renew = Op<stile_renew_request, stile_renew_result>;
using Release = Op<stile_release_request, NoResult>;
using Load = Op<stile_load_request, stile_load_result>;
using Record = Op<stile_record_request, stile_record_result>;
using Supply = Op<stile_supply_request, stile_supply_result>;
using Append = Op<stile_append_request, stile_append_result>;
using Transact = Op<stile_transact_request, stile_transact_result>;
using Rebase = Op<stile_rebase_request, stile_rebase_result>;
using Discard = Op<stile_discard_request, stile_discard_result>;
using RequestCancel = Op<stile_request_cancel_request, NoResult>;
using Watch = Op<stile_watch_request, stile_watch_result>;
using Enqueue = Op<stile_enqueue_request, stile_enqueue_result>;
using Receive = Op<stile_receive_request, stile_receive_result>;
using Extend = Op<stile_extend_request, stile_extend_result>;
using Ack = Op<stile_ack_request, stile_ack_result>;
using Snooze = Op<stile_snooze_request, stile_snooze_result>;
using Nack = Op<stile_nack_request, stile_nack_result>;
using Reject = Op<stile_reject_request, stile_reject_result>;
using Cancel = Op<stile_cancel_request, stile_cancel_result>;
using Get = Op<stile_get_request, stile_get_result>;
using Put = Op<stile_put_request, stile_put_result>;
using Erase = Op<stile_erase_request, stile_erase_result>;
using Scan = Op<stile_scan_request, stile_scan_result>;
using Prepare = Op<stile_prepare_request, stile_prepare_result>;
using Info = Op<stile_info_request, stile_info_result>;
using Stats = Op<stile_stats_request, stile_stats_result>;
using List = Op<stile_list_request, stile_list_result>;
using Trim = Op<stile_trim_request, stile_trim_result>;
using Render = Op<stile_render_request, stile_render_result>;
using Advance = Op<stile_advance_request, stile_advance_result>;

Acquire acquire(std::string_view workflow, microseconds ttl = 10s, microseconds budget = 1h);
Renew renew(std::string_view workflow, const stile_fence& fence, microseconds ttl = 10s,
            std::optional<microseconds> budget = std::nullopt);
Release release(std::string_view workflow, const stile_fence& fence);
Load load(std::string_view workflow, std::int64_t after = 0, std::uint32_t limit = STILE_PAGE);
Record record(std::string_view workflow, const stile_fence& fence, std::string_view key, std::string_view value);
Supply supply(std::string_view workflow, std::string_view key, std::string_view value);
Append append(std::string_view workflow, std::string_view value, std::string_view message_id = {});
Rebase rebase(std::string_view workflow, const stile_fence& fence, std::string_view inbox_after, std::string_view key,
              std::string_view value);
Discard discard(std::string_view workflow, bool cancel = false);
RequestCancel request_cancel(std::string_view workflow);
Enqueue enqueue(std::string_view workflow, microseconds delay = 0s, std::optional<std::string_view> queue = {},
                bool revive = false);
Receive receive(std::uint32_t max = 10, microseconds lease = 30s, std::vector<std::string> queues = {""});
Receive receive_pass(std::uint32_t max = 10, microseconds lease = 30s, microseconds ttl = 30s,
                     microseconds budget = 1h);
Extend extend(std::string_view receipt, microseconds lease);
Ack ack(std::string_view receipt, bool finished = false, const stile_fence* fence = nullptr, bool release = false);
Snooze snooze(std::string_view receipt, microseconds delay);
Nack nack(std::string_view receipt, microseconds delay = 0s, std::string_view error = {});
Reject reject(std::string_view receipt, std::string_view error = {});
Cancel cancel(std::string_view workflow);
Get get(std::string_view key);
Put put(std::string_view key, std::string_view value, std::uint32_t condition = STILE_IF_ANY,
        std::string_view version = {}, std::int64_t ttl = STILE_TTL_NONE);
Erase erase(std::string_view key, std::uint32_t condition = STILE_IF_ANY, std::string_view version = {});
Scan scan(std::string_view prefix, std::string_view after = {}, std::uint32_t limit = STILE_PAGE);
List list(std::string_view prefix = {}, std::string_view after = {}, std::uint32_t limit = STILE_PAGE);
Trim trim(microseconds older_than = 0s, std::uint32_t limit = 1000);
Advance advance(microseconds by);
Stats stats();

/// Adds an enqueue to a supply or an append.
template <class O>
O with_enqueue(O op, microseconds delay = 0s) {
  auto kept = op.keep(std::string(sizeof(stile_enqueue), '\0'));
  auto* enqueue = reinterpret_cast<stile_enqueue*>(const_cast<std::uint8_t*>(kept.ptr));
  enqueue->struct_size = sizeof(stile_enqueue);
  enqueue->when = delay.count();
  op.q().enqueue = enqueue;
  return op;
}

/// The lists of answers, as values.
struct Got {
  std::string key, value;
  std::int64_t position, written_at;
};
std::vector<Got> records(const stile_record* first);

struct Delivered {
  std::string workflow, queue, receipt, last_error;
  std::uint32_t count;
  std::int64_t visible_at;
  stile_fence fence;
  std::vector<Got> records;
  bool more, finished, cancel_requested;
};
std::vector<Delivered> deliveries(const Receive& op);

struct Listed {
  std::string workflow, queue, error;
  std::uint32_t state, count;
  std::int64_t due_at, live_until, finished_at, last_written_at;
  std::uint64_t records, fence_number;
};
std::vector<Listed> listed(const List& op);

/// A store of its own with a manual clock, and a session.
class OnMemory : public ::testing::Test {
 protected:
  explicit OnMemory(Options options = {{"clock", "manual"}, {"shards", "2"}})
      : store(Plugin::named("memory"), {}, {}, options), session(store) {}

  template <class O>
  O run(O op, std::optional<stile_id> op_id = fresh_id()) {
    if (op_id) op.op().op_id = *op_id;
    session.run(op);
    return op;
  }
  /// The store's time.
  std::int64_t now() { return run(advance(0s)).r().store_time; }
  void pass(microseconds time) { EXPECT_EQ(run(advance(time)).status(), STILE_OK); }
  /// The one delivery that is due.
  Delivered take(microseconds lease = 30s);
  /// The one delivery that is due, with its lease.
  Delivered begin(microseconds lease = 30s, microseconds ttl = 30s);
  /// The one workflow of that id, or nothing.
  std::optional<Listed> row(std::string_view workflow);

  Store store;
  Session session;
};

}  // namespace stile::test
