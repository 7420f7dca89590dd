// Workflows from outside: their typed names, and what any process may do to one. Say the names once, in a header that
// the processes share; the compiler then checks inputs, results and signals on both sides.
//
// These are free functions over a Store: it stays ignorant of workflows, and nothing but the store has to be passed
// about.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stile/codec.hpp"
#include "stile/store.hpp"

namespace stile {
inline namespace v1 {

/// A kind of workflow: its name, what it takes and what it hands back. The name is its queue, too: 1 to 64 bytes.
///   inline constexpr stile::Workflow<Receipt(Order)> fulfil{"fulfil"};
template <class Function>
struct Workflow;
template <class R, class In>
struct Workflow<R(In)> {
  using Result = R;
  using Input = In;
  std::string_view name;
};
template <class R>
struct Workflow<R()> {
  using Result = R;
  using Input = Done;
  std::string_view name;
};

/// A value that a workflow may wait for, once: the first one given stands.
template <class T>
struct Signal {
  std::string_view name;
};

/// Messages to a workflow, each taken once, in their order.
template <class T>
struct Inbox {
  std::string_view name;
};

/// The workflow ended with an error: thrown to whoever asks for its result.
class WorkflowFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StartOptions {
  std::string_view queue{};           ///< empty = the kind's name
  Duration delay{0};                  ///< the first pass comes no earlier than this after the start
  std::optional<StoreTime> at{};      ///< or than this
  std::optional<Duration> timeout{};  ///< none = the store's default
};

/// What signal says.
template <class T>
struct Signalled {
  bool first = false;  ///< this value stands
  T stands;
};
/// What send says.
struct Sent {
  std::int64_t position = 0;
  bool duplicate = false;  ///< this message_id was there already
};

namespace detail {

template <class R>
using ResultOf = std::conditional_t<std::is_void_v<R>, Done, R>;

/// True when another start came first.
bool start_stored(const Store& store, std::string_view kind, std::string_view id, Bytes input,
                  const StartOptions& options);
/// What is recorded as the end; nothing when the time is over first; throws WorkflowFailed.
std::optional<Bytes> wait_result(const Store& store, std::string_view id, Duration timeout);
Supplied signal_stored(const Store& store, std::string_view id, std::string_view signal, std::string_view value);
Sent send_stored(const Store& store, std::string_view id, std::string_view inbox, Bytes value,
                 std::string_view message_id);
void request_cancel(const Store& store, std::string_view id);

}  // namespace detail

/// One workflow, seen from outside. A value; it keeps the store open.
template <class R>
class Handle {
 public:
  Handle(Store store, std::string id, bool existed) : store_(std::move(store)), id_(std::move(id)), existed_(existed) {}

  const std::string& id() const { return id_; }
  /// start found it started already: the first input stands.
  bool existed() const { return existed_; }

  /// The result, waited for; nothing when the time is over first. Throws WorkflowFailed when the workflow failed.
  std::optional<detail::ResultOf<R>> result(Duration timeout) const {
    auto stored = detail::wait_result(store_, id_, timeout);
    if (!stored) return std::nullopt;
    return detail::decode_value<detail::ResultOf<R>>(*stored);
  }

  /// Gives it a signal and wakes it. It may come before the workflow waits, even before it was started.
  template <class T>
  Signalled<T> signal(const Signal<T>& signal, const std::type_identity_t<T>& value) const {
    Supplied supplied = detail::signal_stored(store_, id_, signal.name, detail::encode_value<T>(value));
    return {supplied.first, detail::decode_value<T>(supplied.value)};
  }

  /// Sends it a message and wakes it. The same message_id again is one message.
  template <class T>
  Sent send(const Inbox<T>& inbox, const std::type_identity_t<T>& message, std::string_view message_id = {}) const {
    return detail::send_stored(store_, id_, inbox.name, detail::encode_value<T>(message), message_id);
  }

  /// Asks it to stop: its cancel_requested() turns true. Nothing is forced.
  void request_cancel() const { detail::request_cancel(store_, id_); }

  /// Forgets it, whole: records, wakeup, result. A pass under way cannot write any more.
  void terminate() const { store_.call(Discard{.workflow = id_, .cancel = true}); }

 private:
  Store store_;
  std::string id_;
  bool existed_;
};

/// Starts a workflow under an id of 1 to 512 bytes, or finds it started: the first input stands.
template <class R, class In>
Handle<R> start(const Store& store, const Workflow<R(In)>& kind, std::string id, const std::type_identity_t<In>& input,
                const StartOptions& options = {}) {
  bool existed = detail::start_stored(store, kind.name, id, detail::encode_value<In>(input), options);
  return Handle<R>(store, std::move(id), existed);
}
template <class R>
Handle<R> start(const Store& store, const Workflow<R()>& kind, std::string id, const StartOptions& options = {}) {
  bool existed = detail::start_stored(store, kind.name, id, detail::encode_value(Done{}), options);
  return Handle<R>(store, std::move(id), existed);
}

/// A handle on a workflow that somebody starts, or started. Asks the store nothing.
template <class F>
Handle<typename Workflow<F>::Result> find(const Store& store, const Workflow<F>&, std::string id) {
  return {store, std::move(id), true};
}

}  // namespace v1
}  // namespace stile
