// What is recorded of a workflow, as its code meets it again: the determinism guard.
//
// A pass goes through the workflow's code from the top. What its earlier passes recorded it meets in the same order, or
// the code is another code: then it differs, and nothing may run.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/stored.hpp"
#include "stile/operations.hpp"

namespace stile::runtime {

/// The code asked for one name where another one is recorded.
struct Differs {
  std::string recorded;  ///< the key that stands there
  std::int64_t position = 0;
  std::string asked;

  std::string text() const;
};

class Replay {
 public:
  /// Records in the order of the store, all of them, before the first question.
  void add(StoredRecord record);

  /// The highest position seen.
  std::int64_t last_position() const { return last_position_; }

  const StoredRecord* start() const { return start_; }
  const StoredRecord* result() const { return result_; }
  /// A signal that arrived, or null.
  const StoredRecord* signal(std::string_view name) const;
  /// The next message of that inbox nobody took yet, or null; take moves on.
  const StoredRecord* message(const std::string& inbox) const;
  void take_message(const std::string& inbox);

  /// The key of the next use of a name: each call is one use.
  std::string use(std::string_view name);

  /// The last failed attempt recorded for a key, or null.
  const StoredRecord* failed(const std::string& key) const;
  /// How many attempts of any step waited for a later pass.
  unsigned failed_attempts() const { return failed_attempts_; }

  enum class Met { recorded, fresh, differs };
  /// The code needs what stands under key: recorded (it is taken), fresh (nothing of this workflow is recorded from
  /// here on: it may run), or another key stands there.
  Met meet(std::string_view key, const StoredRecord*& record);
  /// The code may have recorded something under key: taken if it stands here, else null; never differs.
  const StoredRecord* meet_if_next(std::string_view key);
  /// The difference that the last meet found.
  Differs differs(std::string_view asked) const;
  /// Nothing that this workflow recorded is left to meet.
  bool at_end() const { return next_ == own_.size(); }

  /// The workflow's own time: the latest moment recorded of what its code has met. It never runs ahead of the code.
  StoreTime now() const { return now_; }
  void reached(StoreTime moment) {
    if (moment > now_) now_ = moment;
  }

 private:
  struct Inbox {
    std::vector<const StoredRecord*> messages;
    std::size_t taken = 0;
  };

  // Never moved once added: own_ and the rest point into it.
  std::vector<std::unique_ptr<StoredRecord>> records_;
  std::vector<const StoredRecord*> own_;
  std::size_t next_ = 0;
  const StoredRecord* start_ = nullptr;
  const StoredRecord* result_ = nullptr;
  std::unordered_map<std::string, const StoredRecord*> signals_, failed_;
  std::unordered_map<std::string, Inbox> inboxes_;
  std::unordered_map<std::string, unsigned> uses_;
  unsigned failed_attempts_ = 0;
  std::int64_t last_position_ = 0;
  StoreTime now_{};
};

}  // namespace stile::runtime
