// Sending again: what a store remembers of a write by its op_id (contract R1).
//
// SPDX-License-Identifier: Apache-2.0
#include "model/operations.hpp"

namespace stile::conformance::model {

Remembered remembered(const Memory& memory, const Said& said) {
  if (said.op_id().empty() || memory.op_id != said.op_id()) return Remembered::no;
  return memory.op == said.op() ? Remembered::same : Remembered::other;
}

bool settled_by_memory(Remembered found, Reply& reply) {
  switch (found) {
    case Remembered::no: return false;
    case Remembered::same: reply.ok("R1"); return true;
    case Remembered::other: reply.refuse("invalid", "R1"); return true;  // an op_id names one request
  }
  return false;
}

bool unclear(const Workflow& workflow, const Said& said) {
  std::string op_id = said.op_id();
  if (op_id.empty()) return false;
  if (workflow.unclear.count(op_id) != 0) return true;
  // Whether enqueue, cancel, request_cancel, discard and the answers look at each other's memory is not said.
  for (const Memory* memory : {&workflow.last_answer, &workflow.last_enqueue, &workflow.last_cancel,
                               &workflow.last_request_cancel, &workflow.last_discard}) {
    bool both_answers = memory == &workflow.last_answer && said.has("receipt");
    if (memory->op_id == op_id && memory->op != said.op() && !both_answers) return true;
  }
  return false;
}

Memory remember(const Said& said, const Reply& reply) {
  return {said.op_id(), said.op(), reply.json(), said.bytes("receipt")};
}

}  // namespace stile::conformance::model
