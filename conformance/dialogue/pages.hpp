// Reading a list to its end, page by page, and holding each page to what the contract says of pages (B6, K7, T5).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>

#include "target.hpp"

namespace stile::conformance {

/// All pages as one answer: the last page's members, the whole list, and `pages`, how many there were.
struct Paged {
  json::object answer;
  std::string fault;  ///< what is wrong with a page; empty = nothing
};

/// Of load, list, scan: with `after`. Of receive and trim: again until there is nothing more.
Paged all_pages(Client& client, json::object request);

}  // namespace stile::conformance
