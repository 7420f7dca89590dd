// Agreeing with a plugin on a revision, and checking the table it answers with.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "loader/inspect.hpp"
#include "stile/abi.h"
#include "stile/types.hpp"

namespace stile::loader {

/// Where a plugin puts its error text. Text that did not fit ends with how much there was.
class ErrorBuffer {
 public:
  ErrorBuffer() { error_ = {sizeof(stile_error), static_cast<std::uint32_t>(text_.size()), text_.data(), 0}; }
  ErrorBuffer(const ErrorBuffer&) = delete;
  ErrorBuffer& operator=(const ErrorBuffer&) = delete;

  stile_error* get() { return &error_; }
  /// What was written, or instead when nothing was.
  std::string text(std::string_view instead) const;

 private:
  std::array<char, 4096> text_{};
  stile_error error_{};
};

/// Asks a plugin's entry for its table and checks it against the note of its file. Throws Error that names the file and
/// what is wrong; after that nothing of the file may be called again.
const stile_plugin& negotiate(stile_plugin_entry_fn entry, const Note& note, const std::string& file);

/// What is wrong with a table that claims to be of this note; empty = nothing. Every slot, name and option is looked
/// at: nothing of a plugin is called before it is known to be whole.
std::string table_fault(const stile_plugin& table, const Note& note);

/// A status that open, start or connect may answer; anything else becomes internal, with a text that says so.
Failure failure_of(std::int32_t status, const ErrorBuffer& error, const std::string& who, std::string_view what);

}  // namespace stile::loader
