// The tables of one partition.
//
// SPDX-License-Identifier: Apache-2.0
#include "shard.hpp"

#include <algorithm>
#include <utility>

namespace stile::memory {

namespace {

constexpr std::size_t at_once = 128;  // records that drop_checkpoint erases itself

std::uint64_t bytes_of(const Entry& entry) {
  return sizeof entry + 2 * entry.id.size() + entry.queue.size() + entry.error.size();
}
std::uint64_t bytes_of(const StoredDocument& document) {
  return sizeof document + 2 * document.key.size() + document.value.size();
}

}  // namespace

Shard::~Shard() = default;

// --- rows -----------------------------------------------------------------------------------------------------------

Entry* Shard::find(std::string_view id) { return at_ = rows_.find(id); }

Entry& Shard::make(std::string_view id) {
  made_ = std::make_unique<Entry>();
  made_->id = id;
  at_ = made_.get();
  return *made_;
}

void Shard::save(Entry& entry) {
  if (!entry.stored) {
    by_id_.insert(&entry);
    rows_.insert(std::move(made_));
    entry.stored = true;
  }
  place_in_queue(entry);
  place_for_trim(entry);
  count(entry, entry.known(), entry.finished_at != 0, entry.records);
}

void Shard::forget(Entry& entry) {
  drop_checkpoint(entry);
  leave_queue(entry);
  if (entry.as_trim != engine::TrimClass::none) trim_[static_cast<int>(entry.as_trim)].erase(&entry);
  count(entry, false, false, 0);
  bytes_ -= entry.as_bytes;
  changed(entry, true);
  by_id_.erase(&entry);
  at_ = nullptr;
  rows_.remove(entry);
}

void Shard::recover() {
  if (at_ != nullptr && at_->stored) save(*at_);
  made_.reset();
  made_document_.reset();
  at_ = nullptr;
}

void Shard::count(Entry& entry, bool known, bool finished, std::uint64_t records) {
  const std::uint64_t bytes = bytes_of(entry);
  known_ += std::uint64_t{known} - std::uint64_t{entry.as_known};
  finished_ += std::uint64_t{finished} - std::uint64_t{entry.as_finished};
  records_ += records - entry.as_records;
  bytes_ += bytes - entry.as_bytes;
  entry.as_known = known;
  entry.as_finished = finished;
  entry.as_records = records;
  entry.as_bytes = bytes;
}

void Shard::changed(const Entry& entry, bool gone) {
  if (keep_changes_) news_.changed.push_back({entry.id, gone});
}

Shard::Rows::iterator Shard::rows_from(std::string_view prefix, std::string_view after) const {
  return after < prefix ? by_id_.lower_bound(prefix) : by_id_.upper_bound(after);
}

// --- queues ---------------------------------------------------------------------------------------------------------

Queue& Shard::queue_named(std::string_view name) {
  if (name.empty() && default_queue_ != nullptr) return *default_queue_;
  auto found = queues_.find(name);
  if (found == queues_.end()) found = queues_.emplace(std::string(name), std::make_unique<Queue>(name)).first;
  if (name.empty()) default_queue_ = found->second.get();
  return *found->second;
}

Queue* Shard::find_queue(std::string_view name) {
  if (name.empty()) return default_queue_;
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : found->second.get();
}

void Shard::leave_queue(Entry& entry) {
  if (entry.as_queue == nullptr) return;
  entry.as_queue->remove(entry);
  if (entry.as_wakeup == engine::Wakeup::in_flight) --entry.as_queue->in_flight;
  if (entry.as_wakeup == engine::Wakeup::dead) --entry.as_queue->dead;
  entry.as_wakeup = engine::Wakeup::none;
  entry.as_queue = nullptr;
}

void Shard::place_in_queue(Entry& entry) {
  const bool in_order = entry.as_wakeup == entry.wakeup && entry.as_queue != nullptr &&
                        entry.as_queue->name() == entry.queue && entry.as_queue->holds(entry, now_);
  if (in_order || (entry.as_queue == nullptr && !entry.has_wakeup())) return;
  leave_queue(entry);
  if (!entry.has_wakeup()) return;
  Queue& queue = queue_named(entry.queue);
  entry.as_queue = &queue;
  entry.as_wakeup = entry.wakeup;
  if (entry.wakeup == engine::Wakeup::dead) {
    ++queue.dead;
    return;
  }
  if (entry.wakeup == engine::Wakeup::in_flight) {
    ++queue.in_flight;
    rows_.expect(entry);  // by the answer to the delivery
  }
  queue.place(entry, now_);
  if (entry.due < earliest_.load(std::memory_order_relaxed)) earliest_.store(entry.due, std::memory_order_release);
  if (keep_due_) news_.due.push_back({entry.queue, entry.due});
}

Entry* Shard::first_due(std::string_view queue, Time now) {
  Queue* found = find_queue(queue);
  return at_ = found != nullptr ? found->first_due(now) : nullptr;
}

void Shard::settle_hint() {
  if (queues_.size() > 8 && ++unsettled_ < queues_.size()) return;
  unsettled_ = 0;
  Time earliest = engine::never;
  for (const auto& [name, queue] : queues_) earliest = std::min(earliest, queue->earliest());
  earliest_.store(earliest, std::memory_order_release);
}

Time Shard::next_due(std::string_view queue) {
  const Queue* found = find_queue(queue);
  return found != nullptr ? found->next_due() : engine::never;
}

// --- records --------------------------------------------------------------------------------------------------------

const engine::Record* Shard::find_record(Entry& entry, std::string_view key) {
  const StoredRecord* found = entry.checkpoint.find(key);
  if (found == nullptr) return nullptr;
  shown_ = found->view();
  return &shown_;
}

const engine::Record* Shard::add_record(Entry& entry, const engine::Record& record) {
  if (const engine::Record* there = find_record(entry, record.key)) return there;
  entry.checkpoint.add(record);
  bytes_ += entry.checkpoint.at(entry.checkpoint.size() - 1).bytes();
  changed(entry, false);
  return nullptr;
}

std::uint64_t Shard::erase_records(Entry& entry, std::int64_t above) {
  std::uint64_t bytes = 0;
  const std::uint64_t gone = entry.checkpoint.erase_but_inbox(above, bytes);
  bytes_ -= bytes;
  return gone;
}

void Shard::drop_checkpoint(Entry& entry) {
  changed(entry, true);
  if (entry.checkpoint.empty()) return;
  remains_.push_back(std::exchange(entry.checkpoint, Checkpoint{}));
  erase_some(at_once);
}

std::size_t Shard::erase_some(std::size_t most) {
  std::size_t gone = 0;
  std::uint64_t bytes = 0;
  while (gone < most && !remains_.empty()) {
    gone += remains_.back().shrink(most - gone, bytes);
    if (remains_.back().empty()) remains_.pop_back();
  }
  bytes_ -= bytes;
  return gone;
}

// --- documents ------------------------------------------------------------------------------------------------------

StoredDocument* Shard::find_document(std::string_view key) {
  const auto found = documents_.find(key);
  return found == documents_.end() ? nullptr : found->second.get();
}

StoredDocument& Shard::make_document(std::string_view key) {
  made_document_ = std::make_unique<StoredDocument>();
  made_document_->key = key;
  return *made_document_;
}

void Shard::save_document(engine::Document& document) {
  auto& stored = static_cast<StoredDocument&>(document);
  if (!stored.stored) {
    documents_.emplace(stored.key, std::move(made_document_));
    stored.stored = true;
  } else if (stored.gone_hook.time != 0) {
    (stored.as_live ? expiring_ : gone_).erase(&stored);
  }
  const bool live = stored.live(now_);
  if (stored.gone_at() != 0) (live ? expiring_ : gone_).insert(&stored, stored.gone_at());
  count(stored, live, bytes_of(stored));
}

void Shard::forget_document(engine::Document& document) {
  auto& stored = static_cast<StoredDocument&>(document);
  if (stored.gone_hook.time != 0) (stored.as_live ? expiring_ : gone_).erase(&stored);
  count(stored, false, 0);
  documents_.erase(documents_.find(stored.key));
}

void Shard::count(StoredDocument& document, bool live, std::uint64_t bytes) {
  live_documents_ += std::uint64_t{live} - std::uint64_t{document.as_live};
  bytes_ += bytes - document.as_bytes;
  document.as_live = live;
  document.as_bytes = bytes;
}

void Shard::expire(Time now) {
  while (!expiring_.empty() && expiring_.first()->gone_hook.time <= now) {
    StoredDocument* document = expiring_.first();
    expiring_.erase(document);
    gone_.insert(document, document->gone_at());
    count(*document, false, document->as_bytes);
  }
}

StoredDocument* Shard::first_gone(Time time) {
  expire(now_);
  StoredDocument* first = gone_.first();
  return first != nullptr && first->gone_hook.time <= time ? first : nullptr;
}

Shard::Documents::iterator Shard::documents_from(std::string_view prefix, std::string_view after) {
  return after < prefix ? documents_.lower_bound(prefix) : documents_.upper_bound(after);
}

// --- the whole ------------------------------------------------------------------------------------------------------

void Shard::place_for_trim(Entry& entry) {
  if (entry.as_trim == entry.trim_class &&
      (entry.as_trim == engine::TrimClass::none || entry.trim_hook.time == entry.trim_at))
    return;
  if (entry.as_trim != engine::TrimClass::none) trim_[static_cast<int>(entry.as_trim)].erase(&entry);
  entry.as_trim = entry.trim_class;
  if (entry.as_trim != engine::TrimClass::none) trim_[static_cast<int>(entry.as_trim)].insert(&entry, entry.trim_at);
}

Entry* Shard::first_trim(engine::TrimClass trim_class, Time time) {
  Entry* first = trim_[static_cast<int>(trim_class)].first();
  return at_ = first != nullptr && first->trim_hook.time <= time ? first : nullptr;
}

engine::Totals Shard::totals(Time now, const std::string_view* queue) {
  engine::Totals out;
  expire(now);
  out.workflows = known_;
  out.finished = finished_;
  out.records = records_;
  out.documents = live_documents_;
  out.stored_bytes = bytes_;
  for (auto& [name, found] : queues_)
    if (queue == nullptr || name == *queue) found->count(out, now);
  return out;
}

void Shard::drop_unused_queues() {
  std::erase_if(queues_,
                [&](const auto& named) { return named.second.get() != default_queue_ && named.second->unused(); });
}

}  // namespace stile::memory
