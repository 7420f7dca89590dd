// Copies the log back into the file, in the background, so that no caller waits for it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace stile::sqlite {

class Database;

class Keeper {
 public:
  explicit Keeper(Database& database) : database_(database) {}
  ~Keeper();

  /// A commit left the log with so many pages. Any thread.
  void written(int pages);

 private:
  void run();
  void copy_back();

  Database& database_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, stopping_ = false;
  std::atomic<int> tried_at_{0};  ///< what the log held when it was last copied; 0 = it began anew since
  std::thread thread_;
};

}  // namespace stile::sqlite
