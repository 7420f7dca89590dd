// What any process may do to a workflow: start, signal, send, ask for the result.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/stored.hpp"
#include "stile/workflow.hpp"

namespace stile {
inline namespace v1 {
namespace detail {
namespace {

void check_name(const std::optional<std::string>& wrong) {
  if (wrong) throw Error(Status::invalid, *wrong);
}

}  // namespace

bool start_stored(const Store& store, std::string_view kind, std::string_view id, Bytes input,
                  const StartOptions& options) {
  check_name(runtime::wrong_address(kind));
  if (options.at && options.delay > Duration{0})
    throw Error(Status::invalid, "a start says either a delay or an instant, not both");
  Id op_id = Id::random();
  runtime::Message message{std::string(kind), {}, std::move(input)};
  // Makes the value one of a kind: equal bytes would answer `first` to everybody (B2).
  message.says["by"] = op_id.text();
  if (options.delay > Duration{0}) message.says["after"] = std::to_string(options.delay.count());
  if (options.at) message.says["at"] = std::to_string(options.at->time_since_epoch().count());
  Bytes value = runtime::write_message(message);
  Wakeup wakeup{.queue = options.queue.empty() ? kind : options.queue};
  if (options.at) wakeup.at = options.at;
  if (options.delay > Duration{0}) wakeup.delay = options.delay;
  Supply supply{.workflow = id, .key = runtime::start_key, .value = value, .enqueue = wakeup, .op_id = op_id};
  return !store.call(supply, {.timeout = options.timeout}).first;
}

std::optional<Bytes> wait_result(const Store& store, std::string_view id, Duration timeout) {
  Deadline until = std::chrono::steady_clock::now() + std::max(timeout, Duration{0});
  std::int64_t position = 0;
  for (;;) {
    for (bool more = true; more;) {
      auto loaded = store.call(Load{.workflow = id, .after = position});
      more = loaded.more && !loaded.records.empty();
      for (auto& record : loaded.records) {
        position = record.position;
        if (record.key != runtime::result_key) continue;
        if (runtime::form_of(record.value) == Form::failure)
          throw WorkflowFailed(runtime::read_failure(record.value).error);
        return std::move(record.value);
      }
    }
    auto left = std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now());
    if (left <= Duration{0}) return std::nullopt;
    // A long wait is cut into pieces, so that a session that went dead unseen is noticed.
    Watch watch{.workflows = {{.workflow = id, .after = position}}, .wait = std::min(left, Duration{20'000'000})};
    store.call(watch, {.timeout = watch.wait + Duration{10'000'000}});
  }
}

Supplied signal_stored(const Store& store, std::string_view id, std::string_view signal, std::string_view value) {
  check_name(runtime::wrong_name(signal));
  std::string key = runtime::signal_key(signal);
  return store.call(Supply{.workflow = id, .key = key, .value = value, .enqueue = Wakeup{}});
}

Sent send_stored(const Store& store, std::string_view id, std::string_view inbox, Bytes value,
                 std::string_view message_id) {
  check_name(runtime::wrong_address(inbox));
  Bytes message = runtime::write_message({std::string(inbox), {}, std::move(value)});
  Append append{.workflow = id, .value = message, .enqueue = Wakeup{}};
  if (!message_id.empty()) append.message_id = message_id;
  Appended appended = store.call(append);
  return {appended.position, appended.duplicate};
}

void request_cancel(const Store& store, std::string_view id) {
  auto [requested, woken] = store.chain(RequestCancel{.workflow = id}, Enqueue{.workflow = id});
  if (!requested) throw Error(requested.failure());
  if (!woken) throw Error(woken.failure());
}

}  // namespace detail
}  // namespace v1
}  // namespace stile
