// Worker: runs the workflows of the kinds it is given, many at once, until it is told to stop; and run_pass, one pass
// without a worker.
//
// Every pass has a thread of the worker's from the moment it is received to its answer, so steps may block. A worker
// may die at any moment: another one takes its passes over when their leases end.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stile/run.hpp"
#include "stile/store.hpp"
#include "stile/workflow.hpp"

namespace stile {
namespace runtime {
class WorkerCore;
}

inline namespace v1 {

struct WorkerOptions {
  unsigned concurrency = 64;   ///< passes at a time, each on a thread of its own
  Duration lease{60'000'000};  ///< a worker that is silent for so long is taken for dead
  Duration drain{30'000'000};  ///< how long a stopping worker lets the steps that run finish
  int deliveries = 20;         ///< hand-outs without an answer before a workflow is put aside as dead; 0 = never
  std::string_view queues{};   ///< "urgent,fulfil", in order of preference; empty = the kinds it handles
  Duration step_warning{600'000'000};  ///< a step that takes longer is told to the log
  bool check_values = false;           ///< refuse to record a value that would not come back as it was
  std::string_view build{};            ///< named where a workflow is stuck
};

/// What a worker did since it was made.
struct WorkerCounts {
  std::uint64_t passes = 0;      ///< received and run
  std::uint64_t taken_over = 0;  ///< of those, begun before by a pass that never answered
  std::uint64_t completed = 0;   ///< ended their workflow, be it with an error
  std::uint64_t waiting = 0;     ///< ended to wait: a signal, a message, a time, a step's next attempt
  std::uint64_t stuck = 0;       ///< ended because the code and the records differ
  std::uint64_t lost = 0;        ///< superseded, cancelled, or silent for too long
  std::uint64_t troubled = 0;    ///< ended by the store's trouble
  std::uint64_t rejected = 0;    ///< put aside as dead
};

namespace detail {

/// A workflow's function without its types.
class Body {
 public:
  virtual ~Body() = default;
  /// Runs it over the pass until it is done or must wait.
  virtual void run(runtime::Pass& pass, std::string_view input) const = 0;
};

void finish(runtime::Pass& pass, Bytes result);
void finish_failed(runtime::Pass& pass, const char* what);
bool check_values(const runtime::Pass& pass);

template <class R, class In, class F>
class BodyOf : public Body {
 public:
  explicit BodyOf(F function) : function_(std::move(function)) {}

  void run(runtime::Pass& pass, std::string_view stored) const override {
    std::optional<In> input;
    try {
      input.emplace(decode_value<In>(stored));
    } catch (const std::exception& e) {
      return unreadable(pass, "!start", e.what());
    }
    Run run(pass);
    try {
      Task<R> task = call(run, *std::move(input));
      if (task.start()) finish(pass, result_of(pass, task));
    } catch (const std::exception& e) {
      finish_failed(pass, e.what());
    } catch (...) {
      finish_failed(pass, "an exception that is no std::exception");
    }
  }

 private:
  Task<R> call(Run& run, In input) const {
    if constexpr (std::is_invocable_r_v<Task<R>, const F&, Run&, In>) {
      return function_(run, std::move(input));
    } else {
      static_assert(std::is_same_v<In, Done> && std::is_invocable_r_v<Task<R>, const F&, Run&>,
                    "a workflow's function is stile::Task<Result> f(stile::Run&, Input), by value; it runs on many "
                    "threads at once, so a lambda must not be mutable");
      return function_(run);
    }
  }
  static Bytes result_of(const runtime::Pass& pass, Task<R>& task) {
    if constexpr (std::is_void_v<R>) {
      task.take();
      return encode_value(Done{});
    } else {
      R result = task.take();
      Bytes stored = encode_value<R>(result);
      if (check_values(pass)) check_round_trip<R>(result, stored);
      return stored;
    }
  }
  F function_;
};

template <class W, class F>
std::shared_ptr<const Body> make_body(F function) {
  return std::make_shared<BodyOf<typename W::Result, typename W::Input, F>>(std::move(function));
}

}  // namespace detail

/// Any thread may call anything but handle, which comes before run.
class Worker {
 public:
  explicit Worker(Store store, const WorkerOptions& options = {});
  ~Worker();
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;

  /// Runs workflows of that kind with `function`: Task<R> function(Run&, In). It is kept for ever.
  template <class Signature, class F>
  Worker& handle(const Workflow<Signature>& kind, F function) {
    add(kind.name, detail::make_body<Workflow<Signature>>(std::move(function)));
    return *this;
  }

  /// Receives and runs until stop is requested, then drains: no further step starts, what runs may finish, the rest is
  /// handed back. The store's trouble does not end it; throws Error for what will not get better by waiting.
  void run(std::stop_token stop);

  /// Runs what is due, on the calling thread, until nothing is due; says how many passes. For tests and for `main`s
  /// that run now and then.
  unsigned run_until_idle();

  WorkerCounts counts() const;

 private:
  void add(std::string_view kind, std::shared_ptr<const detail::Body> body);
  std::shared_ptr<runtime::WorkerCore> core_;
};

/// Fires on the first SIGINT or SIGTERM, or SIGHUP unless that is ignored or handled already. The second one ends the
/// process at once, which durable workflows survive.
std::stop_token stop_on_signals();

/// What one pass came to.
enum class PassOutcome {
  completed,  ///< the workflow has its result
  sleeping,   ///< until `due`
  waiting,    ///< for a signal or a message
  retrying,   ///< a step's next attempt comes at `due`
  stuck,      ///< the code and the records differ; `text` says where
  held,       ///< another pass has the lease, or took it over
};
std::string_view name_of(PassOutcome outcome);
struct PassEnd {
  PassOutcome outcome{};
  std::optional<StoreTime> due{};
  std::string text;
};

namespace detail {
PassEnd run_one_pass(const Store& store, std::string_view kind, const Body& body, std::string_view id,
                     const WorkerOptions& options);
}

/// Runs one pass of one started workflow on the calling thread, without a worker: for cron jobs, short-lived processes,
/// tests. It leaves a wakeup behind for what comes later, so a worker may go on with it; `finished`, which lets trim
/// remove a workflow, is set by a worker only. Throws Error for the store's trouble.
template <class Signature, class F>
PassEnd run_pass(const Store& store, const Workflow<Signature>& kind, F function, std::string_view id,
                 const WorkerOptions& options = {}) {
  auto body = detail::make_body<Workflow<Signature>>(std::move(function));
  return detail::run_one_pass(store, kind.name, *body, id, options);
}

}  // namespace v1
}  // namespace stile
