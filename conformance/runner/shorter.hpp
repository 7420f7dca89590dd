// Long texts of failures, made short enough to be read.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stile::conformance {

/// The first lines of a text and its last ones, with a word on how many there were between; all of it where it has no
/// more than first + last.
std::string ends_of(std::string_view text, std::size_t first, std::size_t last);

/// One line cut between characters to at most so many bytes, with "..." for what went.
std::string cut_line(std::string_view line, std::size_t most);

/// A text as a terminal may show it: no line wider than `width` (what is wider goes on, indented, in a few more, and is
/// cut then), nothing in it that a terminal would obey.
std::string for_terminal(std::string_view text, std::size_t width);

}  // namespace stile::conformance
