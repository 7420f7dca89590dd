// The driver of a store: a program, of the store's own folder, that starts its server and does it harm when asked.
//
// README.md is the protocol. A driver that lies, hangs, dies or answers garbage makes a check fail, and no more.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "servers/program.hpp"

namespace stile::conformance::servers {

/// What start answered: how callers reach the store.
struct Started {
  std::string config;
  std::map<std::string, std::string> environment;  ///< of every process that opens it
};

/// How start is asked.
struct Wanted {
  std::vector<std::string> faults;  ///< that are to come
  bool durable = true;              ///< false: in a setting that may lose what it acknowledged
};

class Driver {
 public:
  /// Runs the command line, as the shell reads it, and asks who it is. folder: for its data, made here. slowness: how
  /// many times longer than on a machine that is not busy each word may take.
  Driver(const std::string& command, const std::string& folder, int slowness);

  /// Callers of its own: the store is in their processes, and what is done to its server is done to them.
  bool embedded() const { return embedded_; }
  bool can(std::string_view word) const { return can_.count(std::string(word)) != 0; }
  const std::string& name() const { return name_; }

  Started start(const Wanted& wanted = {});
  /// Any other word. Throws Misbehaved unless it answers that it did it.
  json::object order(std::string_view word, json::object with = {});
  /// Ends it: it stops its servers.
  void end();

 private:
  std::string name_ = "the driver";
  int slowness_;
  bool embedded_ = false;
  std::set<std::string> can_;
  std::unique_ptr<Program> program_;
};

}  // namespace stile::conformance::servers
