// A program beside a check: started by a command, spoken to in one line of JSON each way, never waited for without end.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stile/types.hpp"

namespace stile::conformance::servers {

namespace json = boost::json;

/// What a program did wrong: it ended, kept silent, wrote what is no object. Its text is for the verdict.
struct Misbehaved : std::runtime_error {
  using runtime_error::runtime_error;
};

/// One such program. Not thread-safe.
class Program {
 public:
  /// name: what messages call it. errors: the file its standard error goes to. dies_with_us: killed when this process
  /// ends in whatever way; else it learns that from the end of its input.
  Program(std::string name, const std::vector<std::string>& command,
          const std::map<std::string, std::string>& environment, const std::string& errors, bool dies_with_us);
  /// Kills and waits.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  /// Sends a line. Throws Misbehaved where it cannot be sent within patience.
  void say(const json::object& line, Duration patience = std::chrono::seconds{10});
  /// The next line; throws Misbehaved when none comes within patience. what: the question, for the message.
  json::object hear(std::string_view what, Duration patience);
  /// The same, but nothing when none comes within patience.
  std::optional<json::object> hear_within(std::string_view what, Duration patience);
  json::object ask(const json::object& line, std::string_view what, Duration patience);

  /// No more lines: the end of its input.
  void close_input();
  /// Whether it ended by itself within patience; then status() is its wait status.
  bool ended(Duration patience);
  int status() const { return status_; }
  void kill(int signal);

  /// The end of what it wrote to its standard error.
  std::string complaints() const;

 private:
  [[noreturn]] void fail(const std::string& what);
  bool read_some(Deadline deadline);

  std::string name_, errors_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  int status_ = 0;
  std::string heard_;
};

/// Waits until it is so, or the time is over.
template <class So>
bool eventually(Duration patience, const So& so);

/// A pause between two looks of eventually.
void breathe();

template <class So>
bool eventually(Duration patience, const So& so) {
  const Deadline end = std::chrono::steady_clock::now() + patience;
  while (!so()) {
    if (std::chrono::steady_clock::now() >= end) return so();
    breathe();
  }
  return true;
}

/// Makes this process the one that orphans below it come to.
void adopt_orphans();
std::vector<pid_t> children_of_ours();
/// Kills all children of this process but those, and theirs, until there are none.
void end_children(const std::vector<pid_t>& but = {});

}  // namespace stile::conformance::servers
