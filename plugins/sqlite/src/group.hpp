// Those who write to a file from one process: calls that arrive while a commit is in flight share the next one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "database.hpp"
#include "item.hpp"
#include "runner.hpp"

namespace stile::sqlite {

class Group {
 public:
  explicit Group(Database& database) : database_(database), runner_(database) {}

  /// Does an item that may write: in a transaction of this thread, or of another's that shares it. Every operation has
  /// its status afterwards.
  void write(Item& item);
  /// Does an item that only reads, beside those who write.
  void read(Item& item);
  /// Commits what these items did, says so, and waits for the disk. Throws UNKNOWN when it may have happened, else it
  /// has not.
  void end(Desk& desk, Database::WriteLock& lock, const std::vector<Item*>& items);

 private:
  enum class Way { done, lead, gone };

  Way wait_for_others(Item& item);
  void lead(Item& item);
  std::vector<Item*> take_all();
  bool take_out(Item& item);
  void finish(const std::vector<Item*>& items, const Item& own);
  void pass_on_lead();

  bool together(const std::vector<Item*>& items, Database::WriteLock& lock);
  void one_by_one(Item& item);
  void alone(Item& part);
  bool read_patiently(Item& item);
  bool read_once(Item& item);

  Database& database_;
  Runner runner_;  ///< the leader's
  std::mutex mutex_;
  std::deque<Item*> queue_;
  bool led_ = false;
};

}  // namespace stile::sqlite
