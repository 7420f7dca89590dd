// What really happened, kept outside the store: every operation before it is sent and after it was answered, on disk
// before anything goes on. What no answer stands behind may have happened, or not.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "target.hpp"

namespace stile::conformance::faults {

class Ledger {
 public:
  /// Appends to a file that several processes and threads may share.
  explicit Ledger(const std::string& path);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Sends an operation and writes down what was asked and what was answered. Thread-safe.
  json::object call(Client& client, std::string_view who, const json::object& request);

 private:
  void append(const json::object& line);

  int file_;
};

/// One operation as the ledger knows it.
struct Entry {
  std::string who;
  json::object request;
  json::object answer;  ///< empty: nobody lived to see one

  std::string text(std::string_view member) const;
  std::string status() const;
  bool ok() const { return status() == "ok"; }
  /// It may have happened, once.
  bool in_doubt() const;
};

/// In the order in which they were asked. Throws Error where a line is not what was written.
std::vector<Entry> read_ledger(const std::string& path);

/// What the store holds at the end: the records of every workflow, and what became of its wakeup.
struct Held {
  struct Record {
    std::string key, value;
  };
  std::map<std::string, std::vector<Record>> records;
  std::map<std::string, std::string> states;
};
/// Reads it; throws Error where the store does not answer.
Held read_held(Client& client);

/// Where ledger and store contradict each other, a line each: acknowledged = there, refused = not there, in doubt = at
/// most once.
std::string contradictions(const std::vector<Entry>& ledger, const Held& held);

}  // namespace stile::conformance::faults
