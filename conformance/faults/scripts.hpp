// What each operation is sent into when its message is lost: the short scripts of the fault matrix.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target.hpp"

namespace stile::conformance::faults {

/// A line is the one-line form of `stile call`: "record w fence=$fence key=k value=v". $fence, $receipt, $version,
/// $inbox are what was last told; $L is how long a lease lasts here. What is not set apart by name= is the workflow, or
/// the key of a document. "pass" lets a moment go by.
using Line = std::string;

/// An operation in one situation.
struct Script {
  std::string name;         ///< unique; begins with the operation's
  std::vector<Line> setup;  ///< what leads to the situation
  Line act;                 ///< the operation whose message meets the fault
  std::vector<Line> steal;  ///< what others do once the caller's lease is over, before a late message arrives
  std::vector<Line> after;  ///< what others do later, that a copy of the message which comes still later must not harm
  std::vector<std::string> needs;  ///< capabilities
};

const std::vector<Script>& scripts();

/// The operation that a script is about.
std::string operation_of(const Script& script);

/// Whether a store has what a script needs.
bool playable(const Script& script, const Facts& facts);

/// Whether a write of this kind is remembered by its op_id (R1).
bool takes_op_id(std::string_view op);

}  // namespace stile::conformance::faults
