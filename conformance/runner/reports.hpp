// The reports of a run: for people, for CI, and the certificate.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>

#include "runner/results.hpp"

namespace stile::conformance {

/// A failing check: the dialogue, the promises, the command that repeats it. Where it is not wanted whole, what is too
/// long to be read is folded or left out.
std::string failure_text(const Run& run, const Result& result, bool whole);
/// Ids by verdicts, or what is to be mended; and the judgement.
std::string table(const Run& run, bool colour);
/// One line: how many of what.
std::string summary(const Run& run);
std::string junit(const Run& run);
/// Plugin identity, build id, contract version, level, seeds, counts, every id and every check.
boost::json::object certificate(const Run& run);

}  // namespace stile::conformance
