// The store handle: typed calls on the store that a config string names.
//
// A call waits for nothing but its own round trip; calls that arrive during a round trip leave together in the next
// one. Every write gets an op_id and is sent again under it after `unknown` and `unavailable`, with growing pauses,
// until the caller's deadline: R1 makes that safe.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "stile/admin.hpp"
#include "stile/operations.hpp"
#include "stile/types.hpp"

namespace stile {
namespace store {
class Backend;
class Core;
class Operation;
}  // namespace store

inline namespace v1 {

/// How one call, chain or batch behaves.
struct CallOptions {
  std::optional<Duration> timeout{};   ///< from now; none = the store's default, 30 s
  std::optional<Deadline> deadline{};  ///< the earlier of the two counts
  std::stop_token stop{};  ///< a request to stop ends the call: `interrupted`, or `unknown` for a sent write
  bool resend = true;      ///< false = what the store answers to the first send is the answer
};

/// How a store is opened.
struct OpenOptions {
  std::string plugin_file;               ///< load this plugin file first; empty = search
  std::optional<std::string> ns{};       ///< replaces the namespace of the config string
  std::optional<std::string> prepare{};  ///< replaces prepare= of the config string: auto, check, never
  std::string program = "stile";         ///< named to servers and in hints
  Duration timeout{30'000'000};          ///< of opening, and of every call that says none
  unsigned lanes = 0;                    ///< sessions for ordinary calls; 0 = 1 with a single writer, else up to 8
  unsigned waiting = 64;                 ///< at most so many sessions for waiting calls and callback effects
};

namespace detail {
/// An operation in memory of its own: the request copied in, the answer when it came. Shared with the batcher, so that
/// a caller may go before its batch is through.
class Slot {
 public:
  Slot();
  ~Slot();
  Slot(Slot&&) noexcept;
  Slot& operator=(Slot&&) noexcept;
  store::Operation* get() const { return operation_; }

 private:
  store::Operation* operation_;
};
/// Both are defined for every request of operations.hpp.
template <class Request>
void put_request(store::Operation& operation, const Request& request);
template <class Request>
Result<typename Request::Answer> take_answer(store::Operation& operation);
}  // namespace detail

/// A handle on an opened store. Cheap to copy, thread-safe; the last copy closes the store.
class Store {
 public:
  explicit Store(std::shared_ptr<store::Backend> backend, const OpenOptions& options = {});

  /// Does one operation; throws Error unless it is `ok`.
  template <class Request>
  typename Request::Answer call(const Request& request, const CallOptions& options = {}) const {
    return std::move(try_call(request, options)).value();
  }
  /// Does one operation; a Failure stands in the answer's place unless it is `ok`.
  template <class Request>
  Result<typename Request::Answer> try_call(const Request& request, const CallOptions& options = {}) const {
    std::array<detail::Slot, 1> slots;
    detail::put_request(*slots[0].get(), request);
    run(slots, false, options);
    return detail::take_answer<Request>(*slots[0].get());
  }

  /// Operations in one round trip, each run only if the one before it was `ok`, else `skipped` (R3). Not one commit.
  template <class... Requests>
  std::tuple<Result<typename Requests::Answer>...> chain(const CallOptions& options,
                                                         const Requests&... requests) const {
    return together(true, options, std::index_sequence_for<Requests...>{}, requests...);
  }
  template <class First, class... Requests>
  requires requires { typename First::Answer; }
  auto chain(const First& first, const Requests&... requests) const { return chain(CallOptions{}, first, requests...); }

  /// Independent operations in one round trip, where the store's batch is large enough; those of one workflow or
  /// document take effect in their order, unless one had to be sent again: chain what must not overtake.
  template <class... Requests>
  std::tuple<Result<typename Requests::Answer>...> batch(const CallOptions& options,
                                                         const Requests&... requests) const {
    return together(false, options, std::index_sequence_for<Requests...>{}, requests...);
  }
  template <class First, class... Requests>
  requires requires { typename First::Answer; }
  auto batch(const First& first, const Requests&... requests) const { return batch(CallOptions{}, first, requests...); }
  template <class Request>
  std::vector<Result<typename Request::Answer>> batch(const std::vector<Request>& requests,
                                                      const CallOptions& options = {}) const {
    std::vector<detail::Slot> slots(requests.size());
    for (std::size_t i = 0; i < slots.size(); ++i) detail::put_request(*slots[i].get(), requests[i]);
    run(slots, false, options);
    std::vector<Result<typename Request::Answer>> answers;
    answers.reserve(slots.size());
    for (auto& slot : slots) answers.push_back(detail::take_answer<Request>(*slot.get()));
    return answers;
  }

  /// What the store said of itself when it was opened; no round trip.
  const StoreInfo& opened_as() const;
  /// True when it declared that capability: "push_records", "effects:sql", ...
  bool has(std::string_view capability) const { return opened_as().has(capability); }
  /// The config string it was opened with, secrets redacted.
  const std::string& config() const;

  /// What it says now, its clock included.
  StoreInfo info(const CallOptions& options = {}) const { return call(Info{}, options); }
  StoreStats stats(const CallOptions& options = {}) const { return call(Stats{}, options); }
  Prepared prepare(const CallOptions& options = {}) const { return call(Prepare{}, options); }
  /// The document of a key, or nothing.
  std::optional<Document> get(std::string_view key, const CallOptions& options = {}) const;

  /// Ends every waiting call with `interrupted` and refuses new ones; calls that were sent are waited for. Any copy may
  /// do it, once is enough.
  void close() const;

  const std::shared_ptr<store::Core>& core() const { return core_; }

 private:
  void run(std::span<const detail::Slot> slots, bool chained, const CallOptions& options) const;

  template <std::size_t... I, class... Requests>
  std::tuple<Result<typename Requests::Answer>...> together(bool chained, const CallOptions& options,
                                                            std::index_sequence<I...>,
                                                            const Requests&... requests) const {
    std::array<detail::Slot, sizeof...(Requests)> slots;
    (detail::put_request(*slots[I].get(), requests), ...);
    run(slots, chained, options);
    return {detail::take_answer<Requests>(*slots[I].get())...};
  }

  std::shared_ptr<store::Core> core_;
};

/// Opens the store that a config string names ("-" means $STILE_STORE, "@file.json" a JSON file). Throws Error: invalid
/// for a config string that is refused, else what the store answered.
Store open(std::string_view config, const OpenOptions& options = {});

}  // namespace v1
}  // namespace stile
