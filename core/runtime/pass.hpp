// One pass over one workflow: what its code asks, what is recorded, and how the pass ends.
//
// Lives on one thread. Nothing here throws through the workflow's code for the store's sake: when the pass must end,
// the code is left suspended and its frame destroyed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "runtime/decisions.hpp"
#include "runtime/keeper.hpp"
#include "runtime/life.hpp"
#include "runtime/replay.hpp"
#include "stile/run.hpp"
#include "stile/store.hpp"

namespace stile::runtime {

/// How a pass ended, and what its answer must say.
struct End {
  enum class Kind {
    running,
    completed,
    sleeping,
    waiting,
    retrying,
    stuck,
    trouble,   ///< the store's
    lost,      ///< no answer is ours to give
    draining,  ///< the worker stops
  };
  struct LastRecord {
    std::string key, value;
  };
  Kind kind = Kind::running;
  std::optional<LastRecord> record;  ///< travels with the answer
  std::optional<Duration> delay;     ///< of sleeping and retrying, unless `at`
  std::optional<StoreTime> at;
  std::string text;
};

struct PassSettings {
  bool check_values = false;
  std::string build;
  std::stop_token drain;     ///< no further step starts once it fires
  Keeper* keeper = nullptr;  ///< tells attempts when their time is over; null: nobody does
};

class Pass {
 public:
  Pass(Store store, std::shared_ptr<Life> life, StoreClock clock, PassSettings settings);

  Replay& replay() { return replay_; }
  const Replay& replay() const { return replay_; }
  Life& life() { return *life_; }
  const PassSettings& settings() const { return settings_; }
  const Bytes& id() const { return life_->workflow(); }
  /// The store's time now, never ahead of the store.
  StoreTime store_now() const { return clock_.now(std::chrono::steady_clock::now()); }

  End& end() { return end_; }
  const End& end() const { return end_; }
  bool ended() const { return end_.kind != End::Kind::running; }

  // All of these end the pass; they answer false, for the caller to hand on.
  bool stuck(std::string text);
  bool differs(std::string_view key);
  bool trouble(const Failure& failure);
  bool sleep_until(StoreTime due);

  /// Reads the records that did not come with the delivery, after `position`.
  bool load_rest(std::int64_t position);

  /// Whether something new may begin: not when lost, draining or ended.
  bool may_go_on();

  /// Records a value under a key. False with an empty `refused`: the pass has ended. False with a text: the store takes
  /// no such value, and the pass goes on.
  bool record(std::string_view key, std::string_view value, Recorded& recorded, std::string& refused);

  /// Whether the workflow is asked to stop, from this place of its code on.
  bool cancel_requested();
  /// The record that says so, which must be written before the next one; or null. Whoever writes, writes it first.
  bool owes_cancel_mark() const { return owes_cancel_mark_; }

  /// Keeps the pass and waits on this thread. False: the pass may not go on. Only where waits_here says so.
  bool wait_here(StoreTime due);
  bool waits_here(Duration time) const { return !clock_.manual() && time <= short_wait; }

  /// One attempt of a step, told to stop when it must.
  struct Tried {
    std::string value;
    std::optional<std::string> error;
    bool permanent = false;
  };
  Tried attempt(const std::string& key, int number, Duration within, detail::StepBody body, void* step);

  Store& store() { return store_; }
  CallOptions call_options() const;

 private:
  bool wrote(const Result<Recorded>& answer, Recorded& recorded, std::string& refused);

  Store store_;
  std::shared_ptr<Life> life_;
  StoreClock clock_;
  PassSettings settings_;
  Replay replay_;
  End end_;
  bool cancel_seen_ = false, owes_cancel_mark_ = false;
};

}  // namespace stile::runtime
