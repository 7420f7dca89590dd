// Scripts and the library, put together from the .lua files: what all of them begin and end with, and the files of the
// operations asked for.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace stile::redis {

/// What a plugin adds to the common room: whether it keeps a log of wakeups, and how.
struct Model {
  std::string_view name;
  std::string_view version;
  std::string_view log;        ///< Lua: log_save, log_delivered, log_trim
  std::string_view probe_log;  ///< Lua: more commands for probe
};

struct Script {
  std::string text;
  std::string sha;   ///< as the server names it, 40 hexadecimal digits
  std::string name;  ///< of a library's function; empty = a script
  bool is_function() const { return !name.empty(); }
};

/// Files of operations, as bits of a set.
enum Room : std::uint32_t {
  lease_room = 1,
  checkpoint_room = 2,
  wakeups_room = 4,
  receive_room = 8,
  transact_room = 16,
  documents_room = 32,
  overview_room = 64,
  trim_room = 128,
  admin_room = 256,
  examine_room = 512,
};

/// The room of an operation's kind (STILE_OP_*).
std::uint32_t room_of(std::uint32_t kind);

class Scripts {
 public:
  explicit Scripts(const Model& model) : model_(model) {}

  /// The script that knows these rooms. Made when it is first asked for; stays. [any thread]
  const Script& of(std::uint32_t rooms);
  /// The function that knows all of them, of a library: what it is made of is made once, where a script makes all its
  /// functions in each call. For servers that have libraries (7.0).
  const Script& library();
  /// The one that lays out a partition; those that a server is met with: its epoch, what its user may do.
  const Script& prepare();
  const Script& meet();
  const Script& probe();

 private:
  std::string compose(std::uint32_t rooms) const;
  const Script& keep(std::uint32_t number, std::string text);

  const Model model_;
  std::mutex mutex_;
  std::map<std::uint32_t, Script> made_;
};

}  // namespace stile::redis
