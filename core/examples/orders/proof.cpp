// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <map>
#include <set>

namespace orders {
namespace {

struct Effect {
  std::string key;  ///< of the step's record
  std::string what;
  std::int64_t cents = 0;
};

/// The effects that fulfilling an order has.
std::vector<Effect> effects_of(const Order& order) {
  std::vector<Effect> effects{{"reserve#1", "reserve", 0}, {"charge#1", "charge", order.cents()}};
  bool refused = order.needs_approval() && !order.would_be_approved();
  if (!refused && order.can_be_shipped()) {
    effects.push_back({"ship#1", "ship", 0});
    effects.push_back({"receipt#1", "receipt", 0});
  } else {
    effects.push_back({"refund#1", "refund", -order.cents()});
  }
  return effects;
}

std::string end_of(const Order& order) {
  if (order.needs_approval() && !order.would_be_approved()) return "refused";
  return order.can_be_shipped() ? "shipped" : "undeliverable";
}

class Prover {
 public:
  Prover(const std::vector<Act>& acts, const stile::Store& store) : store_(store) {
    std::set<int> processes;
    for (const auto& act : acts) {
      processes.insert(act.process);
      if (act.repeat)
        ++proof_.repeats;
      else
        done_[act.key].push_back(&act);
      if (!act.repeat && act.cents > 0) proof_.charged += act.cents;
      if (!act.repeat && act.cents < 0) proof_.refunded -= act.cents;
    }
    proof_.processes = processes.size();
  }

  void check(const Order& order) {
    std::map<std::string, std::string> records;
    for (const auto& record : store_.call(stile::Load{.workflow = order.id}).records)
      records.emplace(record.key, record.value);
    for (const auto& effect : effects_of(order)) check(order, effect, records);
    check_end(order);
  }

  Proof take() {
    for (const auto& [key, acts] : done_)
      proof_.wrong.push_back("the ledger holds \"" + key + "\", which no order has");
    if (proof_.charged - proof_.refunded != proof_.expected_kept) proof_.wrong.push_back("the money does not add up");
    return std::move(proof_);
  }

 private:
  void check(const Order& order, const Effect& effect, const std::map<std::string, std::string>& records) {
    ++proof_.expected;
    std::string key = order.id + "/" + effect.key;
    auto done = done_.find(key);
    if (done == done_.end()) return wrong(key + " is not in the ledger");
    const Act& act = *done->second.front();
    if (done->second.size() != 1)
      return wrong(key + " is in the ledger " + std::to_string(done->second.size()) + " times");
    if (act.what != effect.what || act.cents != effect.cents) return wrong(key + " is in the ledger as another act");
    ++proof_.once;
    auto record = records.find(effect.key);
    if (record == records.end()) return wrong(key + " is not recorded in the store");
    // A record is a codec's letter, '=', and the value: here the reference as JSON.
    if (record->second != "j=\"" + act.reference + "\"")
      return wrong(key + " is recorded as " + record->second + ", and the ledger says " + act.reference);
    ++proof_.recorded;
    done_.erase(done);
  }

  void check_end(const Order& order) {
    std::string expected = end_of(order);
    if (expected == "shipped") proof_.expected_kept += order.cents();
    try {
      auto ended = stile::find(store_, fulfil, order.id).result(stile::Duration{0});
      if (!ended) return wrong(order.id + " has not ended");
      ++proof_.finished;
      if (ended->how == "shipped") ++proof_.shipped;
      if (ended->how == "refused") ++proof_.refused;
      if (ended->how == "undeliverable") ++proof_.undeliverable;
      if (ended->how != expected) wrong(order.id + " ended as " + ended->how + ", not as " + expected);
    } catch (const stile::WorkflowFailed& e) {
      wrong(order.id + " failed: " + e.what());
    }
  }

  void wrong(std::string what) { proof_.wrong.push_back(std::move(what)); }

  stile::Store store_;
  std::map<std::string, std::vector<const Act*>> done_;
  Proof proof_;
};

}  // namespace

Proof prove(const std::vector<Order>& orders, const std::vector<Act>& acts, const stile::Store& store) {
  Prover prover(acts, store);
  for (const auto& order : orders) prover.check(order);
  return prover.take();
}

}  // namespace orders
