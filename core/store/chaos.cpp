// The chaos layer: requests and replies lost, sent twice, held back, sessions cut; from a seed, or as ordered.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/chaos.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "codec/op.hpp"
#include "stile/log.hpp"
#include "store/operation.hpp"
#include "store/relay.hpp"
#include "types/text.hpp"

namespace stile::store {

std::uint64_t Dice::next() {
  // splitmix64: any seed will do, neighbours included.
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

namespace {

/// Only what R1 makes safe to send twice.
bool can_arrive_twice(const stile_op& op) {
  std::uint32_t traits = codec::traits_of(op.kind);
  if (!(traits & STILE_TRAIT_OP_ID) || id_of(op.op_id).empty() || travels_alone(op)) return false;
  if (op.kind == STILE_OP_RECEIVE) return false;
  return op.kind != STILE_OP_ACQUIRE || !static_cast<const stile_acquire_request*>(op.request)->force;
}

}  // namespace

ChaosPlan plan_chaos(std::span<const stile_op* const> ops, const ChaosRates& rates, Dice& dice) {
  using Fault = ChaosPlan::Fault;
  ChaosPlan plan;
  plan.faults.assign(ops.size(), Fault::none);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i > 0 && chained(*ops[i]) && plan.faults[i - 1] != Fault::none) {
      plan.faults[i] = plan.faults[i - 1];
      continue;
    }
    if (dice.hit(rates.lose_request))
      plan.faults[i] = Fault::lost_request;
    else if (dice.hit(rates.lose_reply))
      plan.faults[i] = Fault::lost_reply;
  }
  if (dice.hit(rates.delay))
    plan.delay = Duration(static_cast<Duration::rep>(dice.unit() * static_cast<double>(rates.delay_for.count())));
  if (dice.hit(rates.cut)) {
    plan.cut = true;
    std::size_t request = dice.below(ops.size() + 1), reply = dice.below(request + 1);
    for (std::size_t i = reply; i < ops.size(); ++i)
      plan.faults[i] = i < request ? Fault::lost_reply : Fault::lost_request;
  }
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (plan.faults[i] != Fault::lost_request && can_arrive_twice(*ops[i]) && dice.hit(rates.duplicate))
      plan.duplicates.push_back(i);
  return plan;
}

namespace {

constexpr std::array<std::pair<std::string_view, ChaosOrder::Kind>, 5> order_names{
    {{"lose_request", ChaosOrder::Kind::lose_request},
     {"lose_reply", ChaosOrder::Kind::lose_reply},
     {"duplicate", ChaosOrder::Kind::duplicate},
     {"delay", ChaosOrder::Kind::delay},
     {"cut", ChaosOrder::Kind::cut}}};

ChaosOrder parse_order(std::string_view word) {
  ChaosOrder order;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), order.at);
  if (error == std::errc{} && order.at > 0 && end != word.data() + word.size() && *end == ':') {
    std::string_view kind = word.substr(static_cast<std::size_t>(end - word.data()) + 1);
    for (const auto& [name, value] : order_names) {
      if (name != kind) continue;
      order.kind = value;
      return order;
    }
  }
  throw Error(Status::invalid, "chaos.at: \"" + types::printable(word) +
                                   "\" is not the number of an operation, a colon and lose_request, lose_reply, "
                                   "duplicate, delay or cut");
}

/// What is chained to a lost operation is lost with it.
void lose_from(ChaosPlan& plan, std::span<const stile_op* const> ops, std::size_t place, ChaosPlan::Fault fault) {
  plan.faults[place] = fault;
  for (std::size_t i = place + 1; i < ops.size() && chained(*ops[i]); ++i) plan.faults[i] = fault;
}

}  // namespace

std::vector<ChaosOrder> parse_chaos_orders(std::string_view text) {
  std::vector<ChaosOrder> orders;
  while (!text.empty()) {
    std::size_t comma = std::min(text.find(','), text.size());
    orders.push_back(parse_order(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return orders;
}

void add_ordered(ChaosPlan& plan, std::span<const stile_op* const> ops, std::span<const ChaosOrder> orders,
                 std::uint64_t first, Duration delay_for) {
  using Kind = ChaosOrder::Kind;
  using Fault = ChaosPlan::Fault;
  for (const ChaosOrder& order : orders) {
    if (order.at < first || order.at - first >= ops.size()) continue;
    std::size_t place = order.at - first;
    switch (order.kind) {
      case Kind::lose_request: lose_from(plan, ops, place, Fault::lost_request); break;
      case Kind::lose_reply: lose_from(plan, ops, place, Fault::lost_reply); break;
      case Kind::duplicate:
        if (!travels_alone(*ops[place])) plan.duplicates.push_back(place);
        break;
      case Kind::delay: plan.delay = std::max(plan.delay, delay_for); break;
      case Kind::cut:
        plan.cut = true;
        for (std::size_t i = place; i < ops.size(); ++i) plan.faults[i] = Fault::lost_reply;
        break;
    }
  }
  std::sort(plan.duplicates.begin(), plan.duplicates.end());
  plan.duplicates.erase(std::unique(plan.duplicates.begin(), plan.duplicates.end()), plan.duplicates.end());
  std::erase_if(plan.duplicates, [&](std::size_t place) { return plan.faults[place] == Fault::lost_request; });
}

namespace {

struct Counters {
  std::atomic<std::uint64_t> operations{0}, lost_requests{0}, lost_replies{0}, duplicated{0}, delayed{0}, cut{0},
      refused{0};
};

void lose(stile_op& op, std::string_view text) {
  op.status = STILE_UNKNOWN;
  op.error = text_of(text);
  op.native = {};
  op.retry_after = 0;
  if (!op.result) return;
  std::uint32_t size;
  std::memcpy(&size, op.result, sizeof(size));
  std::memset(static_cast<char*>(op.result) + sizeof(size), 0, size - sizeof(size));
}

class ChaosLink final : public Link {
 public:
  ChaosLink(std::unique_ptr<Link> inner, const ChaosRates& rates, std::span<const ChaosOrder> orders,
            std::uint64_t seed, Counters& counters)
      : calls_(std::move(inner)), rates_(rates), orders_(orders), dice_(seed), counters_(counters) {}

  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    std::vector<const stile_op*> look(ops.begin(), ops.end());
    ChaosPlan plan = plan_chaos(look, rates_, dice_);
    std::uint64_t first = counters_.operations.fetch_add(ops.size()) + 1;
    add_ordered(plan, look, orders_, first, rates_.delay_for);
    count(plan);
    if (plan.delay > Duration{0}) hold_back(call, plan.delay);
    Fate fate = send(call, ops, plan);
    for (std::size_t i = 0; i < ops.size(); ++i)
      if (plan.faults[i] == ChaosPlan::Fault::lost_reply) lose(*ops[i], "chaos: the reply was lost");
    return plan.cut ? Fate::drop : fate;
  }

  void interrupt(std::uint64_t serial) noexcept override {
    calls_.interrupt(serial);
    std::lock_guard lock(mutex_);
    woken_.notify_all();
  }

 private:
  Fate send(const stile_call& call, std::span<stile_op* const> ops, const ChaosPlan& plan) {
    std::vector<stile_op*> arriving;
    std::vector<std::unique_ptr<codec::Op>> copies;
    for (std::size_t place : plan.duplicates) copies.push_back(codec::Op::clone(*ops[place]));
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (plan.faults[i] == ChaosPlan::Fault::lost_request)
        lose(*ops[i], "chaos: the request was lost");
      else
        arriving.push_back(ops[i]);
    }
    Fate fate = Fate::keep;
    if (!arriving.empty()) fate = calls_.link().execute(calls_.begin(call), arriving);
    for (std::size_t i = 0; i < copies.size() && fate == Fate::keep; ++i) {
      // What its chain kept from running does not arrive once more.
      if (ops[plan.duplicates[i]]->status != STILE_OK) continue;
      stile_op* copy = copies[i]->get();
      copy->must &= ~STILE_MUST_AFTER_OK;
      ++counters_.duplicated;
      fate = calls_.link().execute(calls_.begin(call), std::span(&copy, 1));
    }
    return fate;
  }

  void hold_back(const stile_call& call, Duration delay) {
    Deadline until = std::min(std::chrono::steady_clock::now() + delay, deadline_of(call.deadline));
    std::unique_lock lock(mutex_);
    woken_.wait_until(lock, until, [&] { return calls_.interrupted(call); });
  }

  void count(const ChaosPlan& plan) {
    counters_.delayed += plan.delay > Duration{0};
    counters_.cut += plan.cut;
    for (auto fault : plan.faults) {
      counters_.lost_requests += fault == ChaosPlan::Fault::lost_request;
      counters_.lost_replies += fault == ChaosPlan::Fault::lost_reply;
    }
  }

  InnerCalls calls_;
  const ChaosRates rates_;
  const std::span<const ChaosOrder> orders_;
  Dice dice_;
  Counters& counters_;
  std::mutex mutex_;
  std::condition_variable woken_;
};

class ChaosBackend final : public Relay {
 public:
  ChaosBackend(std::shared_ptr<Backend> inner, const ChaosRates& rates, std::vector<ChaosOrder> orders,
               std::uint64_t seed)
      : Relay(std::move(inner)), rates_(rates), orders_(std::move(orders)), seed_(seed), dice_(seed) {
    log(LogLevel::info, "chaos begins", {{"seed", std::to_string(seed)}});
  }
  ~ChaosBackend() override {
    for (const auto& [name, count] : counts())
      log(LogLevel::info, "chaos has bitten", {{"fault", name}, {"times", std::to_string(count)}});
  }

  std::unique_ptr<Link> connect(Deadline deadline) override {
    std::uint64_t link_seed;
    {
      std::lock_guard lock(mutex_);
      link_seed = dice_.next();
      if (dice_.hit(rates_.refuse)) {
        ++counters_.refused;
        throw Error(Status::unavailable, "chaos: connecting was refused");
      }
    }
    return std::make_unique<ChaosLink>(inner().connect(deadline), rates_, orders_, link_seed, counters_);
  }

  LayerCounts counts() const {
    return {{"seed", seed_},
            {"operations", counters_.operations},
            {"lost_requests", counters_.lost_requests},
            {"lost_replies", counters_.lost_replies},
            {"duplicated", counters_.duplicated},
            {"delayed", counters_.delayed},
            {"cut", counters_.cut},
            {"refused", counters_.refused}};
  }

 private:
  const ChaosRates rates_;
  const std::vector<ChaosOrder> orders_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  Dice dice_;
  Counters counters_;
};

double probability(const LayerOptions& options, const std::string& name) {
  const std::string& text = options.find(name)->second;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    throw Error(Status::invalid, "chaos." + name + "=" + text + ": a probability from 0 to 1, such as 0.1");
  return value;
}

}  // namespace

std::shared_ptr<Backend> chaos_layer(const LayerOptions& options, std::shared_ptr<Backend> inner) {
  ChaosRates rates;
  rates.lose_request = probability(options, "lose_request");
  rates.lose_reply = probability(options, "lose_reply");
  rates.duplicate = probability(options, "duplicate");
  rates.delay = probability(options, "delay");
  rates.cut = probability(options, "cut");
  rates.refuse = probability(options, "refuse");
  rates.delay_for = Duration(std::stoll(options.find("delay_for")->second));
  auto seed = static_cast<std::uint64_t>(std::stoll(options.find("seed")->second));
  if (seed == 0) {
    Id drawn = Id::random();
    std::memcpy(&seed, drawn.bytes.data(), sizeof(seed));
    seed >>= 1;  // so that it can be given back as an option
  }
  return std::make_shared<ChaosBackend>(std::move(inner), rates, parse_chaos_orders(options.find("at")->second), seed);
}

LayerCounts layer_counts(const Backend& backend) {
  LayerCounts all;
  for (const Backend* at = &backend; at;) {
    if (auto* chaos = dynamic_cast<const ChaosBackend*>(at)) {
      LayerCounts some = chaos->counts();
      all.insert(all.end(), some.begin(), some.end());
    }
    auto* relay = dynamic_cast<const Relay*>(at);
    at = relay ? &relay->inner() : nullptr;
  }
  return all;
}

}  // namespace stile::store
