// A random command: a few small numbers, which the state of the trial turns into a request. So a shrunk sequence still
// makes sense: "the current fence of w0" is found anew, whatever was left out before it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace stile::conformance::model {

enum class Verb : std::uint8_t {
  // The order is that of shrinking: the simplest first.
  enqueue,
  acquire,
  receive,
  record,
  ack,
  pass,
  supply,
  append,
  renew,
  release,
  nack,
  snooze,
  reject,
  extend,
  cancel,
  discard,
  rebase,
  request_cancel,
  transact,
  load,
  trim,
  put,
  erase,
  get,
  scan,
  list,
  stats,
  watch,
  again,
  chain,
  count
};

/// Every number is small; 0 is the plainest choice, so that shrinking ends in a readable sequence.
struct Command {
  Verb verb = Verb::enqueue;
  std::uint8_t workflow = 0;  ///< which of three
  std::uint8_t token = 0;     ///< which fence or receipt: 0 the current one
  std::uint8_t key = 0;       ///< which key, value, queue, message id
  std::uint8_t time = 0;      ///< which length
  std::uint8_t flags = 0;     ///< what else the request says

  friend bool operator==(const Command&, const Command&) = default;
};

/// Plays one sequence; throws Differs, Ambiguous.
class Player {
 public:
  explicit Player(Trial& trial) : trial_(trial) {}
  /// Does one command, if the contract says what it does, and compares what the store then holds.
  void play(const Command& drawn);

 private:
  using Wanted = bool (*)(const Workflow&);
  /// What must come before, where nothing is there to do a command to: a delivery, a lease, a wakeup.
  Command instead(const Command& command) const;
  bool any(Wanted wanted) const;
  std::optional<json::object> request(const Command& command);
  json::object lease_request(const Command& command);
  json::object checkpoint_request(const Command& command);
  json::object queue_request(const Command& command);
  std::optional<json::object> answer_request(const Command& command);
  json::object document_request(const Command& command);
  json::object store_request(const Command& command);
  std::optional<json::object> sent_before(const Command& command);
  void chain(const Command& command);
  void pass(const Command& command);

  /// The workflow of a command: the one it names, or the next that is as the operation wants it, if there is one.
  std::string workflow(const Command& command, Wanted wanted) const;
  json::value fence(const Command& command, const std::string& id) const;
  std::string receipt(const Command& command) const;
  std::string version(const Command& command) const;
  Time length(std::uint8_t which) const;
  void add_when(json::object& request, const Command& command) const;
  void add_queue(json::object& request, const Command& command) const;

  Trial& trial_;
  std::vector<json::object> sent_;  ///< writes with an op_id, to be sent again
};

}  // namespace stile::conformance::model
