// Greedy: halves first, then quarters, down to single operations; what is still refused without them stays dropped.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/shrink.hpp"

#include <algorithm>

#include "judge/subjects.hpp"

namespace stile::conformance::judge {
namespace {

bool writes(const Item& item) {
  if (!item.event->ok()) return item.event->in_doubt();
  switch (item.event->kind) {
    case STILE_OP_LOAD:
    case STILE_OP_GET:
    case STILE_OP_SCAN:
    case STILE_OP_LIST: return false;
    default: return true;
  }
}

template <class State>
class Shrinker {
 public:
  Shrinker(const History& history, std::span<const Item> items, const Outcome& refused, std::size_t cap)
      : history_(history), items_(items.begin(), items.end()), left_(cap), weak_(items.size(), false) {
    core_.outcome = refused;
  }

  Core run() {
    cut_tail();
    reduce(0, items_.size());
    for (std::uint32_t i = 0; i < items_.size(); ++i)
      if (!weak_[i] && items_[i].end < never) core_.items.push_back(i);
    return std::move(core_);
  }

 private:
  /// What was asked after the operation that fits nowhere had ended.
  void cut_tail() {
    Time end = items_[core_.outcome.blocked].end;
    std::size_t first = items_.size();
    while (first > 0 && items_[first - 1].invoke > end) --first;
    if (first == items_.size()) return;
    std::vector<bool> kept = weak_;
    for (std::size_t i = first; i < items_.size(); ++i) gone_.resize(items_.size(), false), gone_[i] = true;
    if (!still_refused()) gone_.clear();
    for (std::size_t i = 0; i < gone_.size(); ++i) weak_[i] = weak_[i] || gone_[i];
  }

  void reduce(std::size_t begin, std::size_t end) {
    std::vector<bool> before = weak_;
    bool any = false;
    for (std::size_t i = begin; i < end; ++i) {
      any = any || (!weak_[i] && items_[i].end < never);
      weak_[i] = true;
    }
    if (!any) return;
    if (still_refused()) return;
    weak_ = std::move(before);
    if (end - begin == 1) return;
    std::size_t middle = begin + (end - begin) / 2;
    reduce(middle, end);
    reduce(begin, middle);
  }

  bool still_refused() {
    constexpr std::size_t most_of_one = 50'000;
    if (left_ == 0) return false;
    std::vector<Item> tried;
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (!gone_.empty() && gone_[i]) continue;
      if (weak_[i] && !writes(items_[i])) continue;
      tried.push_back(items_[i]);
      tried.back().optional = tried.back().optional || weak_[i];
      places.push_back(i);
    }
    put_in_order(tried);
    Outcome outcome = search<State>(history_, tried, std::min(left_, most_of_one));
    left_ -= std::min(left_, outcome.steps + 1);
    if (outcome.kind != Outcome::Kind::refused) return false;
    outcome.blocked = places[outcome.blocked];
    if (outcome.reason.ids[0] == '\0') outcome.reason = core_.outcome.reason;
    core_.outcome = outcome;
    return true;
  }

  const History& history_;
  std::vector<Item> items_;
  std::size_t left_;
  std::vector<bool> weak_;  ///< may or may not have happened, or is not looked at
  std::vector<bool> gone_;  ///< of the tail
  Core core_;
};

}  // namespace

template <class State>
Core shrink(const History& history, std::span<const Item> items, const Outcome& refused, std::size_t cap) {
  return Shrinker<State>(history, items, refused, cap).run();
}

template Core shrink<WorkflowState>(const History&, std::span<const Item>, const Outcome&, std::size_t);
template Core shrink<DocumentState>(const History&, std::span<const Item>, const Outcome&, std::size_t);

}  // namespace stile::conformance::judge
