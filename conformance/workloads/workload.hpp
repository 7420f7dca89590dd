// A workload: what many callers do to one store at once, with one promise of the contract in view.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "stile/store.hpp"
#include "target.hpp"
#include "workloads/board.hpp"

namespace stile::conformance::workloads {

using Random = std::mt19937_64;

/// How much one trial of a workload is: few names, many callers.
struct Amount {
  unsigned processes = 2;  ///< where the store works across processes, else one
  unsigned opens = 2;      ///< of the store, in each process
  unsigned threads = 3;    ///< in each process; where it is one process, those of all of them
  unsigned rounds = 80;    ///< of each thread
  unsigned workflows = 3;

  std::string text(bool many_processes) const;
};

/// What must have happened, by its name in a Tally, or the workload was too gentle to prove anything.
struct Need {
  std::string what;
  std::uint64_t least = 1;
};

/// One thread of a workload.
class Caller {
 public:
  Caller(Store store, Store other, Board& board, const Facts& facts, const Amount& amount, unsigned number,
         std::uint64_t seed);

  /// One operation; on a store whose clock is moved by hand somebody moves it on now and then.
  template <class Request>
  Result<typename Request::Answer> call(const Request& request) {
    pass();
    return store_.try_call(request);
  }
  /// The same operation under the same op_id from two callers at once (R1).
  template <class Request>
  void twice(const Request& request) {
    pass();
    at_once([&] { (void)store_.try_call(request); }, [&] { (void)other_.try_call(request); });
  }

  /// 0 to n-1.
  unsigned in(unsigned n) { return static_cast<unsigned>(random_() % n); }
  /// True once in n times.
  bool once_in(unsigned n) { return in(n) == 0; }
  Id op_id();
  /// A length in which a few operations fit, and from which others stick out: leases that end during a run.
  Duration span() { return Duration{200} * (1u << in(6)); }
  std::string workflow() { return name(in(amount_.workflows)); }
  static std::string name(unsigned number) { return "w" + std::to_string(number); }
  /// Something nobody else writes.
  std::string value();

  Board& board() { return board_; }
  Random& random() { return random_; }
  const Facts& facts() const { return facts_; }
  const Amount& amount() const { return amount_; }
  unsigned number() const { return number_; }  ///< of this caller among all
  unsigned round() const { return round_; }
  void next_round() { ++round_; }

 private:
  void pass();
  static void at_once(const std::function<void()>& one, const std::function<void()>& other);

  Store store_, other_;
  Board& board_;
  const Facts& facts_;
  const Amount& amount_;
  unsigned number_;
  Random random_;
  unsigned round_ = 0, values_ = 0;
};

struct Workload {
  std::string name;
  std::vector<std::string> ids;
  std::string about;
  std::vector<std::string> operations;  ///< that the store must know
  Amount amount;
  std::vector<Need> needs;
  void (*round)(Caller& caller);
  bool effects = false;  ///< only where the store has a language for them
};

/// All of them; those that share a file are told together.
const std::vector<Workload>& all_workloads();
void add_lease_workloads(std::vector<Workload>& to);
void add_record_workloads(std::vector<Workload>& to);
void add_queue_workloads(std::vector<Workload>& to);
void add_other_workloads(std::vector<Workload>& to);

}  // namespace stile::conformance::workloads
