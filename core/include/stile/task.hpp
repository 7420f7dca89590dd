// Task: the coroutine type of workflows and of the functions they are made of.
//
// A task starts when it is awaited and runs on its caller's stack until it is done or must wait. Waiting ends the pass:
// the frames are destroyed, and a later pass runs the workflow again from the top over what was recorded. So a loop of
// awaits needs no more stack than the depth of its calls.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "stile/detail/compiler.hpp"

namespace stile {
inline namespace v1 {

template <class T>
class Task;

namespace detail {

/// Base of everything a Task may await.
struct Awaitable {};

template <class A>
inline constexpr bool is_awaitable = std::is_base_of_v<Awaitable, std::remove_cvref_t<A>>;

class TaskPromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }

  /// Goes on with the awaiting task, if that one was left suspended; else back to who resumed this one.
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      auto up = done.promise().awaiting_;
      return up ? up : std::coroutine_handle<>(std::noop_coroutine());
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  template <class A>
  A&& await_transform(A&& awaited) noexcept {
    static_assert(is_awaitable<A>,
                  "a workflow awaits only what stile::Run offers and other stile::Task: anything else would resume a "
                  "frame that a wait has destroyed. Run it inside a step");
    return std::forward<A>(awaited);
  }

  void awaited_by(std::coroutine_handle<> up) noexcept { awaiting_ = up; }

 protected:
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() {
    if (error_) std::rethrow_exception(error_);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() {
    if (error_) std::rethrow_exception(error_);
  }
};

}  // namespace detail

/// A function that awaits. Parameters go by value, but for Run& and what outlives the task. Owned; moves, never copies.
template <class T>
class [[nodiscard]] Task : public detail::Awaitable {
 public:
  using promise_type = detail::TaskPromise<T>;
  static_assert(!std::is_reference_v<T>, "a Task hands its value over: return it by value");

  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs until it is done or must wait; true when done. For who drives a task: inside one, co_await it.
  bool start() {
    handle_.resume();
    return handle_.done();
  }
  /// The value of a task that is done, or its exception.
  T take() { return handle_.promise().take(); }

  bool await_ready() { return start(); }
  void await_suspend(std::coroutine_handle<> up) noexcept { handle_.promise().awaited_by(up); }
  T await_resume() { return take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

}  // namespace detail
}  // namespace v1
}  // namespace stile
