// One thread of a workload: what it draws, and how it calls.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include "workloads/workload.hpp"

namespace stile::conformance::workloads {

std::string Amount::text(bool many_processes) const {
  std::string who = many_processes && processes > 1
                        ? std::to_string(processes) + " processes with " + std::to_string(threads)
                        : "one process with " + std::to_string(processes * threads);
  return who + " threads, " + std::to_string(rounds) + " rounds each, " + std::to_string(workflows) + " workflows";
}

Caller::Caller(Store store, Store other, Board& board, const Facts& facts, const Amount& amount, unsigned number,
               std::uint64_t seed)
    : store_(std::move(store)),
      other_(std::move(other)),
      board_(board),
      facts_(facts),
      amount_(amount),
      number_(number),
      random_(seed * 1009 + number) {}

Id Caller::op_id() {
  Id id;
  for (std::size_t i = 0; i < id.bytes.size(); i += 8) {
    std::uint64_t word = random_();
    std::memcpy(id.bytes.data() + i, &word, 8);
  }
  return id;
}

std::string Caller::value() { return std::to_string(number_) + "." + std::to_string(++values_); }

void Caller::pass() {
  if (facts_.can("manual_clock") && once_in(4)) (void)store_.try_call(Advance{.by = Duration{100 + in(900)}});
}

void Caller::at_once(const std::function<void()>& one, const std::function<void()>& other) {
  std::thread beside(other);
  one();
  beside.join();
}

const std::vector<Workload>& all_workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> made;
    add_lease_workloads(made);
    add_record_workloads(made);
    add_queue_workloads(made);
    add_other_workloads(made);
    return made;
  }();
  return all;
}

}  // namespace stile::conformance::workloads
