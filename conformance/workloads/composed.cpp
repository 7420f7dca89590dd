// The parts of an operation are found by its op_id and by when they were asked.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/composed.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "judge/passes.hpp"
#include "store/compose.hpp"

namespace stile::conformance::workloads {
namespace {

using judge::Event, judge::FenceName, judge::Finding, judge::History, judge::Range, judge::Text, judge::Told,
    judge::When;

bool same_fence(const History& one, FenceName a, const History& other, FenceName b) {
  return a.number == b.number && one.names[a.stamp] == other.names[b.stamp];
}

bool same_records(const History& one, Range a, const History& other, Range b) {
  auto left = one.seen(a);
  auto right = other.seen(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](auto& x, auto& y) {
    return x.position == y.position && one.names[x.key] == other.names[y.key] &&
           one.names[x.value] == other.names[y.value];
  });
}

bool same_order(const Event& first, const Event& second) {
  return first.client == second.client && std::pair{first.call, first.place} < std::pair{second.call, second.place};
}

class Judging {
 public:
  Judging(const History& whole, const History& parts) : whole_(whole), parts_(parts) {
    for (const Event& part : parts.events) {
      if (part.asked.op_id != Text::none) by_op_id_[parts.names[part.asked.op_id]].push_back(&part);
      by_client_[part.client].push_back(&part);
      if (judge::is_answer(part.kind)) answers_[parts.names[part.asked.receipt]].push_back(&part);
    }
    for (const Event& event : whole.events) {
      if (event.kind != STILE_OP_RECEIVE) continue;
      if (event.in_doubt()) in_doubt_.insert(whole.names[event.asked.op_id]);
      for (const Told& each : whole.handed_out(event.told.deliveries))
        handed_out_[whole.names[event.asked.op_id]].insert(whole.names[each.receipt]);
    }
  }

  std::vector<Finding> run() {
    for (const Event& event : whole_.events) {
      if (!event.ok()) continue;
      if (event.kind == STILE_OP_RECEIVE && (event.asked.acquire || event.asked.load)) receive(event);
      if ((event.kind == STILE_OP_SUPPLY || event.kind == STILE_OP_APPEND) && event.asked.enqueue) covered(event);
    }
    return std::move(findings_);
  }

 private:
  void find(const char* ids, const char* what, const Event& event, std::string_view workflow) {
    findings_.push_back({ids,
                         what,
                         whole_.names.find(workflow),
                         Finding::Of::workflow,
                         {static_cast<std::uint32_t>(&event - whole_.events.data())}});
  }

  /// What the store was asked under the op_id of an operation while that was under way.
  std::vector<const Event*> parts_of(const Event& event) const {
    std::vector<const Event*> all;
    auto found = by_op_id_.find(whole_.names[event.asked.op_id]);
    if (found == by_op_id_.end()) return all;
    for (const Event* part : found->second)
      if (part->invoke >= event.invoke && part->returned <= event.returned) all.push_back(part);
    return all;
  }

  // --- receive

  /// The store was asked it as it is, for it couples that.
  static bool is_passed_on(const Event& event, const Event& part) {
    return part.kind == event.kind && part.asked.acquire == event.asked.acquire &&
           part.asked.load == event.asked.load && part.asked.enqueue == event.asked.enqueue;
  }

  void receive(const Event& event) {
    const auto parts = parts_of(event);
    std::set<std::string_view> workflows;
    for (const Told& each : whole_.handed_out(event.told.deliveries)) {
      handed_out(event, parts, each);
      if (!workflows.insert(whole_.names[each.workflow]).second)
        find("D10", "one workflow twice in one answer that was composed", event, whole_.names[each.workflow]);
    }
    for (const Event* part : parts)
      if (part->kind == STILE_OP_RECEIVE && part->ok())
        for (const Told& each : parts_.handed_out(part->told.deliveries)) left(event, parts, *part, each);
  }

  /// A delivery that a receive gave: with its lease, and with records that were read under that.
  void handed_out(const Event& event, const std::vector<const Event*>& parts, const Told& told) {
    const std::string_view workflow = whole_.names[told.workflow];
    const Event *given = nullptr, *granted = nullptr;
    const Told* as_given = nullptr;
    for (const Event* part : parts) {
      if (part->kind == STILE_OP_RECEIVE && part->ok())
        for (const Told& each : parts_.handed_out(part->told.deliveries))
          if (parts_.names[each.receipt] == whole_.names[told.receipt]) given = part, as_given = &each;
      if (part->kind == STILE_OP_ACQUIRE && part->ok() && parts_.names[part->asked.workflow] == workflow &&
          same_fence(parts_, part->told.fence, whole_, told.fence))
        granted = part;
    }
    if (given == nullptr) return find("D2", "handed out, and no receive of it gave that", event, workflow);
    if (is_passed_on(event, *given)) return as_coupled(event, told, *as_given);
    if (event.asked.acquire && granted == nullptr)
      return find("A1 D9", "handed out without a lease that was granted for it", event, workflow);
    if (event.asked.load && !was_read(event, told, granted != nullptr ? *granted : *given))
      find("D9", "handed out with other records than were read under its lease", event, workflow);
  }

  void as_coupled(const Event& event, const Told& told, const Told& given) {
    const std::string_view workflow = whole_.names[told.workflow];
    if (event.asked.acquire && !same_fence(parts_, given.fence, whole_, told.fence))
      return find("A1 D9", "handed out with another lease than the store granted with it", event, workflow);
    bool same = told.more == given.more && told.finished == given.finished &&
                same_records(parts_, given.records, whole_, told.records);
    if (event.asked.load && !same)
      find("D9", "handed out with other records than the store read with it", event, workflow);
  }

  bool was_read(const Event& event, const Told& told, const Event& after) const {
    const auto& all = by_client_.at(after.client);
    return std::any_of(all.begin(), all.end(), [&](const Event* part) {
      return part->kind == STILE_OP_LOAD && part->ok() && same_order(after, *part) && part->invoke <= event.returned &&
             parts_.names[part->asked.workflow] == whole_.names[told.workflow] && part->told.more == told.more &&
             part->told.finished == told.finished && same_records(parts_, part->told.records, whole_, told.records);
    });
  }

  /// A delivery that the store gave: it is handed out, or put off so that it comes again.
  void left(const Event& event, const std::vector<const Event*>& parts, const Event& given, const Told& told) {
    const std::string_view op_id = whole_.names[event.asked.op_id], receipt = parts_.names[told.receipt];
    const std::string_view workflow = parts_.names[told.workflow];
    if (in_doubt_.contains(op_id) || handed_out_[op_id].contains(receipt)) return;
    if (is_passed_on(event, given)) return find("D9 W1", "coupled with its lease, and not handed out", event, workflow);
    auto answers = answers_.find(receipt);
    if (answers != answers_.end()) {
      for (const Event* answer : answers->second)
        if (answer->kind == STILE_OP_SNOOZE && told.delivery_count > 1)
          return find("D5", "put off with its count lost", event, workflow);
      return;
    }
    bool replaced = std::any_of(parts.begin(), parts.end(), [&](const Event* part) {
      auto all = parts_.handed_out(part->told.deliveries);
      return part != &given &&
             std::any_of(all.begin(), all.end(), [&](const Told& each) { return each.workflow == told.workflow; });
    });
    bool in_trouble = std::any_of(parts.begin(), parts.end(), [&](const Event* part) {
      return part->kind == STILE_OP_ACQUIRE && !part->ok() && part->status != STILE_HELD;
    });
    if (!replaced && !in_trouble) find("D9 W1", "taken, and neither handed out nor put off", event, workflow);
  }

  // --- supply and append with enqueue

  void covered(const Event& event) {
    const std::string_view workflow = whole_.names[event.asked.workflow];
    const Event *written = nullptr, *passed_on = nullptr;
    for (const Event* part : parts_of(event)) {
      if (part->kind != event.kind || !part->ok()) continue;
      written = part;
      if (is_passed_on(event, *part) && (passed_on == nullptr || told_otherwise(event, *passed_on))) passed_on = part;
    }
    if (written == nullptr) return find("W9", "written, and the store was not asked to", event, workflow);
    if (passed_on != nullptr) {
      if (told_otherwise(event, *passed_on) || event.told.state != passed_on->told.state)
        find("W9", "told of another wakeup than the store enqueued with it", event, workflow);
      return;
    }
    const Event *cover = nullptr, *asked = nullptr;  // the nearest: others of its batch have theirs
    for (const Event* part : by_client_.at(written->client)) {
      bool beside = part->invoke >= event.invoke && part->returned <= event.returned;
      if (!beside || part->kind != STILE_OP_ENQUEUE || !part->ok()) continue;
      if (parts_.names[part->asked.workflow] != workflow) continue;
      if (same_order(*part, *written)) cover = part;
      if (same_order(*written, *part) && asked == nullptr) asked = part;
    }
    if (cover == nullptr) return find("W9", "written before a wakeup covered it", event, workflow);
    if (asked == nullptr) return find("W9", "written with a wakeup, and not enqueued afterwards", event, workflow);
    if (cover->asked.op_id == asked->asked.op_id && cover->asked.op_id != Text::none)
      return find("R1 W9", "covered and enqueued under one op_id", event, workflow);
    if (!cover->asked.when.instant && cover->asked.when.value < store::fallback_interval.count())
      return find("W9", "covered by a wakeup that comes before the fallback interval", event, workflow);
    if (told_otherwise(event, *asked)) find("W9", "told of another wakeup than was enqueued", event, workflow);
  }

  bool told_otherwise(const Event& event, const Event& asked) const {
    const When &one = event.asked.when, &other = asked.asked.when;
    bool same = one.instant == other.instant && one.value == other.value &&
                event.asked.has_queue == asked.asked.has_queue &&
                whole_.names[event.asked.queue] == parts_.names[asked.asked.queue];
    return !same || event.told.visible_at != asked.told.visible_at;
  }

  const History &whole_, &parts_;
  std::map<std::string_view, std::vector<const Event*>> by_op_id_, answers_;
  std::map<std::uint32_t, std::vector<const Event*>> by_client_;
  std::map<std::string_view, std::set<std::string_view>> handed_out_;
  std::set<std::string_view> in_doubt_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> judge_composed(const History& whole, const History& parts) { return Judging(whole, parts).run(); }

judge::Verdict judge_whole(const History& whole, const History& parts, judge::Options options) {
  // Of operations that are composed no one order needs to explain the answers: they are not atomic.
  options.search = false;
  judge::Verdict verdict = judge::judge(whole, options);
  for (Finding& finding : judge_composed(whole, parts)) verdict.findings.push_back(std::move(finding));
  return verdict;
}

}  // namespace stile::conformance::workloads
