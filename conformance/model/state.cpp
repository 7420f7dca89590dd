// The small rules that every operation shares.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/state.hpp"

#include <algorithm>
#include <charconv>

namespace stile::conformance::model {

std::uint64_t fence_number(std::string_view fence) {
  std::uint64_t number = 0;
  std::from_chars(fence.data(), fence.data() + std::min(fence.find('.'), fence.size()), number);
  return number;
}

std::string fence_stamp(std::string_view fence) {
  std::size_t dot = fence.find('.');
  return dot == std::string_view::npos ? std::string() : std::string(fence.substr(dot + 1));
}

std::uint64_t Lease::number() const { return fence_number(fence); }
std::string Lease::stamp() const { return fence_stamp(fence); }

bool Workflow::known() const { return !records.empty() || lease || wakeup || cancel_requested || finished; }

const Record* Workflow::record(std::string_view key) const {
  for (const auto& [position, record] : records) {
    if (record.key == key) return &record;
  }
  return nullptr;
}

Workflow* World::find(const std::string& id) {
  auto found = workflows.find(id);
  return found == workflows.end() ? nullptr : &found->second;
}

Workflow& World::make(const std::string& id, Now now) {
  auto [place, made] = workflows.try_emplace(id);
  Workflow& workflow = place->second;
  if (made) workflow.position_may_jump = true;
  if (made || !workflow.known()) {
    workflow.first_operation = now.stamp;
    // A husk begins anew: whether an answer of its old life is still its last one (S4 idle_for) is not said.
    if (workflow.touched.surely) workflow.touched.perhaps = now.stamp;
  }
  workflow.last_operation = now.stamp;
  return workflow;
}

Document* World::find_document(const std::string& key, Now now) {
  auto found = documents.find(key);
  if (found == documents.end()) return nullptr;
  Document& document = found->second;
  if (document.there && !document.live(now)) {  // K4: it went at its expiry, whoever looks first
    document.there = false;
    document.last_operation = *document.expires;
  }
  return &document;
}

void end_put_off(Workflow& workflow, Moment when) {
  if (!workflow.wakeup) return;
  Wakeup& wakeup = *workflow.wakeup;
  if (wakeup.put_off) wakeup.also_due.clear();
  bool was = wakeup.put_off || wakeup.perhaps_put_off;
  if (was && wakeup.due.earliest() <= when.latest()) wakeup.also_due.push_back(when);
  if (was && wakeup.old_place) wakeup.also_due.push_back(*wakeup.old_place);
  wakeup.put_off.reset();
  wakeup.perhaps_put_off = wakeup.extended = false;
}

void settle(Workflow& workflow, Now now) {
  if (workflow.lease && !workflow.lease->live(now)) end_put_off(workflow, workflow.lease->live_until);
  if (workflow.cancelled_receipt && now.reached(workflow.cancelled_at + memory_span)) {
    workflow.cancelled_receipt.reset();
  }
}

Due due(const Workflow& workflow, Now now) {
  if (!workflow.wakeup || workflow.wakeup->state == Wakeup::State::dead) return Due::no;
  const Wakeup& wakeup = *workflow.wakeup;
  if (!now.reached(wakeup.due)) return Due::no;
  if (!workflow.leased(now)) return Due::yes;
  if (!wakeup.put_off) return wakeup.perhaps_put_off ? Due::perhaps : Due::yes;
  return wakeup.extended || now.reached(*wakeup.put_off) ? Due::perhaps : Due::no;
}

void end_lease(Workflow& workflow, Now now) {
  if (!workflow.lease) return;
  Lease& lease = *workflow.lease;
  Moment over{now.stamp.earliest(), 0};  // whatever comes next comes later
  if (lease.live(now)) lease.live_until = over;
  if (!now.reached(lease.budget_until)) lease.budget_until = over;
  end_put_off(workflow, now.stamp);
}

void sign_of_life(Workflow& workflow, Now now) {
  if (!workflow.leased(now)) return;
  Lease& lease = *workflow.lease;
  lease.live_until = later_of(lease.live_until, earlier_of(now.stamp + lease.ttl, lease.budget_until));
}

void doubt_memories(Workflow& workflow) {
  for (Memory* memory : {&workflow.last_answer, &workflow.last_enqueue, &workflow.last_cancel,
                         &workflow.last_request_cancel, &workflow.last_discard}) {
    if (!memory->op_id.empty()) workflow.unclear.insert(memory->op_id);
    *memory = {};
  }
}

std::string inbox_key(std::int64_t position) {
  std::string digits = std::to_string(position);
  return "inbox:" + std::string(20 - std::min<std::size_t>(20, digits.size()), '0') + digits;
}

bool is_inbox_key(std::string_view key) {
  return key.size() == 26 && key.starts_with("inbox:") &&
         std::all_of(key.begin() + 6, key.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace stile::conformance::model
