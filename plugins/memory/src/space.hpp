// A memory store: its partitions, its clock, its waiting room. Shared by everybody who opened it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shard.hpp"
#include "stile/sdk/engine/engine.hpp"
#include "stile/sdk/in_process.hpp"

namespace stile::memory {

/// How a store was asked for; all who share it agree.
struct Settings {
  bool manual_clock = false;
  std::uint32_t shards = 1;

  friend bool operator==(const Settings&, const Settings&) = default;
};

class Space {
 public:
  explicit Space(const Settings& settings);

  const Settings& settings() const { return settings_; }
  sdk::InProcess& house() { return house_; }
  const stile_limits& limits() const { return house_.limits(); }
  sdk::Clock& clock() { return house_.clock(); }
  sdk::WaitingRoom& room() { return house_.room(); }

  /// The partition that a workflow or a document's key maps to.
  std::size_t shard_of(std::string_view id) const {
    if (shards_.size() == 1) return 0;
    const std::uint64_t hash = std::hash<std::string_view>{}(id);
    return static_cast<std::size_t>((hash >> 32) * shards_.size() >> 32);
  }
  std::size_t size() const { return shards_.size(); }
  Shard& shard(std::size_t index) { return *shards_[index]; }
  /// Where the looks of a new session at all partitions begin: far from where those before it did. They go round at one
  /// pace, and who follows close behind another finds every partition in the other's processor.
  std::size_t first_turn() {
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>((turn_.fetch_add(1) * golden_ratio >> 32) * shards_.size() >> 32);
  }

 private:
  const Settings settings_;
  sdk::InProcess house_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::uint64_t> turn_{0};
};

/// A shard, locked, with its time. Operations of a batch that follow each other on one shard share it. What happened is
/// told to the waiting room when the lock goes.
class Held {
 public:
  explicit Held(Space& space) : space_(space) {}
  ~Held() { let_go(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void take(Shard& shard) {
    if (shard_ == &shard) return;
    let_go();
    shard.lock();
    shard_ = &shard;
    shard.listen(space_.room().anyone_receives(), space_.room().anyone_watches());
    now_ = shard.now();
  }
  void let_go() {
    if (shard_ == nullptr) return;
    Shard& shard = *std::exchange(shard_, nullptr);
    if (!shard.has_news()) return shard.unlock();
    const sdk::News news = shard.take_news();
    shard.unlock();
    space_.room().tell(news, now_);
  }
  Shard& shard() { return *shard_; }
  Time now() const { return now_; }

 private:
  Space& space_;
  Shard* shard_ = nullptr;
  Time now_ = 0;
};

/// All partitions, locked, in one order: what list, scan and stats look at (S4, K7).
class Whole {
 public:
  explicit Whole(Space& space);
  ~Whole();
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

  Time now() const { return now_; }

  template <class Visit>
  void each_row(std::string_view prefix, std::string_view after, Visit&& visit) {
    std::vector<Ahead<Shard::Rows::iterator>> heads;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      Shard& shard = space_.shard(i);
      heads.push_back({shard.rows_from(prefix, after), shard.rows().end()});
    }
    merge(
        heads, [](auto at) -> const std::string& { return (*at)->id; },
        [&](auto at) { return (*at)->id.starts_with(prefix) && visit(**at); });
  }
  template <class Visit>
  void each_document(std::string_view prefix, std::string_view after, Visit&& visit) {
    std::vector<Ahead<Shard::Documents::const_iterator>> heads;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      Shard& shard = space_.shard(i);
      heads.push_back({shard.documents_from(prefix, after), shard.documents().end()});
    }
    merge(
        heads, [](auto at) -> const std::string& { return at->first; },
        [&](auto at) { return at->first.starts_with(prefix) && visit(*at->second); });
  }
  engine::Totals totals(Time now, const std::string_view* queue);

 private:
  template <class Iterator>
  struct Ahead {
    Iterator at, end;
  };

  template <class Heads, class Key, class Visit>
  static void merge(Heads& heads, Key&& key, Visit&& visit) {
    for (;;) {
      auto* least = static_cast<typename Heads::value_type*>(nullptr);
      for (auto& head : heads)
        if (head.at != head.end && (least == nullptr || key(head.at) < key(least->at))) least = &head;
      if (least == nullptr || !visit(least->at)) return;
      ++least->at;
    }
  }

  Space& space_;
  Time now_ = 0;
};

}  // namespace stile::memory
