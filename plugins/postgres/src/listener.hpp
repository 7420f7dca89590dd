// Hints between processes: who waits is told by NOTIFY, from a connection of its own. Nothing needs a hint (W5).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "stile/sdk/waiting.hpp"
#include "texts.hpp"

namespace stile::postgres {

/// What a commit is worth telling.
enum class What : std::int32_t { wakeup = 1, record = 2, clock = 3 };

/// One for a store: a thread and a connection, made when somebody first waits or is to be told.
class Listener {
 public:
  Listener(ConnectionWords words, const Texts& texts);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  sdk::WaitingRoom& room() { return room_; }
  /// Somebody waits from here on, for wakeups of these queues, or for records where there are none; back when other
  /// processes know, or after a moment if they cannot be told.
  void begin(std::int32_t ns, const std::vector<std::string>& queues);
  void end(const std::vector<std::string>& queues);
  /// Tells those who wait here at once, and those elsewhere soon. span: until it is due.
  void tell(std::int32_t ns, What what, std::string_view subject, std::int64_t span);

 private:
  using Key = std::pair<What, std::string>;

  void start();
  void wake();
  void run();
  bool listen(Connection& connection);
  void serve(Connection& connection);
  bool say_who_waits(Connection& connection);
  bool send_rings(Connection& connection);
  void hear(Connection& connection);
  bool nobody_wants(const std::string& queue);
  void tell_room(What what, std::string subject, std::int64_t span);

  const ConnectionWords words_;
  const Texts& texts_;
  std::string channel_;
  sdk::WaitingRoom room_;

  std::mutex mutex_;
  std::condition_variable said_;
  int wake_fd_ = -1;
  bool stop_ = false;
  bool deaf_ = false;  ///< a pooler stands between
  std::int32_t ns_ = 0;
  std::map<std::string, int> queues_;  ///< how many receive each
  int watchers_ = 0;
  std::uint64_t changed_ = 0, told_ = 0;  ///< versions of who waits: as it is, and as the server knows it
  std::int64_t said_at_ = 0;
  std::set<std::string> said_queues_;
  bool said_watches_ = false;
  std::int64_t rang_at_ = 0;
  std::map<Key, std::int64_t> rings_;
  std::thread thread_;
};

}  // namespace stile::postgres
