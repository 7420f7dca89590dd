// What Run's awaits do, without their types.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/run.hpp"

#include <algorithm>
#include <random>

#include "runtime/pass.hpp"
#include "runtime/stored.hpp"
#include "stile/worker.hpp"

namespace stile {
inline namespace v1 {

using runtime::End;
using runtime::Form;
using runtime::Pass;
using runtime::Replay;

namespace detail {
namespace {

double chance() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

/// What is recorded under a step's key; the form decides.
bool step_came(Pass& pass, const std::string& name, const StoredRecord& record, Came& came) {
  auto form = runtime::form_of(record.value);
  if (form == Form::value) {
    came.to = Came::To::value;
    came.stored = record.value;
    return true;
  }
  if (form != Form::failure)
    return pass.stuck("\"" + record.key + "\" is recorded as a wait, and the code runs a step");
  try {
    auto failure = runtime::read_failure(record.value);
    came.to = Came::To::failure;
    came.failure.emplace(name, failure.error, failure.attempts);
    return true;
  } catch (const ValueError& e) {
    return pass.stuck("\"" + record.key + "\": " + e.what());
  }
}

/// Writes how a step ended; what stands then is what came, whoever wrote it.
bool record_step(Pass& pass, const std::string& name, std::string value, Came& came) {
  Recorded recorded;
  std::string refused;
  if (!pass.record(came.key, value, recorded, refused)) {
    if (refused.empty()) return false;
    // The store takes no such value: that is how the step ended, and the workflow goes on.
    value = runtime::write_failure({.error = "its value cannot be recorded: " + refused});
    refused.clear();
    if (!pass.record(came.key, value, recorded, refused))
      return refused.empty() ? false : pass.trouble({Status::internal, refused, {}, Duration{0}});
  }
  StoredRecord stands{came.key, recorded.first ? std::move(value) : std::move(recorded.value), recorded.position,
                      recorded.written_at};
  bool own = recorded.first && runtime::form_of(stands.value) == Form::value;
  if (!step_came(pass, name, stands, came)) return false;
  if (own) came.to = Came::To::own_value;
  return true;
}

/// The attempts that earlier passes gave up to a later one: their number, and when the next may begin.
bool earlier_attempts(Pass& pass, const std::string& key, int& attempts) {
  const StoredRecord* failed = pass.replay().failed(key);
  if (!failed) return true;
  try {
    auto failure = runtime::read_failure(failed->value);
    attempts = failure.attempts;
    StoreTime due = failed->written_at + failure.again_after;
    if (pass.store_now() >= due) return true;
    if (pass.waits_here(due - pass.store_now())) return pass.wait_here(due);
    return pass.sleep_until(due);  // woken early, by a signal or a message
  } catch (const ValueError& e) {
    return pass.stuck(std::string("\"") + failed->key + "\": " + e.what());
  }
}

/// The attempt failed: true to try again at once, false when the pass has ended, nothing when the step has failed.
std::optional<bool> after_failure(Pass& pass, const std::string& key, const Retry& retry, int attempt,
                                  const Pass::Tried& tried) {
  auto pause = runtime::next_attempt(retry, attempt, tried.permanent, chance());
  if (!pause) return std::nullopt;
  if (pass.waits_here(*pause)) return pass.wait_here(pass.store_now() + *pause);
  End& end = pass.end();
  end.kind = End::Kind::retrying;
  end.delay = *pause;
  end.text = "step \"" + key + "\", attempt " + std::to_string(attempt) + ": " + *tried.error;
  end.record =
      End::LastRecord{runtime::failed_key(key, attempt),
                      runtime::write_failure({.error = *tried.error, .attempts = attempt, .again_after = *pause})};
  return false;
}

bool try_step(Pass& pass, const std::string& name, const StepOptions& options, StepBody body, void* step, Came& came) {
  int attempt = 0;
  if (!earlier_attempts(pass, came.key, attempt)) return false;
  for (;;) {
    if (!pass.may_go_on()) return false;
    auto tried = pass.attempt(came.key, ++attempt, options.within, body, step);
    if (!tried.error) return record_step(pass, name, std::move(tried.value), came);
    auto again = after_failure(pass, came.key, options.retry, attempt, tried);
    if (!again)
      return record_step(pass, name, runtime::write_failure({.error = *tried.error, .attempts = attempt}), came);
    if (!*again) return false;
  }
}

/// The key of the next use of a name, or the end of the pass.
bool use(Pass& pass, std::string_view name, std::string& key) {
  if (pass.ended()) return false;
  if (auto wrong = runtime::wrong_name(name)) return pass.stuck(*wrong);
  key = pass.replay().use(name);
  return true;
}

/// Ends the pass until a timer that is recorded with its answer.
bool end_with_timer(Pass& pass, const std::string& key, const runtime::Timer& timer) {
  End& end = pass.end();
  end.kind = End::Kind::sleeping;
  end.delay = timer.after;
  end.at = timer.until;
  end.record = End::LastRecord{key, runtime::write_timer(timer)};
  return false;
}

/// When the timer that stands under key is due; false ends the pass.
bool read_due(Pass& pass, const StoredRecord& record, StoreTime& due) {
  try {
    due = runtime::read_timer(record.value).due(record.written_at);
    return true;
  } catch (const ValueError& e) {
    return pass.stuck("\"" + record.key + "\": " + e.what());
  }
}

/// Records a timer now, because its wait is short enough to be waited for here.
bool record_timer(Pass& pass, const std::string& key, const runtime::Timer& timer, StoreTime& due) {
  Recorded recorded;
  std::string refused;
  std::string value = runtime::write_timer(timer);
  if (!pass.may_go_on()) return false;
  if (!pass.record(key, value, recorded, refused))
    return refused.empty() ? false : pass.stuck("a timer cannot be recorded: " + refused);
  return read_due(pass, {key, recorded.first ? value : recorded.value, recorded.position, recorded.written_at}, due);
}

/// Waits until due, here or in a later pass.
bool reach(Pass& pass, StoreTime due) {
  Duration left = due - pass.store_now();
  if (left > Duration{0} && !pass.waits_here(left)) return pass.sleep_until(due);
  if (left > Duration{0} && !pass.wait_here(due)) return false;
  pass.replay().reached(due);
  return true;
}

/// What a wait is for, where it is there.
using Look = const StoredRecord* (*)(Pass&, const std::string&);

/// A wait: what it is for, else its time, else a later pass.
bool await_value(Pass& pass, std::string_view name, Look look, std::optional<Duration> within, Came& came) {
  if (!use(pass, name, came.key)) return false;
  std::string timeout_key = came.key + std::string(runtime::timeout_suffix);
  const StoredRecord* timer = within ? pass.replay().meet_if_next(came.key) : nullptr;
  if (timer && pass.replay().meet_if_next(timeout_key)) {
    came.to = Came::To::timeout;
    return true;
  }
  if (const StoredRecord* there = look(pass, std::string(name))) {
    came.to = Came::To::value;
    came.stored = there->value;
    pass.replay().reached(there->written_at);
    return true;
  }
  if (!pass.replay().at_end()) return pass.differs(came.key);
  if (!within) {
    pass.end().kind = End::Kind::waiting;
    return false;
  }
  if (!timer && *within > Duration{0}) return end_with_timer(pass, came.key, {.after = *within, .until = {}});
  StoreTime due{};
  if (!timer && !record_timer(pass, came.key, {.after = *within, .until = {}}, due)) return false;
  if (timer && !read_due(pass, *timer, due)) return false;
  if (pass.store_now() < due) return pass.sleep_until(due);
  Recorded recorded;
  std::string refused;
  if (!pass.may_go_on()) return false;
  if (!pass.record(timeout_key, runtime::mark, recorded, refused))
    return refused.empty() ? false : pass.stuck("a timeout cannot be recorded: " + refused);
  came.to = Came::To::timeout;
  return true;
}

}  // namespace

bool run_step(Pass& pass, std::string_view name, const StepOptions& options, StepBody body, void* step, Came& came) {
  if (!use(pass, name, came.key)) return false;
  const StoredRecord* record = nullptr;
  switch (pass.replay().meet(came.key, record)) {
    case Replay::Met::recorded: return step_came(pass, std::string(name), *record, came);
    case Replay::Met::fresh: return try_step(pass, std::string(name), options, body, step, came);
    case Replay::Met::differs: break;
  }
  return pass.differs(came.key);
}

bool run_sleep(Pass& pass, std::string_view name, std::optional<Duration> after, std::optional<StoreTime> until) {
  std::string key;
  if (!use(pass, name, key)) return false;
  const StoredRecord* record = nullptr;
  StoreTime due{};
  switch (pass.replay().meet(key, record)) {
    case Replay::Met::differs: return pass.differs(key);
    case Replay::Met::recorded:
      if (!read_due(pass, *record, due)) return false;
      break;
    case Replay::Met::fresh: {
      runtime::Timer timer{after, until};
      if (after) timer.after = std::max(*after, Duration{0});
      Duration left = after ? *timer.after : *until - pass.store_now();
      if (!pass.waits_here(left) && left > Duration{0}) return end_with_timer(pass, key, timer);
      if (!record_timer(pass, key, timer, due)) return false;
    }
  }
  return reach(pass, due);
}

bool run_wait(Pass& pass, std::string_view signal, std::optional<Duration> within, Came& came) {
  return await_value(
      pass, signal, [](Pass& p, const std::string& name) { return p.replay().signal(name); }, within, came);
}

bool run_receive(Pass& pass, std::string_view inbox, std::optional<Duration> within, Came& came) {
  auto look = [](Pass& p, const std::string& name) { return p.replay().message(name); };
  if (!await_value(pass, inbox, look, within, came)) return false;
  if (came.to == Came::To::timeout) return true;
  pass.replay().take_message(std::string(inbox));
  try {
    came.stored = runtime::read_message(came.stored).value;
    return true;
  } catch (const ValueError& e) {
    return pass.stuck(e.what());
  }
}

void unreadable(Pass& pass, const std::string& key, const char* what) {
  pass.stuck("\"" + key + "\" is recorded in a form that this code cannot read: " + what);
}

void finish(Pass& pass, Bytes result) {
  if (pass.ended()) return;
  if (!pass.replay().at_end()) return void(pass.differs("the end"));
  pass.end().kind = End::Kind::completed;
  pass.end().record = End::LastRecord{std::string(runtime::result_key), std::move(result)};
}

void finish_failed(Pass& pass, const char* what) {
  if (pass.ended()) return;
  finish(pass, runtime::write_failure({.error = what}));
}

bool check_values(const Pass& pass) { return pass.settings().check_values; }

}  // namespace detail

const Bytes& Run::id() const { return pass_->id(); }
StoreTime Run::now() const { return pass_->replay().now(); }
bool Run::cancel_requested() { return pass_->cancel_requested(); }

}  // namespace v1
}  // namespace stile
