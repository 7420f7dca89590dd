// Sessions for calls that hold one for long: waiting receives and watches, callback effects.
//
// They are apart from the lanes, so that nobody's ordinary call stands behind a wait.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "store/lane.hpp"
#include "store/link.hpp"

namespace stile::store {

class Sessions {
 public:
  struct Session {
    std::unique_ptr<Link> link;
    std::uint64_t serial = 0;
  };

  Sessions(Source& source, unsigned most) : source_(source), most_(most ? most : 1) {}

  /// An idle session or a new one; waits for one when all are in use. Nothing when the deadline passed, stop was asked
  /// for or close was called before. Throws Error when none could be connected.
  std::optional<Session> take(Deadline deadline, const std::stop_token& stop);

  /// Executes one operation on it; a request to stop and close interrupt it. Then the session is back, or gone.
  void execute(Session session, stile_op* op, Deadline deadline, const std::stop_token& stop);

  /// Interrupts what is executing and hands out no more.
  void close();

 private:
  struct Running {
    Link* link;
    std::uint64_t serial;
  };
  void give_up_place();

  Source& source_;
  const unsigned most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Session> idle_;
  std::vector<Running> running_;
  unsigned open_ = 0;  // idle, taken, or being connected
  bool closed_ = false;
};

}  // namespace stile::store
