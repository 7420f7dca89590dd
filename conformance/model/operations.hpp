// Every operation of the contract, as a judgement of what a store answered to it. Each takes over what the store did.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/moment.hpp"
#include "model/reply.hpp"
#include "model/said.hpp"
#include "model/state.hpp"

namespace stile::conformance::model {

/// One operation: what is held, what was said, what was answered, when.
struct Call {
  World& world;
  const Said& said;
  Reply& reply;
  Now now;
};

void acquire(Call call);
void renew(Call call);
void release(Call call);

void load(Call call);
void record(Call call);
void supply(Call call);
void append(Call call);
void transact(Call call);
void rebase(Call call);
void discard(Call call);
void request_cancel(Call call);
void watch(Call call);

void enqueue(Call call);
void receive(Call call);
void extend(Call call);
void answer(Call call);  ///< ack, snooze, nack, reject
void cancel(Call call);

void get(Call call);
void put(Call call);
void erase(Call call);
void scan(Call call);

void prepare(Call call);
void info(Call call);
void stats(Call call);
void list(Call call);
void trim(Call call);
void advance(Call call);

// Parts that several operations share.

/// What an argument breaks, before any state is read: the statuses that say so, or none (B9, W8, K5, I1, R3).
struct Fault {
  std::vector<std::string_view> statuses;
  std::string ids;
};
std::optional<Fault> argument_fault(const World& world, const Said& said, Now now);

/// What an operation finds where it would be remembered (R1).
enum class Remembered { no, same, other };
Remembered remembered(const Memory& memory, const Said& said);
/// True when the memory settles the call: `same` must be answered ok, `other` refused.
bool settled_by_memory(Remembered found, Reply& reply);
/// True when the contract does not say whether this workflow remembers the op_id, so that a resend is not defined.
bool unclear(const Workflow& workflow, const Said& said);
Memory remember(const Said& said, const Reply& reply);

/// A1: a lease granted now, its fence as the store gave it.
void grant(Workflow& workflow, Past& past, const Said& said, Reply& reply, Now now, Time ttl, Time budget);
/// The lease's part of renew and extend; false when it is refused (A7, A8).
bool renew_lease(Workflow* workflow, const Said& said, Reply& reply, Now now, std::string_view ids);

/// When a wakeup asked for in this way is due; W8: an instant in the past counts as now, and beyond 2^53 a store may
/// round up by a millisecond.
struct DueTime {
  Moment when;
  bool has_come;
};
DueTime due_time(When when, Now now);

/// An enqueue that the store accepted, alone or inside supply and append (W1 to W3, W10, D7).
void enqueue_into(Workflow& workflow, const Said& how, Reply& reply, Now now, std::string_view ids);

/// The records that load and receive give along (B3, B6).
void judge_records(Workflow& workflow, const Said& asked, const Said& given, Reply& reply, const World& world,
                   bool at_least_one);

}  // namespace stile::conformance::model
