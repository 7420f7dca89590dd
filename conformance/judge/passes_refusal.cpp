// What an operation cannot answer at all, whatever the store holds: a refusal that belongs to other operations.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <initializer_list>

#include "judge/passes.hpp"

namespace stile::conformance::judge {
namespace {

/// The refusals that say something of what the store holds, and who can be answered so.
struct Refusal {
  int status;
  const char* name;
  const char* ids;
  std::initializer_list<int> operations;
};

const std::array<Refusal, 7> refusals{
    {{STILE_FENCED,
      "fenced",
      "A4 D8 E3",
      {STILE_OP_RENEW, STILE_OP_RELEASE, STILE_OP_RECORD, STILE_OP_TRANSACT, STILE_OP_REBASE, STILE_OP_EXTEND,
       STILE_OP_ACK, STILE_OP_SNOOZE, STILE_OP_NACK, STILE_OP_REJECT}},
     {STILE_STALE, "stale", "D2", {STILE_OP_EXTEND, STILE_OP_ACK, STILE_OP_SNOOZE, STILE_OP_NACK, STILE_OP_REJECT}},
     {STILE_CANCELLED,
      "cancelled",
      "C2",
      {STILE_OP_EXTEND, STILE_OP_ACK, STILE_OP_SNOOZE, STILE_OP_NACK, STILE_OP_REJECT}},
     {STILE_LAPSED, "lapsed", "A5 A7", {STILE_OP_RENEW, STILE_OP_EXTEND}},
     {STILE_HELD, "held", "A2", {STILE_OP_ACQUIRE}},
     {STILE_CONFLICT, "conflict", "K1 K2 K6", {STILE_OP_PUT, STILE_OP_ERASE}},
     {STILE_NOT_FOUND, "not_found", "K4", {STILE_OP_GET}}}};

}  // namespace

void pass_refusals(Court& court) {
  const auto& events = court.index.history().events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.ok() || event.in_doubt()) continue;
    for (const Refusal& refusal : refusals) {
      if (event.status != refusal.status) continue;
      const auto& fits = refusal.operations;
      if (std::find(fits.begin(), fits.end(), event.kind) == fits.end())
        court.find(refusal.ids, std::string("this operation is never ") + refusal.name, Finding::Of::store, Text::none,
                   {i});
    }
  }
}

}  // namespace stile::conformance::judge
