// The connections of one store to its server, and running scripts over them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "link.hpp"
#include "operations.hpp"
#include "scripts.hpp"

namespace stile::redis {

/// One script that is to be run.
struct ScriptCall {
  const Script* script = nullptr;
  std::string key;                    ///< the meta of the partition it is about
  Command arguments;                  ///< of a script by itself, such as prepare
  Operations operations;              ///< of one that is made of rooms
  const Script* when_full = nullptr;  ///< what a full server runs too, where `script` is a function: it refuses those
};

class Server {
 public:
  /// greet: what is done with each new connection before anything else. Throws Failure or Broken.
  using Greet = std::function<void(Link&, std::int64_t deadline)>;

  Server(Address address, std::int64_t replicas, Greet greet)
      : address_(std::move(address)), replicas_(replicas), greet_(std::move(greet)) {}

  const Address& address() const { return address_; }
  /// How many replicas must have received a write before it is answered.
  std::int64_t replicas() const { return replicas_; }

  /// A connection, of those that are idle or a new one. Throws Failure.
  std::unique_ptr<Link> take(std::int64_t deadline);
  /// Gives back one that is in order.
  void give(std::unique_ptr<Link> link);

 private:
  const Address address_;
  const std::int64_t replicas_;
  const Greet greet_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Link>> idle_;
};

/// A connection for the time of one call. Given back at the end unless it broke.
class Borrowed {
 public:
  Borrowed(Server& server, std::int64_t deadline) : server_(server), deadline_(deadline) {}
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  /// Connects when it is first asked for. Throws Failure.
  Link& link();
  std::int64_t deadline() const { return deadline_; }
  /// Waits until as many replicas as are asked for have received all that was written over it. Throws Failure with
  /// `unknown` where they have not in time: it is written, and may be lost with this server. And Broken.
  void replicated();
  /// Gives it back for now, while this call waits.
  void rest();
  /// It is of no use any more.
  void drop();
  bool dropped() const { return dropped_; }

 private:
  Server& server_;
  const std::int64_t deadline_;
  std::unique_ptr<Link> link_;
  bool dropped_ = false;
};

/// Runs scripts in one flight; their replies in order, errors among them. One that the server does not know is loaded
/// and run then: it had not been run. Throws Broken, after which `replies` holds those that had come.
void run(Link& link, std::span<const ScriptCall> calls, std::int64_t deadline, std::vector<OwnedReply>& replies);

enum class Does { read, write };

/// One script; throws Failure for whatever goes wrong. What was sent and has no reply is `unknown` where it writes
/// (R2).
OwnedReply run_one(Borrowed& at, const ScriptCall& call, Does does);

}  // namespace stile::redis
