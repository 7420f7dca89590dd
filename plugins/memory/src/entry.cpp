// Checkpoints and queues of the memory store.
//
// SPDX-License-Identifier: Apache-2.0
#include "entry.hpp"

#include <algorithm>

namespace stile::memory {

namespace {

std::string message_key(engine::MessageKind kind, std::string_view name) {
  std::string key(1, static_cast<char>(kind));
  key += name;
  return key;
}

bool is_inbox(std::string_view key) { return key.substr(0, engine::inbox_prefix.size()) == engine::inbox_prefix; }

}  // namespace

const StoredRecord* Checkpoint::find(std::string_view key) const {
  if (by_key_ != nullptr) {
    const auto found = by_key_->find(key);
    return found == by_key_->end() ? nullptr : found->second;
  }
  for (const auto& record : records_)
    if (record->key == key) return record.get();
  return nullptr;
}

void Checkpoint::add(const engine::Record& record) {
  auto made = std::make_unique<StoredRecord>();
  made->key = record.key;
  made->value = record.value;
  made->position = record.position;
  made->written_at = record.written_at;
  made->op = record.op;
  made->kind = record.kind;
  records_.push_back(std::move(made));
  if (by_key_ != nullptr) {
    by_key_->emplace(records_.back()->key, records_.back().get());
  } else if (records_.size() > few) {
    index_all();
  }
}

void Checkpoint::index_all() {
  auto index = std::make_unique<std::unordered_map<std::string_view, const StoredRecord*>>();
  for (const auto& record : records_) index->emplace(record->key, record.get());
  by_key_ = std::move(index);
}

std::uint64_t Checkpoint::erase_but_inbox(std::int64_t above, std::uint64_t& bytes) {
  const std::size_t before = records_.size();
  by_key_.reset();
  std::erase_if(records_, [&](const auto& record) {
    if (is_inbox(record->key) && record->position > above) return false;
    bytes += record->bytes();
    return true;
  });
  if (records_.size() > few) index_all();
  return before - records_.size();
}

std::size_t Checkpoint::above(std::int64_t position) const {
  const auto found = std::upper_bound(records_.begin(), records_.end(), position,
                                      [](std::int64_t at, const auto& record) { return at < record->position; });
  return static_cast<std::size_t>(found - records_.begin());
}

std::size_t Checkpoint::shrink(std::size_t most, std::uint64_t& bytes) {
  std::size_t gone = 0;
  by_key_.reset();
  for (; gone < most && !records_.empty(); ++gone) {
    bytes += records_.back()->bytes();
    records_.pop_back();
  }
  for (; gone < most && messages_ != nullptr; ++gone) {
    messages_->erase(messages_->begin());
    if (messages_->empty()) messages_.reset();
  }
  return gone;
}

const engine::Message* Checkpoint::message(engine::MessageKind kind, std::string_view name) const {
  if (messages_ == nullptr) return nullptr;
  const auto found = messages_->find(message_key(kind, name));
  return found == messages_->end() ? nullptr : &found->second;
}

void Checkpoint::add_message(engine::MessageKind kind, std::string_view name, const engine::Message& message) {
  if (messages_ == nullptr) messages_ = std::make_unique<std::unordered_map<std::string, engine::Message>>();
  messages_->emplace(message_key(kind, name), message);
}

namespace {

/// In a long queue no cache holds the next entries: they are asked for while this one is handed out, the one after the
/// next as a whole, of the next one, which is here by now, what it points to.
void look_ahead(const Entry& entry) {
  const Entry* next = entry.due_hook.after;
  if (next == nullptr) return;
  __builtin_prefetch(next->id.data());
  const Entry* second = next->due_hook.after;
  if (second == nullptr) return;
  const auto* begin = reinterpret_cast<const char*>(second);
  for (std::size_t line = 0; line < sizeof *second; line += 64) __builtin_prefetch(begin + line);
}

}  // namespace

void Queue::place(Entry& entry, Time now) {
  remove(entry);
  if (entry.due > now) {
    later_.insert(&entry, entry.due);
    entry.place_in_queue = Place::later;
  } else if (entry.wakeup == engine::Wakeup::waiting) {
    ready_.insert(&entry, entry.place());
    entry.place_in_queue = Place::ready;
  } else {
    lapsed_.insert(&entry, entry.place());
    entry.place_in_queue = Place::lapsed;
  }
}

void Queue::remove(Entry& entry) {
  switch (entry.place_in_queue) {
    case Place::none: return;
    case Place::ready: ready_.erase(&entry); break;
    case Place::lapsed: lapsed_.erase(&entry); break;
    case Place::later: later_.erase(&entry); break;
  }
  entry.place_in_queue = Place::none;
}

void Queue::come_due(Time now) {
  while (!later_.empty() && later_.first()->due_hook.time <= now) place(*later_.first(), now);
}

Entry* Queue::first_due(Time now) {
  come_due(now);
  Entry* ready = ready_.first();
  Entry* lapsed = lapsed_.first();
  Entry* first = ready != nullptr ? ready : lapsed;
  if (ready != nullptr && lapsed != nullptr && lapsed->due_hook.time < ready->due_hook.time) first = lapsed;
  if (first != nullptr) look_ahead(*first);
  return first;
}

void Queue::count(engine::Totals& totals, Time now) {
  come_due(now);
  totals.ready += ready_.size();
  totals.delayed += later_.size() + lapsed_.size() - in_flight;
  totals.in_flight += in_flight;
  totals.dead += dead;
  if (!ready_.empty()) {
    const Time oldest = ready_.first()->due_hook.time;
    if (totals.oldest_ready == 0 || oldest < totals.oldest_ready) totals.oldest_ready = oldest;
  }
  if (!later_.empty() && (totals.next_due == 0 || next_due() < totals.next_due)) totals.next_due = next_due();
}

}  // namespace stile::memory
