// Handing out wakeups (contract D, W). Which of several due wakeups a store hands out is its choice within W7 and W10.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

/// W7: a store orders by time to the millisecond or finer.
constexpr Time resolution = 1000;
/// D9: how many wakeups of held workflows one call may put off.
constexpr std::size_t most_put_off = 100;

/// A wakeup that the call may have looked at.
struct Candidate {
  std::string id;
  Workflow* workflow;
  std::size_t queue;  ///< its place in the caller's order of preference
  Due due;
  bool held;  ///< D9: due, but its lease is live and the call wants it
  bool taken = false;
};

std::vector<std::string> named_queues(const Said& said) {
  return said.has("queues") ? said.list("queues") : std::vector<std::string>{""};
}

std::vector<Candidate> look(Call call) {
  std::vector<Candidate> out;
  std::vector<std::string> queues = named_queues(call.said);
  for (auto& [id, workflow] : call.world.workflows) {
    auto place = std::find(queues.begin(), queues.end(), workflow.queue);
    if (place == queues.end()) continue;
    settle(workflow, call.now);
    Due when = due(workflow, call.now);
    if (when == Due::no) continue;
    bool held = call.said.flag("acquire") && workflow.leased(call.now);
    out.push_back({id, &workflow, static_cast<std::size_t>(place - queues.begin()), when, held});
  }
  return out;
}

/// A view of one delivery in an answer, judged like an answer of its own.
class Delivery {
 public:
  Delivery(const Said& given, Call call) : given_(given), call_(call) {}

  /// What every delivery says; `fresh` is handed out by this call, the other stands since an earlier send (R1).
  void judge(const std::string& id, Workflow& workflow) {
    Wakeup& wakeup = *workflow.wakeup;
    demand(given_.bytes("queue") == workflow.queue, "W10", "queue of " + id + " must be " + workflow.queue);
    demand(given_.number("delivery_count") == wakeup.count, "D5",
           "delivery_count of " + id + " is " + std::to_string(given_.number("delivery_count")) + ", must be " +
               std::to_string(wakeup.count));
    demand(given_.bytes("last_error") == wakeup.last_error, "D11",
           "last_error of " + id + " must be " + wakeup.last_error);
    demand(given_.flag("cancel_requested") == workflow.cancel_requested, "C8", "cancel_requested of " + id);
    learn("visible_at", wakeup.due, "D2 A3");
  }

  void learn(std::string_view name, Moment& expected, std::string_view ids) {
    Time given = given_.number(name);
    demand(can_be(expected, given), ids,
           std::string(name) + " is " + std::to_string(given) + ", must be " + std::to_string(expected.at));
    expected = {given, 0};
  }

  void demand(bool holds, std::string_view ids, const std::string& text) { call_.reply.demand(holds, ids, text); }

 private:
  const Said& given_;
  Call call_;
};

/// D2: a name nobody ever had, of printable ASCII without quotes or blanks (B9).
void judge_new_receipt(const std::string& receipt, const std::string& id, Call call) {
  bool printable = std::all_of(receipt.begin(), receipt.end(),
                               [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '`'; });
  call.reply.demand(!receipt.empty() && receipt.size() <= 1024 && printable, "B9",
                    "receipt of " + id + " is malformed");
  call.reply.demand(call.world.receipts.emplace(receipt, id).second, "D2", "receipt of " + id + " was given before");
}

/// D9, A1: the lease that comes with a delivery; its fence stands in the delivery as in an answer of acquire.
void judge_lease_along(Workflow& workflow, const std::string& id, const Said& given, const json::object& object,
                       Call call) {
  Said how = call.said.group("acquire");
  call.world.past[id];
  Reply part(object);
  grant(workflow, call.world.past[id], call.said, part, call.now, how.duration("ttl"), how.duration("budget"));
  for (const Difference& each : part.differences()) {
    std::string ids;
    for (const std::string& one : each.ids) ids += one + " ";
    call.reply.demand(false, ids + "D9", each.text + " in the delivery of " + id);
  }
  (void)given;
}

void judge_load_along(Workflow& workflow, const Said& given, Call call) {
  if (!call.said.flag("load")) return;
  judge_records(workflow, call.said.group("load"), given, call.reply, call.world, false);
  call.reply.demand(given.flag("finished") == workflow.finished.has_value(), "T1", "finished of a delivery");
}

void hand_out(Candidate& candidate, const Said& given, const json::object& object, Call call) {
  Workflow& workflow = *candidate.workflow;
  Wakeup& wakeup = *workflow.wakeup;
  call.reply.demand(!candidate.held, "D9", "handed out " + candidate.id + ", whose lease is held");
  call.reply.demand(!candidate.taken, "D1 D10", "handed out " + candidate.id + " twice");
  candidate.taken = true;
  std::string receipt = given.bytes("receipt");
  judge_new_receipt(receipt, candidate.id, call);
  wakeup.state = Wakeup::State::in_flight;
  wakeup.due = call.now.stamp + call.said.duration("lease");
  wakeup.count += 1;        // D4, D5
  wakeup.deferred.reset();  // W3: one redelivery answers for both
  wakeup.forget_put_off();
  wakeup.receipt = receipt;
  wakeup.receive_op_id = call.said.op_id();
  workflow.cancelled_receipt.reset();  // C2: until the next delivery
  workflow.last_operation = call.now.stamp;
  Delivery(given, call).judge(candidate.id, workflow);
  if (call.said.flag("acquire")) judge_lease_along(workflow, candidate.id, given, object, call);
  judge_load_along(workflow, given, call);
}

/// When a wakeup first became due, as far as the contract and the clock fix it: a put-off does not move it (D9).
struct Place {
  Time earliest, latest;
};

Place place_of(const Wakeup& wakeup) {
  Place place{wakeup.due.earliest(), wakeup.due.latest()};
  if (wakeup.old_place) {
    place.earliest = std::min(place.earliest, wakeup.old_place->earliest());
    place.latest = std::max(place.latest, wakeup.old_place->latest());
  }
  return place;
}

/// W10: from a later queue only when no earlier one has one due. W7: within a queue earliest first.
void judge_choice(const std::vector<Candidate>& all, const std::vector<Place>& places, Call call) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].taken) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j].taken || all[j].held || all[j].due != Due::yes) continue;
      call.reply.demand(all[j].queue >= all[i].queue, "W10",
                        "handed out " + all[i].id + " while " + all[j].id + " was due in a queue named earlier");
      if (all[j].queue != all[i].queue || call.world.terms.partitions > 1) continue;
      call.reply.demand(places[i].earliest <= places[j].latest + resolution, "W7",
                        "handed out " + all[i].id + " while " + all[j].id + " was due earlier");
    }
  }
}

/// D9: what was due and held was put off, if the call met it.
void put_off(std::vector<Candidate>& all, bool looked_at_all) {
  std::size_t held = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](auto& c) { return c.held; }));
  for (Candidate& each : all) {
    if (!each.held) continue;
    Wakeup& wakeup = *each.workflow->wakeup;
    if (looked_at_all && held <= most_put_off && each.due == Due::yes) {
      wakeup.put_off = each.workflow->lease->live_until;
      wakeup.perhaps_put_off = false;
      wakeup.also_due.clear();
    } else {
      wakeup.perhaps_put_off = true;
    }
  }
}

/// R1: the deliveries of the first send that are still current, as they stand. False when there are none.
bool answer_again(Call call, const std::vector<Said>& given) {
  std::map<std::string, Workflow*> current;
  for (auto& [id, workflow] : call.world.workflows) {
    const auto& wakeup = workflow.wakeup;
    if (wakeup && wakeup->state == Wakeup::State::in_flight && wakeup->receive_op_id == call.said.op_id()) {
      current[id] = &workflow;
    }
  }
  if (current.empty()) return false;
  if (!call.reply.ok("R1")) return true;
  call.reply.demand(given.size() == current.size(), "R1",
                    "answered " + std::to_string(given.size()) + " deliveries, of the first send " +
                        std::to_string(current.size()) + " are current");
  for (const Said& each : given) {
    auto place = current.find(each.workflow());
    if (place == current.end()) {
      call.reply.demand(false, "R1 D2", "handed out " + each.workflow() + ", which is no delivery of the first send");
      continue;
    }
    Workflow& workflow = *place->second;
    call.reply.demand(each.bytes("receipt") == workflow.wakeup->receipt, "R1 D2", "another receipt than at first");
    Delivery(each, call).judge(place->first, workflow);
    judge_load_along(workflow, each, call);
    bool its_lease = workflow.lease && workflow.lease->stamp() == call.said.op_id();
    if (call.said.flag("acquire") && its_lease) {
      call.reply.demand(each.bytes("fence") == workflow.lease->fence, "R1 D9", "another fence than at first");
    }
    current.erase(place);
  }
  return true;
}

void judge_time(Call call) {
  Moment told = call.now.stamp;
  call.reply.moment("store_time", told, "A11 A14");
}

}  // namespace

void receive(Call call) {
  auto& [world, said, reply, now] = call;
  if (said.flag("acquire") && !world.terms.can("coupled_receive")) {
    reply.refuse("unsupported", "S3");
    return;
  }
  const json::value* list = reply.said().find("deliveries");
  static const json::array none;
  const json::array& objects = list && list->is_array() ? list->get_array() : none;
  std::vector<Said> given = reply.said().objects("deliveries");
  std::vector<Candidate> all = look(call);
  if (said.flag("again") && answer_again(call, given)) return judge_time(call);
  if (!reply.ok("W1 W6")) return;
  judge_time(call);
  std::size_t max = static_cast<std::size_t>(said.number("max", 1));
  reply.demand(given.size() <= max, "D10", "handed out more than max");
  std::vector<Place> places;
  for (const Candidate& each : all) places.push_back(place_of(*each.workflow->wakeup));
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto place = std::find_if(all.begin(), all.end(), [&](auto& c) { return c.id == given[i].workflow(); });
    if (place == all.end()) {
      reply.demand(false, "W4 D1 C1 W10", "handed out " + given[i].workflow() + ", which is not due in a queue named");
      continue;
    }
    hand_out(*place, given[i], objects[i].get_object(), call);
  }
  judge_choice(all, places, call);
  bool left = std::any_of(all.begin(), all.end(), [](auto& c) { return !c.taken && !c.held && c.due == Due::yes; });
  // W7: an empty answer promises nothing, but somebody must get it soon (W4): the harness asks again.
  world.passed_over = given.empty() && left && !reply.said().flag("more");
  if (said.flag("acquire")) put_off(all, given.empty() && !left && !reply.said().flag("more"));
}

}  // namespace stile::conformance::model
