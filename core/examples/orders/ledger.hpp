// The ledger: where the orders' steps leave their marks in the world, outside any store.
//
// It behaves as a real payment gateway does: every act comes with an idempotency key, the first one under a key happens
// and gets a reference, every repeat gets that reference again and nothing happens. A repeat is written down, too, so
// that nobody has to believe it. One line an act, appended and synced before the answer; any number of processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace orders {

/// One line of the ledger.
struct Act {
  bool repeat = false;
  std::string key;   ///< the step's idempotency key
  std::string what;  ///< "charge"
  std::int64_t cents = 0;
  std::string reference;
  int process = 0;
};

class Ledger {
 public:
  /// Files of this folder, which exists.
  explicit Ledger(std::string folder);
  ~Ledger();

  /// Does it, unless it was done under that key. The reference, the same on every call with that key.
  std::string act(const std::string& key, std::string_view what, std::int64_t cents);

  /// Everything that is written, for the proof.
  static std::vector<Act> read(const std::string& folder);

 private:
  class Book;
  std::vector<std::unique_ptr<Book>> books_;
};

}  // namespace orders
