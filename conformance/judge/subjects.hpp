// What is searched: for each workflow and document the items of its history, as the rules want them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/index.hpp"
#include "judge/step.hpp"

namespace stile::conformance::judge {

/// Answers that say something of the workflow, in the order they were asked.
std::vector<Item> items_of_workflow(const Index& index, const Calibration& clock, const Group& group);

/// How much is made of pages: each speaks of every subject that could be on it, so that a short history can ask for
/// more memory than there is.
struct Pages {
  std::size_t most;          ///< subjects, on all pages
  std::size_t subjects = 0;  ///< so far
  std::size_t left_out = 0;  ///< pages that were not looked at

  bool leave_out() {
    bool full = subjects >= most;
    left_out += full;
    return full;
  }
};

/// Of each workflow, by its place in index.workflows(): what the pages of list say of it, there or not (S4).
std::vector<std::vector<Item>> items_of_lists(const Index& index, const Calibration& clock, Pages& pages);

/// What may have touched a workflow without any answer that tells: receives whose answer was lost, and trims where it
/// may have been finished. To be tried only where there is no order without them.
std::vector<Item> unseen_of_workflow(const Index& index, const Calibration& clock, const Group& group);

/// Of each document, by its place in index.documents(): its own operations, and what the pages of scans say of it (K7).
std::vector<std::vector<Item>> items_of_documents(const Index& index, const Calibration& clock, Pages& pages);

/// Puts items into the order of their invocation, and links those of one batch.
void put_in_order(std::vector<Item>& items);

}  // namespace stile::conformance::judge
