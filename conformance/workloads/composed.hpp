// What the core makes of operations that a store does not couple, judged: beside what the callers asked stands what the
// store was asked for it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/history.hpp"
#include "judge/judge.hpp"
#include "judge/verdict.hpp"

namespace stile::conformance::workloads {

/// What is wrong with the composed operations of `whole`, of which `parts` is what the store was asked. The parts are
/// judged as every history is; this is about what was made of them: a delivery is handed out with the lease and the
/// records that were granted and read for it, or is put off (D9); what is written with a wakeup is covered by one (W9);
/// no two parts share an op_id that would make the store take one for the other (R1). A store may couple one thing and
/// not another: what it was asked as the caller asked it was not composed, and is answered as the store answered (R1).
std::vector<judge::Finding> judge_composed(const judge::History& whole, const judge::History& parts);

/// All of it: what contradicts itself in what the callers were told, and what was made wrongly of the parts.
judge::Verdict judge_whole(const judge::History& whole, const judge::History& parts, judge::Options options = {});

}  // namespace stile::conformance::workloads
