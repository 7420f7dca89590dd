// One partition of a memory store: the tables that the engine works on, behind a mutex.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "entry.hpp"
#include "row_table.hpp"
#include "stile/sdk/clock.hpp"
#include "stile/sdk/engine/tables.hpp"
#include "stile/sdk/waiting.hpp"

namespace stile::memory {

/// engine::Tables. Everything but the lock and the hint is guarded by the lock.
class alignas(64) Shard {
 public:
  using Row = Entry;

  /// Held for well under a microsecond as a rule: worth spinning for before the kernel is asked.
  void lock() {
    for (int tries = 0; tries < 200; ++tries) {
      if (mutex_.try_lock()) return;
      pause();
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

  /// May anything be due here? Read without the lock, so as not to disturb who works here; never says no of what was
  /// stored before.
  bool may_be_due(Time now) const { return earliest_.load(std::memory_order_acquire) <= now; }
  /// To be called with the lock after something was handed out or nothing was found. With many queues the hint is left
  /// as it is now and then: it may say yes in vain, which costs a look.
  void settle_hint();

  explicit Shard(const sdk::Clock& clock) : clock_(clock) {}
  ~Shard();

  /// The shard's clock: never behind what it said before.
  Time now() { return now_ = clock_.now(last_); }
  /// Whether anybody waits: without, no news is kept. Read once for each time the lock is taken.
  void listen(bool for_due, bool for_changes) {
    if (keep_due_ != for_due) keep_due_ = for_due;
    if (keep_changes_ != for_changes) keep_changes_ = for_changes;
  }
  sdk::News take_news() { return std::exchange(news_, sdk::News{}); }
  bool has_news() const { return !news_.empty(); }
  /// When the first wakeup of a queue that is not due yet will be; engine::never if there is none.
  Time next_due(std::string_view queue);
  /// After an exception in the middle of an operation: brings the indexes in step with the row it was at.
  void recover();

  // --- engine::Tables ---
  Entry* find(std::string_view id);
  Entry& make(std::string_view id);
  void save(Entry& entry);
  void forget(Entry& entry);

  const engine::Record* find_record(Entry& entry, std::string_view key);
  const engine::Record* add_record(Entry& entry, const engine::Record& record);
  template <class Visit>
  void each_record(Entry& entry, std::int64_t after, Visit&& visit) {
    const Checkpoint& all = entry.checkpoint;
    for (std::size_t i = all.above(after); i < all.size(); ++i)
      if (!visit(all.at(i).view())) return;
  }
  std::uint64_t erase_records(Entry& entry, std::int64_t above);
  void drop_checkpoint(Entry& entry);
  const engine::Message* find_message(Entry& entry, engine::MessageKind kind, std::string_view name) {
    return entry.checkpoint.message(kind, name);
  }
  void add_message(Entry& entry, engine::MessageKind kind, std::string_view name, const engine::Message& message) {
    entry.checkpoint.add_message(kind, name, message);
  }

  Entry* first_due(std::string_view queue, Time now);
  template <class Visit>
  void each_in_flight(const stile_id& receive, Visit&& visit) {
    for (auto& [name, queue] : queues_)
      queue->each_in_flight([&](Entry& entry) {
        if (engine::same(entry.receive, receive)) visit(entry);
      });
  }

  StoredDocument* find_document(std::string_view key);
  StoredDocument& make_document(std::string_view key);
  void save_document(engine::Document& document);
  void forget_document(engine::Document& document);
  template <class Visit>
  void each_document(std::string_view prefix, std::string_view after, Visit&& visit) {
    for (auto at = documents_from(prefix, after); at != documents_.end() && at->first.starts_with(prefix); ++at)
      if (!visit(*at->second)) return;
  }
  StoredDocument* first_gone(Time time);

  template <class Visit>
  void each_row(std::string_view prefix, std::string_view after, Visit&& visit) {
    for (auto at = rows_from(prefix, after); at != by_id_.end() && (*at)->id.starts_with(prefix); ++at)
      if (!visit(**at)) return;
  }
  std::uint64_t floor() const { return floor_; }
  void raise_floor(std::uint64_t to) { floor_ = std::max(floor_, to); }
  std::uint64_t document_floor() const { return document_floor_; }
  void raise_document_floor(std::uint64_t to) { document_floor_ = std::max(document_floor_, to); }
  Entry* first_trim(engine::TrimClass trim_class, Time time);
  std::size_t erase_remains(std::size_t most) {
    drop_unused_queues();
    return erase_some(most);
  }
  engine::Totals totals(Time now, const std::string_view* queue);

  // --- for looking at all shards in one order ---
  struct ById {
    using is_transparent = void;
    bool operator()(const Entry* a, const Entry* b) const { return a->id < b->id; }
    bool operator()(const Entry* a, std::string_view b) const { return a->id < b; }
    bool operator()(std::string_view a, const Entry* b) const { return a < b->id; }
  };
  using Rows = std::set<Entry*, ById>;
  using Documents = std::map<std::string, std::unique_ptr<StoredDocument>, std::less<>>;

  /// The first that starts with prefix and stands after `after`, if it is there at all.
  Rows::iterator rows_from(std::string_view prefix, std::string_view after) const;
  Documents::iterator documents_from(std::string_view prefix, std::string_view after);
  const Rows& rows() const { return by_id_; }
  const Documents& documents() const { return documents_; }

 private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  using TrimIndex = TimeIndex<Entry, &Entry::trim_hook>;
  using GoneIndex = TimeIndex<StoredDocument, &StoredDocument::gone_hook>;

  Queue& queue_named(std::string_view name);
  Queue* find_queue(std::string_view name);
  void place_in_queue(Entry& entry);
  void leave_queue(Entry& entry);
  void place_for_trim(Entry& entry);
  std::size_t erase_some(std::size_t most);
  void drop_unused_queues();
  void count(Entry& entry, bool known, bool finished, std::uint64_t records);
  void count(StoredDocument& document, bool live, std::uint64_t bytes);
  void expire(Time now);
  void changed(const Entry& entry, bool gone);

  // What nearly every operation writes stands together, apart from what is only read: lines that two cores write to
  // cost each of them more than the operation itself.
  std::mutex mutex_;
  std::atomic<Time> earliest_{engine::never};  // at most the due of anything in the queues
  Time now_ = 0;
  Entry* at_ = nullptr;  // the row that the engine last asked for
  std::uint64_t known_ = 0, finished_ = 0, records_ = 0, live_documents_ = 0, bytes_ = 0;
  sdk::ClockMemory last_;
  std::size_t unsettled_ = 0;
  engine::Record shown_;
  std::unique_ptr<Entry> made_;  // by make, not yet stored
  TrimIndex trim_[4];            // by TrimClass
  Rows by_id_;

  alignas(64) RowTable rows_;
  const sdk::Clock& clock_;
  Queue* default_queue_ = nullptr;
  std::map<std::string, std::unique_ptr<Queue>, std::less<>> queues_;
  std::uint64_t floor_ = 0, document_floor_ = 0;
  bool keep_due_ = false, keep_changes_ = false;
  sdk::News news_;
  std::vector<Checkpoint> remains_;

  alignas(64) Documents documents_;
  std::unique_ptr<StoredDocument> made_document_;
  GoneIndex expiring_;  // alive until their time
  GoneIndex gone_;      // erased or expired
};

}  // namespace stile::memory
