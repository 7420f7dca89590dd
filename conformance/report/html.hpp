// Text of strangers on its way into a page.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stile::conformance::report {

/// For an element or a quoted attribute: what HTML gives a meaning is escaped, and what cannot be seen (control
/// characters, marks that turn the direction of writing, bytes that are no UTF-8) stands as \x9f or \u{202e}.
std::string html(std::string_view text);

/// The same, with what stands in backquotes as code: for the words of the contract.
std::string prose(std::string_view text);

/// At most so many bytes, cut between characters, with a word on how much more there was.
std::string cut(std::string_view text, std::size_t most);

/// 12,345
std::string grouped(std::uint64_t number);
/// A length as people say it: "740 us", "12.3 ms", "4.07 s", "3 min 20 s".
std::string length(std::int64_t microseconds);
/// An instant since a beginning, in the form that a verdict as text has: "15619.206 ms".
std::string instant(std::int64_t microseconds);
/// "1 check", "2 checks".
std::string counted(std::uint64_t number, std::string_view one);

/// A whole page in one file: no network, and readable without its script.
std::string page(std::string_view title, std::string_view body);

}  // namespace stile::conformance::report
