// SPDX-License-Identifier: Apache-2.0
#include "runtime/pass.hpp"

#include "types/units.hpp"

namespace stile::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// What a refused write says about the pass.
enum class Verdict { lost, refused, trouble };

Verdict judge(Status status) {
  switch (status) {
    case Status::fenced:
    case Status::stale:
    case Status::cancelled:
    case Status::lapsed:
    case Status::store_lost: return Verdict::lost;
    case Status::invalid:
    case Status::too_large: return Verdict::refused;
    default: return Verdict::trouble;
  }
}

}  // namespace

Pass::Pass(Store store, std::shared_ptr<Life> life, StoreClock clock, PassSettings settings)
    : store_(std::move(store)), life_(std::move(life)), clock_(clock), settings_(std::move(settings)) {}

bool Pass::stuck(std::string text) {
  if (!ended()) {
    end_.kind = End::Kind::stuck;
    end_.text = std::move(text);
    if (!settings_.build.empty()) end_.text += " (build " + settings_.build + ")";
  }
  return false;
}

bool Pass::differs(std::string_view key) { return stuck(replay_.differs(key).text()); }

bool Pass::trouble(const Failure& failure) {
  if (ended()) return false;
  end_.kind = judge(failure.status) == Verdict::lost ? End::Kind::lost : End::Kind::trouble;
  end_.text = name_of(failure.status) + (failure.text.empty() ? "" : ": " + failure.text);
  if (end_.kind == End::Kind::lost) life_->stop(true);
  return false;
}

bool Pass::sleep_until(StoreTime due) {
  end_.kind = End::Kind::sleeping;
  end_.at = due;
  return false;
}

CallOptions Pass::call_options() const { return {.deadline = life_->live_until()}; }

bool Pass::load_rest(std::int64_t position) {
  for (bool more = true; more;) {
    auto loaded = store_.try_call(Load{.workflow = id(), .after = position}, call_options());
    if (!loaded) return trouble(loaded.failure());
    if (loaded->records.empty()) return true;
    for (auto& record : loaded->records) replay_.add(std::move(record));
    position = replay_.last_position();
    more = loaded->more;
  }
  return true;
}

bool Pass::may_go_on() {
  if (ended()) return false;
  if (life_->lost(Clock::now())) {
    life_->stop(true);
    end_.kind = End::Kind::lost;
    end_.text = "its lease ended before a renewal was confirmed";
    return false;
  }
  if (settings_.drain.stop_requested() || life_->stop_token().stop_requested()) {
    end_.kind = End::Kind::draining;
    return false;
  }
  return true;
}

bool Pass::wrote(const Result<Recorded>& answer, Recorded& recorded, std::string& refused) {
  if (!answer) {
    if (judge(answer.status()) != Verdict::refused) return trouble(answer.failure());
    refused = answer.failure().text.empty() ? std::string(meaning_of(answer.status())) : answer.failure().text;
    return false;
  }
  recorded = *answer;
  clock_.hear(recorded.written_at, Clock::now());
  replay_.reached(recorded.written_at);
  return true;
}

bool Pass::record(std::string_view key, std::string_view value, Recorded& recorded, std::string& refused) {
  if (ended()) return false;
  if (life_->lost(Clock::now())) return may_go_on();
  Record write{.workflow = id(), .fence = life_->fence(), .key = key, .value = value};
  if (!owes_cancel_mark_) return wrote(store_.try_call(write, call_options()), recorded, refused);
  Record marked{.workflow = id(), .fence = life_->fence(), .key = cancel_key, .value = mark};
  auto [first, second] = store_.chain(call_options(), marked, write);
  if (!first) return trouble(first.failure());
  owes_cancel_mark_ = false;
  return wrote(second, recorded, refused);
}

bool Pass::cancel_requested() {
  if (cancel_seen_) return true;
  if (replay_.meet_if_next(cancel_key)) return cancel_seen_ = true;
  if (!replay_.at_end() || !life_->cancel_requested()) return false;
  // Once requested it stays so: should this pass die before the mark is written, the next one answers the same.
  owes_cancel_mark_ = cancel_seen_ = true;
  return true;
}

bool Pass::wait_here(StoreTime due) {
  std::mutex mutex;
  std::condition_variable changed;
  auto wake = [&] {
    std::lock_guard lock(mutex);
    changed.notify_all();
  };
  std::stop_callback on_drain(settings_.drain, wake);
  std::stop_callback on_stop(life_->stop_token(), wake);
  std::unique_lock lock(mutex);
  for (;;) {
    lock.unlock();
    if (!may_go_on()) return false;
    lock.lock();
    if (settings_.drain.stop_requested() || life_->stop_token().stop_requested()) continue;
    Duration left = due - store_now();
    if (left <= Duration{0}) return true;
    changed.wait_until(lock, Clock::now() + left);
  }
}

Pass::Tried Pass::attempt(const std::string& key, int number, Duration within, detail::StepBody body, void* step) {
  Life::Running running{.name = key, .stop = {}, .until = {}, .began = Clock::now()};
  auto until = running.began + within;
  if (within > Duration{0}) running.until = until;
  Attempt attempt(number, id() + "/" + key, running.stop.get_token());
  life_->begin(std::move(running));
  if (within > Duration{0} && settings_.keeper) settings_.keeper->look_again();
  Tried tried;
  try {
    tried.value = body(step, attempt, settings_.check_values);
  } catch (const Permanent& e) {
    tried.error = e.what();
    tried.permanent = true;
  } catch (const std::exception& e) {
    tried.error = e.what();
  } catch (...) {
    tried.error = "an exception that is no std::exception";
  }
  life_->end();
  if (within > Duration{0} && !tried.permanent && Clock::now() > until)
    tried.error =
        "it took longer than " + types::duration_text(within.count()) + (tried.error ? ": " + *tried.error : "");
  return tried;
}

}  // namespace stile::runtime
