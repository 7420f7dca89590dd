// What every operation does to one workflow or document, and what it must answer: the contract as a step of a search.
//
// Each rule takes the state as it is before the operation, narrows the time at which it took effect, changes the state,
// and answers false, with the contract id, where the answer is impossible there. The rules are lenient where the
// contract leaves a choice, and never stricter than it: putting off (D9) is seen in answers of receive only.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/state.hpp"
#include "judge/step.hpp"

namespace stile::conformance::judge {

/// How long a cancelled receipt and a husk are remembered.
inline constexpr Time memory_span = Time{600} * 1000 * 1000;

/// Whether an answer says anything of the state: ok, in doubt, or a refusal that depends on it.
bool is_judged(const Event& event);

bool apply(WorkflowState& state, Step& step);
bool apply(DocumentState& state, Step& step);

/// An answer that no order can give any more, whatever comes between: what was granted or given a place later than it
/// is there already. Such an order need not be followed to its end.
bool is_hopeless(const WorkflowState& state, const Item& item);
inline bool is_hopeless(const DocumentState&, const Item&) { return false; }

// Of several rooms of the rules.

/// The fence is the current one; learns what a lost answer kept back.
bool is_current(Lease& lease, std::int64_t highest, FenceName shown);
/// It may be another than the current one; always, where a lost answer kept the number of that back.
inline bool is_not_current(const Lease& lease, FenceName shown) { return !lease.granted || lease.fence != shown; }
/// A3: a lease granted now.
bool grant(WorkflowState& state, Step& step, Time ttl, Time budget);
/// The lease's part of renew and extend, where it is accepted.
bool renew_lease(WorkflowState& state, Step& step);
void end_lease(WorkflowState& state, const Step& step);
/// A6.
void sign_of_life(WorkflowState& state, const Step& step);

bool step_lease(WorkflowState& state, Step& step);   ///< acquire, renew, release
bool step_record(WorkflowState& state, Step& step);  ///< record, supply, append, transact, rebase, load
bool step_queue(WorkflowState& state, Step& step);   ///< enqueue, receive, cancel
bool step_answer(WorkflowState& state, Step& step);  ///< extend, ack, snooze, nack, reject
bool step_forget(WorkflowState& state, Step& step);  ///< discard, trim, request_cancel

bool step_overview(WorkflowState& state, Step& step);  ///< what a page of list says of it

/// The enqueue of supply and append (W9).
bool enqueue_along(WorkflowState& state, Step& step);
/// The records that load and receive give along (B3, B6).
bool judge_page(WorkflowState& state, Step& step, bool at_least_one);
/// W3, W10: what an answer, or a takeover, does with a deferred enqueue.
void wait_again(WorkflowState& state, Moment due);
/// What is kept of a write that may be sent again (R1); nothing where it never was.
Memory memory_of(const Step& step);
bool is_memory(const Memory& memory, const Step& step);
/// When something asked for in this way is due, by the time of the step (W8).
Moment due_time(const Step& step, When when);

}  // namespace stile::conformance::judge
