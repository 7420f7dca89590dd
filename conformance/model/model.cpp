// From a request to the operation that rules on it.
//
// SPDX-License-Identifier: Apache-2.0
#include "model/model.hpp"

#include <algorithm>
#include <map>

#include "model/operations.hpp"

namespace stile::conformance::model {

namespace {

using Rule = void (*)(Call);

Rule rule_of(const std::string& op) {
  static const std::map<std::string, Rule, std::less<>> rules = {
      {"acquire", acquire}, {"renew", renew},     {"release", release}, {"load", load},
      {"record", record},   {"supply", supply},   {"append", append},   {"transact", transact},
      {"rebase", rebase},   {"discard", discard}, {"watch", watch},     {"request_cancel", request_cancel},
      {"enqueue", enqueue}, {"receive", receive}, {"extend", extend},   {"ack", answer},
      {"snooze", answer},   {"nack", answer},     {"reject", answer},   {"cancel", cancel},
      {"get", get},         {"put", put},         {"erase", erase},     {"scan", scan},
      {"prepare", prepare}, {"info", info},       {"stats", stats},     {"list", list},
      {"trim", trim},       {"advance", advance},
  };
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

Workflow* workflow_of(World& world, const Said& said) {
  if (said.has("workflow")) return world.find(said.workflow());
  auto receipt = world.receipts.find(said.bytes("receipt"));
  return receipt == world.receipts.end() ? nullptr : world.find(receipt->second);
}

/// When several statuses apply, the first of the list under "Statuses".
void rule(World& world, const Said& said, Reply& reply, Now now, std::string_view before) {
  if (auto fault = argument_fault(world, said, now)) {
    reply.one_of(fault->statuses, fault->ids);
    return;
  }
  if (said.flag("after_ok") && before.empty()) {  // R3: nothing before it
    reply.refuse("invalid", "R3");
    return;
  }
  if (said.flag("after_ok") && before != "ok") {
    reply.refuse("skipped", "R3");
    return;
  }
  Rule operation = rule_of(said.op());
  if (!operation) return reply.leave_open();
  if (Workflow* workflow = workflow_of(world, said)) {
    settle(*workflow, now);
    if (unclear(*workflow, said)) return reply.leave_open();
  }
  operation({world, said, reply, now});
}

void gather(const Moment& moment, std::vector<Moment>& out) { out.push_back(moment); }

std::vector<Moment> moments_of(const Workflow& workflow) {
  std::vector<Moment> out;
  if (workflow.lease) gather(workflow.lease->live_until, out), gather(workflow.lease->budget_until, out);
  if (workflow.cancelled_receipt) gather(workflow.cancelled_at + memory_span, out);
  if (!workflow.wakeup) return out;
  gather(workflow.wakeup->due, out);
  if (workflow.wakeup->deferred) gather(*workflow.wakeup->deferred, out);
  if (workflow.wakeup->put_off) gather(*workflow.wakeup->put_off, out);
  return out;
}

}  // namespace

Ruling Model::apply(const json::object& request, const json::object& answer, Now now, std::string_view before) {
  Said said(request);
  Reply reply(answer);
  world_.passed_over = false;
  rule(world_, said, reply, now, before);
  Ruling ruling{reply.differences(), reply.rests_on(), reply.open()};
  for (Difference& each : ruling.differences) each.text = said.op() + ": " + each.text;
  return ruling;
}

bool Model::determines(const json::object& request, Now now) const {
  Model copy(*this);
  json::object ok{{"status", "ok"}};
  return !copy.apply(request, ok, now, "ok").open;
}

Time Model::slack() const {
  Time most = 0;
  for (const auto& [id, workflow] : world_.workflows) {
    for (Moment each : moments_of(workflow)) most = std::max(most, each.slack);
  }
  return most;
}

std::vector<Time> Model::ends_within(Time from, Time to) const {
  std::vector<Time> out;
  auto take = [&](Moment each) {
    if (each.at > from && each.at <= to) out.push_back(each.at);
  };
  for (const auto& [id, workflow] : world_.workflows) {
    for (Moment each : moments_of(workflow)) take(each);
  }
  for (const auto& [key, document] : world_.documents) {
    if (document.expires) take(*document.expires);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string describe(const Difference& difference) {
  std::string ids;
  for (const std::string& each : difference.ids) ids += (ids.empty() ? "" : " ") + each;
  return "[" + ids + "] " + difference.text;
}

}  // namespace stile::conformance::model
