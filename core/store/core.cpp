// The life of a call: a lane or a session of its own, sent again until it is settled or its deadline has come.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/core.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "stile/log.hpp"
#include "store/info.hpp"

namespace stile::store {
namespace {

constexpr unsigned most_lanes = 8;
/// Connecting cannot be interrupted: a server that does not answer must not hold a caller who was asked to stop for
/// long.
constexpr Duration longest_connect{5'000'000};

Deadline now() { return std::chrono::steady_clock::now(); }

Deadline after(Deadline start, Duration length) {
  return length > std::chrono::floor<Duration>(Deadline::max() - start) ? Deadline::max() : start + length;
}

/// How long an operation may wait for something to happen, which is no time lost.
Duration wait_of(const stile_op& op) {
  if (op.kind == STILE_OP_RECEIVE) return Duration(static_cast<const stile_receive_request*>(op.request)->wait);
  if (op.kind == STILE_OP_WATCH) return Duration(static_cast<const stile_watch_request*>(op.request)->wait);
  return Duration{0};
}

void set_wait(stile_op& op, Duration wait) {
  // The request is the operation's own copy.
  void* request = const_cast<void*>(op.request);
  if (op.kind == STILE_OP_RECEIVE) static_cast<stile_receive_request*>(request)->wait = wait.count();
  if (op.kind == STILE_OP_WATCH) static_cast<stile_watch_request*>(request)->wait = wait.count();
}

bool forced(const stile_op& op) {
  return op.kind == STILE_OP_ACQUIRE && static_cast<const stile_acquire_request*>(op.request)->force != 0;
}

bool open_ended(const Operation& o) { return worth_sending_again(o.op().kind, forced(o.op()), o.status()); }

/// What is refused here, before anything is sent.
void check_company(std::span<Operation* const> ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    Operation& o = *ops[i];
    if (o.refused()) continue;
    if (i == 0 && o.after_ok) o.refuse(Status::invalid, "after_ok: there is nothing before it (R3)");
    if (ops.size() > 1 && !o.refused() && travels_alone(o.op()))
      o.refuse(Status::invalid, "a waiting call or a callback effect must be alone in its call (R3)");
    if (i > 0 && o.after_ok && !o.refused() && ops[i - 1]->refused())
      o.refuse(Status::skipped, "the operation before it was refused");
  }
}

void draw_op_id(Operation& o) {
  if (takes_op_id(o.op()) && id_of(o.op().op_id).empty()) o.op().op_id = abi_of(Id::random());
}

/// After a lost reply only what the lost send handed out is asked for (R1).
void ask_again(Operation& o) {
  if (o.op().kind == STILE_OP_RECEIVE) o.op().must |= STILE_MUST_AGAIN;
}

void settle_all(std::span<Operation* const> ops) {
  for (Operation* o : ops) {
    Status last = o->status();
    if (o->left() && last == Status::timed_out && o->earlier) last = o->earlier->status;
    Status settled = settle(last, o->doubt);
    if (o->left())
      o->leave(settled);
    else
      o->op().status = static_cast<std::int32_t>(settled);
    if (settled == Status::ok || settled == Status::unknown) o->doubt = false;
  }
}

}  // namespace

Core::Core(std::shared_ptr<Backend> backend, const OpenOptions& options)
    : backend_(std::move(backend)),
      timeout_(options.timeout),
      asked_lanes_(options.lanes),
      sessions_(*this, options.waiting) {
  unsigned count = asked_lanes_ ? asked_lanes_ : std::clamp(std::thread::hardware_concurrency(), 1u, most_lanes);
  for (unsigned i = 0; i < count; ++i) lanes_.push_back(std::make_unique<Lane>(*this));
  Deadline deadline = after(now(), timeout_);
  for (int sends = 1;; ++sends) {
    std::unique_ptr<Link> link = connect(deadline);
    auto answer = ask_info(*link, 1, deadline);
    if (answer || answer.status() == Status::unprepared) {
      if (answer) keep_info(std::move(answer).value());
      lanes_[0]->adopt(std::move(link), 1);
      return;
    }
    Deadline until = now() + Backoff{}.pause(sends, chance());
    if (!worth_sending_again(STILE_OP_INFO, false, answer.status()) || until >= deadline) throw Error(answer.failure());
    sleep_until(until, {});
  }
}

Core::~Core() = default;

std::unique_ptr<Link> Core::connect(Deadline deadline) {
  auto watcher = observer();
  try {
    auto link = backend_->connect(std::min(deadline, after(now(), longest_connect)));
    if (watcher) watcher->session({backend_->config(), Observer::Session::Event::connected, {}});
    return link;
  } catch (const Error& error) {
    log(LogLevel::warn, "cannot connect",
        {{"store", backend_->config()}, {"status", name_of(error.status())}, {"error", error.what()}});
    if (watcher) watcher->session({backend_->config(), Observer::Session::Event::failed, error.what()});
    throw;
  }
}

std::optional<std::size_t> Core::batch_limit() const {
  const StoreInfo* known = known_.load(std::memory_order_acquire);
  if (!known) return std::nullopt;
  return static_cast<std::size_t>(known->limits.batch);
}

void Core::learn(Link& link, std::uint64_t serial, Deadline deadline) {
  if (auto answer = ask_info(link, serial, deadline)) keep_info(std::move(answer).value());
}

void Core::keep_info(StoreInfo info) {
  auto learnt = std::make_unique<const StoreInfo>(std::move(info));
  std::lock_guard lock(mutex_);
  known_.store(learnt.get(), std::memory_order_release);
  learnt_.push_back(std::move(learnt));
}

const StoreInfo& Core::info() const {
  static const StoreInfo unknown;
  const StoreInfo* known = known_.load(std::memory_order_acquire);
  return known ? *known : unknown;
}

Lane& Core::choose_lane() {
  const StoreInfo* known = known_.load(std::memory_order_acquire);
  bool many = asked_lanes_ || (known && known->limits.writers != 1);
  std::size_t count = many ? lanes_.size() : 1;
  if (count == 1) return *lanes_[0];
  // A thread keeps to its own lane while that is free: less is moved between processors.
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i)
    if (Lane& lane = *lanes_[(mine + i) % count]; lane.idle()) return lane;
  return *lanes_[mine % count];
}

void Core::run(std::span<Operation* const> ops, const CallOptions& options) {
  if (ops.empty()) return;
  if (!process_.here()) {
    // Locks that another thread held at the fork are held for ever here.
    for (Operation* o : ops)
      o->refuse(Status::invalid, "the store was opened before a fork: open it again in this process");
    return;
  }
  check_company(ops);
  bool alone = ops.size() == 1 && !ops[0]->refused() && travels_alone(ops[0]->op());
  Deadline start = now();
  // The store's own time-out is for getting an answer; a wait comes on top of it.
  Duration wait = alone ? std::min(wait_of(ops[0]->op()), Duration::max() - timeout_) : Duration{0};
  Duration timeout = options.timeout.value_or(timeout_ + wait);
  Call call{std::min(after(start, timeout), options.deadline.value_or(Deadline::max())), options.stop, options.resend};
  for (Operation* o : ops) draw_op_id(*o);
  if (alone)
    run_alone(*ops[0], call);
  else
    run_together(ops, call);
  settle_all(ops);
}

void Core::run_together(std::span<Operation* const> ops, const Call& call) {
  std::vector<Operation*> some;
  std::span<Operation* const> send = ops;
  if (std::any_of(ops.begin(), ops.end(), [](Operation* o) { return o->refused(); })) {
    std::copy_if(ops.begin(), ops.end(), std::back_inserter(some), [](Operation* o) { return !o->refused(); });
    send = some;
  }
  for (Operation* o : send) o->chain(o->after_ok);
  for (int sends = 1; !send.empty(); ++sends) {
    if (closed_) return refuse_closed(send);
    choose_lane().run(send, call.deadline, call.stop);
    bool left = false, settled = true;
    for (Operation* o : send) {
      left |= o->left();
      settled &= !open_ended(*o);
      if (o->status() == Status::unknown) o->doubt = true;
    }
    if (left || settled || !call.resend || over(call)) return;
    std::vector<Sent> sent;
    for (Operation* o : ops) sent.push_back({o->status(), o->after_ok, open_ended(*o)});
    std::vector<Operation*> next;
    std::vector<std::size_t> places = plan_resend(sent);
    for (std::size_t place : places) next.push_back(ops[place]);
    if (next.empty() || !pause_before_resend(next, sends, call)) return;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (next[i]->status() == Status::unknown) ask_again(*next[i]);
      next[i]->reset();
      next[i]->chain(next[i]->after_ok && i > 0 && places[i - 1] + 1 == places[i]);
    }
    some.swap(next);
    send = some;
  }
}

void Core::run_alone(Operation& o, const Call& call) {
  Deadline wait_end = after(now(), wait_of(o.op()));
  const bool waits = wait_of(o.op()) > Duration{0};
  const std::uint32_t must = o.op().must;
  bool lost_one = false;  // and what it handed out has not been asked for with success, however often that was tried
  for (int sends = 1;; ++sends) {
    if (closed_) return refuse_closed(std::array{&o});
    send_alone(o, call);
    if (o.status() == Status::unknown) o.doubt = lost_one = true;
    if (o.left() || !call.resend || over(call)) return;
    bool lost = o.op().must != must;  // this was the question for what the lost send handed out
    if (lost && o.status() == Status::ok && !o.result<stile_receive_result>().deliveries && now() < wait_end) {
      o.op().must = must;  // nothing was: wait on
      lost_one = false;
    } else {
      if (!open_ended(o) || o.status() == Status::interrupted) return;
      if (waits && sends > 1 && now() >= wait_end) return;
      if (!pause_before_resend(std::array{&o}, sends, call)) return;
      o.op().must = must;
      if (lost_one) ask_again(o);
    }
    Duration left = std::chrono::floor<Duration>(wait_end - now());
    if (waits) set_wait(o.op(), o.op().must == must ? std::max(left, Duration{0}) : Duration{0});
    o.reset();
  }
}

void Core::send_alone(Operation& o, const Call& call) {
  try {
    if (auto session = sessions_.take(call.deadline, call.stop))
      sessions_.execute(std::move(*session), &o.op(), call.deadline, call.stop);
    else
      o.leave(over(call) ? Status::interrupted : Status::timed_out);
  } catch (const Error& error) {
    const Failure& failure = error.failure();
    o.op().status = static_cast<std::int32_t>(status_without_session(failure.status));
    o.op().error = o.arena().copy_text(failure.text);
    o.op().native = o.arena().copy_text(failure.native);
    o.op().retry_after = failure.retry_after.count();
  }
}

void Core::refuse_closed(std::span<Operation* const> ops) {
  for (Operation* o : ops) o->refuse(Status::interrupted, "the store handle was closed");
}

bool Core::pause_before_resend(std::span<Operation* const> ops, int sends, const Call& call) {
  Duration hint{0};
  for (Operation* o : ops) {
    hint = std::max(hint, Duration(o->op().retry_after));
    o->earlier = std::make_unique<Failure>(
        Failure{o->status(), std::string(view(o->op().error)), std::string(view(o->op().native)), Duration{0}});
  }
  Duration pause = Backoff{}.pause(sends, chance(), hint);
  Deadline until = now() + pause;
  if (until >= call.deadline) return false;
  if (auto watcher = observer())
    for (Operation* o : ops)
      watcher->resend({backend_->config(), codec::op_name(o->op().kind), o->status(), sends, pause});
  return sleep_until(until, call.stop);
}

bool Core::sleep_until(Deadline until, const std::stop_token& stop) {
  std::stop_callback wake(stop, [this] {
    std::lock_guard lock(mutex_);
    woken_.notify_all();
  });
  std::unique_lock lock(mutex_);
  return !woken_.wait_until(lock, until, [&] { return closed_ || stop.stop_requested(); });
}

void Core::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    woken_.notify_all();
  }
  sessions_.close();
}

}  // namespace stile::store
