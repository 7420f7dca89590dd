// The pages: a run of the suite, a judged history.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "runner/results.hpp"

namespace stile::conformance::report {

/// All of a run in one page: what was judged, ids by levels, failures with the command that repeats each.
std::string run_page(const Run& run);

/// A history that was judged, from what verdict_json says of it; `files` are its names.
std::string history_page(const boost::json::object& verdict, const std::vector<std::string>& files);

/// Of one verdict: every finding, with its picture. `id` makes the anchors of the page unique.
std::string findings(const boost::json::object& verdict, const std::string& id);

/// Ids by levels; the parts of run_page that are tables.
std::string id_table(const Run& run);
std::string slowest_table(const Run& run);
std::string check_table(const Run& run);
/// The class of a verdict's colour, and the anchor of a failure.
std::string_view class_of(Verdict verdict);
std::string anchor_of(const Result& result);

}  // namespace stile::conformance::report
