// What a plugin file says of itself, read without running any of its code.
//
// The headers are checked as far as loading will trust them: a truncated file would otherwise kill the host inside
// dlopen.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/file.hpp"

namespace stile::loader {

/// The identity note of abi/note.h.
struct Note {
  std::uint32_t abi_min = 0, abi_max = 0;
  std::string name, version;
  std::vector<std::string> schemes;
};

enum class Verdict {
  good,
  unreadable,        ///< cannot be opened, a directory, no regular file
  not_elf,           ///< a text, a script, anything else
  truncated,         ///< shorter than its headers say
  malformed,         ///< headers that contradict themselves
  wrong_machine,     ///< for another architecture
  program,           ///< an executable, this one included
  executable_stack,  ///< asks for one, or forgets to say that it does not
  links_core,        ///< linked to the core library, of which there would be two
  not_plugin,        ///< a library without our note
  bad_note,          ///< a note that cannot be read, or says something impossible
  other_abi,         ///< for revisions this core does not speak
  outside,           ///< a link that leads out of its directory
  shadowed,          ///< another of the same name comes first
  same_file,         ///< the same file as one that comes first, under another path
  load_failed,       ///< found good, but would not load or answer
};
/// "good", "truncated", ...
std::string_view name_of(Verdict verdict);

struct Inspected {
  Verdict verdict = Verdict::good;
  std::string reason;  ///< what is wrong and what to do; empty when good
  FileId id;
  std::optional<Note> note;
  std::string build_id;  ///< hexadecimal; empty = none
  std::vector<std::string> needed;
  bool static_tls = false;

  bool good() const { return verdict == Verdict::good; }
};

/// Looks at a file. Never throws for what is in it.
Inspected inspect(const std::string& path);
/// The same through a file that is open.
Inspected inspect(const File& file);

/// The revisions this core speaks.
inline constexpr std::uint32_t abi_least = 1u << 16, abi_most = 1u << 16;
/// "1.0"
std::string abi_text(std::uint32_t abi);
/// Why a plugin of these revisions cannot be used; empty = it can.
std::string abi_refusal(std::uint32_t least, std::uint32_t most);

}  // namespace stile::loader
