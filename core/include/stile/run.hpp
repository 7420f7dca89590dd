// Run: what a workflow's code may do. Its effects are named; what a name came to is recorded, and running the code
// again from the top meets what is recorded instead of doing it again.
//
// Only steps touch the world. Between two awaits the code may run any number of times, so it must be a function of its
// input and of what Run hands it. One co_await a statement.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "stile/codec.hpp"
#include "stile/task.hpp"
#include "stile/workflow.hpp"

namespace stile {
namespace runtime {
class Pass;
}

inline namespace v1 {

/// How often a step is tried, and the pauses between: first, first * factor, ... most, each shortened at random by up
/// to half.
struct Retry {
  int attempts = 5;
  Duration first{1'000'000}, most{300'000'000};
  double factor = 2;
};

struct StepOptions {
  Duration within{0};  ///< then the attempt's stop_token fires and it counts as failed; 0 = as long as it takes
  Retry retry{};
};
static_assert(detail::safe_as_braces<StepOptions> && detail::safe_as_braces<StartOptions>);

/// A step failed for good: thrown where it is awaited, on this and every later pass.
class StepFailed : public std::runtime_error {
 public:
  StepFailed(std::string step, std::string error, int attempts)
      : std::runtime_error("step \"" + step + "\" failed" +
                           (attempts > 1 ? " after " + std::to_string(attempts) + " attempts" : "") + ": " + error),
        step_(std::move(step)),
        error_(std::move(error)),
        attempts_(attempts) {}
  const std::string& step() const { return step_; }
  const std::string& error() const { return error_; }
  int attempts() const { return attempts_; }

 private:
  std::string step_, error_;
  int attempts_;
};

/// Throw it inside a step that must not be tried again.
class Permanent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One try of a step, for a step function that asks for it: [&](stile::Attempt& attempt) { ... }.
class Attempt {
 public:
  Attempt(int number, std::string key, std::stop_token stop)
      : number_(number), key_(std::move(key)), stop_(std::move(stop)) {}

  /// 1, 2, ...; an attempt that died with its process is not counted.
  int number() const { return number_; }
  /// The same on every attempt of this step of this workflow, and of no other: give it to what must act once.
  const std::string& idempotency_key() const { return key_; }
  /// Fires when the time given to the step is over, the worker must end, or this pass may no longer write.
  const std::stop_token& stop_token() const { return stop_; }

 private:
  int number_;
  std::string key_;
  std::stop_token stop_;
};

/// What try_step hands back: the value, or the error. For compensation, since catch blocks cannot await.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Outcome(StepFailed failure) : held_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// Throws the StepFailed that stands in its place.
  T& value() { return ok() ? std::get<0>(held_) : throw failure(); }
  const T& value() const { return ok() ? std::get<0>(held_) : throw failure(); }
  const StepFailed& failure() const { return std::get<1>(held_); }
  /// What went wrong; only where it did.
  const std::string& error() const { return failure().error(); }

 private:
  std::variant<T, StepFailed> held_;
};

namespace detail {

/// What a name came to.
struct Came {
  enum class To { value, own_value, failure, timeout } to = To::value;
  std::string key;
  Bytes stored;  ///< of value: what to decode; of own_value the caller has it decoded already
  std::optional<StepFailed> failure;
};

/// Runs one attempt: calls the function, and hands back its value as it will be recorded.
using StepBody = Bytes (*)(void* step, Attempt& attempt, bool check_values);

// False: the pass ends here; the caller suspends and is never resumed.
bool run_step(runtime::Pass& pass, std::string_view name, const StepOptions& options, StepBody body, void* step,
              Came& came);
bool run_sleep(runtime::Pass& pass, std::string_view name, std::optional<Duration> after,
               std::optional<StoreTime> until);
bool run_wait(runtime::Pass& pass, std::string_view signal, std::optional<Duration> within, Came& came);
bool run_receive(runtime::Pass& pass, std::string_view inbox, std::optional<Duration> within, Came& came);
/// What is recorded cannot be read by this code: the pass ends as stuck.
void unreadable(runtime::Pass& pass, const std::string& key, const char* what);

template <class F>
decltype(auto) call_step(F& function, Attempt& attempt) {
  if constexpr (std::is_invocable_v<F&, Attempt&>) {
    return function(attempt);
  } else {
    static_assert(std::is_invocable_v<F&>, "a step is a function without parameters, or of a stile::Attempt&");
    return function();
  }
}
template <class F>
using StepValue = std::remove_cvref_t<decltype(call_step(std::declval<F&>(), std::declval<Attempt&>()))>;

/// Reads what came into `value`; false ends the pass.
template <class T>
bool read_came(runtime::Pass& pass, const Came& came, std::optional<T>& value) {
  try {
    value.emplace(decode_value<T>(came.stored));
    return true;
  } catch (const std::exception& e) {
    unreadable(pass, came.key, e.what());
    return false;
  }
}

/// co_await run.step(...), run.try_step(...): F is the callable as it is kept, a reference for an lvalue.
template <class F, bool failure_is_value>
class StepAwait : public Awaitable {
  using R = StepValue<std::remove_reference_t<F>>;
  using T = ResultOf<R>;

 public:
  StepAwait(runtime::Pass* pass, std::string_view name, const StepOptions& options, F&& function)
      : pass_(pass), name_(name), options_(options), function_(std::forward<F>(function)) {}

  bool await_ready() {
    if (!run_step(*pass_, name_, options_, &body, this, came_)) return false;
    if (came_.to != Came::To::value) return true;
    return read_came(*pass_, came_, value_);
  }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  auto await_resume() {
    if constexpr (failure_is_value) {
      if (came_.failure) return Outcome<T>(*std::move(came_.failure));
      return Outcome<T>(*std::move(value_));
    } else {
      if (came_.failure) throw *std::move(came_.failure);
      if constexpr (!std::is_void_v<R>) return R(*std::move(value_));
    }
  }

 private:
  static Bytes body(void* step, Attempt& attempt, bool check_values) {
    auto& self = *static_cast<StepAwait*>(step);
    if constexpr (std::is_void_v<R>) {
      call_step(self.function_, attempt);
      self.value_.emplace();
      return encode_value(Done{});
    } else {
      return self.keep(call_step(self.function_, attempt), check_values);
    }
  }
  /// The value in its stored form; what the code goes on with is what comes back from that.
  Bytes keep(const T& value, bool check_values) {
    try {
      Bytes stored = encode_value<T>(value);
      if (check_values) check_round_trip<T>(value, stored);
      value_.emplace(decode_value<T>(stored));
      return stored;
    } catch (const std::exception& e) {
      throw Permanent("its value cannot be recorded: " + std::string(e.what()));
    }
  }

  runtime::Pass* pass_;
  std::string name_;
  StepOptions options_;
  F function_;
  Came came_;
  std::optional<T> value_;
};

/// co_await run.sleep(...), run.sleep_until(...).
class SleepAwait : public Awaitable {
 public:
  SleepAwait(runtime::Pass* pass, std::string_view name, std::optional<Duration> after, std::optional<StoreTime> until)
      : pass_(pass), name_(name), after_(after), until_(until) {}
  bool await_ready() { return run_sleep(*pass_, name_, after_, until_); }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}

 private:
  runtime::Pass* pass_;
  std::string name_;
  std::optional<Duration> after_;
  std::optional<StoreTime> until_;
};

/// co_await run.wait(...), run.receive(...): for ever, or within a time and then an optional.
template <class T, bool bounded>
class ValueAwait : public Awaitable {
 public:
  using Ask = bool (*)(runtime::Pass&, std::string_view, std::optional<Duration>, Came&);
  ValueAwait(runtime::Pass* pass, Ask ask, std::string_view name, std::optional<Duration> within)
      : pass_(pass), ask_(ask), name_(name), within_(within) {}

  bool await_ready() {
    if (!ask_(*pass_, name_, within_, came_)) return false;
    if (came_.to == Came::To::timeout) return true;
    return read_came(*pass_, came_, value_);
  }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  std::conditional_t<bounded, std::optional<T>, T> await_resume() {
    if constexpr (bounded) {
      return std::move(value_);
    } else {
      return *std::move(value_);
    }
  }

 private:
  runtime::Pass* pass_;
  Ask ask_;
  std::string name_;
  std::optional<Duration> within_;
  Came came_;
  std::optional<T> value_;
};

}  // namespace detail

/// Handed to a workflow's function by reference; lives as long as the pass. Not for other threads.
class Run {
 public:
  explicit Run(runtime::Pass& pass) : pass_(&pass) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The workflow's id.
  const Bytes& id() const;

  /// Does something in the world, at least once, and records what it handed back, once. It may block. Throws
  /// StepFailed when it failed for good.
  template <class F>
  auto step(std::string_view name, F&& function) {
    return step(name, StepOptions{}, std::forward<F>(function));
  }
  template <class F>
  auto step(std::string_view name, const StepOptions& options, F&& function) {
    detail::check_callable<F>();
    return detail::StepAwait<F, false>(pass_, name, options, std::forward<F>(function));
  }
  /// The same, handing the failure back as an Outcome.
  template <class F>
  auto try_step(std::string_view name, F&& function) {
    return try_step(name, StepOptions{}, std::forward<F>(function));
  }
  template <class F>
  auto try_step(std::string_view name, const StepOptions& options, F&& function) {
    detail::check_callable<F>();
    return detail::StepAwait<F, true>(pass_, name, options, std::forward<F>(function));
  }

  /// Goes on after that time by the store's clock, counted from when it was first reached.
  detail::SleepAwait sleep(std::string_view name, Duration time) { return {pass_, name, time, std::nullopt}; }
  detail::SleepAwait sleep_until(std::string_view name, StoreTime moment) {
    return {pass_, name, std::nullopt, moment};
  }

  /// The value of a signal, waited for.
  template <class T>
  detail::ValueAwait<T, false> wait(const Signal<T>& signal) {
    return {pass_, &detail::run_wait, signal.name, std::nullopt};
  }
  /// Nothing when it did not come within that time.
  template <class T>
  detail::ValueAwait<T, true> wait(const Signal<T>& signal, Duration within) {
    return {pass_, &detail::run_wait, signal.name, within};
  }

  /// The next message of an inbox, waited for.
  template <class T>
  detail::ValueAwait<T, false> receive(const Inbox<T>& inbox) {
    return {pass_, &detail::run_receive, inbox.name, std::nullopt};
  }
  template <class T>
  detail::ValueAwait<T, true> receive(const Inbox<T>& inbox, Duration within) {
    return {pass_, &detail::run_receive, inbox.name, within};
  }

  /// The workflow's own time: the latest moment recorded of what it has met so far. The same on every pass.
  StoreTime now() const;

  /// Whether somebody asked it to stop. Once true, true on every pass from this place on.
  bool cancel_requested();

 private:
  runtime::Pass* pass_;
};

}  // namespace v1
}  // namespace stile
