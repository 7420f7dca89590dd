// The reports of a run: for people, for CI, and the certificate.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>

#include "runner/results.hpp"

namespace stile::conformance {

/// A failing check as it is shown when it fails: the dialogue, the promises, the command that repeats it.
std::string failure_text(const Run& run, const Result& result);
/// Ids by verdicts, and the judgement.
std::string table(const Run& run, bool colour);
/// One line: how many of what.
std::string summary(const Run& run);
std::string junit(const Run& run);
/// Plugin identity, build id, contract version, level, seeds, counts, every id and every check.
boost::json::object certificate(const Run& run);

}  // namespace stile::conformance
