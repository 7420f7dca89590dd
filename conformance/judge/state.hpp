// One workflow as the contract describes it, small enough to be copied at every step of a search.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "judge/hash.hpp"
#include "judge/time.hpp"

namespace stile::conformance::judge {

/// A list that copies share until one changes it otherwise than at its end. What was added last may lie behind the end
/// of a copy that was made before.
template <class T>
class Shared {
 public:
  std::span<const T> list() const { return items_ ? std::span(items_->data(), size_) : std::span<const T>(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return (*items_)[i]; }
  Hash hash() const { return hash_; }

  void push(const T& item) {
    if (!items_ || items_->size() != size_) copy();  // another goes on here otherwise
    items_->push_back(item);
    ++size_;
    item.add_to(hash_);
  }
  void set(std::size_t i, const T& item) {
    copy();
    (*items_)[i] = item;
    changed();
  }
  void clear() { *this = {}; }
  template <class Keep>
  void keep(Keep keep) {
    copy();
    std::erase_if(*items_, [&](const T& each) { return !keep(each); });
    changed();
  }

 private:
  void copy() {
    auto items = std::make_shared<std::vector<T>>();
    items->reserve(size_ + size_ / 8 + 1);
    items->insert(items->end(), list().begin(), list().end());
    items_ = std::move(items);
  }
  void changed() {
    size_ = items_->size();
    hash_ = {};
    for (const T& each : *items_) each.add_to(hash_);
  }

  std::shared_ptr<std::vector<T>> items_;
  std::size_t size_ = 0;
  Hash hash_;
};

constexpr std::uint64_t word(Text text) { return static_cast<std::uint64_t>(text); }
inline void add(Hash& hash, Moment moment) {
  hash.add(static_cast<std::uint64_t>(moment.earliest)).add(static_cast<std::uint64_t>(moment.latest));
}

/// What a lost answer would have told is unknown until somebody is told it: a value Text::unknown, a time unknown_time,
/// a position that is only at least so much.
inline constexpr Time unknown_time = -never;

struct Record {
  std::int64_t position = 0;
  Text key = Text::none, value = Text::none, op_id = Text::none;
  Time written_at = unknown_time;
  std::uint32_t kind = 0;  ///< which operation wrote it
  bool position_known = true;

  bool inbox() const { return kind == STILE_OP_APPEND; }
  void add_to(Hash& hash) const {
    hash.add(static_cast<std::uint64_t>(position)).add(word(key) << 32 | word(value)).add(word(op_id) << 8 | kind);
    hash.add(static_cast<std::uint64_t>(written_at) * 2 + position_known);
  }
};

/// A message id, or the op_id that serves as one (I3).
struct Message {
  Text id = Text::none, op_id = Text::none;
  bool by_op_id = false;
  std::int64_t position = 0;
  bool position_known = true;

  void add_to(Hash& hash) const {
    hash.add(word(id) << 32 | word(op_id))
        .add(static_cast<std::uint64_t>(position) << 2 | (by_op_id ? 2U : 0U) | (position_known ? 1U : 0U));
  }
};

/// A write that is remembered by its op_id (R1). Doubtful: the contract leaves open whether it is.
struct Memory {
  Text op_id = Text::none, receipt = Text::none;
  std::uint32_t kind = 0, state = 0;
  bool requeued = false, doubtful = false;

  void add_to(Hash& hash) const {
    hash.add(word(op_id) << 32 | word(receipt)).add(kind | state << 8 | requeued << 16 | doubtful << 17);
  }
};

struct Wakeup {
  enum class State : std::uint8_t { none, waiting, in_flight, dead } state = State::none;
  Moment due;                 ///< waiting: when it can be delivered; in flight: when its lease ends
  Text receipt = Text::none;  ///< in flight; unknown: of a receive whose answer was lost
  Text receive_op_id = Text::none;
  Moment deferred;               ///< W3, where has_deferred
  Text queue_next = Text::none;  ///< W10, where has_queue_next
  Text last_error = Text::none;
  std::int64_t count = 0;
  bool has_deferred = false, has_queue_next = false;

  bool in_flight() const { return state == State::in_flight; }
  void add_to(Hash& hash) const {
    hash.add(static_cast<std::uint64_t>(state) | has_deferred << 4 | has_queue_next << 5 |
             static_cast<std::uint64_t>(count) << 8);
    add(hash, due);
    add(hash, deferred);
    hash.add(word(receipt) << 32 | word(receive_op_id)).add(word(queue_next) << 32 | word(last_error));
  }
};

struct Lease {
  FenceName fence;
  Time ttl = 0;
  Moment live, budget;
  bool granted = false, by_receive = false;

  void add_to(Hash& hash) const {
    hash.add(static_cast<std::uint64_t>(fence.number)).add(word(fence.stamp) << 8 | granted << 1 | by_receive);
    hash.add(static_cast<std::uint64_t>(ttl));
    add(hash, live);
    add(hash, budget);
  }
};

struct WorkflowState {
  Lease lease;
  std::int64_t highest_fence = 0;  ///< ever granted, at least: a lower one allows whatever a higher one does
  Shared<Record> records;          ///< by position
  std::int64_t last_position = 0;
  Time last_written = unknown_time;
  bool position_may_jump = true;  ///< a new life, or a rebase
  bool cancel_requested = false, finished = false;
  Shared<Message> messages;
  Wakeup wakeup;
  Text queue = Text::none;  ///< unknown: the contract leaves open which
  Text cancelled_receipt = Text::none;
  Moment cancelled_at;
  Memory answer, enqueue, cancel, request_cancel, discard;

  int find(Text key) const {
    for (std::size_t i = records.size(); i-- > 0;)
      if (records[i].key == key) return static_cast<int>(i);
    return -1;
  }
  /// How many steps as good as nothing it takes to look through it.
  std::size_t weight() const { return records.size() / 8192; }
  std::int64_t bound() const { return highest_fence; }
  /// Of all but the bound.
  Hash hash() const {
    Hash hash = records.hash();
    Hash other = messages.hash();
    hash.add(other.a).add(other.b);
    lease.add_to(hash);
    wakeup.add_to(hash);
    hash.add(static_cast<std::uint64_t>(last_position));
    hash.add(static_cast<std::uint64_t>(last_written));
    hash.add(position_may_jump | cancel_requested << 1 | finished << 2);
    hash.add(word(queue) << 32 | word(cancelled_receipt));
    add(hash, cancelled_at);
    for (const Memory* memory : {&answer, &enqueue, &cancel, &request_cancel, &discard}) memory->add_to(hash);
    return hash;
  }
};

/// A document; the operations it remembers (K3), latest last.
struct DocumentState {
  struct Write {
    Text op_id = Text::none, version = Text::none;
    std::uint32_t kind = 0;
    bool doubtful = false;
    void add_to(Hash& hash) const { hash.add(word(op_id) << 32 | word(version)).add(kind * 2 + doubtful); }
  };
  bool there = false, expires = false;
  Text value = Text::none, version = Text::none;
  Moment expiry;  ///< where it expires
  Shared<Write> writes;

  std::size_t weight() const { return 0; }
  std::int64_t bound() const { return 0; }
  Hash hash() const {
    Hash hash = writes.hash();
    hash.add(there | expires << 1).add(word(value) << 32 | word(version));
    add(hash, expiry);
    return hash;
  }
};

}  // namespace stile::conformance::judge
