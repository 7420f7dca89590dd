// The written contract, as the reports quote it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stile::conformance {

struct Promise {
  std::string id;       ///< "A4"
  std::string text;     ///< in one line
  std::string chapter;  ///< "A. Leases and fences"
};

/// Every `- **A4** text` of CONTRACT.md, in its order.
const std::vector<Promise>& promises();
/// Null where there is none of that id.
const Promise* promise(std::string_view id);
/// What a chapter is for: the paragraph that it begins with, in one line.
std::string chapter_about(std::string_view chapter);
/// What the text calls itself: "1".
std::string_view contract_version();

}  // namespace stile::conformance
