// What a case is played on: its sessions, stores and namespaces, and calls that run beside it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dialogue/syntax.hpp"
#include "target.hpp"

namespace stile::conformance {

/// A call that was started and not finished yet.
struct Running {
  json::object request;
  json::object answer;
  Duration took{0};
  std::chrono::steady_clock::time_point returned;
  std::atomic<int> thread_id{0};
  std::atomic<bool> done{false};
  std::thread thread;
};

/// The sessions of a case, by name; the empty name is the case's own.
class Stage {
 public:
  Stage(const Case& one, const Target& target);
  /// Ends what still runs.
  ~Stage();

  Client& client(const std::string& session) { return *clients_.at(session); }
  const Facts& facts() const { return target_.facts; }

  /// Begins a call beside the case. One that waits is waiting then, as far as can be seen.
  void start(const std::string& session, json::object request, Duration deadline);
  /// True once it has returned, or if nothing was started.
  bool returned(const std::string& session) const;
  /// Waits for it; null if none was started.
  std::unique_ptr<Running> finish(const std::string& session);

  /// Closes every store and opens it again.
  void reopen();
  /// Removes what the case left in its namespaces, as far as that goes in a moment: others share the server.
  void tidy();

 private:
  void open();
  void interrupt_all();

  const Case& case_;
  const Target& target_;
  std::string space_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::map<std::string, std::unique_ptr<Running>> running_;
};

}  // namespace stile::conformance
