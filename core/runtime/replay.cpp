// SPDX-License-Identifier: Apache-2.0
#include "runtime/replay.hpp"

namespace stile::runtime {

std::string Differs::text() const {
  if (recorded.empty()) return "the code asks for \"" + asked + "\"";
  return "the code asks for \"" + asked + "\" where \"" + recorded + "\" is recorded (position " +
         std::to_string(position) + ")";
}

void Replay::add(StoredRecord added) {
  records_.push_back(std::make_unique<StoredRecord>(std::move(added)));
  const StoredRecord* record = records_.back().get();
  std::string_view key = record->key;
  if (record->position > last_position_) last_position_ = record->position;
  if (key.starts_with(inbox_prefix)) {
    // What cannot be read as a message was not sent by a runtime; it stays where it is and nobody takes it.
    if (form_of(record->value) == Form::message) inboxes_[read_message(record->value).to].messages.push_back(record);
  } else if (key == start_key) {
    start_ = record;
    reached(record->written_at);
  } else if (key == result_key) {
    result_ = record;
  } else if (key.starts_with(signal_prefix)) {
    signals_.emplace(key.substr(signal_prefix.size()), record);
  } else if (key.starts_with(failed_prefix)) {
    ++failed_attempts_;
    key.remove_prefix(failed_prefix.size());
    failed_.insert_or_assign(std::string(key.substr(0, key.rfind('/'))), record);
  } else if (key == cancel_key || !key.starts_with('!')) {
    own_.push_back(record);
  }
}

const StoredRecord* Replay::signal(std::string_view name) const {
  auto found = signals_.find(std::string(name));
  return found == signals_.end() ? nullptr : found->second;
}

const StoredRecord* Replay::message(const std::string& inbox) const {
  auto found = inboxes_.find(inbox);
  if (found == inboxes_.end() || found->second.taken == found->second.messages.size()) return nullptr;
  return found->second.messages[found->second.taken];
}

void Replay::take_message(const std::string& inbox) {
  reached(message(inbox)->written_at);
  ++inboxes_[inbox].taken;
}

std::string Replay::use(std::string_view name) { return use_key(name, ++uses_[std::string(name)]); }

const StoredRecord* Replay::failed(const std::string& key) const {
  auto found = failed_.find(key);
  return found == failed_.end() ? nullptr : found->second;
}

Replay::Met Replay::meet(std::string_view key, const StoredRecord*& record) {
  record = meet_if_next(key);
  if (record) return Met::recorded;
  return at_end() ? Met::fresh : Met::differs;
}

const StoredRecord* Replay::meet_if_next(std::string_view key) {
  if (at_end() || own_[next_]->key != key) return nullptr;
  const StoredRecord* record = own_[next_++];
  reached(record->written_at);
  return record;
}

Differs Replay::differs(std::string_view asked) const {
  if (at_end()) return {{}, 0, std::string(asked)};
  return {own_[next_]->key, own_[next_]->position, std::string(asked)};
}

}  // namespace stile::runtime
