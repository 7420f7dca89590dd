// Looking around a contradiction.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/beside.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace stile::conformance::judge {
namespace {

/// So many operations before and behind each that contradicts are looked at.
constexpr std::uint32_t reach = 400;
/// A contradiction of very many operations is shown by its first ones.
constexpr std::size_t most_of_a_finding = 64;

class Surroundings {
 public:
  Surroundings(const History& history, const Finding& finding) : history_(history) {
    for (std::uint32_t number : finding.events) {
      if (marked_.size() < most_of_a_finding) near_.push_back(number);
      marked_.insert(number);
    }
    near_.resize(std::min(near_.size(), most_of_a_finding));
    if (finding.of == Finding::Of::workflow) workflows_.insert(finding.subject);
    if (finding.of == Finding::Of::document) keys_.insert(finding.subject);
    if (finding.of == Finding::Of::store)
      for (std::uint32_t number : near_) name_subjects(history.events[number]);
    workflows_.erase(Text::none);
  }

  std::vector<std::uint32_t> nearest(std::size_t most) {
    for (std::uint32_t number : near_)
      for (std::uint32_t i = first(number); i < end(number); ++i) learn_receipts(history_.events[i]);
    std::map<std::uint32_t, Time> distances;
    for (std::uint32_t number : near_)
      for (std::uint32_t i = first(number); i < end(number); ++i) {
        if (marked_.count(i) != 0 || !concerns(history_.events[i])) continue;
        Time away = distance(history_.events[number], history_.events[i]);
        auto [at, added] = distances.emplace(i, away);
        if (!added) at->second = std::min(at->second, away);
      }
    std::vector<std::pair<Time, std::uint32_t>> order;
    for (auto [number, away] : distances) order.push_back({away, number});
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), most));
    std::vector<std::uint32_t> out;
    for (auto [away, number] : order) out.push_back(number);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::uint32_t first(std::uint32_t number) const { return number < reach ? 0 : number - reach; }
  std::uint32_t end(std::uint32_t number) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(history_.events.size(), std::size_t{number} + reach));
  }

  void name_subjects(const Event& event) {
    workflows_.insert(event.asked.workflow);
    for (const Told& each : history_.handed_out(event.told.deliveries)) workflows_.insert(each.workflow);
  }

  void learn_receipts(const Event& event) {
    for (const Told& each : history_.handed_out(event.told.deliveries))
      if (workflows_.count(each.workflow) != 0 && each.receipt != Text::none) receipts_.insert(each.receipt);
  }

  bool concerns(const Event& event) const {
    const Asked& asked = event.asked;
    switch (event.kind) {
      case STILE_OP_GET:
      case STILE_OP_PUT:
      case STILE_OP_ERASE: return keys_.count(asked.key) != 0;
      default: break;
    }
    if (workflows_.count(asked.workflow) != 0 || receipts_.count(asked.receipt) != 0) return true;
    for (const Told& each : history_.handed_out(event.told.deliveries))
      if (workflows_.count(each.workflow) != 0) return true;
    return false;
  }

  /// Between their times; nothing where they overlap.
  static Time distance(const Event& one, const Event& other) {
    return std::max<Time>({0, other.invoke - one.returned, one.invoke - other.returned});
  }

  const History& history_;
  std::vector<std::uint32_t> near_;
  std::set<std::uint32_t> marked_;
  std::set<Text> workflows_, keys_, receipts_;
};

}  // namespace

std::vector<std::uint32_t> beside(const History& history, const Finding& finding, std::size_t most) {
  return Surroundings(history, finding).nearest(most);
}

}  // namespace stile::conformance::judge
